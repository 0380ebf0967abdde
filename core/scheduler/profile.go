package scheduler

import (
	"podwalk/core/scheduler/config"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
)

// DefaultName is the schedulerName of a pod that names none.
const DefaultName = "default-scheduler"

// Profile is a set of plugins under a scheduler name. It is not changed once made.
type Profile struct {
	Name       string
	Percentage int // percentageOfNodesToScore; 0 adapts to the number of nodes
	weights    map[f.ID]int64
	// bindTimeout is how long a pod waits for its volumes (VolumeBindingArgs)
	bindTimeout sim.Time
	preEnqueue  []f.PreEnqueuePlugin
	preFilter   []f.PreFilterPlugin
	filter      []f.FilterPlugin
	local       int // of filter: how many at the beginning are local
	postFilter  []f.PostFilterPlugin
	preScore    []f.PreScorePlugin
	score       []f.ScorePlugin
	reserve     []f.ReservePlugin
	extensions  []extension
	hints       []hint
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

// DefaultProfile returns the profile of a scheduler without configuration.
func DefaultProfile() *Profile { return ProfileOf(&config.Default().Profiles[0]) }

// Of returns the setup of a scheduler with that configuration.
func Of(c *config.Configuration) Config {
	cfg := Config{InitialBackoff: sim.Time(c.InitialBackoff) * sim.Second, MaxBackoff: sim.Time(c.MaxBackoff) * sim.Second}
	for i := range c.Profiles {
		cfg.Profiles = append(cfg.Profiles, ProfileOf(&c.Profiles[i]))
	}
	return cfg
}

// ProfileOf returns the profile that a configuration describes. Of plugins that
// are not simulated it holds nothing.
func ProfileOf(c *config.Profile) *Profile {
	p := &Profile{Name: c.Name, Percentage: c.Percentage, weights: map[f.ID]int64{}, bindTimeout: sim.Time(*c.Args.Volumes.BindTimeoutSeconds) * sim.Second}
	made := plugins(&c.Args)
	for point := range config.Points {
		for _, x := range c.Points[point] {
			id, ok := f.IDNamed(x.Name)
			if !ok || made[id] == nil {
				continue
			}
			if x.Weight != 0 {
				p.weights[id] = x.Weight
			}
			p.enable(point, made[id])
		}
	}
	for id := range made {
		p.listen(c, made[id])
	}
	for p.local < len(p.filter) && local.Has(p.filter[p.local].ID()) {
		p.local++
	}
	return p
}

// enable puts a plugin at an extension point, if it has something to do there.
func (p *Profile) enable(point config.Point, pl f.Plugin) {
	switch point {
	case config.PreEnqueue:
		if x, ok := pl.(f.PreEnqueuePlugin); ok {
			p.preEnqueue = append(p.preEnqueue, x)
		}
	case config.PreFilter:
		if x, ok := pl.(f.PreFilterPlugin); ok {
			p.preFilter = append(p.preFilter, x)
		}
		if x, ok := pl.(f.PreFilterExtensions); ok {
			p.extensions = append(p.extensions, extension{pl.ID(), x})
		}
	case config.Filter:
		if x, ok := pl.(f.FilterPlugin); ok {
			p.filter = append(p.filter, x)
		}
	case config.PostFilter:
		if x, ok := pl.(f.PostFilterPlugin); ok {
			p.postFilter = append(p.postFilter, x)
		}
	case config.PreScore:
		if x, ok := pl.(f.PreScorePlugin); ok {
			p.preScore = append(p.preScore, x)
		}
	case config.Score:
		if x, ok := pl.(f.ScorePlugin); ok {
			p.score = append(p.score, x)
		}
		if x, ok := pl.(f.PreScorePlugin); ok && pl.ID() == f.ImageLocality {
			p.preScore = append(p.preScore, x) // the real one has none
		}
	case config.Reserve:
		if x, ok := pl.(f.ReservePlugin); ok {
			p.reserve = append(p.reserve, x)
		}
	}
}

// listen registers the events of a plugin that the profile runs anywhere.
func (p *Profile) listen(c *config.Profile, pl f.Plugin) {
	x, ok := pl.(f.EnqueuePlugin)
	if !ok {
		return
	}
	for point := range config.Points {
		if c.Runs(pl.ID().String(), point) {
			for _, r := range x.Events() {
				p.hints = append(p.hints, hint{pl.ID(), r})
			}
			return
		}
	}
}
