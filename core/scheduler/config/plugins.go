package config

// Point is an extension point of the scheduling framework.
type Point uint8

// The extension points, in the order in which the real framework fills them
// (framework/runtime, getExtensionPoints).
const (
	PreFilter Point = iota
	Filter
	PostFilter
	Reserve
	PreScore
	Score
	PreBind
	Bind
	PostBind
	Permit
	PreEnqueue
	QueueSort
	PlacementGenerate
	PlacementScore
	PodGroupPostFilter
	Points // how many there are
)

var goNames = [Points]string{"PreFilter", "Filter", "PostFilter", "Reserve", "PreScore", "Score", "PreBind", "Bind", "PostBind",
	"Permit", "PreEnqueue", "QueueSort", "PlacementGenerate", "PlacementScore", "PodGroupPostFilter"}

// iface is the name of the point's interface in the real framework.
func (p Point) iface() string { return goNames[p] + "Plugin" }

// set returns what a profile changes at a point.
func (p *Plugins) set(point Point) *PluginSet {
	return [Points]*PluginSet{&p.PreFilter, &p.Filter, &p.PostFilter, &p.Reserve, &p.PreScore, &p.Score, &p.PreBind, &p.Bind, &p.PostBind,
		&p.Permit, &p.PreEnqueue, &p.QueueSort, &p.PlacementGenerate, &p.PlacementScore, &p.PodGroupPostFilter}[point]
}

// known is a plugin of the real scheduler: the points that it extends, its weight
// in the default profile, and whether it stands there.
type known struct {
	name   string
	points uint32
	weight int32
	off    bool
}

func at(points ...Point) uint32 {
	var m uint32
	for _, p := range points {
		m |= 1 << p
	}
	return m
}

var (
	filters = at(PreFilter, Filter)
	ranks   = at(PreScore, Score)
)

// registry lists the plugins, those of the default profile in its order
// (pkg/scheduler/apis/config/v1/default_plugins.go, framework/plugins/registry.go).
var registry = []known{
	{name: "SchedulingGates", points: at(PreEnqueue)},
	{name: "PrioritySort", points: at(QueueSort)},
	{name: "NodeName", points: filters},
	{name: "NodeUnschedulable", points: filters},
	{name: "TaintToleration", points: filters | ranks, weight: 3},
	{name: "NodeAffinity", points: filters | ranks, weight: 2},
	{name: "NodePorts", points: filters},
	{name: "NodeResourcesFit", points: filters | ranks | at(PlacementScore), weight: 1},
	{name: "VolumeRestrictions", points: filters},
	{name: "NodeVolumeLimits", points: filters},
	{name: "VolumeBinding", points: filters | ranks | at(Reserve, PreBind)},
	{name: "VolumeZone", points: filters},
	{name: "PodTopologySpread", points: filters | ranks, weight: 2},
	{name: "InterPodAffinity", points: filters | ranks, weight: 2},
	{name: "DynamicResources", points: filters | at(PreEnqueue, PostFilter, Score, Reserve, PreBind), weight: 2},
	{name: "DefaultPreemption", points: at(PreEnqueue, PostFilter)},
	{name: "NodeResourcesBalancedAllocation", points: ranks, weight: 1},
	{name: "ImageLocality", points: at(Score), weight: 1},
	{name: "DefaultBinder", points: at(Bind)},
	{name: "NodeDeclaredFeatures", points: filters},
	{name: "DeferredPodScheduling", points: filters, off: true},
	{name: "GangScheduling", points: at(PreEnqueue, PreFilter, Reserve, Permit), off: true},
	{name: "TopologyPlacementGenerator", points: at(PlacementGenerate), off: true},
	{name: "PodGroupPodsCount", points: at(PlacementScore), off: true},
}

func lookup(name string) *known {
	for i := range registry {
		if registry[i].name == name {
			return &registry[i]
		}
	}
	return nil
}

func defaultPlugins() Plugins {
	var p Plugins
	for i := range registry {
		if k := &registry[i]; !k.off {
			d := Plugin{Name: k.name}
			if k.weight != 0 {
				d.Weight = &k.weight
			}
			p.MultiPoint.Enabled = append(p.MultiPoint.Enabled, d)
		}
	}
	return p
}

// merge puts the plugins of a profile over the default ones (mergePlugins).
func merge(custom *Plugins) Plugins {
	p := defaultPlugins()
	if custom == nil {
		return p
	}
	p.MultiPoint = mergeSet(p.MultiPoint, custom.MultiPoint)
	for i := range Points {
		*p.set(i) = mergeSet(PluginSet{}, *custom.set(i))
	}
	return p
}

// mergeSet keeps the place of a default plugin that is set again, and appends the
// rest (mergePluginSet).
func mergeSet(base, custom PluginSet) PluginSet {
	out := PluginSet{Disabled: custom.Disabled}
	replaced := map[int]bool{}
	if !has(custom.Disabled, "*") {
		for _, d := range base.Enabled {
			if has(custom.Disabled, d.Name) {
				continue
			}
			for i := len(custom.Enabled) - 1; i >= 0; i-- {
				if custom.Enabled[i].Name == d.Name {
					d, replaced[i] = custom.Enabled[i], true
					break
				}
			}
			out.Enabled = append(out.Enabled, d)
		}
	}
	for i, c := range custom.Enabled {
		if !replaced[i] {
			out.Enabled = append(out.Enabled, c)
		}
	}
	return out
}

func has(l []Plugin, name string) bool {
	for i := range l {
		if l[i].Name == name {
			return true
		}
	}
	return false
}

// Placed is a plugin at an extension point.
type Placed struct {
	Name   string
	Weight int64 // of its score
}

// expand works out the plugins of each point, or says what the real framework
// says (framework/runtime, NewFramework).
func (p *Plugins) expand(scheduler string) (points [Points][]Placed, err string) {
	for i := range Points {
		if err := p.check(i); err != "" {
			return points, err
		}
	}
	for i := range Points {
		if err := p.expandPoint(i, &points[i]); err != "" {
			return points, err
		}
	}
	switch {
	case len(points[QueueSort]) != 1:
		return points, `only one queue sort plugin required for profile with scheduler name ` + quoted(scheduler) + ", but got " + itoa(int64(len(points[QueueSort])))
	case len(points[Bind]) == 0:
		return points, `at least one bind plugin is needed for profile with scheduler name ` + quoted(scheduler)
	case len(points[PlacementGenerate]) > 1:
		return points, `at most one placement generate plugin is allowed for profile with scheduler name ` + quoted(scheduler)
	}
	p.weigh(points[Score])
	return points, ""
}

func (p *Plugins) check(point Point) string {
	for i, x := range p.set(point).Enabled {
		switch k := lookup(x.Name); {
		case k == nil:
			return point.iface() + " " + quoted(x.Name) + " does not exist"
		case k.points&(1<<point) == 0:
			return "plugin " + quoted(x.Name) + " does not extend " + point.iface() + " plugin"
		case has(p.set(point).Enabled[:i], x.Name):
			return "plugin " + quoted(x.Name) + " already registered as " + quoted(point.iface())
		}
	}
	return ""
}

// expandPoint orders the plugins of a point: those of multiPoint that are set again
// at the point, in the order there; the others of multiPoint; the others of the
// point (expandMultiPointPlugins).
func (p *Plugins) expandPoint(point Point, out *[]Placed) string {
	own := p.set(point)
	add := func(name string) { *out = append(*out, Placed{Name: name}) }
	if has(own.Disabled, "*") || len(p.MultiPoint.Enabled) == 0 {
		for _, x := range own.Enabled {
			add(x.Name)
		}
		return ""
	}
	var rest []string
	for i, x := range p.MultiPoint.Enabled {
		switch k := lookup(x.Name); {
		case k == nil:
			return point.iface() + " " + quoted(x.Name) + " does not exist"
		case k.points&(1<<point) == 0 || has(own.Disabled, x.Name) || has(own.Enabled, x.Name):
		case has(p.MultiPoint.Enabled[:i], x.Name):
			return "plugin " + quoted(x.Name) + " already registered as " + quoted(point.iface())
		default:
			rest = append(rest, x.Name)
		}
	}
	override := func(name string) bool { return has(p.MultiPoint.Enabled, name) && !has(own.Disabled, name) }
	for _, x := range own.Enabled {
		if override(x.Name) {
			add(x.Name)
		}
	}
	for _, name := range rest {
		add(name)
	}
	for _, x := range own.Enabled {
		if !override(x.Name) {
			add(x.Name)
		}
	}
	return ""
}

// weigh gives the scoring plugins their weights: that of the score point, else that
// of multiPoint, else 1 (getValidScoreWeights).
func (p *Plugins) weigh(l []Placed) {
	for i := range l {
		for _, x := range append(p.Score.Enabled[:len(p.Score.Enabled):len(p.Score.Enabled)], p.MultiPoint.Enabled...) {
			if x.Name != l[i].Name {
				continue
			}
			if l[i].Weight = 1; x.Weight != nil && *x.Weight != 0 {
				l[i].Weight = int64(*x.Weight)
			}
			break
		}
	}
}
