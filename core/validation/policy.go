package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

func (c *check) budget(b *api.PodDisruptionBudget) {
	c.budgetSpec(&b.Spec)
	if len(c.errs) == 0 {
		c.metaFree(&b.ObjectMeta, true, isSegment)
	}
}

func (c *check) budgetSpec(s *api.PodDisruptionBudgetSpec) {
	if s.MinAvailable != nil && s.MaxUnavailable != nil {
		c.invalid(specPath, internal(s), "minAvailable and maxUnavailable cannot be both set")
	}
	for _, f := range []struct {
		name string
		v    *api.IntOrString
	}{{"minAvailable", s.MinAvailable}, {"maxUnavailable", s.MaxUnavailable}} {
		if f.v != nil {
			c.portion(*f.v, specPath.Child(f.name))
			c.notMoreThanAll(*f.v, specPath.Child(f.name))
		}
	}
	c.selector(specPath.Child("selector"), s.Selector)
	if u := s.UnhealthyPodEvictionPolicy; u != nil {
		c.supported(specPath.Child("unhealthyPodEvictionPolicy"), *u, "AlwaysAllow", "IfHealthyBudget")
	}
}

const highestUserPriority = 1000000000

func (c *check) priorityClass(p *api.PriorityClass) {
	c.meta(&p.ObjectMeta, false, isSubdomain)
	switch {
	case strings.HasPrefix(p.Name, "system-"):
		if why := knownSystemClass(p); why != "" {
			c.forbidden(metaPath.Child("name"), "priority class names with 'system-' prefix are reserved for system use only. error: "+why)
		}
	case p.Value > highestUserPriority:
		c.forbidden(field.NewPath("value"), "maximum allowed value of a user defined priority is 1000000000")
	}
	if p.PreemptionPolicy != nil {
		c.oneOf(field.NewPath("preemptionPolicy"), *p.PreemptionPolicy, "PreemptLowerPriority", "Never")
	}
}

// knownSystemClass says why a class is not one of the system's own, or "".
func knownSystemClass(p *api.PriorityClass) string {
	values := map[string]int32{"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}
	v, ok := values[p.Name]
	switch {
	case !ok:
		return p.Name + " is not a known system priority class"
	case v != p.Value:
		return "value of " + p.Name + " PriorityClass must be " + strconv.Itoa(int(v))
	case p.GlobalDefault:
		return "globalDefault of " + p.Name + " PriorityClass must be false"
	}
	return ""
}

// roleRules checks the rules of a Role or, not namespaced, of a ClusterRole.
func (c *check) roleRules(rules []api.PolicyRule, namespaced bool) {
	for i := range rules {
		r, p := &rules[i], field.NewPath("rules").Index(i)
		if len(r.Verbs) == 0 {
			c.last(func() { c.required(p.Child("verbs"), "") })
		}
		if len(r.NonResourceURLs) > 0 {
			if namespaced {
				c.invalid(p.Child("nonResourceURLs"), r.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs")
			}
			if len(r.APIGroups)+len(r.Resources)+len(r.ResourceNames) > 0 {
				c.invalid(p.Child("nonResourceURLs"), r.NonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs")
			}
			continue
		}
		if len(r.APIGroups) == 0 {
			c.required(p.Child("apiGroups"), "resource rules must supply at least one api group")
		}
		if len(r.Resources) == 0 {
			c.required(p.Child("resources"), "resource rules must supply at least one resource")
		}
	}
}

func (c *check) runtimeClass(r *api.RuntimeClass) {
	c.metaFree(&r.ObjectMeta, false, isSubdomain)
	if c.updating {
		c.name(field.NewPath("handler"), r.Handler, isDNSLabel)
	}
	if r.Overhead != nil {
		c.resources(&api.ResourceRequirements{Limits: r.Overhead.PodFixed}, field.NewPath("overhead"), nil, c.containerResource)
	}
	if !c.updating {
		defer c.last(func() { c.name(field.NewPath("handler"), r.Handler, field.IsDNS1123Label) })
	}
	c.classScheduling(r.Scheduling, field.NewPath("scheduling"))
}

func (c *check) classScheduling(s *api.Scheduling, p *field.Path) {
	if s == nil {
		return
	}
	c.labels(p.Child("nodeSelector"), s.NodeSelector)
	c.tolerationList(s.Tolerations, p.Child("tolerations"), func(at *field.Path, key string) {
		c.last(func() { c.labelName(at, key) })
	})
	seen := map[api.Toleration]bool{}
	for i, t := range s.Tolerations {
		key := api.Toleration{Key: t.Key, Operator: t.Operator, Value: t.Value, Effect: t.Effect}
		if seen[key] {
			c.duplicate(p.Child("tolerations").Index(i), internal(t))
		}
		seen[key] = true
	}
}

// aggregation checks which roles a ClusterRole is put together from.
func (c *check) aggregation(r *api.AggregationRule) {
	if r == nil {
		return
	}
	p := field.NewPath("aggregationRule", "clusterRoleSelectors")
	if len(r.ClusterRoleSelectors) == 0 {
		c.required(p, "at least one clusterRoleSelector required if aggregationRule is non-nil")
	}
	for i := range r.ClusterRoleSelectors {
		s := &r.ClusterRoleSelectors[i]
		c.selector(p.Index(i), s)
		if _, err := s.AsSelector(); err != nil {
			c.invalid(p.Index(i), nil, "invalid label selector.")
		}
	}
}

const rbacGroup = "rbac.authorization.k8s.io"

func (c *check) roleBinding(ref api.RoleRef, subjects []api.RBACSubject, namespaced bool) {
	p := field.NewPath("roleRef")
	if ref.APIGroup != rbacGroup {
		c.unsupported(p.Child("apiGroup"), ref.APIGroup, rbacGroup)
	}
	if namespaced {
		c.supported(p.Child("kind"), ref.Kind, "Role", "ClusterRole")
	} else {
		c.supported(p.Child("kind"), ref.Kind, "ClusterRole")
	}
	if ref.Name != "" || c.updating {
		c.name(p.Child("name"), ref.Name, isSegment)
	}
	for i := range subjects {
		c.subject(&subjects[i], namespaced, field.NewPath("subjects").Index(i))
	}
	if !c.updating {
		c.last(func() { c.filled(p.Child("name"), ref.Name) })
	}
}

func (c *check) subject(s *api.RBACSubject, namespaced bool, p *field.Path) {
	c.last(func() { c.filled(p.Child("name"), s.Name) })
	switch s.Kind {
	case "ServiceAccount":
		if s.Name != "" {
			c.each(p.Child("name"), s.Name, isSubdomain(s.Name))
		}
		if s.APIGroup != "" {
			c.unsupported(p.Child("apiGroup"), s.APIGroup, "")
		}
		if !namespaced && s.Namespace == "" {
			c.required(p.Child("namespace"), "")
		}
	case "User", "Group":
		c.supported(p.Child("apiGroup"), s.APIGroup, rbacGroup)
	default:
		c.unsupported(p.Child("kind"), s.Kind, "ServiceAccount", "User", "Group")
	}
}
