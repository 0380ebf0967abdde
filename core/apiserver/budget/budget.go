// Package budget keeps the condition DisruptionAllowed of a PodDisruptionBudget,
// which both the eviction and the budget's controller write
// (component-helpers/apps/poddisruptionbudget).
package budget

import (
	"slices"

	"podwalk/core/api"
)

// The condition and its reasons.
const (
	Allowed      = "DisruptionAllowed"
	SyncFailed   = "SyncFailed"
	sufficient   = "SufficientPods"
	insufficient = "InsufficientPods"
)

// Condition returns the condition of a budget's status, or nil.
func Condition(s *api.PodDisruptionBudgetStatus) *api.Condition {
	for i := range s.Conditions {
		if s.Conditions[i].Type == Allowed {
			return &s.Conditions[i]
		}
	}
	return nil
}

// Show sets the condition by the number of disruptions that are allowed.
func Show(s *api.PodDisruptionBudgetStatus, now api.Time) {
	c := api.Condition{Status: "False", Reason: insufficient}
	if s.DisruptionsAllowed > 0 {
		c = api.Condition{Status: "True", Reason: sufficient}
	}
	Set(s, c, now)
}

// Set replaces the condition; its time moves only when its status does.
func Set(s *api.PodDisruptionBudgetStatus, c api.Condition, now api.Time) {
	c.Type, c.ObservedGeneration, c.LastTransitionTime = Allowed, s.ObservedGeneration, now
	list := slices.Clone(s.Conditions)
	i := slices.IndexFunc(list, func(o api.Condition) bool { return o.Type == Allowed })
	switch {
	case i < 0:
		list = append(list, c)
	default:
		if list[i].Status == c.Status {
			c.LastTransitionTime = list[i].LastTransitionTime
		}
		list[i] = c
	}
	s.Conditions = list
}

// Current reports whether the condition says what the number does.
func Current(b *api.PodDisruptionBudget) bool {
	c := Condition(&b.Status)
	if c == nil || b.Status.ObservedGeneration != b.Generation {
		return false
	}
	if b.Status.DisruptionsAllowed > 0 {
		return c.Status == "True" && c.Reason == sufficient
	}
	return c.Status == "False" && c.Reason == insufficient
}
