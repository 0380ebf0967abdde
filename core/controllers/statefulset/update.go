package statefulset

import (
	"sort"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/history"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// update is one look at a set (stateful_set_control.go).
type update struct {
	ctx   *actor.Ctx
	set   *api.StatefulSet
	wrote uint64
	next  sim.Time // when to look again

	written map[string]*api.PersistentVolumeClaim // claims that this look has written

	revisions       []*api.ControllerRevision
	current, latest *api.ControllerRevision
	collisions      int32
	currentTemplate *api.PodTemplateSpec

	pods      []*api.Pod
	replicas  []*api.Pod // one for each ordinal, nil where it is missing
	condemned []*api.Pod // of ordinals that are not wanted, the highest first
	unhealthy *api.Pod   // the first that is not available
	ended     int        // pods that the rollout has just ended
	status    api.StatefulSetStatus
}

// run reports whether the look succeeded; else it is repeated.
func (u *update) run() bool {
	selector, err := u.set.Spec.Selector.AsSelector()
	if err != nil {
		return true
	}
	var st *api.Status
	if u.revisions, st = history.List(u.ctx, u.set, selector); st != nil {
		return false
	}
	claims := &podcontrol.Claims{Owner: u.set, Selector: selector, Match: func(o api.Object) bool {
		parent, _ := parse(o.Meta().Name)
		return parent == u.set.Name
	}}
	u.pods, st = claims.Pods(u.ctx, append(podcontrol.Owned(u.ctx.Read, u.set), podcontrol.Orphans(u.ctx.Read, u.set.Namespace)...))
	if st != nil {
		return false
	}
	ok := u.revise()
	if ok {
		ok = u.perform()
	}
	if !u.truncate() || !ok {
		return false
	}
	u.plan()
	return true
}

// noteWrite notes that the cache must show the newest revision before the next
// look.
func (u *update) noteWrite() { u.wrote = u.ctx.Host.Latest().Rev() }

// plan asks for a look when a pod will have been ready for long enough.
func (u *update) plan() {
	if u.set.Spec.MinReadySeconds > 0 && u.status.ReadyReplicas != u.status.AvailableReplicas {
		u.next = podcontrol.NextAvailable(u.ctx, u.pods, u.set.Spec.MinReadySeconds)
		if u.next == sim.Never {
			u.next = u.ctx.Now() + sim.Time(u.set.Spec.MinReadySeconds)*sim.Second
		}
	}
}

// perform brings the pods nearer to what the set wants and writes the status.
func (u *update) perform() bool {
	s := u.set
	if s.Spec.UpdateStrategy.Type == "Recreate" {
		u.event("Warning", "UnknownStrategy", "statefulset "+s.Namespace+"/"+s.Name+
			" uses Recreate strategy but feature gate StatefulSetRecreateStrategy is disabled")
		return false
	}
	u.status = api.StatefulSetStatus{ObservedGeneration: s.Generation, CurrentRevision: u.current.Name, UpdateRevision: u.latest.Name,
		CollisionCount: &u.collisions, Conditions: s.Status.Conditions}
	u.sortOut()
	u.tally(u.pods)
	failure := ""
	if s.DeletionTimestamp == nil {
		failure = u.advance()
	}
	return u.writeStatus() && failure == ""
}

// sortOut puts each pod at its ordinal and finds the first that is not available.
func (u *update) sortOut() {
	if int(*u.set.Spec.Replicas) > most {
		u.ctx.Record(trace.Record{Ref: actor.RefOf(u.set), Verdict: trace.NotSimulated, Reason: "TooManyReplicas",
			Message: "no more than " + strconv.Itoa(most) + " pods of a StatefulSet are made"})
	}
	u.replicas = make([]*api.Pod, size(u.set))
	for _, p := range u.pods {
		if inRange(p, u.set) {
			u.replicas[ordinalOf(p)-start(u.set)] = p
		} else if ordinalOf(p) != none {
			u.condemned = append(u.condemned, p)
		}
	}
	sort.SliceStable(u.condemned, func(i, j int) bool { return ordinalOf(u.condemned[i]) > ordinalOf(u.condemned[j]) })
	for i := 0; i < len(u.replicas) && u.unhealthy == nil; i++ {
		if p := u.replicas[i]; p == nil {
			u.unhealthy = &api.Pod{ObjectMeta: api.ObjectMeta{Name: podName(u.set, start(u.set)+i)}}
		} else if u.unavailable(p) {
			u.unhealthy = p
		}
	}
	for i := len(u.condemned) - 1; i >= 0; i-- {
		if u.unhealthy == nil && u.unavailable(u.condemned[i]) {
			u.unhealthy = u.condemned[i]
		}
	}
}

// missing makes the pod of an ordinal: of the current revision below the
// partition, else of the newest (newVersionedStatefulSetPod).
func (u *update) missing(ordinal int) *api.Pod {
	s := u.set
	if r := s.Spec.UpdateStrategy; r.Type == "RollingUpdate" {
		old := int(s.Status.CurrentReplicas)
		if r.RollingUpdate != nil {
			old = partition(s)
		}
		if ordinal < start(s)+old {
			return newPod(s, u.currentTemplate, u.current.Name, ordinal)
		}
	}
	return newPod(s, &s.Spec.Template, u.latest.Name, ordinal)
}

// partition is the number of ordinals that stay at the current revision.
func partition(s *api.StatefulSet) int {
	if r := s.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		return int(*r.Partition)
	}
	return 0
}

func (u *update) available(p *api.Pod) bool {
	return podcontrol.IsAvailable(p, u.set.Spec.MinReadySeconds, u.ctx.Time())
}

func (u *update) unavailable(p *api.Pod) bool { return terminating(p) || !u.available(p) }

// monotonic reports whether pods are made and ended one after the other.
func (u *update) monotonic() bool { return u.set.Spec.PodManagementPolicy != "Parallel" }

// advance makes, mends, ends and updates pods. It returns what went wrong.
func (u *update) advance() string {
	defer func() { u.recount() }()
	steps := []struct {
		n  int
		do func(int) (blocked bool, failure string)
	}{
		{len(u.replicas), u.tend},
		{len(u.condemned), func(i int) (bool, string) { return u.fixCondemned(u.condemned[i]) }},
		{len(u.condemned), func(i int) (bool, string) { return u.condemn(u.condemned[i]) }},
	}
	for _, s := range steps {
		if blocked, failure := u.each(s.n, s.do); blocked || failure != "" {
			return failure
		}
	}
	if u.set.Spec.UpdateStrategy.Type == "OnDelete" {
		return ""
	}
	return u.roll()
}

// each calls do for n pods in order, up to the first that blocks; of a parallel set
// for all of them, in batches of 1, 2, 4, ... of which none follows a failure.
func (u *update) each(n int, do func(int) (bool, string)) (blocked bool, failure string) {
	if u.monotonic() {
		for i := range n {
			if blocked, failure = do(i); blocked || failure != "" {
				return true, failure
			}
		}
		return false, ""
	}
	next := 0
	_, st := podcontrol.SlowStart(n, func() *api.Status {
		_, f := do(next)
		next++
		if f == "" {
			return nil
		}
		failure = f
		return api.NewInternalError(f)
	})
	return st != nil, failure
}

func (u *update) event(kind, reason, message string) {
	u.ctx.Event(actor.Event{Regarding: u.set, Type: kind, Reason: reason, Message: message, Component: name})
}

// podEvent tells what was done to a pod; verb is such as Create.
func (u *update) podEvent(verb string, p *api.Pod, failure string) {
	what := verb + " Pod " + p.Name + " in StatefulSet " + u.set.Name
	if failure == "" {
		u.event("Normal", "Successful"+verb, what+" successful")
	} else {
		u.event("Warning", "Failed"+verb, what+" failed error: "+failure)
	}
}
