package config

import (
	"strings"
	"time"

	"podwalk/core/api/field"
	f "podwalk/core/scheduler/framework"
)

// The checks of the plugins' arguments, in the real words
// (pkg/scheduler/apis/config/validation/validation_pluginargs.go).

func (a *DefaultPreemptionArgs) validate(p *field.Path) checks {
	var c checks
	percent, absolute := *a.MinCandidateNodesPercentage, *a.MinCandidateNodesAbsolute
	at, at2 := p.Child("minCandidateNodesPercentage"), p.Child("minCandidateNodesAbsolute")
	c.invalid(percent < 0 || percent > 100, at, percent, "not in valid range [0, 100]")
	c.invalid(absolute < 0, at2, absolute, "not in valid range [0, inf)")
	none := percent == 0 && absolute == 0
	c.invalid(none, at, percent, "cannot be zero at the same time as minCandidateNodesAbsolute")
	c.invalid(none, at2, absolute, "cannot be zero at the same time as minCandidateNodesPercentage")
	return c
}

func (a *InterPodAffinityArgs) validate(p *field.Path) checks {
	var c checks
	w := *a.HardPodAffinityWeight
	c.invalid(w < 0 || w > 100, p.Child("hardPodAffinityWeight"), w, "not in valid range [0, 100]")
	return c
}

func (a *PodTopologySpreadArgs) validate(p *field.Path) checks {
	var c checks
	switch at := p.Child("defaultingType"); {
	case a.DefaultingType != "System" && a.DefaultingType != "List":
		c.add(field.NotSupported(at, a.DefaultingType, []string{"System", "List"}))
	case a.DefaultingType == "System":
		c.invalid(len(a.DefaultConstraints) > 0, at, a.DefaultingType, "when .defaultConstraints are not empty")
	}
	for i := range a.DefaultConstraints {
		a.constraint(&c, p.Child("defaultConstraints"), i)
	}
	return c
}

func (a *PodTopologySpreadArgs) constraint(c *checks, root *field.Path, i int) {
	t, p := &a.DefaultConstraints[i], root.Index(i)
	c.invalid(t.MaxSkew <= 0, p.Child("maxSkew"), t.MaxSkew, "not in valid range (0, inf)")
	if t.TopologyKey == "" {
		c.add(field.Required(p.Child("topologyKey"), "can not be empty"))
	} else {
		labelName(c, p.Child("topologyKey"), t.TopologyKey)
	}
	switch w := t.WhenUnsatisfiable; w {
	case "":
		c.add(field.Required(p.Child("whenUnsatisfiable"), "can not be empty"))
	case "DoNotSchedule", "ScheduleAnyway":
	default:
		c.add(field.NotSupported(p.Child("whenUnsatisfiable"), w, []string{"DoNotSchedule", "ScheduleAnyway"}))
	}
	if t.LabelSelector != nil {
		c.add(field.Forbidden(p.Child("labelSelector"), "constraint must not define a selector, as they deduced for each pod"))
	}
	for j := range i {
		if o := &a.DefaultConstraints[j]; o.TopologyKey == t.TopologyKey && o.WhenUnsatisfiable == t.WhenUnsatisfiable {
			c.add(field.Duplicate(p, "{"+t.TopologyKey+", "+t.WhenUnsatisfiable+"}"))
			return
		}
	}
}

func labelName(c *checks, p *field.Path, v string) {
	for _, why := range field.IsLabelKey(v) {
		c.invalid(true, p, v, why)
	}
}

func shape(c *checks, p *field.Path, l []UtilizationShapePoint) {
	if len(l) == 0 {
		c.add(field.Required(p, "at least one point must be specified"))
	}
	for i := 1; i < len(l); i++ {
		if l[i-1].Utilization >= l[i].Utilization {
			c.invalid(true, p.Index(i).Child("utilization"), l[i].Utilization, "values must be sorted in increasing order")
			break
		}
	}
	for i := range l {
		c.invalid(l[i].Utilization < 0 || l[i].Utilization > 100, p.Index(i).Child("utilization"), l[i].Utilization, "not in valid range [0, 100]")
		c.invalid(l[i].Score < 0 || l[i].Score > 10, p.Index(i).Child("score"), l[i].Score, "not in valid range [0, 10]")
	}
}

func (a *NodeResourcesBalancedAllocationArgs) validate(p *field.Path) checks {
	var c checks
	for i, r := range a.Resources {
		at := p.Child("resources").Index(i)
		for j := range i {
			if a.Resources[j].Name == r.Name {
				c.add(field.Duplicate(at.Child("name"), r.Name))
				break
			}
		}
		c.invalid(r.Weight != 1, at.Child("weight"), r.Weight, "must be 1")
	}
	return c
}

func (a *NodeAffinityArgs) validate(p *field.Path) checks {
	if a.AddedAffinity == nil {
		return nil
	}
	return f.AffinityErrors(a.AddedAffinity, p.Child("addedAffinity"))
}

func (a *VolumeBindingArgs) validate(p *field.Path) checks {
	var c checks
	c.invalid(*a.BindTimeoutSeconds < 0, p.Child("bindTimeoutSeconds"), *a.BindTimeoutSeconds, "invalid BindTimeoutSeconds, should not be a negative value")
	shape(&c, p.Child("shape"), a.Shape)
	return c
}

func (a *NodeResourcesFitArgs) validate(p *field.Path) checks {
	var c checks
	for i, r := range a.IgnoredResources {
		labelName(&c, p.Child("ignoredResources").Index(i), r)
	}
	for i, g := range a.IgnoredResourceGroups {
		at := p.Child("ignoredResourceGroups").Index(i)
		c.invalid(strings.Contains(g, "/"), at, g, "resource group name can't contain '/'")
		labelName(&c, at, g)
	}
	s, at := a.ScoringStrategy, p.Child("scoringStrategy")
	known := []string{"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}
	if !contains(known, s.Type) {
		c.add(field.NotSupported(at.Child("type"), s.Type, known))
	}
	for i, r := range s.Resources {
		c.invalid(r.Weight <= 0 || r.Weight > 100, at.Child("resources").Index(i).Child("weight"), r.Weight, "resource weight of "+r.Name+" not in valid range (0, 100]")
	}
	ratio := at.Child("requestedToCapacityRatio")
	switch {
	case s.Type != "RequestedToCapacityRatio":
		if s.RequestedToCapacityRatio != nil {
			c.add(field.Forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio"))
		}
	case s.RequestedToCapacityRatio == nil:
		c.add(field.Required(ratio, "must be specified when type is RequestedToCapacityRatio"))
	default:
		shape(&c, ratio.Child("shape"), s.RequestedToCapacityRatio.Shape)
	}
	return c
}

func (a *DynamicResourcesArgs) validate(p *field.Path) checks {
	var c checks
	if d := a.FilterTimeout; d != nil {
		v, _ := time.ParseDuration(*d)
		c.invalid(v < 0, p.Child("filterTimeout"), v.String(), "must be zero or positive")
	}
	if d := a.BindingTimeout; d != nil {
		v, _ := time.ParseDuration(*d)
		c.invalid(v < time.Second, p.Child("bindingTimeout"), v.String(), "must be at least 1 second")
	}
	return c
}
