// Package podsum adds up what the containers of a pod ask for
// (component-helpers/resource/helpers.go).
package podsum

import "podwalk/core/api"

// List is amounts by resource name.
type List = map[string]api.Quantity

// Requests returns what a pod requests, without its overhead.
func Requests(s *api.PodSpec) List {
	return total(s, func(r *api.ResourceRequirements) List { return r.Requests })
}

// Limits returns what a pod may use at most, without its overhead. A resource is
// missing where no container limits it.
func Limits(s *api.PodSpec) List {
	return total(s, func(r *api.ResourceRequirements) List { return r.Limits })
}

// total is what all containers need together, or what the init containers need
// one after the other, where that is more. Sidecars run all the time.
func total(s *api.PodSpec, of func(*api.ResourceRequirements) List) List {
	sum, sidecars, start := List{}, List{}, List{}
	for i := range s.Containers {
		Add(sum, of(&s.Containers[i].Resources))
	}
	for i := range s.InitContainers {
		c := &s.InitContainers[i]
		needs := List{}
		Add(needs, of(&c.Resources))
		if c.RestartPolicy != nil && *c.RestartPolicy == "Always" {
			Add(sum, needs)
			Add(sidecars, needs)
			needs = sidecars
		} else {
			Add(needs, sidecars)
		}
		raise(start, needs)
	}
	raise(sum, start)
	if s.Resources != nil {
		for name, q := range of(s.Resources) {
			if name == "cpu" || name == "memory" {
				sum[name] = q
			}
		}
	}
	return sum
}

// Add adds the amounts of one list to another.
func Add(to, list List) {
	for name, q := range list {
		to[name] = to[name].Add(q)
	}
}

func raise(to, list List) {
	for name, q := range list {
		if have, ok := to[name]; !ok || q.Cmp(have) > 0 {
			to[name] = q
		}
	}
}
