package validation

import (
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// resources checks requests and limits; names are held to rule
// (validateResourceRequirements). The real server visits the maps in any order;
// here it is that of the names.
func (c *check) resources(r *api.ResourceRequirements, p *field.Path, claims []string, rule func(string, *field.Path)) {
	limits, requests := p.Child("limits"), p.Child("requests")
	compute, huge := false, false
	for _, name := range sorted(r.Limits) {
		c.amount(name, r.Limits[name], limits.Key(name), rule)
		compute, huge = compute || isCompute(name), huge || isHuge(name)
	}
	for _, name := range sorted(r.Requests) {
		q := r.Requests[name]
		c.resourceName(name, q, requests.Key(name), rule)
		limit, limited := r.Limits[name]
		switch {
		case limited && !overcommits(name) && q.Cmp(limit) != 0:
			c.invalid(requests, q.String(), "must be equal to "+name+" limit of "+limit.String())
		case limited && q.Cmp(limit) > 0:
			c.invalid(requests, q.String(), "must be less than or equal to "+name+" limit of "+limit.String())
		case !limited && !overcommits(name):
			c.required(limits, "Limit must be set for non overcommitable resources")
		}
		c.hugePages(name, q, requests.Key(name))
		compute, huge = compute || isCompute(name), huge || isHuge(name)
	}
	if huge && !compute {
		c.forbidden(p, "HugePages require cpu or memory")
	}
	c.claimNames(r.Claims, claims, p.Child("claims"))
}

func (c *check) amount(name string, q api.Quantity, p *field.Path, rule func(string, *field.Path)) {
	c.resourceName(name, q, p, rule)
	c.hugePages(name, q, p)
}

func (c *check) resourceName(name string, q api.Quantity, p *field.Path, rule func(string, *field.Path)) {
	rule(name, p)
	c.quantity(name, q, p)
}

// quantity checks that an amount is not negative, and whole where it must be.
func (c *check) quantity(name string, q api.Quantity, p *field.Path) {
	if q.Sign() < 0 {
		c.invalid(p, q.String(), negativeText)
	}
	if isWhole(name) && q.MilliValue()%1000 != 0 {
		c.invalid(p, q, "must be an integer")
	}
}

func (c *check) hugePages(name string, q api.Quantity, p *field.Path) {
	if !isHuge(name) {
		return
	}
	size, err := api.ParseQuantity(strings.TrimPrefix(name, "hugepages-"))
	if err != nil || size.Value() <= 0 || size.MilliValue()%1000 != 0 || q.Value()%size.Value() != 0 {
		c.invalid(p, q.String(), q.String()+" is not positive integer multiple of "+name)
	}
}

func isHuge(name string) bool    { return strings.HasPrefix(name, "hugepages-") }
func isCompute(name string) bool { return name == "cpu" || name == "memory" }

// isNative holds for the resources of Kubernetes itself.
func isNative(name string) bool {
	return !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
}

// overcommits reports whether more of a resource may be promised than there is.
func overcommits(name string) bool { return isNative(name) && !isHuge(name) }

// isExtended holds for resources of others, such as example.com/gpu.
func isExtended(name string) bool {
	return !isNative(name) && !strings.HasPrefix(name, "requests.") && len(field.IsLabelKey("requests."+name)) == 0
}

var wholeResources = []string{"pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
	"persistentvolumeclaims", "services.nodeports", "services.loadbalancers"}

func isWhole(name string) bool { return slices.Contains(wholeResources, name) || isExtended(name) }

var standardResources = append([]string{"cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory",
	"requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage", "storage", "requests.storage"}, wholeResources...)

func isQuotaHuge(name string) bool {
	return isHuge(name) || strings.HasPrefix(name, "requests.hugepages-")
}

// anyResource checks a resource name as far as all uses agree. It reports
// whether it is right.
func (c *check) anyResource(name string, p *field.Path) bool {
	before := len(c.errs)
	c.labelName(p, name)
	if len(c.errs) == before && !strings.Contains(name, "/") && !slices.Contains(standardResources, name) && !isQuotaHuge(name) {
		c.invalid(p, name, "must be a standard resource type or fully qualified")
	}
	return len(c.errs) == before
}

func (c *check) containerResource(name string, p *field.Path) {
	c.anyResource(name, p)
	switch {
	case !strings.Contains(name, "/"):
		if name != "cpu" && name != "memory" && name != "ephemeral-storage" && !isHuge(name) {
			c.invalid(p, name, "must be a standard resource for containers")
		}
	case !isNative(name) && !isExtended(name):
		c.invalid(p, name, "doesn't follow extended resource name standard")
	}
}

// podResource checks the resources that a whole pod can have.
func (c *check) podResource(name string, p *field.Path) {
	if c.anyResource(name, p) && !isCompute(name) && !isHuge(name) {
		c.unsupported(p, name, "cpu", "hugepages-", "memory")
	}
}

// podResources checks the resources of the whole pod against those of its
// containers (validatePodResources).
func (c *check) podResources(s *api.PodSpec, p *field.Path) {
	switch {
	case s.Resources == nil:
		return
	case s.OS != nil && s.OS.Name == "windows":
		c.forbidden(p, "may not be set for a windows pod")
		return
	case s.Resources.Claims != nil:
		c.forbidden(p.Child("claims"), "claims may not be set for Resources at pod-level")
	}
	c.resources(s.Resources, p, nil, c.podResource)
	sum := sumOf(s, func(r *api.ResourceRequirements) map[string]api.Quantity { return r.Requests })
	for _, name := range sorted(sum) {
		own, ok := s.Resources.Requests[name]
		if all := sum[name]; ok && all.Cmp(own) > 0 {
			c.invalid(p.Child("requests").Key(name), own.String(), "must be greater than or equal to aggregate container requests of "+all.String())
		}
	}
	sum = sumOf(s, func(r *api.ResourceRequirements) map[string]api.Quantity { return r.Limits })
	for _, name := range sorted(sum) {
		own, ok := s.Resources.Limits[name]
		if all := sum[name]; ok && isHuge(name) && all.Cmp(own) > 0 {
			c.invalid(p.Child("limits").Key(name), own.String(), "must be greater than or equal to aggregate container limits of "+all.String())
		}
	}
	for i := range s.Containers {
		for _, name := range sorted(s.Containers[i].Resources.Limits) {
			q := s.Containers[i].Resources.Limits[name]
			if own, ok := s.Resources.Limits[name]; ok && q.Cmp(own) > 0 {
				c.invalid(p.Child("containers").Index(i).Key(name).Child("limits"), q.String(), "must be less than or equal to pod limits of "+own.String())
			}
		}
	}
}

// sumOf adds up the resources of containers that run at once, and at least what
// each init container needs beside its sidecars.
func sumOf(s *api.PodSpec, of func(*api.ResourceRequirements) map[string]api.Quantity) map[string]api.Quantity {
	total, sidecars := map[string]api.Quantity{}, map[string]api.Quantity{}
	for i := range s.Containers {
		addTo(total, of(&s.Containers[i].Resources))
	}
	var peaks []map[string]api.Quantity
	for i := range s.InitContainers {
		ctr := &s.InitContainers[i]
		alone := map[string]api.Quantity{}
		addTo(alone, sidecars)
		addTo(alone, of(&ctr.Resources))
		if isSidecar(ctr) {
			addTo(total, of(&ctr.Resources))
			addTo(sidecars, of(&ctr.Resources))
		}
		peaks = append(peaks, alone)
	}
	for _, peak := range peaks {
		for name, q := range peak {
			if old, ok := total[name]; !ok || q.Cmp(old) > 0 {
				total[name] = q
			}
		}
	}
	return total
}

func addTo(into, from map[string]api.Quantity) {
	for name, q := range from {
		if old, ok := into[name]; ok {
			q = old.Add(q)
		}
		into[name] = q
	}
}

// claimNames checks which of the pod's devices a container uses.
func (c *check) claimNames(claims []api.ResourceClaim, known []string, p *field.Path) {
	seen := map[string]bool{}
	for i, claim := range claims {
		at := p.Index(i)
		if claim.Name == "" {
			c.required(at, "")
			continue
		}
		key := claim.Name
		if claim.Request != "" {
			c.each(at.Child("request"), claim.Request, isDNSLabel(claim.Request))
			key += "/" + claim.Request
		}
		if seen[claim.Name] || seen[key] {
			c.duplicate(at, key)
		}
		seen[key] = true
		if !slices.Contains(known, claim.Name) {
			e := field.NotFound(at, claim.Name)
			e.Detail = "must be one of the names in pod.spec.resourceClaims"
			if len(known) == 0 {
				e.Detail += " which is empty"
			} else {
				e.Detail += ": " + strings.Join(known, ", ")
			}
			c.add(e)
		}
	}
}

// resourceClaims checks the devices that a pod asks for by claims.
func (c *check) resourceClaims(claims []api.PodResourceClaim, p *field.Path, s *podScope) {
	for i := range claims {
		claim, at := &claims[i], p.Index(i)
		switch {
		case claim.Name == "":
			c.required(at.Child("name"), "")
		case slices.Contains(s.claims, claim.Name):
			c.duplicate(at.Child("name"), claim.Name)
		default:
			c.each(at.Child("name"), claim.Name, isDNSLabel(claim.Name))
			s.claims = append(s.claims, claim.Name)
		}
		switch named, templated := claim.ResourceClaimName != nil, claim.ResourceClaimTemplateName != nil; {
		case named && templated:
			c.invalid(at, internal(claim), "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
		case !named && !templated:
			c.invalid(at, internal(claim), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
		}
		if n := claim.ResourceClaimName; n != nil {
			c.each(at.Child("resourceClaimName"), *n, isSubdomain(*n))
		}
		if n := claim.ResourceClaimTemplateName; n != nil {
			c.each(at.Child("resourceClaimTemplateName"), *n, isSubdomain(*n))
		}
	}
	slices.Sort(s.claims)
}
