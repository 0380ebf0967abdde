// Package podcontrol is what the controllers that own pods share: pods made from a
// template, owner references, the waiting for one's own writes to be seen,
// adoption and release, the order of deletion (pkg/controller/controller_utils.go,
// pkg/controller/controller_ref_manager.go). It never decides how many pods there
// should be. Start reading at Control and Claims.
package podcontrol

import (
	"maps"
	"slices"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/store"
)

// longestName is that of a pod: a subdomain.
const longestName = 253

// ControllerOf returns the reference to what manages an object, or nil.
func ControllerOf(o api.Object) *api.OwnerReference {
	refs := o.Meta().OwnerReferences
	for i := range refs {
		if refs[i].Controller != nil && *refs[i].Controller {
			return &refs[i]
		}
	}
	return nil
}

// IsControlledBy reports whether owner manages o.
func IsControlledBy(o, owner api.Object) bool {
	r := ControllerOf(o)
	return r != nil && r.UID == owner.Meta().UID
}

// OwnerRef returns a reference that makes owner the controller of something.
func OwnerRef(owner api.Object) api.OwnerReference {
	m, t, yes := owner.Meta(), owner.ObjectType(), true
	return api.OwnerReference{APIVersion: t.APIVersion, Kind: t.Kind, Name: m.Name, UID: m.UID, Controller: &yes, BlockOwnerDeletion: &yes}
}

// FromTemplate returns a pod of a controller. Its labels, annotations, finalizers
// and references are its own; what the spec's lists and maps hold is shared with
// the template: replace them, never change them.
func FromTemplate(t *api.PodTemplateSpec, owner api.Object) *api.Pod {
	m := owner.Meta()
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Spec: t.Spec}
	p.Namespace = m.Namespace
	p.GenerateName = m.Name + "-"
	if len(p.GenerateName) > longestName {
		p.GenerateName = m.Name
	}
	p.Labels, p.Annotations = own(t.Labels), own(t.Annotations)
	p.Finalizers = slices.Clone(t.Finalizers)
	p.OwnerReferences = []api.OwnerReference{OwnerRef(owner)}
	return p
}

func own(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return maps.Clone(m)
}

// Control creates and deletes pods for a controller and writes its events.
type Control struct{ Component string } // source of the events, such as replicaset-controller

// Create creates a pod; the owner's event says how it went, but where the
// namespace is being deleted.
func (c Control) Create(ctx *actor.Ctx, pod *api.Pod, owner api.Object) api.Response {
	if len(pod.Labels) == 0 {
		return api.Response{Status: api.NewInternalError("unable to create pods, no labels")}
	}
	res := ctx.Create(pod)
	switch {
	case !res.Failed():
		c.event(ctx, owner, "Normal", "SuccessfulCreate", "Created pod: "+res.Object.Meta().Name)
	case !IsNamespaceTerminating(res.Status):
		c.event(ctx, owner, "Warning", "FailedCreate", "Error creating: "+res.Status.Message)
	}
	return res
}

// Delete deletes a pod gracefully; the owner's event says how it went, but where
// the pod is gone already.
func (c Control) Delete(ctx *actor.Ctx, pod *api.Pod, owner api.Object) api.Response {
	res := ctx.Do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: pod.Namespace, Name: pod.Name})
	switch {
	case !res.Failed():
		c.event(ctx, owner, "Normal", "SuccessfulDelete", "Deleted pod: "+pod.Name)
	case res.Status.Reason != api.ReasonNotFound:
		c.event(ctx, owner, "Warning", "FailedDelete", "Error deleting: "+res.Status.Message)
	}
	return res
}

func (c Control) event(ctx *actor.Ctx, owner api.Object, kind, reason, message string) {
	ctx.Event(actor.Event{Regarding: owner, Type: kind, Reason: reason, Message: message, Component: c.Component})
}

// IsNamespaceTerminating reports whether a request was refused because its
// namespace is being deleted: there is then nothing to say and nothing to retry.
func IsNamespaceTerminating(st *api.Status) bool {
	if st == nil || st.Details == nil {
		return false
	}
	for _, c := range st.Details.Causes {
		if c.Type == "NamespaceTerminating" {
			return true
		}
	}
	return false
}

// SlowStart calls make up to n times in batches of 1, 2, 4, ... and stops after
// the batch in which one failed. It returns how often make succeeded and the
// first failure (pkg/controller/replicaset/replica_set.go, slowStartBatch).
func SlowStart(n int, make func() *api.Status) (made int, err *api.Status) {
	for batch := min(1, n); batch > 0; batch = min(2*batch, n) {
		for range batch {
			if st := make(); st == nil {
				made++
			} else if err == nil {
				err = st
			}
		}
		if err != nil {
			return made, err
		}
		n -= batch
	}
	return made, nil
}

// Owned returns the pods that owner manages.
func Owned(read store.Snapshot, owner api.Object) []*api.Pod {
	return pods(read.ByIndex("owner", owner.Meta().UID))
}

// Orphans returns the pods of a namespace that nothing manages.
func Orphans(read store.Snapshot, namespace string) []*api.Pod {
	return pods(read.ByIndex("pod.orphan", namespace))
}

func pods(list []api.Object) []*api.Pod {
	out := make([]*api.Pod, len(list))
	for i, o := range list {
		out[i] = o.(*api.Pod)
	}
	return out
}
