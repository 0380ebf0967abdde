package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

const mismatch = "`selector` does not match template `labels`"

// template checks a pod template (ValidatePodTemplateSpec).
func (c *check) template(t *api.PodTemplateSpec, p *field.Path) {
	c.labels(p.Child("labels"), t.Labels)
	c.annotations(p.Child("annotations"), t.Annotations)
	c.podAnnotations(t.Annotations, &t.Spec, p.Child("annotations"))
	c.podSpec(&t.Spec, nil, p.Child("spec"), false)
	c.profilesAgree(t.Annotations, &t.Spec, p.Child("spec"))
	if len(t.Spec.EphemeralContainers) > 0 {
		c.forbidden(p.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template")
	}
}

// alwaysRestarts checks what templates of long-running pods may not say.
func (c *check) alwaysRestarts(t *api.PodTemplateSpec, kind string, p *field.Path) {
	c.supported(p.Child("spec", "restartPolicy"), t.Spec.RestartPolicy, "Always")
	if t.Spec.ActiveDeadlineSeconds != nil {
		c.forbidden(p.Child("spec", "activeDeadlineSeconds"), "activeDeadlineSeconds in "+kind+" is not Supported")
	}
}

// required checks a label selector that must select something.
func (c *check) requiredSelector(s *api.LabelSelector, kind string, p *field.Path) {
	if s == nil {
		c.required(p, "")
		return
	}
	c.selector(p, s)
	if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		c.invalid(p, s, "empty selector is invalid for "+kind)
	}
}

// selected checks that a template's labels are those that the selector wants. It
// reports whether the selector could be read at all. No selector selects nothing.
func (c *check) selected(s *api.LabelSelector, labels map[string]string, selector, p *field.Path, text string) bool {
	sel, err := s.AsSelector()
	if err != nil {
		c.invalid(selector, internal(s), text)
		return false
	}
	if !sel.Empty() && !sel.Matches(labels) {
		c.invalid(p, labels, mismatch)
	}
	return true
}

func (c *check) deployment(d *api.Deployment) {
	c.meta(&d.ObjectMeta, true, isSubdomain)
	c.deploymentSpec(&d.Spec)
}

func (c *check) deploymentSpec(s *api.DeploymentSpec) {
	c.count(s.Replicas, specPath.Child("replicas"))
	c.replicaTemplate(s.Selector, &s.Template)
	c.strategy(&s.Strategy, specPath.Child("strategy"))
	c.nonNegative(specPath.Child("minReadySeconds"), int64(s.MinReadySeconds))
	c.count(s.RevisionHistoryLimit, specPath.Child("revisionHistoryLimit"))
	if n := s.ProgressDeadlineSeconds; n != nil {
		c.nonNegative(specPath.Child("progressDeadlineSeconds"), int64(*n))
		if *n <= s.MinReadySeconds {
			c.invalid(specPath.Child("progressDeadlineSeconds"), *n, "must be greater than minReadySeconds")
		}
	}
}

// count checks a number that may be left out.
func (c *check) count(n *int32, p *field.Path) {
	if n != nil {
		c.nonNegative(p, int64(*n))
	}
}

// replicaTemplate checks the selector and template of Deployments and ReplicaSets.
func (c *check) replicaTemplate(s *api.LabelSelector, t *api.PodTemplateSpec) {
	c.requiredSelector(s, "deployment", specPath.Child("selector"))
	p := specPath.Child("template")
	if c.selected(s, t.Labels, specPath.Child("selector"), p.Child("metadata", "labels"), "invalid label selector") {
		c.template(t, p)
		c.alwaysRestarts(t, "ReplicaSet", p)
	}
}

func (c *check) strategy(s *api.DeploymentStrategy, p *field.Path) {
	switch s.Type {
	case "Recreate":
		if s.RollingUpdate != nil {
			c.forbidden(p.Child("rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'")
		}
	case "RollingUpdate":
		if s.RollingUpdate == nil {
			c.required(p.Child("rollingUpdate"), "this should be defaulted and never be nil")
			return
		}
		c.rolling(s.RollingUpdate.MaxUnavailable, s.RollingUpdate.MaxSurge, p.Child("rollingUpdate"))
	default:
		c.unsupported(p, internal(s), "Recreate", "RollingUpdate")
	}
}

func (c *check) rolling(unavailable, surge *api.IntOrString, p *field.Path) {
	if unavailable == nil || surge == nil {
		return
	}
	c.portion(*unavailable, p.Child("maxUnavailable"))
	c.portion(*surge, p.Child("maxSurge"))
	if portion(*unavailable) == 0 && portion(*surge) == 0 {
		c.invalid(p.Child("maxUnavailable"), *unavailable, "may not be 0 when `maxSurge` is 0")
	}
	c.notMoreThanAll(*unavailable, p.Child("maxUnavailable"))
}

// portion checks a number of pods or a percentage of them.
func (c *check) portion(v api.IntOrString, p *field.Path) {
	if !v.IsString {
		c.nonNegative(p, int64(v.Int))
	} else if !isPercent(v.Str) {
		c.invalid(p, v, field.RegexError("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%"))
	}
}

func isPercent(s string) bool {
	digits, ok := strings.CutSuffix(s, "%")
	return ok && digits != "" && every(digits, func(c byte) bool { return c >= '0' && c <= '9' })
}

// portion returns the number before the percent sign, or the number itself.
func portion(v api.IntOrString) int {
	if v.IsString {
		n, err := strconv.Atoi(strings.TrimSuffix(v.Str, "%"))
		if err != nil {
			return 0
		}
		return n
	}
	return int(v.Int)
}

func (c *check) notMoreThanAll(v api.IntOrString, p *field.Path) {
	if v.IsString && isPercent(v.Str) && portion(v) > 100 {
		c.invalid(p, v, "must not be greater than 100%")
	}
}

func (c *check) replicaSet(r *api.ReplicaSet) {
	c.meta(&r.ObjectMeta, true, isSubdomain)
	c.replicaSetSpec(&r.Spec)
}

func (c *check) replicaSetSpec(s *api.ReplicaSetSpec) {
	c.count(s.Replicas, specPath.Child("replicas"))
	c.nonNegative(specPath.Child("minReadySeconds"), int64(s.MinReadySeconds))
	c.replicaTemplate(s.Selector, &s.Template)
}

func (c *check) replicationController(r *api.ReplicationController) {
	c.meta(&r.ObjectMeta, true, func(string) []string { return nil })
	c.replicationControllerSpec(&r.Spec)
	c.last(func() {
		if r.Name != "" {
			c.each(metaPath.Child("name"), r.Name, field.IsDNS1123Subdomain(r.Name))
		}
		c.nonNegative(specPath.Child("minReadySeconds"), int64(r.Spec.MinReadySeconds))
		c.count(r.Spec.Replicas, specPath.Child("replicas"))
	})
}

func (c *check) replicationControllerSpec(s *api.ReplicationControllerSpec) {
	if len(s.Selector) == 0 {
		c.required(specPath.Child("selector"), "")
	}
	p := specPath.Child("template")
	if s.Template == nil {
		c.required(p, "")
		return
	}
	if len(s.Selector) > 0 && !api.SelectorFromSet(s.Selector).Matches(s.Template.Labels) {
		c.invalid(p.Child("metadata", "labels"), s.Template.Labels, mismatch)
	}
	c.template(s.Template, p)
	c.alwaysRestarts(s.Template, "ReplicationController", p)
}

func (c *check) daemonSet(d *api.DaemonSet) {
	c.meta(&d.ObjectMeta, true, isSubdomain)
	c.daemonSetSpec(&d.Spec)
}

func (c *check) daemonSetSpec(s *api.DaemonSetSpec) {
	sel, p := specPath.Child("selector"), specPath.Child("template")
	c.selector(sel, s.Selector)
	if m, err := s.Selector.AsSelector(); err == nil && !m.Matches(s.Template.Labels) {
		c.invalid(p.Child("metadata", "labels"), s.Template.Labels, mismatch)
	}
	if s.Selector != nil && len(s.Selector.MatchLabels)+len(s.Selector.MatchExpressions) == 0 {
		c.invalid(sel, internal(s.Selector), "empty selector is invalid for daemonset")
	}
	c.template(&s.Template, p)
	c.alwaysRestarts(&s.Template, "DaemonSet", p)
	c.nonNegative(specPath.Child("minReadySeconds"), int64(s.MinReadySeconds))
	c.daemonStrategy(&s.UpdateStrategy, specPath.Child("updateStrategy"))
	c.count(s.RevisionHistoryLimit, specPath.Child("revisionHistoryLimit"))
}

func (c *check) daemonStrategy(s *api.DaemonSetUpdateStrategy, p *field.Path) {
	switch {
	case s.Type == "OnDelete":
		return
	case s.Type != "RollingUpdate":
		c.unsupported(p, internal(s), "RollingUpdate", "OnDelete")
		return
	case s.RollingUpdate == nil || s.RollingUpdate.MaxUnavailable == nil || s.RollingUpdate.MaxSurge == nil:
		c.required(p.Child("rollingUpdate"), "")
		return
	}
	p = p.Child("rollingUpdate")
	unavailable, surge := *s.RollingUpdate.MaxUnavailable, *s.RollingUpdate.MaxSurge
	c.portion(unavailable, p.Child("maxUnavailable"))
	c.portion(surge, p.Child("maxSurge"))
	c.notMoreThanAll(unavailable, p.Child("maxUnavailable"))
	c.notMoreThanAll(surge, p.Child("maxSurge"))
	switch {
	case portion(unavailable) != 0 && portion(surge) != 0:
		c.invalid(p.Child("maxSurge"), surge, "may not be set when maxUnavailable is non-zero")
	case portion(unavailable) == 0 && portion(surge) == 0:
		c.required(p.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0")
	}
}
