package scheduler

import (
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

// DefaultName is the schedulerName of a pod that names none.
const DefaultName = "default-scheduler"

// Profile is a set of plugins under a scheduler name. It is not changed once made.
type Profile struct {
	Name       string
	Percentage int // percentageOfNodesToScore; 0 adapts to the number of nodes
	weights    map[f.ID]int64
	preEnqueue []f.PreEnqueuePlugin
	preFilter  []f.PreFilterPlugin
	filter     []f.FilterPlugin
	postFilter []f.PostFilterPlugin
	preScore   []f.PreScorePlugin
	score      []f.ScorePlugin
	reserve    []f.ReservePlugin
	extensions []extension
	hints      []hint
}

type extension struct {
	id f.ID
	f.PreFilterExtensions
}

// hint is a registration of a plugin.
type hint struct {
	id f.ID
	f.Registration
}

// plugins lists the plugins of the default profile in its order
// (pkg/scheduler/apis/config/v1/default_plugins.go).
var plugins = []f.Plugin{
	schedulinggates.Plugin{}, nodename.Plugin{}, nodeunschedulable.Plugin{}, tainttoleration.Plugin{},
	nodeaffinity.Plugin{}, nodeports.Plugin{}, noderesourcesfit.Plugin{}, volumerestrictions.Plugin{},
	nodevolumelimits.Plugin{}, volumebinding.Plugin{}, volumezone.Plugin{}, podtopologyspread.Plugin{},
	interpodaffinity.Plugin{}, dynamicresources.Plugin{}, defaultpreemption.Plugin{},
	noderesourcesbalanced.Plugin{}, imagelocality.Plugin{},
}

var defaultWeights = map[f.ID]int64{
	f.TaintToleration: 3, f.NodeAffinity: 2, f.PodTopologySpread: 2, f.InterPodAffinity: 2, f.DynamicResources: 2,
}

// DefaultProfile returns the profile of a scheduler without configuration.
func DefaultProfile() *Profile { return NewProfile(DefaultName, nil, nil) }

// NewProfile returns the default profile under a name without the disabled
// plugins and with other weights where given.
func NewProfile(name string, disabled map[f.ID]bool, weights map[f.ID]int64) *Profile {
	p := &Profile{Name: name, weights: map[f.ID]int64{}}
	for _, pl := range plugins {
		if id := pl.ID(); !disabled[id] {
			p.weights[id] = 1
			if w := defaultWeights[id]; w != 0 {
				p.weights[id] = w
			}
			if w := weights[id]; w != 0 {
				p.weights[id] = w
			}
			p.enable(pl)
		}
	}
	return p
}

func (p *Profile) enable(pl f.Plugin) {
	if x, ok := pl.(f.PreEnqueuePlugin); ok {
		p.preEnqueue = append(p.preEnqueue, x)
	}
	if x, ok := pl.(f.PreFilterPlugin); ok {
		p.preFilter = append(p.preFilter, x)
	}
	if x, ok := pl.(f.PreFilterExtensions); ok {
		p.extensions = append(p.extensions, extension{pl.ID(), x})
	}
	if x, ok := pl.(f.FilterPlugin); ok {
		p.filter = append(p.filter, x)
	}
	if x, ok := pl.(f.PostFilterPlugin); ok {
		p.postFilter = append(p.postFilter, x)
	}
	if x, ok := pl.(f.PreScorePlugin); ok {
		p.preScore = append(p.preScore, x)
	}
	if x, ok := pl.(f.ScorePlugin); ok {
		p.score = append(p.score, x)
	}
	if x, ok := pl.(f.ReservePlugin); ok {
		p.reserve = append(p.reserve, x)
	}
	if x, ok := pl.(f.EnqueuePlugin); ok {
		for _, r := range x.Events() {
			p.hints = append(p.hints, hint{pl.ID(), r})
		}
	}
}
