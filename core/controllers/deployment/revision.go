package deployment

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
)

// The annotations by which the controller remembers.
const (
	revisionKey = "deployment.kubernetes.io/revision"
	historyKey  = "deployment.kubernetes.io/revision-history"
	desiredKey  = "deployment.kubernetes.io/desired-replicas"
	maxKey      = "deployment.kubernetes.io/max-replicas"
)

const longestHistory = 2000 // characters of the annotation

// notCopied are the annotations of a Deployment that its sets do not get.
var notCopied = map[string]bool{"kubectl.kubernetes.io/last-applied-configuration": true, revisionKey: true, historyKey: true,
	desiredKey: true, maxKey: true, "deprecated.deployment.rollback.to": true}

// revise returns the new set and the old ones, with the revisions put right
// (getAllReplicaSetsAndSyncRevision).
func (l *look) revise(sets []*api.ReplicaSet, create bool) (newSet *api.ReplicaSet, old []*api.ReplicaSet, err *api.Status) {
	existing := l.findNew(sets)
	old = without(sets, existing)
	revision := int64(0)
	for _, s := range old {
		if n, ok := revisionOf(s); ok {
			revision = max(revision, n)
		}
	}
	switch {
	case existing != nil:
		newSet, err = l.refresh(existing, revision+1)
	case create:
		newSet, err = l.createSet(old, revision+1)
	}
	return newSet, old, err
}

func revisionOf(s *api.ReplicaSet) (int64, bool) {
	text, has := s.Annotations[revisionKey]
	if !has {
		return 0, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// refresh brings the annotations of the new set up to date, and the revision of
// the Deployment.
func (l *look) refresh(set *api.ReplicaSet, revision int64) (*api.ReplicaSet, *api.Status) {
	s := *set
	s.Annotations = own(s.Annotations)
	if annotate(l.d, &s, revision) || s.Spec.MinReadySeconds != l.d.Spec.MinReadySeconds {
		s.Spec.MinReadySeconds = l.d.Spec.MinReadySeconds
		res := l.c.Update(&s)
		if res.Failed() {
			return nil, res.Status
		}
		return res.Object.(*api.ReplicaSet), nil
	}
	changed := l.setRevision(s.Annotations[revisionKey])
	if l.hasDeadline() && find(l.d.Status.Conditions, progressing) == nil {
		l.setCondition(&l.d.Status, progressing, "True", "FoundNewReplicaSet", "Found new replica set "+strconv.Quote(s.Name))
		changed = true
	}
	if changed {
		if res := l.c.UpdateStatus(l.snapshot()); res.Failed() {
			return nil, res.Status
		}
	}
	return set, nil
}

// snapshot is a copy of the Deployment that may be handed to the API server while
// the look goes on.
func (l *look) snapshot() *api.Deployment {
	d := *l.d
	d.Annotations = maps.Clone(d.Annotations)
	return &d
}

func (l *look) setRevision(text string) bool {
	if l.d.Annotations[revisionKey] == text {
		return false
	}
	l.d.Annotations = own(l.d.Annotations)
	l.d.Annotations[revisionKey] = text
	return true
}

func own(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return maps.Clone(m)
}

// annotate copies the Deployment's annotations to a set, whose map may be changed,
// and raises its revision (SetNewReplicaSetAnnotations).
func annotate(d *api.Deployment, s *api.ReplicaSet, revision int64) bool {
	changed := false
	for k, v := range d.Annotations {
		if got, has := s.Annotations[k]; !notCopied[k] && (!has || got != v) {
			s.Annotations[k] = v
			changed = true
		}
	}
	text, had := s.Annotations[revisionKey]
	was, err := strconv.ParseInt(text, 10, 64)
	if err != nil && text != "" {
		return false
	}
	if was >= revision {
		return changed
	}
	s.Annotations[revisionKey] = strconv.FormatInt(revision, 10)
	if had {
		addHistory(s, text)
	}
	return true
}

// addHistory notes a revision that the set has had before; the oldest are dropped
// where the list would become too long.
func addHistory(s *api.ReplicaSet, revision string) {
	list := s.Annotations[historyKey]
	if list == "" {
		s.Annotations[historyKey] = revision
		return
	}
	past := strings.Split(list, ",")
	length := len(list) + len(revision) + 1
	for length > longestHistory && len(past) > 0 {
		length -= len(past[0]) + 1
		past = past[1:]
	}
	if length <= longestHistory {
		s.Annotations[historyKey] = strings.Join(append(past, revision), ",")
	}
}

// createSet makes the set of the Deployment's template.
func (l *look) createSet(old []*api.ReplicaSet, revision int64) (*api.ReplicaSet, *api.Status) {
	s := l.newSet(old, revision)
	res := l.c.Create(s)
	switch {
	case !res.Failed():
		return l.created(res.Object.(*api.ReplicaSet), revision, true)
	case res.Status.Reason == api.ReasonAlreadyExists:
		return l.collided(s.Name, revision, res.Status)
	case podcontrol.IsNamespaceTerminating(res.Status):
		return nil, res.Status
	}
	message := "Failed to create new replica set " + strconv.Quote(s.Name) + ": " + res.Status.Message
	if l.hasDeadline() {
		l.setCondition(&l.d.Status, progressing, "False", "ReplicaSetCreateError", message)
		l.c.UpdateStatus(l.snapshot()) // a failure here is the lesser one
	}
	l.event("Warning", "ReplicaSetCreateError", message)
	return nil, res.Status
}

func (l *look) newSet(old []*api.ReplicaSet, revision int64) *api.ReplicaSet {
	d := l.d
	hash := podcontrol.Hash(&d.Spec.Template, d.Status.CollisionCount)
	s := &api.ReplicaSet{TypeMeta: api.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"}}
	s.Name, s.Namespace = setName(d.Name, hash), d.Namespace
	s.OwnerReferences = []api.OwnerReference{podcontrol.OwnerRef(d)}
	s.Spec.MinReadySeconds = d.Spec.MinReadySeconds
	s.Spec.Template = d.Spec.Template
	s.Spec.Template.Labels = own(d.Spec.Template.Labels)
	s.Spec.Template.Labels[hashLabel] = hash
	s.Labels = s.Spec.Template.Labels
	sel := api.LabelSelector{}
	if d.Spec.Selector != nil {
		sel = *d.Spec.Selector
	}
	sel.MatchLabels = own(sel.MatchLabels)
	sel.MatchLabels[hashLabel] = hash
	s.Spec.Selector = &sel
	n := l.newReplicas(wanted(old), 0)
	s.Spec.Replicas = &n
	s.Annotations = map[string]string{}
	annotate(d, s, revision)
	l.setReplicaNotes(s)
	return s
}

// setName keeps within the length of a name (generateReplicaSetName).
func setName(deployment, hash string) string {
	if most := 253 - 1 - len(hash); len(deployment) > most {
		deployment = deployment[:most]
	}
	return deployment + "-" + hash
}

// created notes a set that is there now, made by this look or by an earlier one.
func (l *look) created(s *api.ReplicaSet, revision int64, fresh bool) (*api.ReplicaSet, *api.Status) {
	if n := want(s); fresh && n > 0 {
		l.event("Normal", "ScalingReplicaSet", "Scaled up replica set "+s.Name+" from 0 to "+itoa(n))
	}
	changed := l.setRevision(strconv.FormatInt(revision, 10))
	if fresh && l.hasDeadline() {
		l.setCondition(&l.d.Status, progressing, "True", "NewReplicaSetCreated", "Created new replica set "+strconv.Quote(s.Name))
		changed = true
	}
	if !changed {
		return s, nil
	}
	return s, l.c.UpdateStatus(l.snapshot()).Status
}

// collided finds out whether the set of that name is the one wanted; another one
// makes the Deployment count a collision, so that the next hash differs.
func (l *look) collided(name string, revision int64, err *api.Status) (*api.ReplicaSet, *api.Status) {
	s, ok := l.c.Read.Get("ReplicaSet", l.d.Namespace, name).(*api.ReplicaSet)
	if !ok {
		return nil, api.NewNotFound(api.KindNamed("ReplicaSet"), name)
	}
	if podcontrol.IsControlledBy(s, l.d) && sameTemplate(&l.d.Spec.Template, &s.Spec.Template) {
		return l.created(s, revision, false)
	}
	n := int32(1)
	if c := l.d.Status.CollisionCount; c != nil {
		n = *c + 1
	}
	l.d.Status.CollisionCount = &n
	l.c.UpdateStatus(l.snapshot()) // a failure brings the collision up again
	return nil, err
}

func itoa(n int32) string { return strconv.Itoa(int(n)) }

// cleanup deletes the oldest old sets beyond the history limit
// (cleanupDeployment).
func (l *look) cleanup(old []*api.ReplicaSet) *api.Status {
	limit := l.d.Spec.RevisionHistoryLimit
	if limit == nil || *limit == math.MaxInt32 {
		return nil
	}
	var alive []*api.ReplicaSet
	for _, s := range old {
		if s.DeletionTimestamp == nil {
			alive = append(alive, s)
		}
	}
	sortByRevision(alive)
	for i := 0; i < len(alive)-int(*limit); i++ {
		s := alive[i]
		if s.Status.Replicas != 0 || want(s) != 0 || s.Generation > s.Status.ObservedGeneration {
			continue
		}
		res := l.c.Do(api.Request{Verb: api.Delete, Kind: api.KindNamed("ReplicaSet"), Namespace: s.Namespace, Name: s.Name})
		if res.Failed() && res.Status.Reason != api.ReasonNotFound {
			return res.Status
		}
	}
	return nil
}
