package apiserver

import (
	"maps"

	"podwalk/core/admission"
	"podwalk/core/api"
	"podwalk/core/store"
)

// bind assigns a pod to the node in Options["node"]
// (pkg/registry/core/pod/storage/storage.go BindingREST).
func (c *call) bind() api.Response {
	node := c.req.Options["node"]
	if node == "" {
		return c.refuse("apiserver", api.NewBadRequest("target.name: Required value"))
	}
	a := c.attributes(admission.Create, nil, nil)
	a.Binding = &admission.Binding{Node: node}
	if st := c.mutate(a); st != nil {
		return api.Response{Status: st}
	}
	old, ok := c.current().(*api.Pod)
	if !ok {
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	if st := c.bindable(old); st != nil {
		return c.refuse("apiserver", st)
	}
	pod := *old
	pod.Spec.NodeName = node
	pod.Status.NominatedNodeName = ""
	if len(a.Binding.Labels) > 0 {
		labels := make(map[string]string, len(old.Labels)+len(a.Binding.Labels))
		maps.Copy(labels, old.Labels)
		maps.Copy(labels, a.Binding.Labels)
		pod.Labels = labels
	}
	pod.Status.Conditions = setCondition(old.Status.Conditions, api.PodCondition{Type: "PodScheduled", Status: "True"}, c.time())
	return c.commit(&pod, store.RevOf(old), nil)
}

func (c *call) bindable(p *api.Pod) *api.Status {
	why := ""
	switch {
	case c.req.PreconditionUID != "" && c.req.PreconditionUID != p.UID:
		why = "Precondition failed: UID in precondition: " + c.req.PreconditionUID + ", UID in object meta: " + p.UID
	case p.DeletionTimestamp != nil:
		why = "pod " + p.Name + " is being deleted, cannot be assigned to a host"
	case p.Spec.NodeName != "":
		why = "pod " + p.Name + ` is already assigned to node "` + p.Spec.NodeName + `"`
	case len(p.Spec.SchedulingGates) > 0:
		why = "pod " + p.Name + " has non-empty .spec.schedulingGates"
	default:
		return nil
	}
	return api.NewConflict(&api.Kind{Plural: "pods/binding"}, p.Name, why)
}
