// Package podresizevalidator refuses to resize a pod beyond what its node has
// (plugin/pkg/admission/podresize).
package podresizevalidator

import (
	"strconv"
	"strings"

	"podwalk/core/admission"
	"podwalk/core/admission/podsum"
	"podwalk/core/api"
)

// Plugin is the rule PodResizeValidator.
type Plugin struct{}

var _ admission.Validator = Plugin{}

// Name returns PodResizeValidator.
func (Plugin) Name() string { return "PodResizeValidator" }

// Handles pods on a node whose resources change.
func (Plugin) Handles(a *admission.Attributes) bool {
	pod, ok := a.Object.(*api.Pod)
	return ok && a.Old != nil && a.Subresource == "resize" && pod.Spec.NodeName != "" && pod.Generation != a.Old.Meta().Generation
}

// Validate compares with the node.
func (Plugin) Validate(a *admission.Attributes) *api.Status {
	pod := a.Object.(*api.Pod)
	node, ok := a.Read.Get("Node", "", pod.Spec.NodeName).(*api.Node)
	if !ok {
		return a.Forbidden("node " + strconv.Quote(pod.Spec.NodeName) + " not found")
	}
	if os, ok := node.Labels["kubernetes.io/os"]; ok && os != "linux" {
		return because(a.Forbidden("pod resize is only supported on linux nodes, node "+strconv.Quote(node.Name)+" is "+strconv.Quote(os)), "UnsupportedPlatform")
	}
	requests := podsum.Requests(&pod.Spec)
	podsum.Add(requests, pod.Spec.Overhead)
	var bad []string
	if want, have := requests["cpu"], node.Status.Allocatable["cpu"]; want.Cmp(have) > 0 {
		bad = append(bad, beyond("cpu", want.MilliValue(), have.MilliValue()))
	}
	if want, have := requests["memory"], node.Status.Allocatable["memory"]; want.Cmp(have) > 0 {
		bad = append(bad, beyond("memory", want.Value(), have.Value()))
	}
	if len(bad) == 0 {
		return nil
	}
	return because(a.Forbidden("node didn't have enough allocatable resources: "+strings.Join(bad, "; ")), "NodeCapacity")
}

func beyond(name string, want, have int64) string {
	return name + ", requested: " + strconv.FormatInt(want, 10) + ", allocatable: " + strconv.FormatInt(have, 10)
}

func because(st *api.Status, reason string) *api.Status {
	st.Details.Causes = append(st.Details.Causes, api.StatusCause{Type: reason})
	return st
}
