package kubectl

import (
	"strconv"
	"time"

	"podwalk/core/api"
)

// Follower is a Client that can tell every write of one object.
type Follower interface {
	// Follow lets time pass. It shows the object as it is when the program is up,
	// and as each later write leaves it (nil: it is gone), until visit reports true
	// or the seconds are over (0: until nothing can change), and returns whether
	// visit did.
	Follow(kind *api.Kind, namespace, name string, visit func(api.Object) bool, seconds int64) bool
}

// rolloutStatus follows a rollout to its end (kubectl/pkg/cmd/rollout/rollout_status.go).
func (s *session) rolloutStatus(i *item) error {
	revision, err := s.flags.number("revision", 0)
	if err != nil {
		return err
	}
	if revision < 0 {
		return plain("revision must be a positive integer: " + num(revision))
	}
	if _, _, known := rolloutText(i.object, revision); known == errNoViewer {
		return plain("no status viewer has been implemented for " + groupKind(i.kind))
	}
	timeout, err := s.flags.duration("timeout")
	if err != nil {
		return err
	}
	once := s.flags.has("watch") && !s.flags.bool("watch")
	var failed error
	visit := func(o api.Object) bool {
		if o == nil {
			failed = plain("object has been deleted")
			return true
		}
		text, done, err := rolloutText(o, revision)
		s.print(text)
		failed = err
		return done || err != nil || once
	}
	f, ok := s.client.(Follower)
	if !ok {
		visit(i.object)
		return failed
	}
	seconds := int64((timeout + time.Second - 1) / time.Second)
	switch {
	case f.Follow(i.kind, i.namespace, i.name, visit, seconds):
		return failed
	case seconds == 0:
		return errNotSimulated("waiting without a --timeout where nothing will change")
	}
	return plain("timed out waiting for the condition")
}

const errNoViewer = plain("no status viewer")

// rolloutText says how far a rollout is
// (kubectl/pkg/polymorphichelpers/rollout_status.go).
func rolloutText(o api.Object, revision int64) (text string, done bool, err error) {
	switch o := o.(type) {
	case *api.Deployment:
		if have, _ := strconv.ParseInt(o.Annotations[revisionAnnotation], 10, 64); revision > 0 && have != revision {
			return "", false, plain("desired revision (" + num(revision) + ") is different from the running revision (" + num(have) + ")")
		}
		return deploymentText(o)
	case *api.DaemonSet:
		return daemonSetText(o)
	case *api.StatefulSet:
		return statefulSetText(o)
	}
	return "", true, errNoViewer
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
