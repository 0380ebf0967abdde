package validation

import (
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

func (c *check) limitRange(l *api.LimitRange) {
	c.meta(&l.ObjectMeta, true, isSubdomain)
	seen := map[string]bool{}
	for i := range l.Spec.Limits {
		item, p := &l.Spec.Limits[i], specPath.Child("limits").Index(i)
		c.limitType(item.Type, p.Child("type"))
		if seen[item.Type] {
			c.duplicate(p.Child("type"), item.Type)
		}
		seen[item.Type] = true
		c.limitItem(item, p)
	}
}

func (c *check) limitType(t string, p *field.Path) {
	before := len(c.errs)
	c.labelName(p, t)
	if len(c.errs) == before && !strings.Contains(t, "/") && t != "Pod" && t != "Container" && t != "PersistentVolumeClaim" {
		c.invalid(p, t, "must be a standard limit type or fully qualified")
	}
}

func (c *check) limitItem(l *api.LimitRangeItem, p *field.Path) {
	rule := func(name string, at *field.Path) { c.anyResource(name, at) }
	if l.Type == "Pod" || l.Type == "Container" {
		rule = c.containerResource
	}
	names := map[string]bool{}
	take := func(name string, list map[string]api.Quantity) {
		for _, k := range sorted(list) {
			rule(k, p.Child(name).Key(k))
			names[k] = true
		}
	}
	take("max", l.Max)
	take("min", l.Min)
	if l.Type == "Pod" {
		if len(l.Default) > 0 {
			c.forbidden(p.Child("default"), "may not be specified when `type` is 'Pod'")
		}
		if len(l.DefaultRequest) > 0 {
			c.forbidden(p.Child("defaultRequest"), "may not be specified when `type` is 'Pod'")
		}
	} else {
		take("default", l.Default)
		take("defaultRequest", l.DefaultRequest)
	}
	_, hasMin := l.Min["storage"]
	if _, hasMax := l.Max["storage"]; l.Type == "PersistentVolumeClaim" && !hasMin && !hasMax {
		c.required(p.Child("limits"), "either minimum or maximum storage value is required, but neither was provided")
	}
	take("maxLimitRequestRatio", l.MaxLimitRequestRatio)
	for _, k := range sorted(names) {
		c.limitOrder(l, k, p)
	}
}

// limitOrder checks that min, default request, default and max rise in this order.
func (c *check) limitOrder(l *api.LimitRangeItem, k string, p *field.Path) {
	least, hasLeast := l.Min[k]
	most, hasMost := l.Max[k]
	limit, hasLimit := l.Default[k]
	request, hasRequest := l.DefaultRequest[k]
	if l.Type == "Pod" {
		hasLimit, hasRequest = false, false
	}
	at := func(name string) *field.Path { return p.Child(name).Key(k) }
	compare := func(ok bool, a, b api.Quantity, shown api.Quantity, where *field.Path, words, than string) {
		if ok && a.Cmp(b) > 0 {
			c.invalid(where, shown, words+" value "+a.String()+" is greater than "+than+" value "+b.String())
		}
	}
	compare(hasLeast && hasMost, least, most, least, at("min"), "min", "max")
	compare(hasRequest && hasLeast, least, request, request, at("defaultRequest"), "min", "default request")
	compare(hasRequest && hasMost, request, most, request, at("defaultRequest"), "default request", "max")
	compare(hasRequest && hasLimit, request, limit, request, at("defaultRequest"), "default request", "default limit")
	compare(hasLimit && hasLeast, least, limit, least, at("default"), "min", "default")
	compare(hasLimit && hasMost, limit, most, most, at("default"), "default", "max")
	if r, ok := l.MaxLimitRequestRatio[k]; ok && r.Cmp(api.NewQuantity(1, api.DecimalSI)) < 0 {
		c.invalid(at("maxLimitRequestRatio"), r, "ratio "+r.String()+" is less than 1")
	}
}

func (c *check) quota(q *api.ResourceQuota) {
	c.meta(&q.ObjectMeta, true, isSubdomain)
	c.quotaSpec(&q.Spec)
}

func (c *check) quotaSpec(s *api.ResourceQuotaSpec) {
	for _, k := range sorted(s.Hard) {
		p := specPath.Child("hard").Key(k)
		c.quotaResource(k, p)
		c.quantity(k, s.Hard[k], p)
	}
	if len(s.Scopes) > 0 {
		c.scopes(s, specPath.Child("scopes"))
	}
	if s.ScopeSelector != nil {
		c.scopeSelector(s, specPath.Child("scopeSelector", "matchExpressions"))
	}
}

func (c *check) quotaResource(name string, p *field.Path) {
	c.anyResource(name, p)
	if !strings.Contains(name, "/") && !isQuotaResource(name) {
		c.invalid(p, name, "must be a standard resource for quota")
	}
}

func isQuotaResource(name string) bool {
	return name != "storage" && slices.Contains(standardResources, name) || isQuotaHuge(name)
}

var quotaScopes = []string{"Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass",
	"VolumeAttributesClass", "CrossNamespacePodAffinity"}

// scopeCovers reports whether a resource can be counted within a scope.
func scopeCovers(scope, resource string) bool {
	switch scope {
	case "BestEffort":
		return resource == "pods"
	case "VolumeAttributesClass":
		return resource == "persistentvolumeclaims" || resource == "requests.storage"
	case "Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity":
		return slices.Contains([]string{"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"}, resource)
	}
	return true
}

func (c *check) scopes(s *api.ResourceQuotaSpec, p *field.Path) {
	for _, scope := range s.Scopes {
		if !slices.Contains(quotaScopes, scope) {
			c.invalid(p, s.Scopes, "unsupported scope")
		}
		for _, k := range sorted(s.Hard) {
			if isQuotaResource(k) && !scopeCovers(scope, k) {
				c.invalid(p, s.Scopes, "unsupported scope applied to resource")
			}
		}
	}
	for _, pair := range [][2]string{{"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}} {
		if slices.Contains(s.Scopes, pair[0]) && slices.Contains(s.Scopes, pair[1]) {
			c.invalid(p, s.Scopes, "conflicting scopes")
		}
	}
}

func (c *check) scopeSelector(s *api.ResourceQuotaSpec, p *field.Path) {
	for _, r := range s.ScopeSelector.MatchExpressions {
		known := slices.Contains(quotaScopes, r.ScopeName)
		if !known {
			c.invalid(p.Child("scopeName"), r.ScopeName, "unsupported scope")
		}
		for _, k := range sorted(s.Hard) {
			if isQuotaResource(k) && !scopeCovers(r.ScopeName, k) {
				c.invalid(p, internal(s.ScopeSelector), "unsupported scope applied to resource")
			}
		}
		if known && r.ScopeName != "PriorityClass" && r.ScopeName != "VolumeAttributesClass" && r.Operator != "Exists" {
			c.invalid(p.Child("operator"), r.Operator, "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity")
		}
		switch r.Operator {
		case "In", "NotIn":
			if len(r.Values) == 0 {
				c.required(p.Child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")
			}
		case "Exists", "DoesNotExist":
			if len(r.Values) != 0 {
				c.invalid(p.Child("values"), r.Values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")
			}
		default:
			c.invalid(p.Child("operator"), r.Operator, "not a valid selector operator")
		}
	}
}
