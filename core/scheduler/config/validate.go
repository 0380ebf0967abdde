package config

import (
	"strconv"
	"strings"
	"time"

	"podwalk/core/api/field"
)

func (a *Args) setDefaults() {
	number := func(p **int32, v int32) {
		if *p == nil {
			*p = &v
		}
	}
	number(&a.Preemption.MinCandidateNodesPercentage, 10)
	number(&a.Preemption.MinCandidateNodesAbsolute, 100)
	number(&a.Pods.HardPodAffinityWeight, 1)
	if a.Volumes.BindTimeoutSeconds == nil {
		v := int64(600)
		a.Volumes.BindTimeoutSeconds = &v
	}
	if len(a.Volumes.Shape) == 0 {
		a.Volumes.Shape = []UtilizationShapePoint{{0, 10}, {100, 0}}
	}
	if a.Spread.DefaultingType == "" {
		a.Spread.DefaultingType = "System"
	}
	a.Balanced.Resources = weighed(a.Balanced.Resources)
	if a.Fit.ScoringStrategy == nil {
		a.Fit.ScoringStrategy = &ScoringStrategy{Type: "LeastAllocated"}
	}
	a.Fit.ScoringStrategy.Resources = weighed(a.Fit.ScoringStrategy.Resources)
}

func weighed(l []ResourceSpec) []ResourceSpec {
	if len(l) == 0 {
		return []ResourceSpec{{"cpu", 1}, {"memory", 1}}
	}
	for i := range l {
		if l[i].Weight == 0 {
			l[i].Weight = 1
		}
	}
	return l
}

// checks collects errors as they are printed: the path, a colon, what is wrong.
type checks []string

func (c *checks) invalid(bad bool, p *field.Path, value any, why string) {
	if bad {
		c.add(field.Invalid(p, value, why))
	}
}

func (c *checks) add(e *field.Error) { *c = append(*c, e.Error()) }

// validate mirrors ValidateKubeSchedulerConfiguration
// (pkg/scheduler/apis/config/validation/validation.go).
func (doc *KubeSchedulerConfiguration) validate(args []Args) checks {
	var c checks
	c.invalid(doc.ClientConnection.Burst < 0, field.NewPath("clientConnection", "burst"), doc.ClientConnection.Burst, "must be non-negative")
	doc.LeaderElection.validate(&c, field.NewPath("leaderElection"))
	if p := doc.Parallelism; p != nil {
		c.invalid(*p <= 0, field.NewPath("parallelism"), *p, "should be an integer value greater than zero")
	}
	root := field.NewPath("profiles")
	for i := range doc.Profiles {
		p := &doc.Profiles[i]
		p.validate(&c, root.Index(i), &args[i])
		for j := i - 1; j >= 0; j-- {
			if p.name() == doc.Profiles[j].name() {
				c.add(field.Duplicate(root.Index(i).Child("schedulerName"), field.JSON("{}")))
				break
			}
		}
	}
	doc.commonQueueSort(&c, root)
	percentage(&c, field.NewPath("percentageOfNodesToScore"), doc.PercentageOfNodesToScore)
	initial, most := int64(1), int64(10)
	if doc.PodInitialBackoffSeconds != nil {
		initial = *doc.PodInitialBackoffSeconds
	}
	if doc.PodMaxBackoffSeconds != nil {
		most = *doc.PodMaxBackoffSeconds
	}
	c.invalid(initial <= 0, field.NewPath("podInitialBackoffSeconds"), initial, "must be greater than 0")
	c.invalid(most < initial, field.NewPath("podMaxBackoffSeconds"), most, "must be greater than or equal to PodInitialBackoffSeconds")
	doc.extenders(&c, field.NewPath("extenders"))
	return c
}

func (p *KubeSchedulerProfile) name() string {
	if p.SchedulerName == nil {
		return ""
	}
	return *p.SchedulerName
}

func percentage(c *checks, p *field.Path, v *int32) {
	if v != nil {
		c.invalid(*v < 0 || *v > 100, p, *v, "not in valid range [0-100]")
	}
}

func (e *LeaderElectionConfiguration) validate(c *checks, p *field.Path) {
	if e.LeaderElect != nil && !*e.LeaderElect {
		return
	}
	lease, renew, retry := duration(e.LeaseDuration, 15*time.Second), duration(e.RenewDeadline, 10*time.Second), duration(e.RetryPeriod, 2*time.Second)
	c.invalid(lease <= 0, p.Child("leaseDuration"), lease.String(), "must be greater than zero")
	c.invalid(renew <= 0, p.Child("renewDeadline"), renew.String(), "must be greater than zero")
	c.invalid(retry <= 0, p.Child("retryPeriod"), retry.String(), "must be greater than zero")
	c.invalid(lease <= renew, p.Child("leaseDuration"), renew.String(), "must be greater than `RenewDeadline`")
	c.invalid(e.ResourceLock != "" && e.ResourceLock != "leases", p.Child("resourceLock"), e.ResourceLock, `resourceLock value must be "leases"`)
}

func duration(s string, missing time.Duration) time.Duration {
	if d, err := time.ParseDuration(s); err == nil && d != 0 {
		return d
	}
	return missing
}

// removed names plugins that once were.
var removed = []string{"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"}

const wasRemoved = `was invalid in version "v1" (KubeSchedulerConfiguration is version "` + Version + `")`

func contains(l []string, s string) bool {
	for _, x := range l {
		if x == s {
			return true
		}
	}
	return false
}

func (p *KubeSchedulerProfile) validate(c *checks, path *field.Path, a *Args) {
	if p.name() == "" {
		c.add(field.Required(path.Child("schedulerName"), ""))
	}
	percentage(c, path.Child("percentageOfNodesToScore"), p.PercentageOfNodesToScore)
	if p.Plugins != nil {
		for i := range Points {
			name := strings.ToLower(goNames[i][:1]) + goNames[i][1:]
			for j, x := range p.Plugins.set(i).Enabled {
				c.invalid(i != PlacementGenerate && i != PlacementScore && contains(removed, x.Name), path.Child("plugins", name, "enabled").Index(j), x.Name, wasRemoved)
			}
		}
	}
	for i := range p.PluginConfig {
		at, name := path.Child("pluginConfig").Index(i), p.PluginConfig[i].Name
		for j := range i {
			if p.PluginConfig[j].Name == name {
				c.add(field.Duplicate(at, name))
				break
			}
		}
		if contains(removed, name) {
			c.invalid(true, at, name, wasRemoved)
			continue
		}
		if v, ok := a.of(name).(interface {
			validate(*field.Path) checks
		}); ok && name != "NodeResourcesFit" {
			*c = append(*c, v.validate(at.Child("args"))...)
		}
	}
	if p.Plugins == nil {
		p.Plugins = &Plugins{}
	}
}

// commonQueueSort mirrors validateCommonQueueSort.
func (doc *KubeSchedulerConfiguration) commonQueueSort(c *checks, root *field.Path) {
	first := doc.Profiles[0].Plugins.QueueSort.Enabled
	c.invalid(len(first) > 1, root.Index(0).Child("plugins", "queueSort", "Enabled"), len(first), "only one queue sort plugin can be enabled")
	for i := 1; i < len(doc.Profiles); i++ {
		if q := doc.Profiles[i].Plugins.QueueSort; !samePlugins(q, doc.Profiles[0].Plugins.QueueSort) {
			c.invalid(true, root.Index(i).Child("plugins", "queueSort"), field.JSON(q.text()), "must be the same for all profiles")
		}
	}
}

func samePlugins(a, b PluginSet) bool { return a.text() == b.text() }

// text prints the set as the real scheduler prints its internal type.
func (s PluginSet) text() string {
	list := func(l []Plugin) string {
		if len(l) == 0 {
			return "null"
		}
		var parts []string
		for _, x := range l {
			w := int32(0)
			if x.Weight != nil {
				w = *x.Weight
			}
			parts = append(parts, `{"Name":`+quoted(x.Name)+`,"Weight":`+strconv.Itoa(int(w))+`}`)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return `{"Enabled":` + list(s.Enabled) + `,"Disabled":` + list(s.Disabled) + `}`
}

// extenders mirrors validateExtenders.
func (doc *KubeSchedulerConfiguration) extenders(c *checks, root *field.Path) {
	binders := 0
	var seen []string
	for i := range doc.Extenders {
		e, p := &doc.Extenders[i], root.Index(i)
		c.invalid(e.PrioritizeVerb != "" && e.Weight <= 0, p.Child("weight"), e.Weight, "must have a positive weight applied to it")
		if e.BindVerb != "" {
			binders++
		}
		for j, r := range e.ManagedResources {
			at := p.Child("managedResources").Index(j).Child("name")
			wrong := field.IsLabelKey(r.Name)
			for _, why := range wrong {
				c.invalid(true, at, r.Name, why)
			}
			c.invalid(len(wrong) == 0 && !extended(r.Name), at, r.Name, "is an invalid extended resource name")
			c.invalid(contains(seen, r.Name), at, r.Name, "duplicate extender managed resource name")
			seen = append(seen, r.Name)
		}
	}
	c.invalid(binders > 1, root, "found "+strconv.Itoa(binders)+" extenders implementing bind", "only one extender can implement bind")
}

func extended(name string) bool {
	return strings.Contains(name, "/") && !strings.Contains(name, "kubernetes.io/") && !strings.HasPrefix(name, "requests.") &&
		len(field.IsLabelKey("requests."+name)) == 0
}

// aggregate joins the errors as apimachinery/pkg/util/errors does.
func (c checks) aggregate() string {
	if len(c) == 1 {
		return c[0]
	}
	return "[" + strings.Join(c, ", ") + "]"
}
