package config

import (
	"strconv"
	"strings"
	"time"

	"podwalk/core/codec"
)

// Configuration is a document that is right, worked out.
type Configuration struct {
	Profiles                   []Profile
	InitialBackoff, MaxBackoff int64 // seconds
	NotSimulated               []string
}

// Profile is the plugins under one scheduler name.
type Profile struct {
	Name       string
	Percentage int // percentageOfNodesToScore; 0 adapts to the number of nodes
	Points     [Points][]Placed
	Args       Args
}

// Problem is what the real scheduler says instead of starting, and the path of
// what it is about.
type Problem struct {
	Path    string
	Mark    codec.Mark // set where Path is not
	Message string
}

func quoted(s string) string { return strconv.Quote(s) }
func itoa(n int64) string    { return strconv.FormatInt(n, 10) }

// Default returns the configuration of a scheduler that is given none.
func Default() *Configuration {
	c, _ := complete(&KubeSchedulerConfiguration{}, nil)
	return c
}

// Read reads a document. What is wrong with it comes in the order in which the
// real scheduler finds it: decoding, validation, the making of the profiles
// (cmd/kube-scheduler/app/options/configfile.go, pkg/scheduler/profile).
func Read(n *codec.Node) (*Configuration, []Problem) {
	if v, k := n.Str("apiVersion"), n.Str("kind"); v != Version || k != Kind {
		return nil, []Problem{unregistered(v, k)}
	}
	doc := &KubeSchedulerConfiguration{}
	bad := decode(n, doc, "")
	if len(bad) > 0 && bad[0].Path == fatal {
		return nil, bad
	}
	args := make([]Args, len(doc.Profiles))
	for i := range doc.Profiles {
		for j := range doc.Profiles[i].PluginConfig {
			more := decodeArgs(n, &doc.Profiles[i].PluginConfig[j], &args[i], i, j)
			if len(more) > 0 && more[0].Path == fatal {
				return nil, more
			}
			bad = append(bad, more...)
		}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	return complete(doc, args)
}

// unregistered is the error of a version or kind that the scheduler does not know.
func unregistered(version, kind string) Problem {
	const where = ` in scheme "pkg/runtime/scheme.go:111"`
	if version == Version || version == Group+"/" {
		return Problem{Path: "kind", Message: "no kind " + quoted(kind) + " is registered for version " + quoted(version) + where}
	}
	return Problem{Path: "apiVersion", Message: "no kind " + quoted(kind) + " is registered for version " + quoted(version) + where}
}

// fatal is the path of an error that ends decoding; its Mark says where it is.
const fatal = "\x00"

func decode(n *codec.Node, into any, prefix string) []Problem {
	r := codec.Decode(n, into)
	if r == nil {
		return nil
	}
	if r.Type != nil {
		return []Problem{{Path: fatal, Mark: r.Type.Mark, Message: prefix + r.Type.Message}}
	}
	var l []Problem
	for _, i := range r.Strict {
		l = append(l, Problem{Mark: i.Mark, Message: "strict decoding error: " + strings.ReplaceAll(prefix, ": ", ": strict decoding error: ") + i.Message})
	}
	return l
}

// decodeArgs reads the arguments of a plugin that has some; those of others are
// nobody's business (DecodeNestedObjects).
func decodeArgs(n *codec.Node, c *PluginConfig, a *Args, profile, at int) []Problem {
	into := a.of(c.Name)
	if into == nil {
		return nil
	}
	raw := n.Get("profiles").Items[profile].Get("pluginConfig").Items[at].Get("args")
	prefix := "decoding .profiles[" + strconv.Itoa(profile) + "].pluginConfig[" + strconv.Itoa(at) + "]: "
	if raw == nil || raw.Kind == codec.Null {
		return nil
	}
	version, kind := raw.Str("apiVersion"), raw.Str("kind")
	if version != "" && version != Version || kind != "" && a.of(strings.TrimSuffix(kind, "Args")) == nil {
		if version == "" {
			version = Version
		}
		if kind == "" {
			kind = c.Name + "Args"
		}
		return []Problem{{Path: fatal, Mark: raw.Mark, Message: prefix + "decoding args for plugin " + c.Name + ": " + unregistered(version, kind).Message}}
	}
	if kind != "" && kind != c.Name+"Args" {
		return []Problem{{Path: fatal, Mark: raw.Mark, Message: prefix + "args for plugin " + c.Name + " were not of type " + c.Name + "Args." + Group + ", got " + kind + "." + Group}}
	}
	prefix += "decoding args for plugin " + c.Name + ": "
	bad := decode(raw, into, prefix)
	if d, ok := into.(*DynamicResourcesArgs); ok && len(bad) == 0 {
		for _, s := range [...]*string{d.FilterTimeout, d.BindingTimeout} {
			if s == nil {
				continue
			}
			if _, err := time.ParseDuration(*s); err != nil {
				return []Problem{{Path: fatal, Mark: raw.Mark, Message: prefix + err.Error()}}
			}
		}
	}
	return bad
}

// of returns the arguments of a plugin, nil if it takes none.
func (a *Args) of(plugin string) any {
	switch plugin {
	case "NodeResourcesFit":
		return &a.Fit
	case "NodeResourcesBalancedAllocation":
		return &a.Balanced
	case "NodeAffinity":
		return &a.Affinity
	case "InterPodAffinity":
		return &a.Pods
	case "PodTopologySpread":
		return &a.Spread
	case "DefaultPreemption":
		return &a.Preemption
	case "VolumeBinding":
		return &a.Volumes
	case "DynamicResources":
		return &a.Devices
	}
	return nil
}

// complete puts the defaults in, validates and makes the profiles.
func complete(doc *KubeSchedulerConfiguration, args []Args) (*Configuration, []Problem) {
	if len(doc.Profiles) == 0 {
		doc.Profiles, args = []KubeSchedulerProfile{{}}, make([]Args, 1)
	}
	if len(doc.Profiles) == 1 && doc.Profiles[0].SchedulerName == nil {
		name := "default-scheduler"
		doc.Profiles[0].SchedulerName = &name
	}
	for i := range args {
		args[i].setDefaults()
	}
	if errs := doc.validate(args); len(errs) > 0 {
		var bad []Problem
		for _, e := range errs {
			path, _, _ := strings.Cut(e, ": ")
			bad = append(bad, Problem{Path: path, Message: e})
		}
		return nil, bad
	}
	c := &Configuration{InitialBackoff: 1, MaxBackoff: 10, NotSimulated: doc.notSimulated()}
	if doc.PodInitialBackoffSeconds != nil {
		c.InitialBackoff = *doc.PodInitialBackoffSeconds
	}
	if doc.PodMaxBackoffSeconds != nil {
		c.MaxBackoff = *doc.PodMaxBackoffSeconds
	}
	for i := range doc.Profiles {
		p, bad := doc.profile(i, &args[i])
		if bad != nil {
			return nil, []Problem{*bad}
		}
		c.Profiles = append(c.Profiles, p)
		c.NotSimulated = append(c.NotSimulated, p.notSimulated()...)
	}
	return c, nil
}

func (doc *KubeSchedulerConfiguration) profile(i int, args *Args) (Profile, *Problem) {
	written := &doc.Profiles[i]
	p := Profile{Name: *written.SchedulerName, Args: *args}
	for _, percentage := range [...]*int32{doc.PercentageOfNodesToScore, written.PercentageOfNodesToScore} {
		if percentage != nil {
			p.Percentage = int(*percentage)
		}
	}
	fail := func(path, why string) (Profile, *Problem) {
		return p, &Problem{Path: path, Message: "initializing profiles: creating profile for scheduler name " + p.Name + ": " + why}
	}
	plugins := merge(written.Plugins)
	if plugins.uses("NodeResourcesFit") {
		if errs := args.Fit.validate(nil); len(errs) > 0 {
			at := "profiles[" + strconv.Itoa(i) + "].pluginConfig"
			for j := range written.PluginConfig {
				if written.PluginConfig[j].Name == "NodeResourcesFit" {
					path, _, _ := strings.Cut(errs[0], ": ")
					at += "[" + strconv.Itoa(j) + "].args." + path
				}
			}
			return fail(at, `initializing plugin "NodeResourcesFit": `+errs.aggregate())
		}
	}
	var why string
	if p.Points, why = plugins.expand(p.Name); why != "" {
		return fail("profiles["+strconv.Itoa(i)+"].plugins", why)
	}
	return p, nil
}

func (p *Plugins) uses(name string) bool {
	for i := range Points {
		if has(p.set(i).Enabled, name) {
			return true
		}
	}
	return has(p.MultiPoint.Enabled, name)
}

// Runs reports whether the profile runs a plugin at a point.
func (p *Profile) Runs(name string, point Point) bool {
	for _, x := range p.Points[point] {
		if x.Name == name {
			return true
		}
	}
	return false
}

// notSimulated names what the document sets and nobody here looks at.
func (doc *KubeSchedulerConfiguration) notSimulated() []string {
	var l []string
	add := func(set bool, field string) {
		if set {
			l = append(l, field+" is accepted and has no effect")
		}
	}
	e := &doc.LeaderElection
	add(len(doc.Extenders) > 0, "extenders")
	add(e.LeaderElect != nil && *e.LeaderElect || e.ResourceName+e.ResourceNamespace+e.ResourceLock+e.LeaseDuration+e.RenewDeadline+e.RetryPeriod != "", "leaderElection")
	add(doc.ClientConnection != ClientConnectionConfiguration{}, "clientConnection")
	add(doc.Parallelism != nil, "parallelism")
	add(doc.DelayCacheUntilActive, "delayCacheUntilActive")
	return l
}

// notSimulated names the plugins of a profile that are none of ours although the
// default profile lacks them.
func (p *Profile) notSimulated() []string {
	var l []string
	for i := range registry {
		for point := range Points {
			if registry[i].off && p.Runs(registry[i].name, point) {
				l = append(l, "plugin "+registry[i].name+" of profile "+p.Name+" has no effect")
				break
			}
		}
	}
	return l
}
