package framework

import (
	"sort"
	"strings"

	"podwalk/core/api"
)

// What a container without a request counts for in scores
// (pkg/scheduler/util/pod_resources.go).
const (
	DefaultMilliCPU int64 = 100
	DefaultMemory   int64 = 200 * 1024 * 1024
)

// Resource is an amount of each resource. CPU is in thousandths.
type Resource struct {
	MilliCPU, Memory, EphemeralStorage int64
	Pods                               int64
	Scalars                            []Scalar // sorted by name
}

// Scalar is an amount of an extended or otherwise named resource.
type Scalar struct {
	Name  string
	Value int64
}

// Scalar returns the amount of a named resource and whether it is there.
func (r *Resource) Scalar(name string) (int64, bool) {
	for i := range r.Scalars {
		if r.Scalars[i].Name == name {
			return r.Scalars[i].Value, true
		}
	}
	return 0, false
}

// Empty reports whether nothing but pods is counted.
func (r *Resource) Empty() bool {
	return r.MilliCPU == 0 && r.Memory == 0 && r.EphemeralStorage == 0 && len(r.Scalars) == 0
}

// plus returns r + sign*o; it shares no slice with r.
func (r *Resource) plus(o *Resource, sign int64) Resource {
	s := *r
	s.MilliCPU += sign * o.MilliCPU
	s.Memory += sign * o.Memory
	s.EphemeralStorage += sign * o.EphemeralStorage
	if len(o.Scalars) == 0 {
		return s
	}
	s.Scalars = append([]Scalar(nil), r.Scalars...)
	for _, x := range o.Scalars {
		i := sort.Search(len(s.Scalars), func(i int) bool { return s.Scalars[i].Name >= x.Name })
		if i == len(s.Scalars) || s.Scalars[i].Name != x.Name {
			s.Scalars = append(s.Scalars, Scalar{})
			copy(s.Scalars[i+1:], s.Scalars[i:])
			s.Scalars[i] = Scalar{Name: x.Name}
		}
		s.Scalars[i].Value += sign * x.Value
	}
	return s
}

// NewResource returns the amounts of a list of quantities.
func NewResource(list map[string]api.Quantity) Resource {
	var r Resource
	for name, q := range list {
		switch name {
		case "cpu":
			r.MilliCPU = q.MilliValue()
		case "memory":
			r.Memory = q.Value()
		case "pods":
			r.Pods = q.Value()
		case "ephemeral-storage":
			r.EphemeralStorage = q.Value()
		default:
			if IsScalar(name) {
				r.Scalars = append(r.Scalars, Scalar{name, q.Value()})
			}
		}
	}
	sort.Slice(r.Scalars, func(i, j int) bool { return r.Scalars[i].Name < r.Scalars[j].Name })
	return r
}

// IsScalar reports whether the scheduler counts a resource of that name
// (pkg/scheduler/util/utils.go, IsScalarResourceName).
func IsScalar(name string) bool {
	native := !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
	return !native && !strings.HasPrefix(name, "requests.") || strings.HasPrefix(name, "hugepages-") ||
		strings.Contains(name, "kubernetes.io/") || strings.HasPrefix(name, "attachable-volumes-")
}

type quantities = map[string]api.Quantity

// requests sums what a pod asks for: its containers, or an init container where
// that needs more, sidecars, pod-level requests, overhead; of a running pod the
// greatest of what is asked for, allocated and in effect
// (component-helpers/resource/helpers.go, PodRequests). missing stands in for
// what a container does not state.
func requests(p *api.Pod, missing quantities, podLevel bool) quantities {
	spec := containers(p, missing, specRequests)
	if len(p.Status.ContainerStatuses) > 0 || len(p.Status.InitContainerStatuses) > 0 {
		actual := containers(p, missing, actuated)
		allocated := containers(p, missing, allocatedRequests)
		if s := &p.Status; s.AllocatedResources != nil && s.Resources != nil && s.Resources.Requests != nil {
			actual, allocated = s.Resources.Requests, s.AllocatedResources
		}
		if resizeInfeasible(p) {
			spec = quantities{}
		}
		raise(spec, actual)
		raise(spec, allocated)
	}
	if podLevel && podLevelSet(p) {
		applyPodLevel(p, spec)
	}
	add(spec, p.Spec.Overhead)
	return spec
}

func applyPodLevel(p *api.Pod, sum quantities) {
	level := p.Spec.Resources.Requests
	if s := &p.Status; s.Resources != nil {
		level = quantities{}
		if !resizeInfeasible(p) {
			raise(level, p.Spec.Resources.Requests)
		}
		raise(level, s.Resources.Requests)
		raise(level, s.AllocatedResources)
	}
	for name, q := range level {
		if podLevelResource(name) {
			sum[name] = q
		}
	}
}

func podLevelResource(name string) bool {
	return name == "cpu" || name == "memory" || strings.HasPrefix(name, "hugepages-")
}

func podLevelSet(p *api.Pod) bool {
	if p.Spec.Resources == nil {
		return false
	}
	for name := range p.Spec.Resources.Requests {
		if podLevelResource(name) {
			return true
		}
	}
	return false
}

type requestOf func(p *api.Pod, c *api.Container) quantities

func specRequests(_ *api.Pod, c *api.Container) quantities { return c.Resources.Requests }

func allocatedRequests(p *api.Pod, c *api.Container) quantities {
	if s := statusOf(p, c.Name); s != nil && s.AllocatedResources != nil {
		return s.AllocatedResources
	}
	if resizeInfeasible(p) {
		return nil
	}
	return c.Resources.Requests
}

func actuated(p *api.Pod, c *api.Container) quantities {
	if s := statusOf(p, c.Name); s != nil && s.Resources != nil && s.Resources.Requests != nil {
		return s.Resources.Requests
	}
	return allocatedRequests(p, c)
}

func statusOf(p *api.Pod, name string) *api.ContainerStatus {
	for _, l := range [...][]api.ContainerStatus{p.Status.ContainerStatuses, p.Status.InitContainerStatuses} {
		for i := range l {
			if l[i].Name == name {
				return &l[i]
			}
		}
	}
	return nil
}

func resizeInfeasible(p *api.Pod) bool {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == "PodResizePending" {
			return c.Reason == "Infeasible"
		}
	}
	return false
}

func containers(p *api.Pod, missing quantities, of requestOf) quantities {
	sum := quantities{}
	for i := range p.Spec.Containers {
		add(sum, withMissing(of(p, &p.Spec.Containers[i]), missing))
	}
	sidecars, most := quantities{}, quantities{}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		r := withMissing(of(p, c), missing)
		if Sidecar(c) {
			add(sum, r)
			add(sidecars, r)
			raise(most, sidecars)
			continue
		}
		both := quantities{}
		add(both, r)
		add(both, sidecars)
		raise(most, both)
	}
	raise(sum, most)
	return sum
}

// Sidecar reports whether an init container keeps running.
func Sidecar(c *api.Container) bool { return c.RestartPolicy != nil && *c.RestartPolicy == "Always" }

func withMissing(r, missing quantities) quantities {
	if len(missing) == 0 {
		return r
	}
	all := quantities{}
	add(all, r)
	for name, q := range missing {
		if _, ok := r[name]; !ok {
			all[name] = q
		}
	}
	return all
}

func add(sum, more quantities) {
	for name, q := range more {
		sum[name] = sum[name].Add(q)
	}
}

func raise(sum, other quantities) {
	for name, q := range other {
		if old, ok := sum[name]; !ok || q.Cmp(old) > 0 {
			sum[name] = q
		}
	}
}

var (
	defaultCPU    = api.NewMilliQuantity(DefaultMilliCPU, api.DecimalSI)
	defaultMemory = api.NewQuantity(DefaultMemory, api.DecimalSI)
)

// resources fills in the amounts of a PodInfo
// (pkg/scheduler/framework/types.go, CalculateResource).
func (i *PodInfo) resources() {
	p := i.Pod
	all := requests(p, nil, true)
	i.Requests = NewResource(all)
	missing := quantities{"cpu": defaultCPU, "memory": defaultMemory}
	level := podLevelSet(p)
	if level {
		if _, ok := all["cpu"]; ok {
			delete(missing, "cpu")
		}
		if _, ok := all["memory"]; ok {
			delete(missing, "memory")
		}
	}
	nonZero := requests(p, missing, true)
	i.NonZero = Resource{MilliCPU: nonZero["cpu"].MilliValue(), Memory: nonZero["memory"].Value()}
	i.Scored = i.NonZero
	if level {
		scored := requests(p, quantities{"cpu": defaultCPU, "memory": defaultMemory}, false)
		i.Scored = Resource{MilliCPU: scored["cpu"].MilliValue(), Memory: scored["memory"].Value()}
	}
}

// Requests returns what a pod asks for, by resource.
func Requests(p *api.Pod) map[string]api.Quantity { return requests(p, nil, true) }
