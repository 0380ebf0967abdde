// Package dynamicresources stands where the real plugin handles ResourceClaims
// (pkg/scheduler/framework/plugins/dynamicresources). Devices are not simulated: a
// pod that claims some waits, as it does in a cluster without the claim. Of the
// real plugin it keeps what every pod can see.
package dynamicresources

import (
	"strings"

	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule. NotFound is what the real plugin says after another one
// has ended the PreFilters before it was asked.
const (
	NotSimulated = "resource claims are not simulated: "
	NotFound     = "not found"
)

// Plugin is the rule DynamicResources.
type Plugin struct{}

var (
	_ f.PreEnqueuePlugin = Plugin{}
	_ f.PreFilterPlugin  = Plugin{}
	_ f.PostFilterPlugin = Plugin{}
)

// asked marks that PreFilter has run.
type asked struct{}

// ID returns f.DynamicResources.
func (Plugin) ID() f.ID { return f.DynamicResources }

// PreEnqueue holds a pod with resource claims back.
func (Plugin) PreEnqueue(p *f.PodInfo) *f.Status {
	var names []string
	for _, c := range p.Pod.Spec.ResourceClaims {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return nil
	}
	return f.NewStatus(f.DynamicResources, f.UnschedulableAndUnresolvable, NotSimulated+strings.Join(names, ", "))
}

// PreFilter has nothing to look at.
func (Plugin) PreFilter(s *f.State, _ *f.PodInfo) (*f.NodeNames, *f.Status) {
	s.SetFilter(f.DynamicResources, asked{})
	return nil, f.Skipped
}

// PostFilter has no claim to release.
func (Plugin) PostFilter(s *f.State, _ *f.PodInfo, _ *f.Diagnosis, _ f.Runner) (*f.Preemption, *f.Status) {
	if s.Filter(f.DynamicResources) == nil {
		return nil, f.NewStatus(f.DynamicResources, f.Error, NotFound)
	}
	return nil, f.NewStatus(f.DynamicResources, f.Unschedulable)
}
