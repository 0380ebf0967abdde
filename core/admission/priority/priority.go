// Package priority gives pods the number and the preemption policy of their
// PriorityClass (plugin/pkg/admission/priority).
package priority

import (
	"strconv"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule Priority.
type Plugin struct{}

var (
	_ admission.Mutator   = Plugin{}
	_ admission.Validator = Plugin{}
)

// Name returns Priority.
func (Plugin) Name() string { return "Priority" }

// Handles pods and PriorityClasses.
func (Plugin) Handles(a *admission.Attributes) bool {
	return a.Operation != admission.Delete && (a.Is("Pod") || a.Is("PriorityClass"))
}

// Admit fills in the fields of a pod.
func (Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	pod := a.Pod()
	switch {
	case pod == nil:
		return false, nil
	case a.Operation == admission.Update:
		return keep(pod, a.Old.(*api.Pod)), nil
	}
	name, value, policy, refusal := establish(a, pod.Spec.PriorityClassName)
	if refusal != nil {
		return false, refusal
	}
	if p := pod.Spec.Priority; p != nil && *p != value {
		return false, a.Forbidden("the integer value of priority (" + strconv.Itoa(int(*p)) + ") must not be provided in pod spec; " +
			"priority admission controller computed " + strconv.Itoa(int(value)) + " from the given PriorityClass name")
	}
	if p := pod.Spec.PreemptionPolicy; p != nil && policy != nil && *p != *policy {
		return false, a.Forbidden("the string value of PreemptionPolicy (" + *p + ") must not be provided in pod spec; " +
			"priority admission controller computed " + *policy + " from the given PriorityClass name")
	}
	pod.Spec.PriorityClassName, pod.Spec.Priority = name, &value
	if policy != nil {
		own := *policy
		pod.Spec.PreemptionPolicy = &own
	}
	return true, nil
}

func keep(pod, old *api.Pod) (changed bool) {
	if pod.Spec.Priority == nil && old.Spec.Priority != nil {
		pod.Spec.Priority, changed = old.Spec.Priority, true
	}
	if pod.Spec.PreemptionPolicy == nil && old.Spec.PreemptionPolicy != nil {
		pod.Spec.PreemptionPolicy, changed = old.Spec.PreemptionPolicy, true
	}
	return changed
}

func establish(a *admission.Attributes, name string) (string, int32, *string, *api.Status) {
	if name == "" {
		if c := globalDefault(a); c != nil {
			return c.Name, c.Value, c.PreemptionPolicy, nil
		}
		policy := "PreemptLowerPriority"
		return "", 0, &policy, nil
	}
	c, ok := a.Read.Get("PriorityClass", "", name).(*api.PriorityClass)
	if !ok {
		return "", 0, nil, a.Forbidden("no PriorityClass with name " + name + " was found")
	}
	return name, c.Value, c.PreemptionPolicy, nil
}

// globalDefault returns the class for pods that name none: of several the one of
// the lowest value.
func globalDefault(a *admission.Attributes) (found *api.PriorityClass) {
	a.Read.Each("PriorityClass", "", func(o api.Object) bool {
		if c := o.(*api.PriorityClass); c.GlobalDefault && (found == nil || c.Value < found.Value) {
			found = c
		}
		return true
	})
	return found
}

// Validate keeps a second class from becoming the global default.
func (Plugin) Validate(a *admission.Attributes) *api.Status {
	c, ok := a.Object.(*api.PriorityClass)
	if !ok || !c.GlobalDefault {
		return nil
	}
	d := globalDefault(a)
	if d == nil || a.Operation == admission.Update && d.Name == c.Name {
		return nil
	}
	return a.Forbidden("PriorityClass " + d.Name + " is already marked as default. Only one default can exist")
}
