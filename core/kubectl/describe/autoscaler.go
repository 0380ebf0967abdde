package describe

import (
	"strconv"

	"podwalk/core/api"
)

func (p *page) autoscaler(h *api.HorizontalPodAutoscaler) {
	target := h.Spec.ScaleTargetRef
	p.named(&h.ObjectMeta)
	p.meta(&h.ObjectMeta)
	p.field(0, "CreationTimestamp", date(h.CreationTimestamp))
	p.field(0, "Reference", target.Kind+"/"+target.Name)
	p.field(0, "Metrics", "( current / target )")
	for i, m := range h.Spec.Metrics {
		var now api.MetricStatus
		if i < len(h.Status.CurrentMetrics) {
			now = h.Status.CurrentMetrics[i]
		}
		p.metric(m, now)
	}
	low := "<unset>"
	if h.Spec.MinReplicas != nil {
		low = num(*h.Spec.MinReplicas)
	}
	p.field(0, "Min replicas", low)
	p.field(0, "Max replicas", num(h.Spec.MaxReplicas))
	if b := h.Spec.Behavior; b != nil {
		p.put(0, "Behavior:\n")
		p.scaling("Scale Up", b.ScaleUp)
		p.scaling("Scale Down", b.ScaleDown)
	}
	p.field(0, target.Kind+" pods", num(h.Status.CurrentReplicas)+" current / "+num(h.Status.DesiredReplicas)+" desired")
	if len(h.Status.Conditions) > 0 {
		p.put(0, "Conditions:\n")
		p.put(1, "Type\tStatus\tReason\tMessage\n")
		p.put(1, "----\t------\t------\t-------\n")
	}
	for _, c := range h.Status.Conditions {
		p.put(1, c.Type, "\t", c.Status, "\t", c.Reason, "\t", c.Message, "\n")
	}
}

func (p *page) metric(m api.MetricSpec, s api.MetricStatus) {
	var now api.MetricValueStatus
	switch {
	case m.Type == "External" && m.External != nil:
		if s.External != nil {
			now = s.External.Current
		}
		p.put(1, strconv.Quote(m.External.Metric.Name), " ", measured(m.External.Target, now, m.External.Target.AverageValue != nil), "\n")
	case m.Type == "Pods" && m.Pods != nil:
		if s.Pods != nil {
			now = s.Pods.Current
		}
		p.put(1, strconv.Quote(m.Pods.Metric.Name), " on pods:\t", amount(now.AverageValue), " / ", amount(m.Pods.Target.AverageValue), "\n")
	case m.Type == "Object" && m.Object != nil:
		if s.Object != nil {
			now = s.Object.Current
		}
		o := m.Object.DescribedObject
		p.put(1, "\"", m.Object.Metric.Name, "\" on ", o.Kind, "/", o.Name, " ", measured(m.Object.Target, now, m.Object.Target.Type == "AverageValue"), "\n")
	case m.Type == "Resource" && m.Resource != nil:
		if s.Resource != nil {
			now = s.Resource.Current
		}
		p.put(1, "resource ", m.Resource.Name, " on pods")
		p.utilised(m.Resource.Target, now)
	case m.Type == "ContainerResource" && m.ContainerResource != nil:
		if s.ContainerResource != nil {
			now = s.ContainerResource.Current
		}
		p.put(1, "resource ", m.ContainerResource.Name, " of container \"", m.ContainerResource.Container, "\" on pods")
		p.utilised(m.ContainerResource.Target, now)
	default:
		p.put(1, "<unknown metric type ", strconv.Quote(m.Type), ">\n")
	}
}

func measured(t api.MetricTarget, now api.MetricValueStatus, average bool) string {
	if average {
		return "(target average value):\t" + amount(now.AverageValue) + " / " + amount(t.AverageValue)
	}
	return "(target value):\t" + amount(now.Value) + " / " + amount(t.Value)
}

func (p *page) utilised(t api.MetricTarget, now api.MetricValueStatus) {
	if t.AverageValue != nil {
		p.put(0, ":\t", amount(now.AverageValue), " / ", amount(t.AverageValue), "\n")
		return
	}
	current, target := "<unknown>", "<auto>"
	if now.AverageUtilization != nil {
		current = num(*now.AverageUtilization) + "% (" + amount(now.AverageValue) + ")"
	}
	if t.AverageUtilization != nil {
		target = num(*t.AverageUtilization) + "%"
	}
	p.put(1, "(as a percentage of request):\t", current, " / ", target, "\n")
}

func amount(q *api.Quantity) string {
	if q == nil {
		return "<unknown>"
	}
	return q.String()
}

func (p *page) scaling(title string, r *api.HPAScalingRules) {
	if r == nil {
		return
	}
	p.put(1, title, ":\n")
	if r.StabilizationWindowSeconds != nil {
		p.put(2, "Stabilization Window: ", num(*r.StabilizationWindowSeconds), " seconds\n")
	}
	if len(r.Policies) == 0 {
		return
	}
	p.put(2, "Select Policy: ", deref(r.SelectPolicy, "Max"), "\n")
	p.put(2, "Policies:\n")
	for _, policy := range r.Policies {
		p.put(3, "- Type: ", policy.Type, "\tValue: ", num(policy.Value), "\tPeriod: ", num(policy.PeriodSeconds), " seconds\n")
	}
}
