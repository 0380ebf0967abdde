package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

func (c *check) autoscaler(h *api.HorizontalPodAutoscaler) {
	c.meta(&h.ObjectMeta, true, isSubdomain)
	c.autoscalerSpec(&h.Spec)
}

func (c *check) autoscalerSpec(s *api.HorizontalPodAutoscalerSpec) {
	c.last(func() { c.replicaRange(s) })
	if n := s.MinReplicas; n != nil && s.MaxReplicas < *n {
		c.invalid(specPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to `minReplicas`")
	}
	c.crossReference(&s.ScaleTargetRef, specPath.Child("scaleTargetRef"))
	c.targetVersion(s.ScaleTargetRef.APIVersion, specPath.Child("scaleTargetRef", "apiVersion"))
	zero := s.MinReplicas != nil && *s.MinReplicas == 0
	for i := range s.Metrics {
		c.metric(&s.Metrics[i], specPath.Child("metrics").Index(i))
		zero = zero && s.Metrics[i].Type != "Object" && s.Metrics[i].Type != "External"
	}
	if zero {
		c.forbidden(specPath.Child("metrics"), "must specify at least one Object or External metric to support scaling to zero replicas")
	}
	if b := s.Behavior; b != nil {
		c.scaling(b.ScaleUp, specPath.Child("behavior", "scaleUp"))
		c.scaling(b.ScaleDown, specPath.Child("behavior", "scaleDown"))
	}
}

func (c *check) replicaRange(s *api.HorizontalPodAutoscalerSpec) {
	if n := s.MinReplicas; n != nil {
		c.nonNegative(specPath.Child("minReplicas"), int64(*n))
	}
	switch p := specPath.Child("maxReplicas"); {
	case s.MaxReplicas == 0:
		c.required(p, "")
	case s.MaxReplicas < 0:
		c.invalid(p, s.MaxReplicas, "must be greater than or equal to 1")
	}
}

// targetVersion wants the API version of what is scaled to name its group.
func (c *check) targetVersion(version string, p *field.Path) {
	group, _, ok := strings.Cut(version, "/")
	switch {
	case strings.Count(version, "/") > 1:
		c.invalid(p, version, "unexpected GroupVersion string: "+version)
	case !ok || group == "":
		c.invalid(p, version, "apiVersion must specify API group")
	}
}

func (c *check) crossReference(r *api.CrossVersionObjectReference, p *field.Path) {
	c.name(p.Child("kind"), r.Kind, isSegment)
	c.name(p.Child("name"), r.Name, isSegment)
}

var metricTypes = []string{"ContainerResource", "External", "Object", "Pods", "Resource"}

func (c *check) metric(m *api.MetricSpec, p *field.Path) {
	if m.Type == "" {
		c.required(p.Child("type"), "must specify a metric source type")
	}
	c.supported(p.Child("type"), m.Type, metricTypes...)
	present := []struct {
		kind, name string
		set        bool
		rule       func(*field.Path)
	}{
		{"Object", "object", m.Object != nil, func(at *field.Path) {
			c.crossReference(&m.Object.DescribedObject, at.Child("describedObject"))
			c.namedMetric(&m.Object.Metric, &m.Object.Target, at)
			c.metricValue("Object", &m.Object.Target, at)
		}},
		{"External", "external", m.External != nil, func(at *field.Path) {
			c.namedMetric(&m.External.Metric, &m.External.Target, at)
			c.metricValue("External", &m.External.Target, at)
		}},
		{"Pods", "pods", m.Pods != nil, func(at *field.Path) {
			c.namedMetric(&m.Pods.Metric, &m.Pods.Target, at)
			c.metricValue("Pods", &m.Pods.Target, at)
		}},
		{"Resource", "resource", m.Resource != nil, func(at *field.Path) { c.resourceMetric(m.Resource.Name, &m.Resource.Target, at) }},
		{"ContainerResource", "containerResource", m.ContainerResource != nil, func(at *field.Path) {
			c.containerMetric(m.ContainerResource, at)
			c.resourceMetric(m.ContainerResource.Name, &m.ContainerResource.Target, at)
		}},
	}
	count := 0
	for _, s := range present {
		if s.set {
			if count++; count == 1 {
				s.rule(p.Child(s.name))
			}
		}
	}
	for _, s := range present {
		if s.kind == m.Type && !s.set {
			c.required(p.Child(s.name), "must populate information for the given metric source")
		}
	}
	for _, s := range present {
		if s.set && count != 1 && s.kind != m.Type {
			c.forbidden(p.Child(s.name), "must populate the given metric source only")
		}
	}
}

func (c *check) namedMetric(id *api.MetricIdentifier, t *api.MetricTarget, p *field.Path) {
	if id.Name == "" {
		c.required(p.Child("metric", "name"), "must specify a metric name")
	} else {
		c.each(p.Child("metric", "name"), id.Name, isSegment(id.Name))
	}
	c.target(t, p.Child("target"))
}

// metricValue checks that a target says how much, in the words for its source.
func (c *check) metricValue(source string, t *api.MetricTarget, p *field.Path) {
	at := p.Child("target", "averageValue")
	switch {
	case source == "Pods" && t.AverageValue == nil:
		c.required(at, "must specify a positive target averageValue")
	case source == "Pods":
	case t.Value == nil && t.AverageValue == nil && source == "Object":
		c.required(at, "must set either a target value or averageValue")
	case t.Value == nil && t.AverageValue == nil:
		c.required(at, "must set either a target value for metric or a per-pod target")
	case t.Value != nil && t.AverageValue != nil && source == "External":
		c.forbidden(p.Child("target", "value"), "may not set both a target value for metric and a per-pod target")
	}
}

// containerMetric checks what a resource metric has beside others when it is that
// of one container.
func (c *check) containerMetric(m *api.ContainerResourceMetricSource, p *field.Path) {
	if m.Name != "" {
		c.containerResource(m.Name, p.Child("name"))
	}
	if at := p.Child("container"); m.Container == "" {
		c.required(at, "must specify a container")
	} else {
		c.each(at, m.Container, field.IsDNS1123Label(m.Container))
	}
}

func (c *check) resourceMetric(name string, t *api.MetricTarget, p *field.Path) {
	if name == "" {
		c.required(p.Child("name"), "must specify a resource name")
	}
	c.target(t, p.Child("target"))
	if t.AverageUtilization == nil && t.AverageValue == nil {
		c.required(p.Child("target", "averageUtilization"), "must set either a target raw value or a target utilization")
	}
	if t.AverageUtilization != nil && t.AverageValue != nil {
		c.forbidden(p.Child("target", "averageValue"), "may not set both a target raw value and a target utilization")
	}
}

func (c *check) target(t *api.MetricTarget, p *field.Path) {
	if t.Type == "" {
		c.required(p.Child("type"), "must specify a metric target type")
	}
	if t.Type != "Utilization" && t.Type != "Value" && t.Type != "AverageValue" {
		c.invalid(p.Child("type"), t.Type, "must be either Utilization, Value, or AverageValue")
	}
	if t.Value != nil && t.Value.Sign() != 1 {
		c.invalid(p.Child("value"), t.Value, "must be positive")
	}
	if t.AverageValue != nil && t.AverageValue.Sign() != 1 {
		c.invalid(p.Child("averageValue"), t.AverageValue, "must be positive")
	}
	if n := t.AverageUtilization; n != nil && *n < 1 {
		c.invalid(p.Child("averageUtilization"), *n, "must be greater than 0")
	}
}

const (
	maxStabilization = 3600
	maxScalePeriod   = 1800
)

func (c *check) scaling(r *api.HPAScalingRules, p *field.Path) {
	if r == nil {
		return
	}
	if n := r.StabilizationWindowSeconds; n != nil && *n < 0 {
		c.invalid(p.Child("stabilizationWindowSeconds"), *n, "must be greater than or equal to zero")
	} else if n != nil && *n > maxStabilization {
		c.invalid(p.Child("stabilizationWindowSeconds"), *n, "must be less than or equal to 3600")
	}
	if s := r.SelectPolicy; s != nil {
		c.supported(p.Child("selectPolicy"), *s, "Disabled", "Max", "Min")
	}
	if len(r.Policies) == 0 {
		c.required(p.Child("policies"), "must specify at least one Policy")
	}
	for i, s := range r.Policies {
		at := p.Child("policies").Index(i)
		c.supported(at.Child("type"), s.Type, "Percent", "Pods")
		c.positive(at.Child("value"), int64(s.Value))
		c.positive(at.Child("periodSeconds"), int64(s.PeriodSeconds))
		if s.PeriodSeconds > maxScalePeriod {
			c.invalid(at.Child("periodSeconds"), s.PeriodSeconds, "must be less than or equal to 1800")
		}
	}
	if q := r.Tolerance; q != nil && q.Sign() < 0 {
		c.invalid(p.Child("tolerance"), q.String(), negativeText)
	}
}
