package kubectl

import (
	"time"

	"podwalk/core/api"
)

const (
	rolloutFlags        = ` selector,l= filename,f= kustomize,k= recursive,R output,o= show-managed-fields field-manager=`
	rolloutStatusFlags  = ` timeout= revision= watch,w selector,l= filename,f= kustomize,k= recursive,R`
	rolloutHistoryFlags = ` revision= selector,l= filename,f= kustomize,k= recursive,R output,o= show-managed-fields`
	rolloutUndoFlags    = ` to-revision= dry-run*unchanged selector,l= filename,f= kustomize,k= recursive,R output,o= show-managed-fields`
)

// rollout returns a command that does one thing to each object that is named. One
// that says so where there is none has tell set.
func rollout(one func(*session, *item) error, tell bool) func(*session) error {
	return func(s *session) error {
		if len(s.args) == 0 && !s.flags.has("filename") {
			return plain("required resource not specified")
		}
		items, errs, err := s.targets(s.args)
		if err != nil {
			return err
		}
		if len(items)+len(errs) == 0 && tell {
			s.printErr("No resources found in ", s.namespace, " namespace.\n")
		}
		for n := range items {
			if err := one(s, &items[n]); err != nil {
				errs = append(errs, err)
			}
		}
		return join(errs)
	}
}

// groupKind names a kind as kubectl's errors do, such as ReplicaSet.apps.
func groupKind(k *api.Kind) string {
	if k.Group == "" {
		return k.Name()
	}
	return k.Name() + "." + k.Group
}

func (s *session) pause(i *item) error {
	d, ok := i.object.(*api.Deployment)
	switch {
	case !ok:
		return plain(i.kind.Resource() + " " + quoted(i.name) + " pausing is not supported")
	case d.Spec.Paused:
		return plain(i.kind.Resource() + " " + quoted(i.name) + " is already paused")
	}
	if err := s.mergeInto(i, map[string]any{"spec": map[string]any{"paused": true}}, ""); err != nil {
		return err
	}
	return s.printDone(i, "paused")
}

func (s *session) resume(i *item) error {
	d, ok := i.object.(*api.Deployment)
	switch {
	case !ok:
		return plain(i.kind.Resource() + " " + quoted(i.name) + " resuming is not supported")
	case !d.Spec.Paused:
		return plain(i.kind.Resource() + " " + quoted(i.name) + " is not paused")
	}
	if err := s.mergeInto(i, map[string]any{"spec": map[string]any{"paused": nil}}, ""); err != nil {
		return err
	}
	return s.printDone(i, "resumed")
}

const restartedAt = "kubectl.kubernetes.io/restartedAt"

func (s *session) restart(i *item) error {
	var template *api.PodTemplateSpec
	switch o := i.object.(type) {
	case *api.Deployment:
		if o.Spec.Paused {
			return plain(i.kind.Resource() + " " + quoted(i.name) + " can't restart paused deployment (run rollout resume first)")
		}
		template = &o.Spec.Template
	case *api.DaemonSet:
		template = &o.Spec.Template
	case *api.StatefulSet:
		template = &o.Spec.Template
	default:
		return plain(i.kind.Resource() + " " + quoted(i.name) + " restarting is not supported")
	}
	at := time.Unix(0, s.client.Now()).UTC().Format(time.RFC3339)
	if template.Annotations[restartedAt] == at {
		return plain("failed to create patch for " + i.name + ": if restart has already been triggered within the past second, " +
			"please wait before attempting to trigger another")
	}
	annotations := map[string]any{"annotations": map[string]any{restartedAt: at}}
	patch := map[string]any{"spec": map[string]any{"template": map[string]any{"metadata": annotations}}}
	if err := s.mergeInto(i, patch, ""); err != nil {
		return err
	}
	return s.printDone(i, "restarted")
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
