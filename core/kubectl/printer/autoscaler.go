package printer

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
)

func autoscalerCells(h *api.HorizontalPodAutoscaler, now int64) []string {
	target, low := h.Spec.ScaleTargetRef, "<unset>"
	if h.Spec.MinReplicas != nil {
		low = num(*h.Spec.MinReplicas)
	}
	return []string{h.Name, target.Kind + "/" + target.Name, metrics(h), low, num(h.Spec.MaxReplicas),
		num(h.Status.CurrentReplicas), age.Since(now, h.CreationTimestamp)}
}

func metrics(h *api.HorizontalPodAutoscaler) string {
	if len(h.Spec.Metrics) == 0 {
		return "<none>"
	}
	var list []string
	for i, m := range h.Spec.Metrics {
		var current api.MetricStatus
		if i < len(h.Status.CurrentMetrics) {
			current = h.Status.CurrentMetrics[i]
		}
		list = append(list, metric(m, current))
	}
	if more := len(list) - 2; more > 0 {
		return strings.Join(list[:2], ", ") + " + " + num(more) + " more..."
	}
	return strings.Join(list, ", ")
}

func metric(m api.MetricSpec, s api.MetricStatus) string {
	var now api.MetricValueStatus
	switch {
	case m.Type == "External" && m.External != nil:
		if s.External != nil {
			now = s.External.Current
		}
		return measured(m.External.Target, now)
	case m.Type == "Pods" && m.Pods != nil:
		if s.Pods != nil {
			now = s.Pods.Current
		}
		return amount(now.AverageValue) + "/" + amount(m.Pods.Target.AverageValue)
	case m.Type == "Object" && m.Object != nil:
		if s.Object != nil {
			now = s.Object.Current
		}
		return measured(m.Object.Target, now)
	case m.Type == "Resource" && m.Resource != nil:
		if s.Resource != nil {
			now = s.Resource.Current
		}
		return m.Resource.Name + ": " + utilised(m.Resource.Target, now)
	case m.Type == "ContainerResource" && m.ContainerResource != nil:
		if s.ContainerResource != nil {
			now = s.ContainerResource.Current
		}
		return m.ContainerResource.Name + ": " + utilised(m.ContainerResource.Target, now)
	}
	return "<unknown type>"
}

func measured(t api.MetricTarget, now api.MetricValueStatus) string {
	if t.AverageValue != nil {
		return amount(now.AverageValue) + "/" + amount(t.AverageValue) + " (avg)"
	}
	return amount(now.Value) + "/" + amount(t.Value)
}

func utilised(t api.MetricTarget, now api.MetricValueStatus) string {
	if t.AverageValue != nil {
		return amount(now.AverageValue) + "/" + amount(t.AverageValue)
	}
	return percent(now.AverageUtilization, "<unknown>") + "/" + percent(t.AverageUtilization, "<auto>")
}

func amount(q *api.Quantity) string {
	if q == nil {
		return "<unknown>"
	}
	return q.String()
}

func percent(p *int32, none string) string {
	if p == nil {
		return none
	}
	return num(*p) + "%"
}
