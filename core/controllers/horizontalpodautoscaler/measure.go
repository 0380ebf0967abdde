package horizontalpodautoscaler

import (
	"math"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
)

// measured is what one metric says. failed is the whole text of a failure, cause
// what the condition and the event of the given reason say.
type measured struct {
	replicas              int32
	name                  string
	failed, cause, reason string
}

// How long a pod's CPU says little of it (--horizontal-pod-autoscaler-cpu-initialization-period,
// --horizontal-pod-autoscaler-initial-readiness-delay).
const (
	initialCPU   = 2 * sim.Minute
	initialReady = 30 * sim.Second
)

// measure computes the size that one metric asks for (computeReplicasForMetric).
func (l *look) measure(m *api.MetricSpec, t *target, pods []*api.Pod, status *api.MetricStatus) measured {
	switch m.Type {
	case "Resource":
		r := l.resource(m.Resource.Target, m.Resource.Name, "", t, pods)
		if r.failed == "" {
			*status = api.MetricStatus{Type: m.Type, Resource: &api.ResourceMetricStatus{Name: m.Resource.Name, Current: r.status}}
			return measured{replicas: r.replicas, name: r.name}
		}
		return l.unable("FailedGetResourceMetric", r.failed, "failed to get "+m.Resource.Name+" resource metric value: ")
	case "ContainerResource":
		x := m.ContainerResource
		r := l.resource(x.Target, x.Name, x.Container, t, pods)
		if r.failed == "" {
			*status = api.MetricStatus{Type: m.Type, ContainerResource: &api.ContainerResourceMetricStatus{Name: x.Name, Container: x.Container, Current: r.status}}
			return measured{replicas: r.replicas, name: r.name}
		}
		return l.unable("FailedGetContainerResourceMetric", r.failed, "failed to get "+x.Container+" container metric value: ")
	case "Pods":
		return l.unable("FailedGetPodsMetric", "unable to get metric "+m.Pods.Metric.Name+": "+noCustom, "failed to get pods metric value: ")
	case "Object":
		return l.object(m.Object)
	case "External":
		return l.external(m.External)
	}
	return l.unable("InvalidMetricSourceType", "unknown metric source type "+strconv.Quote(m.Type), "")
}

func (l *look) unable(reason, cause, where string) measured {
	l.event("Warning", reason, cause)
	return measured{reason: reason, cause: cause, failed: where + cause}
}

// noCustom is what the client says where nothing serves the API of custom metrics.
const noCustom = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"

func (l *look) object(m *api.ObjectMetricSource) measured {
	text := "unable to get metric " + m.Metric.Name + " on " + m.DescribedObject.Kind + " " + l.h.Namespace + "/" + m.DescribedObject.Name + ": " + noCustom
	where := "failed to get object metric value: "
	if m.Target.Type == "AverageValue" {
		where += "failed to get " + m.Metric.Name + " object metric: "
	}
	return l.unable("FailedGetObjectMetric", text, where)
}

func (l *look) external(m *api.ExternalMetricSource) measured {
	selector := "nil"
	if s := m.Metric.Selector; s != nil {
		selector = goSelector(s)
	}
	text := "unable to get external metric " + l.h.Namespace + "/" + m.Metric.Name + "/" + selector +
		": unable to fetch metrics from external metrics API: the server could not find the requested resource (get " + m.Metric.Name + ".external.metrics.k8s.io)"
	where := "failed to get " + m.Metric.Name + " external metric value: "
	if m.Target.AverageValue != nil {
		where += "failed to get " + m.Metric.Name + " external metric: "
	} else {
		where += "failed to get external metric " + m.Metric.Name + ": "
	}
	return l.unable("FailedGetExternalMetric", text, where)
}

// goSelector prints a selector as its Go type does.
func goSelector(s *api.LabelSelector) string {
	out := "&LabelSelector{MatchLabels:map[string]string{"
	for _, r := range api.SelectorFromSet(s.MatchLabels).Requirements {
		out += r.Key + ": " + r.Values[0] + ","
	}
	out += "},MatchExpressions:[]LabelSelectorRequirement{"
	for _, e := range s.MatchExpressions {
		out += "LabelSelectorRequirement{Key:" + e.Key + ",Operator:" + e.Operator + ",Values:["
		for i, v := range e.Values {
			if i > 0 {
				out += " "
			}
			out += v
		}
		out += "],},"
	}
	return out + "},}"
}

// outcome is what a resource metric says.
type outcome struct {
	replicas int32
	status   api.MetricValueStatus
	name     string
	failed   string
}

// resource is computeStatusForResourceMetricGeneric.
func (l *look) resource(t api.MetricTarget, resource, container string, at *target, pods []*api.Pod) outcome {
	usage, problem := l.usage(resource, container, pods)
	what := "failed to get " + resource + " utilization: "
	if t.AverageValue != nil {
		what = "failed to get " + resource + " usage: "
	}
	switch {
	case t.AverageValue == nil && t.AverageUtilization == nil:
		return outcome{failed: "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set"}
	case problem != "":
		return outcome{failed: what + "unable to get metrics for resource " + resource + ": " + problem}
	case len(pods) == 0:
		return outcome{failed: what + "no pods returned by selector while calculating replica count"}
	}
	g := l.group(pods, usage, resource)
	if len(g.values) == 0 {
		return outcome{failed: what + "did not receive metrics for targeted pods (pods might be unready)"}
	}
	g.tolerance = l.tolerance()
	if t.AverageValue != nil {
		g.target = t.AverageValue.MilliValue()
		n, raw := g.size(at.wanted)
		q := amount(resource, raw)
		return outcome{replicas: n, name: resource + " resource", status: api.MetricValueStatus{AverageValue: &q}}
	}
	if g.requests, problem = requests(pods, container, resource); problem != "" {
		return outcome{failed: what + problem}
	}
	g.target = int64(*t.AverageUtilization)
	n, raw := g.size(at.wanted)
	if g.problem != "" {
		return outcome{failed: what + g.problem}
	}
	q, percent := amount(resource, raw), g.percent
	label := resource + " resource utilization (percentage of request)"
	if container != "" {
		label = resource + " container resource utilization (percentage of request)"
	}
	return outcome{replicas: n, name: label, status: api.MetricValueStatus{AverageUtilization: &percent, AverageValue: &q}}
}

func amount(resource string, milli int64) api.Quantity {
	if resource == "memory" {
		return api.NewMilliQuantity(milli, api.BinarySI)
	}
	return api.NewMilliQuantity(milli, api.DecimalSI)
}

// requests are what the pods ask for, in thousandths (calculateRequests).
func requests(pods []*api.Pod, container, resource string) (map[string]int64, string) {
	out := map[string]int64{}
	for _, p := range pods {
		if r := p.Spec.Resources; container == "" && r != nil && len(r.Requests) > 0 {
			q, ok := r.Requests[resource]
			if !ok {
				return nil, "missing pod-level request for " + resource + " in Pod " + p.Name
			}
			out[p.Name] = q.MilliValue()
			continue
		}
		total, found := int64(0), container == ""
		for _, c := range longRunning(p) {
			if container != "" && c.Name != container {
				continue
			}
			found = true
			q, ok := c.Resources.Requests[resource]
			if !ok {
				return nil, "missing request for " + resource + " in container " + c.Name + " of Pod " + p.Name
			}
			total += q.MilliValue()
		}
		if !found {
			return nil, "container " + container + " not found in Pod " + p.Name
		}
		out[p.Name] = total
	}
	return out, ""
}

// longRunning are the containers of a pod and its sidecars.
func longRunning(p *api.Pod) []api.Container {
	out := append([]api.Container(nil), p.Spec.Containers...)
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == "Always" {
			out = append(out, c)
		}
	}
	return out
}

// group sorts the pods by what their metrics are good for (groupPods).
func (l *look) group(pods []*api.Pod, usage map[string]reading, resource string) *group {
	g := &group{values: map[string]int64{}}
	for _, p := range pods {
		u, has := usage[p.Name]
		switch {
		case isIgnored(p):
		case isPending(p):
			g.unready = append(g.unready, p.Name)
		case !has:
			g.missing = append(g.missing, p.Name)
			l.moving = true
		case resource == "cpu" && l.isUnready(p, u):
			g.unready = append(g.unready, p.Name)
			l.moving = true
		default:
			g.ready++
			g.values[p.Name] = u.value
		}
	}
	return g
}

func (l *look) isUnready(p *api.Pod, u reading) bool {
	c := readyOf(p, "Ready")
	if c == nil || p.Status.StartTime == nil {
		return true
	}
	start := l.c.Host.Start()
	began, turned := actor.SimTime(start, *p.Status.StartTime), actor.SimTime(start, c.LastTransitionTime)
	if began+initialCPU > l.c.Now() {
		return c.Status == "False" || u.at < turned+u.window
	}
	return c.Status == "False" && began+initialReady > turned
}

// tolerance is how far usage may be off without consequence: below and above
// (tolerancesForHpa).
func (l *look) tolerance() (t [2]float64) {
	t = [2]float64{0.1, 0.1}
	b := l.h.Spec.Behavior
	if b == nil {
		return t
	}
	for i, rules := range []*api.HPAScalingRules{b.ScaleDown, b.ScaleUp} {
		if rules != nil && rules.Tolerance != nil {
			t[i] = float64(rules.Tolerance.MilliValue()) / 1000
		}
	}
	return t
}

// group is the usage of the pods that count, in thousandths, and the others.
type group struct {
	values           map[string]int64
	requests         map[string]int64 // nil: the target is an average amount
	ready            int
	unready, missing []string
	target           int64 // percent of the requests, or thousandths
	tolerance        [2]float64
	percent          int32
	problem          string
}

// ratio is usage by target, and the average usage.
func (g *group) ratio() (float64, int64) {
	total, asked := int64(0), int64(0)
	for name, v := range g.values {
		total += v
		asked += g.requests[name]
	}
	average := total / int64(len(g.values))
	if g.requests == nil {
		return float64(average) / float64(g.target), average
	}
	if asked == 0 {
		g.problem = "no metrics returned matched known pods"
		return 1, average
	}
	g.percent = int32(total * 100 / asked)
	return float64(g.percent) / float64(g.target), average
}

func (g *group) within(r float64) bool { return 1-g.tolerance[0] <= r && r <= 1+g.tolerance[1] }

// size is the number of replicas at which usage would be on target, and the average
// usage (GetResourceReplicas, calcPlainMetricReplicas).
func (g *group) size(now int32) (int32, int64) {
	r, average := g.ratio()
	percent := g.percent
	defer func() { g.percent = percent }()
	lift := len(g.unready) > 0 && r > 1
	if !lift && len(g.missing) == 0 {
		if g.within(r) {
			return now, average
		}
		return ceil(r * float64(g.ready)), average
	}
	for _, name := range g.missing {
		switch {
		case r < 1 && g.requests != nil:
			g.values[name] = g.requests[name] * max(100, g.target) / 100
		case r < 1:
			g.values[name] = g.target
		case r > 1:
			g.values[name] = 0
		}
	}
	if lift {
		for _, name := range g.unready {
			g.values[name] = 0
		}
	}
	again, _ := g.ratio()
	n := int32(math.Ceil(again * float64(len(g.values))))
	if g.within(again) || r < 1 && again > 1 || r > 1 && again < 1 || again < 1 && n > now || again > 1 && n < now {
		return now, average
	}
	return n, average
}
