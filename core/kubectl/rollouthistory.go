package kubectl

import (
	"maps"
	"slices"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/align"
	"podwalk/core/kubectl/describe"
	"podwalk/core/kubectl/printer"
)

const (
	revisionAnnotation = "deployment.kubernetes.io/revision"
	changeCause        = "kubernetes.io/change-cause"
	hashLabel          = "pod-template-hash"
)

// past is one revision of a workload.
type past struct {
	object   api.Object // what keeps it: a ReplicaSet or a ControllerRevision
	cause    string     // what the annotation says led to it
	template *api.PodTemplateSpec
}

// revisions are the revisions of a workload by their number. known is false for
// kinds that have none (kubectl/pkg/polymorphichelpers/history.go).
func (s *session) revisions(i *item) (all map[int64]past, known bool, err error) {
	switch o := i.object.(type) {
	case *api.Deployment:
		all, err = s.replicaSetRevisions(o)
	case *api.DaemonSet:
		all, err = s.controllerRevisions(i, o.Spec.Selector)
	case *api.StatefulSet:
		all, err = s.controllerRevisions(i, o.Spec.Selector)
	default:
		return nil, false, nil
	}
	return all, true, err
}

// controlled lists the objects of a kind that a selector finds and i controls.
func (s *session) controlled(kind string, selector *api.LabelSelector, i *item) ([]api.Object, error) {
	list, err := s.list(api.KindNamed(kind), printer.SelectorText(selector), "")
	if err != nil {
		return nil, err
	}
	var out []api.Object
	uid := i.object.Meta().UID
	for _, x := range list {
		if slices.ContainsFunc(x.object.Meta().OwnerReferences, func(o api.OwnerReference) bool {
			return o.UID == uid && o.Controller != nil && *o.Controller
		}) {
			out = append(out, x.object)
		}
	}
	return out, nil
}

func (s *session) replicaSetRevisions(d *api.Deployment) (map[int64]past, error) {
	list, err := s.controlled("ReplicaSet", d.Spec.Selector, &item{object: d})
	out := map[int64]past{}
	for _, o := range list {
		r := o.(*api.ReplicaSet)
		n, err := int64(0), error(nil)
		if text, has := r.Annotations[revisionAnnotation]; has {
			n, err = strconv.ParseInt(text, 10, 64)
		}
		if err == nil {
			out[n] = past{r, r.Annotations[changeCause], &r.Spec.Template}
		}
	}
	return out, err
}

// controllerRevisions are those of a DaemonSet or StatefulSet: each holds a patch
// that brings its template back.
func (s *session) controllerRevisions(i *item, selector *api.LabelSelector) (map[int64]past, error) {
	list, err := s.controlled("ControllerRevision", selector, i)
	out := map[int64]past{}
	for _, o := range list {
		r := o.(*api.ControllerRevision)
		out[r.Revision] = past{r, r.Annotations[changeCause], templateOf(i, r)}
	}
	return out, err
}

// templateOf returns the template of a revision, or nil if its patch makes none.
func templateOf(i *item, r *api.ControllerRevision) *api.PodTemplateSpec {
	n, err := codec.ParseJSON(r.Data)
	if err != nil {
		return nil
	}
	patch, _ := codec.ToValue(n).(map[string]any)
	now, _ := codec.ToValue(i.object).(map[string]any)
	then, err := codec.PatchStrategic(now, patch, i.kind)
	if err != nil {
		return nil
	}
	node := codec.ToNode(then)
	t := &api.PodTemplateSpec{}
	if at := node.Get("spec", "template"); at == nil || codec.Decode(at, t) != nil {
		return nil
	}
	return t
}

func (s *session) history(i *item) error {
	revision, err := s.flags.number("revision", 0)
	if err != nil {
		return err
	}
	if revision < 0 {
		return plain("revision must be a positive integer: " + num(revision))
	}
	all, known, err := s.revisions(i)
	switch {
	case err != nil:
		return err
	case !known:
		return noViewer(i.kind, "history viewer", "retrieving history")
	case s.flags.has("output"):
		return s.printRevisions(all, revision)
	case len(all) == 0:
		s.print(i.shown(), " \nNo rollout history found.\n")
		return nil
	case revision > 0:
		r, ok := all[revision]
		switch {
		case !ok:
			return plain("unable to find the specified revision")
		case r.template == nil:
			return plain("unable to parse history " + r.object.Meta().Name)
		}
		s.print(i.shown(), " with revision #", num(revision), "\n", pastTemplate(r), "\n")
		return nil
	}
	text := "REVISION\tCHANGE-CAUSE\n"
	for _, n := range slices.Sorted(maps.Keys(all)) {
		text += num(n) + "\t" + or(all[n].cause, "<none>") + "\n"
	}
	s.print(i.shown(), " \n", align.Text(text, 0, 2), "\n")
	return nil
}

// pastTemplate describes the template of a revision; that of a ReplicaSet shows
// its change cause too.
func pastTemplate(r past) string {
	t := *r.template
	if _, ok := r.object.(*api.ReplicaSet); ok && r.cause != "" {
		t.Annotations = maps.Clone(t.Annotations)
		if t.Annotations == nil {
			t.Annotations = map[string]string{}
		}
		t.Annotations[changeCause] = r.cause
	}
	return describe.Template(&t)
}

// visited are the kinds that kubectl can tell apart but knows no history of.
var visited = map[string]bool{"Job": true, "Pod": true, "ReplicaSet": true, "ReplicationController": true, "CronJob": true}

func noViewer(k *api.Kind, what, doing string) error {
	if visited[k.Kind] {
		return plain("no " + what + " has been implemented for " + quoted(groupKind(k)))
	}
	return plain("error " + doing + " for " + quoted(groupKind(k)) + ", no visitor method exists for {" + k.Group + " " + k.Name() + "}")
}

// printRevisions prints what keeps the revisions, or one of them, as -o asks for.
func (s *session) printRevisions(all map[int64]past, revision int64) error {
	if _, ok := all[revision]; revision > 0 && !ok {
		return plain("unable to find the specified revision")
	}
	for _, n := range slices.Sorted(maps.Keys(all)) {
		if revision > 0 && n != revision {
			continue
		}
		o := all[n].object
		if err := s.printDone(&item{kind: api.KindNamed(o.ObjectType().Kind), name: o.Meta().Name, object: o}, ""); err != nil {
			return err
		}
	}
	return nil
}

// undo puts the template of an earlier revision back
// (kubectl/pkg/polymorphichelpers/rollback.go).
func (s *session) undo(i *item) error {
	to, err := s.flags.number("to-revision", 0)
	if err != nil {
		return err
	}
	if i.object.Meta().Annotations[lastApplied] != "" {
		s.printErr("Warning: resource ", i.kind.Plural, "/", i.name, " was previously managed with 'kubectl apply'. Rolling back will not update the ", lastApplied,
			" annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.\n")
	}
	all, known, err := s.revisions(i)
	switch {
	case err != nil:
		return err
	case !known:
		return noViewer(i.kind, "rollbacker", "retrieving rollbacker")
	}
	d, isDeployment := i.object.(*api.Deployment)
	r, err := chosen(all, to, isDeployment, i.name)
	switch {
	case err != nil:
		return err
	case s.dryRunClient() && isDeployment:
		return s.printDone(i, describe.Template(r.template))
	case s.dryRunClient() && r.template != nil:
		return s.printDone(i, "will roll back to "+describe.Template(r.template))
	case isDeployment && d.Spec.Paused:
		return plain("you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again")
	case r.template != nil && sameTemplate(r.template, templateIn(i.object)):
		return s.printDone(i, "skipped rollback (current template already matches revision "+num(to)+")")
	}
	req := api.Request{Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, DryRun: s.dryRunServer(), FieldManager: "kubectl-rollout"}
	if isDeployment {
		req.PatchType, req.Body = "application/json-patch+json", deploymentPatch(d, r)
	} else {
		req.PatchType, req.Body = "application/strategic-merge-patch+json", r.object.(*api.ControllerRevision).Data
	}
	if _, err := s.do(req); err != nil {
		return plain("failed restoring revision " + num(to) + ": " + err.Error())
	}
	return s.printDone(i, "rolled back")
}

// chosen is the revision to go back to; 0 is the one before the present one.
func chosen(all map[int64]past, to int64, isDeployment bool, name string) (past, error) {
	numbers := slices.Sorted(maps.Keys(all))
	if to == 0 && len(numbers) > 1 {
		return all[numbers[len(numbers)-2]], nil
	}
	r, ok := all[to]
	switch {
	case to == 0 && isDeployment:
		return r, plain("no rollout history found for deployment " + quoted(name))
	case to == 0:
		return r, plain("no last revision to roll back to")
	case !ok:
		return r, plain("unable to find specified revision " + num(to) + " in history")
	}
	return r, nil
}

func templateIn(o api.Object) *api.PodTemplateSpec {
	switch o := o.(type) {
	case *api.Deployment:
		return &o.Spec.Template
	case *api.DaemonSet:
		return &o.Spec.Template
	case *api.StatefulSet:
		return &o.Spec.Template
	}
	return nil
}

// sameTemplate compares templates without the label that tells revisions apart.
func sameTemplate(a, b *api.PodTemplateSpec) bool {
	x, y := *a, *b
	x.Labels, y.Labels = withoutHash(a.Labels), withoutHash(b.Labels)
	return api.Equal(&x, &y)
}

func withoutHash(m map[string]string) map[string]string {
	m = maps.Clone(m)
	delete(m, hashLabel)
	return m
}

// notRestored are the annotations that a Deployment keeps when it is rolled back.
var notRestored = map[string]bool{lastApplied: true, revisionAnnotation: true, "deployment.kubernetes.io/revision-history": true,
	"deployment.kubernetes.io/desired-replicas": true, "deployment.kubernetes.io/max-replicas": true, "deprecated.deployment.rollback.to": true}

// deploymentPatch brings back the template and the annotations of a revision.
func deploymentPatch(d *api.Deployment, r past) []byte {
	t := *r.template
	t.Labels = withoutHash(t.Labels)
	annotations := map[string]any{}
	for k, v := range d.Annotations {
		if notRestored[k] {
			annotations[k] = v
		}
	}
	for k, v := range r.object.Meta().Annotations {
		if !notRestored[k] {
			annotations[k] = v
		}
	}
	return codec.ToJSON([]any{
		map[string]any{"op": "replace", "path": "/spec/template", "value": codec.ToValue(&t)},
		map[string]any{"op": "replace", "path": "/metadata/annotations", "value": annotations},
	})
}
