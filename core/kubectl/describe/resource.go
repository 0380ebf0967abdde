package describe

import (
	"strings"

	"podwalk/core/api"
)

// podField resolves the fields of a pod that the describer can show, which are two;
// of others it shows nothing.
func podField(pod *api.Pod, path string) string {
	switch {
	case pod != nil && path == "metadata.name":
		return pod.Name
	case pod != nil && path == "metadata.namespace":
		return pod.Namespace
	}
	return ""
}

// resourceField returns the value of a resourceFieldRef in units of its divisor,
// rounded up (kubectl/pkg/util/resource).
func resourceField(c *api.Container, ref *api.ResourceFieldSelector) string {
	list, name, ok := c.Resources.Limits, "", false
	if name, ok = strings.CutPrefix(ref.Resource, "limits."); !ok {
		if name, ok = strings.CutPrefix(ref.Resource, "requests."); !ok {
			return ""
		}
		list = c.Resources.Requests
	}
	divisor := ref.Divisor
	if divisor.IsZero() {
		divisor = api.NewQuantity(1, api.DecimalSI)
	}
	switch {
	case name == "cpu":
		return ceil(list[name].MilliValue(), divisor.MilliValue())
	case name == "memory" || name == "ephemeral-storage" || strings.HasPrefix(name, "hugepages-"):
		return ceil(list[name].Value(), divisor.Value())
	}
	return ""
}

func ceil(a, b int64) string {
	n := a / b
	if a%b > 0 {
		n++
	}
	return num(n)
}

// qosClass computes the class of a pod whose status names none
// (kubectl/pkg/util/qos.ComputePodQOS).
func qosClass(pod *api.Pod) string {
	if r := pod.Spec.Resources; podLevel(r) {
		return requirementsClass(r)
	}
	class := ""
	for _, list := range [][]api.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			c := requirementsClass(&list[i].Resources)
			if c == "Burstable" || class != "" && c != class {
				return "Burstable"
			}
			class = c
		}
	}
	return or(class, "BestEffort")
}

func requirementsClass(r *api.ResourceRequirements) string {
	if len(r.Requests) == 0 && len(r.Limits) == 0 {
		return "BestEffort"
	}
	class := ""
	for _, name := range []string{"cpu", "memory"} {
		request, limit := r.Requests[name], r.Limits[name]
		c := "Guaranteed"
		if request.Cmp(limit) != 0 {
			return "Burstable"
		} else if request.IsZero() {
			c = "BestEffort"
		}
		if class != "" && c != class {
			return "Burstable"
		}
		class = c
	}
	return class
}

func podLevel(r *api.ResourceRequirements) bool {
	return r != nil && (anyPodLevel(r.Requests) || anyPodLevel(r.Limits))
}

func anyPodLevel(list map[string]api.Quantity) bool {
	for name := range list {
		if podLevelName(name) {
			return true
		}
	}
	return false
}

// podLevelName reports whether a resource can be asked for by a whole pod.
func podLevelName(name string) bool {
	return name == "cpu" || name == "memory" || strings.HasPrefix(name, "hugepages-")
}
