package apiserver

import (
	"maps"
	"strings"

	"podwalk/core/api"
)

// podResources completes the resources of a whole pod from those of its
// containers (pkg/api/pod/util.go DefaultPodLevelResources).
func podResources(s *api.PodSpec) {
	if s.Resources == nil || len(s.Resources.Requests)+len(s.Resources.Limits) == 0 {
		return
	}
	r := *s.Resources
	r.Requests, r.Limits = maps.Clone(r.Requests), maps.Clone(r.Limits)
	if r.Requests == nil {
		r.Requests = map[string]api.Quantity{}
	}
	if r.Limits == nil {
		r.Limits = map[string]api.Quantity{}
	}
	requests := aggregate(s, func(c *api.Container) map[string]api.Quantity { return c.Resources.Requests })
	limits := aggregate(s, func(c *api.Container) map[string]api.Quantity { return c.Resources.Limits })
	hugeLimits(&r, limits)
	podRequests(&r, requests)
	podLimits(&r, s, limits)
	if len(r.Requests) == 0 {
		r.Requests = nil
	}
	if len(r.Limits) == 0 {
		r.Limits = nil
	}
	s.Resources = &r
}

func isHuge(name string) bool { return strings.HasPrefix(name, "hugepages-") }

func hugeLimits(r *api.ResourceRequirements, limits map[string]api.Quantity) {
	for name, q := range limits {
		_, limited := r.Limits[name]
		if _, asked := r.Requests[name]; isHuge(name) && !limited && !asked {
			r.Limits[name] = q
		}
	}
}

func podRequests(r *api.ResourceRequirements, requests map[string]api.Quantity) {
	for name, q := range requests {
		if _, ok := r.Requests[name]; !ok && isPodLevel(name) && !isHuge(name) {
			r.Requests[name] = q
		}
	}
	for name, q := range r.Limits {
		if _, ok := r.Requests[name]; !ok && isPodLevel(name) {
			r.Requests[name] = q
		}
	}
}

// podLimits limits the pod where each of its containers is limited.
func podLimits(r *api.ResourceRequirements, s *api.PodSpec, limits map[string]api.Quantity) {
	for name, request := range r.Requests {
		if _, ok := r.Limits[name]; ok || !isPodLevel(name) || !eachLimits(s, name) {
			continue
		}
		if q, ok := limits[name]; ok {
			if request.Cmp(q) > 0 {
				q = request
			}
			r.Limits[name] = q
		}
	}
}

func eachLimits(s *api.PodSpec, name string) bool {
	for _, list := range [][]api.Container{s.InitContainers, s.Containers} {
		for i := range list {
			if _, ok := list[i].Resources.Limits[name]; !ok {
				return false
			}
		}
	}
	return len(s.EphemeralContainers) == 0
}

// aggregate sums what containers ask for: those that run at once together, and
// each init container beside the sidecars started before it
// (component-helpers/resource/helpers.go).
func aggregate(s *api.PodSpec, of func(*api.Container) map[string]api.Quantity) map[string]api.Quantity {
	total, sidecars, peak := map[string]api.Quantity{}, map[string]api.Quantity{}, map[string]api.Quantity{}
	for i := range s.Containers {
		add(total, of(&s.Containers[i]))
	}
	for i := range s.InitContainers {
		c := &s.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == "Always" {
			add(total, of(c))
			add(sidecars, of(c))
			raise(peak, sidecars)
			continue
		}
		alone := maps.Clone(sidecars)
		add(alone, of(c))
		raise(peak, alone)
	}
	raise(total, peak)
	return total
}

func add(into, from map[string]api.Quantity) {
	for name, q := range from {
		if old, ok := into[name]; ok {
			q = old.Add(q)
		}
		into[name] = q
	}
}

func raise(into, from map[string]api.Quantity) {
	for name, q := range from {
		if old, ok := into[name]; !ok || q.Cmp(old) > 0 {
			into[name] = q
		}
	}
}
