// Package taintnodesbycondition gives new nodes the taint not-ready, so that no
// pod is placed on them before they have reported
// (plugin/pkg/admission/nodetaint).
package taintnodesbycondition

import (
	"slices"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule TaintNodesByCondition.
type Plugin struct{}

var _ admission.Mutator = Plugin{}

var notReady = api.Taint{Key: "node.kubernetes.io/not-ready", Effect: "NoSchedule"}

// Name returns TaintNodesByCondition.
func (Plugin) Name() string { return "TaintNodesByCondition" }

// Handles creations of nodes.
func (Plugin) Handles(a *admission.Attributes) bool {
	return a.Operation == admission.Create && a.Is("Node")
}

// Admit adds the taint.
func (Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	node := a.Object.(*api.Node)
	for _, t := range node.Spec.Taints {
		if t.Key == notReady.Key && t.Effect == notReady.Effect {
			return false, nil
		}
	}
	node.Spec.Taints = append(slices.Clip(node.Spec.Taints), notReady)
	return true, nil
}
