package scheduler

import (
	"podwalk/core/scheduler/config"
	"podwalk/core/scheduler/defaultpreemption"
	"podwalk/core/scheduler/dynamicresources"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/scheduler/imagelocality"
	"podwalk/core/scheduler/interpodaffinity"
	"podwalk/core/scheduler/nodeaffinity"
	"podwalk/core/scheduler/nodename"
	"podwalk/core/scheduler/nodeports"
	"podwalk/core/scheduler/noderesourcesbalanced"
	"podwalk/core/scheduler/noderesourcesfit"
	"podwalk/core/scheduler/nodeunschedulable"
	"podwalk/core/scheduler/nodevolumelimits"
	"podwalk/core/scheduler/podtopologyspread"
	"podwalk/core/scheduler/schedulinggates"
	"podwalk/core/scheduler/tainttoleration"
	"podwalk/core/scheduler/volumebinding"
	"podwalk/core/scheduler/volumerestrictions"
	"podwalk/core/scheduler/volumezone"
)

// plugins makes the plugins with their arguments, by ID. PrioritySort and
// DefaultBinder have no value: the queue and the binding are theirs.
func plugins(a *config.Args) []f.Plugin {
	l := []f.Plugin{
		schedulinggates.Plugin{}, nodename.Plugin{}, nodeunschedulable.Plugin{}, tainttoleration.Plugin{},
		affinityPlugin(a), nodeports.Plugin{}, fitPlugin(a), volumerestrictions.Plugin{},
		nodevolumelimits.Plugin{}, volumebinding.Plugin{Shape: shape(a.Volumes.Shape)}, volumezone.Plugin{}, spreadPlugin(a),
		interpodaffinity.Plugin{Args: &interpodaffinity.Args{HardWeight: int64(*a.Pods.HardPodAffinityWeight), IgnorePreferred: a.Pods.IgnorePreferredTermsOfExistingPods}},
		dynamicresources.Plugin{},
		defaultpreemption.Plugin{Args: &defaultpreemption.Args{Percentage: int(*a.Preemption.MinCandidateNodesPercentage), Absolute: int(*a.Preemption.MinCandidateNodesAbsolute)}},
		balancedPlugin(a), imagelocality.Plugin{},
	}
	made := make([]f.Plugin, f.DefaultBinder+1)
	for _, pl := range l {
		made[pl.ID()] = pl
	}
	return made
}

// cpuAndMemory reports whether the resources are the default ones.
func cpuAndMemory(l []config.ResourceSpec) bool {
	return len(l) == 2 && l[0] == config.ResourceSpec{Name: "cpu", Weight: 1} && l[1] == config.ResourceSpec{Name: "memory", Weight: 1}
}

func fitPlugin(a *config.Args) f.Plugin {
	s := a.Fit.ScoringStrategy
	if s.Type == "LeastAllocated" && cpuAndMemory(s.Resources) && len(a.Fit.IgnoredResources)+len(a.Fit.IgnoredResourceGroups) == 0 {
		return noderesourcesfit.Plugin{}
	}
	args := &noderesourcesfit.Args{Ignored: a.Fit.IgnoredResources, IgnoredGroups: a.Fit.IgnoredResourceGroups}
	for _, r := range s.Resources {
		args.Resources = append(args.Resources, f.Weighted{Name: r.Name, Weight: r.Weight})
	}
	switch s.Type {
	case "MostAllocated":
		args.Strategy = noderesourcesfit.Most
	case "RequestedToCapacityRatio":
		args.Strategy, args.Shape = noderesourcesfit.Ratio, shape(s.RequestedToCapacityRatio.Shape)
	}
	return noderesourcesfit.Plugin{Args: args}
}

// shape turns scores of 0 to 10 into those of the framework.
func shape(l []config.UtilizationShapePoint) []f.ShapePoint {
	var out []f.ShapePoint
	for _, p := range l {
		out = append(out, f.ShapePoint{Use: int64(p.Utilization), Score: int64(p.Score) * (f.MaxNodeScore / 10)})
	}
	return out
}

func balancedPlugin(a *config.Args) f.Plugin {
	if cpuAndMemory(a.Balanced.Resources) {
		return noderesourcesbalanced.Plugin{}
	}
	var names []string
	for _, r := range a.Balanced.Resources {
		names = append(names, r.Name)
	}
	return noderesourcesbalanced.Plugin{Resources: names}
}

func affinityPlugin(a *config.Args) f.Plugin {
	if a.Affinity.AddedAffinity == nil {
		return nodeaffinity.Plugin{}
	}
	return nodeaffinity.Plugin{Added: f.NewAddedAffinity(a.Affinity.AddedAffinity)}
}

func spreadPlugin(a *config.Args) f.Plugin {
	if a.Spread.DefaultingType == "System" {
		return podtopologyspread.Plugin{}
	}
	return podtopologyspread.Plugin{Defaults: &podtopologyspread.Defaults{Constraints: a.Spread.DefaultConstraints}}
}
