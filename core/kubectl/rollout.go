package kubectl

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/align"
	"podwalk/core/kubectl/printer"
)

const rolloutFlags = ` timeout= revision= to-revision= watch,w selector,l= filename,f= output,o= dry-run*unchanged show-managed-fields field-manager=`

const revisionAnnotation = "deployment.kubernetes.io/revision"

func (s *session) rollout() error {
	if len(s.args) == 0 {
		return errNotSimulated("kubectl rollout without a command")
	}
	what := s.args[0]
	if !contains([]string{"status", "restart", "pause", "resume", "history", "undo"}, what) {
		return plain("unknown command " + quoted(what) + "\nSee 'kubectl rollout -h' for help and examples")
	}
	if len(s.args) == 1 && !s.flags.has("filename") {
		return plain("required resource not specified")
	}
	items, errs, err := s.targets(s.args[1:])
	if err != nil {
		return err
	}
	for n := range items {
		if err := s.rolloutOne(what, &items[n]); err != nil {
			errs = append(errs, err)
		}
	}
	return join(errs)
}

func (s *session) rolloutOne(what string, i *item) error {
	switch what {
	case "status":
		return s.rolloutStatus(i)
	case "restart":
		return s.restart(i)
	case "history":
		return s.history(i)
	case "undo":
		return s.undo(i)
	}
	d, ok := i.object.(*api.Deployment)
	if !ok {
		return plain(i.kind.Resource() + " " + quoted(i.name) + " " + what[:len(what)-1] + "ing is not supported")
	}
	pause := what == "pause"
	if d.Spec.Paused == pause {
		state := "not paused"
		if pause {
			state = "already paused"
		}
		return plain(i.kind.Resource() + " " + quoted(i.name) + " is " + state)
	}
	var value any
	if pause {
		value = true
	}
	if err := s.mergeInto(i, map[string]any{"spec": map[string]any{"paused": value}}, ""); err != nil {
		return err
	}
	return s.printDone(i, strings.TrimSuffix(what, "e")+"ed")
}

func (s *session) restart(i *item) error {
	if podSpecOf(i.object) == nil || i.kind.Group != "apps" {
		return plain(i.kind.Resource() + " " + quoted(i.name) + " restarting is not supported")
	}
	if d, ok := i.object.(*api.Deployment); ok && d.Spec.Paused {
		return plain("can't restart paused deployment (run rollout resume first)")
	}
	at := time.Unix(0, s.client.Now()).UTC().Format(time.RFC3339)
	annotations := map[string]any{"annotations": map[string]any{"kubectl.kubernetes.io/restartedAt": at}}
	patch := map[string]any{"spec": map[string]any{"template": map[string]any{"metadata": annotations}}}
	if err := s.mergeInto(i, patch, ""); err != nil {
		return err
	}
	return s.printDone(i, "restarted")
}

// rolloutStatus follows a rollout to its end, as far as time may pass.
func (s *session) rolloutStatus(i *item) error {
	timeout, err := s.flags.duration("timeout")
	if err != nil {
		return err
	}
	seconds, last := int64(timeout.Seconds()), ""
	if seconds == 0 {
		seconds = 7 * 24 * 3600
	}
	var failed error
	look := func() bool {
		if failed = s.fetch(i); failed != nil {
			return true
		}
		rev := i.object.Meta().ResourceVersion
		if rev == last {
			return false
		}
		last = rev
		text, done, err := rolloutText(i.object)
		s.print(text)
		failed = err
		return done || err != nil
	}
	if look() {
		return failed
	}
	w, ok := s.client.(Waiter)
	if !ok || s.flags.has("watch") && !s.flags.bool("watch") {
		return nil
	}
	if !w.Wait(look, seconds) {
		return plain("timed out waiting for the condition")
	}
	return failed
}

// rolloutText says how far a rollout is
// (kubectl/pkg/polymorphichelpers/rollout_status.go).
func rolloutText(o api.Object) (text string, done bool, err error) {
	switch o := o.(type) {
	case *api.Deployment:
		return deploymentText(o)
	case *api.DaemonSet:
		return daemonSetText(o)
	case *api.StatefulSet:
		return statefulSetText(o)
	}
	return "", true, plain("no status viewer has been implemented for " + o.ObjectType().Kind)
}

func num[T int32 | int64 | int](n T) string { return strconv.FormatInt(int64(n), 10) }

func deploymentText(d *api.Deployment) (string, bool, error) {
	if d.Generation > d.Status.ObservedGeneration {
		return "Waiting for deployment spec update to be observed...\n", false, nil
	}
	for _, c := range d.Status.Conditions {
		if c.Type == "Progressing" && c.Reason == "ProgressDeadlineExceeded" {
			return "", true, plain("deployment " + quoted(d.Name) + " exceeded its progress deadline")
		}
	}
	st, head := d.Status, "Waiting for deployment "+quoted(d.Name)+" rollout to finish: "
	switch {
	case d.Spec.Replicas != nil && st.UpdatedReplicas < *d.Spec.Replicas:
		return head + num(st.UpdatedReplicas) + " out of " + num(*d.Spec.Replicas) + " new replicas have been updated...\n", false, nil
	case st.Replicas > st.UpdatedReplicas:
		return head + num(st.Replicas-st.UpdatedReplicas) + " old replicas are pending termination...\n", false, nil
	case st.AvailableReplicas < st.UpdatedReplicas:
		return head + num(st.AvailableReplicas) + " of " + num(st.UpdatedReplicas) + " updated replicas are available...\n", false, nil
	}
	return "deployment " + quoted(d.Name) + " successfully rolled out\n", true, nil
}

func daemonSetText(d *api.DaemonSet) (string, bool, error) {
	st, head := d.Status, "Waiting for daemon set "+quoted(d.Name)+" rollout to finish: "
	switch {
	case d.Spec.UpdateStrategy.Type != "RollingUpdate":
		return "", true, plain("rollout status is only available for RollingUpdate strategy type")
	case d.Generation > st.ObservedGeneration:
		return "Waiting for daemon set spec update to be observed...\n", false, nil
	case st.UpdatedNumberScheduled < st.DesiredNumberScheduled:
		return head + num(st.UpdatedNumberScheduled) + " out of " + num(st.DesiredNumberScheduled) + " new pods have been updated...\n", false, nil
	case st.NumberAvailable < st.DesiredNumberScheduled:
		return head + num(st.NumberAvailable) + " of " + num(st.DesiredNumberScheduled) + " updated pods are available...\n", false, nil
	}
	return "daemon set " + quoted(d.Name) + " successfully rolled out\n", true, nil
}

func statefulSetText(x *api.StatefulSet) (string, bool, error) {
	st, want := x.Status, int32(1)
	if x.Spec.Replicas != nil {
		want = *x.Spec.Replicas
	}
	switch u := x.Spec.UpdateStrategy; {
	case u.Type != "RollingUpdate":
		return "", true, plain("rollout status is only available for RollingUpdate strategy type")
	case st.ObservedGeneration == 0 || x.Generation > st.ObservedGeneration:
		return "Waiting for statefulset spec update to be observed...\n", false, nil
	case st.ReadyReplicas < want:
		return "Waiting for " + num(want-st.ReadyReplicas) + " pods to be ready...\n", false, nil
	case u.RollingUpdate != nil:
		if p := u.RollingUpdate.Partition; p != nil && st.UpdatedReplicas < want-*p {
			return "Waiting for partitioned roll out to finish: " + num(st.UpdatedReplicas) + " out of " + num(want-*p) + " new pods have been updated...\n", false, nil
		}
		return "partitioned roll out complete: " + num(st.UpdatedReplicas) + " new pods have been updated...\n", true, nil
	case st.UpdateRevision != st.CurrentRevision:
		return "waiting for statefulset rolling update to complete " + num(st.UpdatedReplicas) + " pods at revision " + st.UpdateRevision + "...\n", false, nil
	}
	return "statefulset rolling update complete " + num(st.CurrentReplicas) + " pods at revision " + st.CurrentRevision + "...\n", true, nil
}

// revisions are the replica sets of a deployment by their number.
func (s *session) revisions(d *api.Deployment) (map[int]*api.ReplicaSet, error) {
	list, err := s.list(api.KindNamed("ReplicaSet"), printer.SelectorText(d.Spec.Selector), "")
	if err != nil {
		return nil, err
	}
	out := map[int]*api.ReplicaSet{}
	for _, i := range list {
		r := i.object.(*api.ReplicaSet)
		owned := slices.ContainsFunc(r.OwnerReferences, func(o api.OwnerReference) bool { return o.UID == d.UID })
		if n, err := strconv.Atoi(r.Annotations[revisionAnnotation]); err == nil && owned {
			out[n] = r
		}
	}
	return out, nil
}

func (s *session) history(i *item) error {
	d, ok := i.object.(*api.Deployment)
	if !ok || s.flags.has("revision") {
		return errNotSimulated("kubectl rollout history of " + i.kind.Plural + " or with --revision")
	}
	byNumber, err := s.revisions(d)
	if err != nil {
		return err
	}
	text := "REVISION\tCHANGE-CAUSE\n"
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		text += strconv.Itoa(n) + "\t" + or(byNumber[n].Annotations["kubernetes.io/change-cause"], "<none>") + "\n"
	}
	s.print(i.shown(), " \n", align.Text(text, 0, 2), "\n")
	return nil
}

// undo puts the template of an earlier revision back
// (kubectl/pkg/polymorphichelpers/rollback.go).
func (s *session) undo(i *item) error {
	d, ok := i.object.(*api.Deployment)
	if !ok {
		return errNotSimulated("kubectl rollout undo of " + i.kind.Plural)
	}
	if d.Spec.Paused {
		return plain("you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again")
	}
	to, err := s.flags.number("to-revision", 0)
	if err != nil {
		return err
	}
	byNumber, err := s.revisions(d)
	if err != nil {
		return err
	}
	numbers := slices.Sorted(maps.Keys(byNumber))
	if to == 0 && len(numbers) > 1 {
		to = int64(numbers[len(numbers)-2])
	}
	r := byNumber[int(to)]
	switch {
	case r == nil && to == 0:
		return plain("no rollout history found for deployment " + quoted(d.Name))
	case r == nil:
		return plain("unable to find specified revision " + num(to) + " in history")
	}
	template := r.Spec.Template
	template.Labels = maps.Clone(template.Labels)
	delete(template.Labels, "pod-template-hash")
	if string(codec.ToJSON(&template)) == string(codec.ToJSON(&d.Spec.Template)) {
		return s.printDone(i, "skipped rollback (current template already matches revision "+num(to)+")")
	}
	if d.Annotations[lastApplied] != "" {
		s.printErr("Warning: resource ", i.kind.Plural, "/", i.name, " was previously managed with 'kubectl apply'. Rolling back will not update the ", lastApplied,
			" annotation, which may cause unexpected behavior on future 'kubectl apply' operations.\n")
	}
	patch := codec.ToJSON([]any{map[string]any{"op": "replace", "path": "/spec/template", "value": codec.ToValue(&template)}})
	if !s.dryRunClient() {
		resp, err := s.do(api.Request{Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, Body: patch,
			PatchType: "application/json-patch+json", DryRun: s.dryRunServer(), FieldManager: "kubectl-rollout"})
		if err != nil {
			return err
		}
		i.object = resp.Object
	}
	return s.printDone(i, "rolled back")
}

// podSpecOf returns the pod that a controller makes, or the pod itself; nil for other
// kinds.
func podSpecOf(o api.Object) *api.PodSpec {
	switch o := o.(type) {
	case *api.Pod:
		return &o.Spec
	case *api.Deployment:
		return &o.Spec.Template.Spec
	case *api.ReplicaSet:
		return &o.Spec.Template.Spec
	case *api.StatefulSet:
		return &o.Spec.Template.Spec
	case *api.DaemonSet:
		return &o.Spec.Template.Spec
	case *api.Job:
		return &o.Spec.Template.Spec
	case *api.CronJob:
		return &o.Spec.JobTemplate.Spec.Template.Spec
	case *api.ReplicationController:
		if o.Spec.Template != nil {
			return &o.Spec.Template.Spec
		}
	}
	return nil
}
