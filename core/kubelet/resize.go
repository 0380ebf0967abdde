package kubelet

import (
	"encoding/json"
	"slices"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
)

// resizing is what the kubelet knows of changes of a pod's resources in place
// (pkg/kubelet/allocation/allocation_manager.go). The worker's pod has the
// resources that are allocated; want has those that are asked for.
type resizing struct {
	want     *api.Pod // nil: nothing is pending
	pending  *api.PodCondition
	progress *api.PodCondition
	retry    sim.Time
}

// resizeRetry is how often a deferred resize is tried again
// (pkg/kubelet/allocation/allocation_manager.go, retryDelay).
const resizeRetry = 3 * sim.Minute

// takePod makes a delivered pod the worker's own; a change of resources has to be
// allocated first (pkg/kubelet/kubelet.go, HandlePodUpdates).
func (s *step) takePod(pod *api.Pod) {
	w := s.w
	w.seen = pod
	if !w.admitted || sameResources(w.pod, pod) {
		w.pod, w.resize.want, w.resize.pending = pod, nil, nil
		return
	}
	w.pod = withResources(pod, w.pod)
	w.resize.want = pod
	s.allocate()
}

func sameResources(a, b *api.Pod) bool {
	same := func(x, y api.Container) bool { return equalResources(&x.Resources, &y.Resources) }
	return slices.EqualFunc(a.Spec.Containers, b.Spec.Containers, same) && slices.EqualFunc(a.Spec.InitContainers, b.Spec.InitContainers, same)
}

// withResources returns a pod with the resources of another's containers.
func withResources(pod, from *api.Pod) *api.Pod {
	p := *pod
	p.Spec.Containers = slices.Clone(pod.Spec.Containers)
	p.Spec.InitContainers = slices.Clone(pod.Spec.InitContainers)
	for _, list := range [][]api.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range list {
			if c := containerSpec(from, list[i].Name); c != nil {
				list[i].Resources = c.Resources
			}
		}
	}
	return &p
}

// allocate gives the pod the resources that it asks for, if the node has them
// (handlePodResourcesResize).
func (s *step) allocate() {
	w := s.w
	r := &w.resize
	n := s.c.Node(w.node)
	if r.want == nil || n == nil {
		return
	}
	before := w.cost
	w.cost = costOf(r.want)
	pods, used, _ := s.others()
	if why := s.insufficient(n, pods, used); why != nil {
		w.cost = before
		r.retry = s.now + resizeRetry
		if r.pending == nil || r.pending.ObservedGeneration != r.want.Generation {
			r.pending = &api.PodCondition{Type: "PodResizePending", Status: "True", Reason: "Deferred", Message: why.message,
				ObservedGeneration: r.want.Generation, LastTransitionTime: s.apiTime(s.now)}
			s.event("", "Warning", "ResizeDeferred", resizeText(r.want, "Deferred", why.message))
			w.pending = true
		}
		return
	}
	w.pod, r.want, r.pending, r.retry = r.want, nil, nil, 0
	r.progress = &api.PodCondition{Type: "PodResizeInProgress", Status: "True", ObservedGeneration: w.pod.Generation, LastTransitionTime: s.apiTime(s.now)}
	s.event("", "Normal", "ResizeStarted", resizeText(w.pod, "started", ""))
	w.pending = true
}

// resizeText is the message of the events of a resize
// (pkg/kubelet/events/resize.go, podResizeMessage).
func resizeText(pod *api.Pod, word, fault string) string {
	type allocation struct {
		Name      string                   `json:"name"`
		Resources api.ResourceRequirements `json:"resources"`
	}
	var x struct {
		InitContainers []allocation `json:"initContainers,omitempty"`
		Containers     []allocation `json:"containers,omitempty"`
		Generation     int64        `json:"generation"`
		Error          string       `json:"error,omitempty"`
	}
	for i := range pod.Spec.InitContainers {
		x.InitContainers = append(x.InitContainers, allocation{pod.Spec.InitContainers[i].Name, pod.Spec.InitContainers[i].Resources})
	}
	for i := range pod.Spec.Containers {
		x.Containers = append(x.Containers, allocation{pod.Spec.Containers[i].Name, pod.Spec.Containers[i].Resources})
	}
	x.Generation, x.Error = pod.Generation, fault
	b, err := json.Marshal(x)
	if err != nil {
		return "Pod resize " + word
	}
	return "Pod resize " + word + ": " + string(b)
}

// resizeProgress ends a resize when the machine has what is allocated
// (pkg/kubelet/kubelet.go, SyncPod).
func (s *step) resizeProgress() {
	w := s.w
	if w.resize.progress == nil {
		return
	}
	for i := range w.run.status.containers {
		x := &w.run.status.containers[i]
		if c := containerSpec(w.pod, x.name); c != nil && x.running() && s.actuated(x.id) != amountsOf(c) {
			return
		}
	}
	s.event("", "Normal", "ResizeCompleted", resizeText(w.pod, "completed", ""))
	w.resize.progress = nil
}

func amountsOf(c *api.Container) runtime.Amounts {
	get := func(m map[string]api.Quantity, name string) api.Quantity { return m[name] }
	cpuR, cpuL := get(c.Resources.Requests, "cpu"), get(c.Resources.Limits, "cpu")
	memR, memL := get(c.Resources.Requests, "memory"), get(c.Resources.Limits, "memory")
	return runtime.Amounts{CPURequest: cpuR.MilliValue(), CPULimit: cpuL.MilliValue(), MemoryRequest: memR.Value(), MemoryLimit: memL.Value()}
}

// actuated is what the machine gives a container.
func (s *step) actuated(id string) runtime.Amounts {
	if c := s.machine().ContainerStatus(id); c != nil {
		return c.Config.Amounts
	}
	return runtime.Amounts{}
}

// resizeAction decides how a running container gets its new resources: it is
// updated in place, or reports that it has to be restarted
// (pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodResizeAction).
func (s *step) resizeAction(c *api.Container, x *containerStatus) (restart bool) {
	has, want := s.actuated(x.id), amountsOf(c)
	if has == want {
		return false
	}
	for _, p := range c.ResizePolicy {
		cpu := p.ResourceName == "cpu" && (has.CPULimit != want.CPULimit || has.CPURequest != want.CPURequest)
		memory := p.ResourceName == "memory" && (has.MemoryLimit != want.MemoryLimit || has.MemoryRequest != want.MemoryRequest)
		if p.RestartPolicy == "RestartContainer" && (cpu || memory) {
			return true
		}
	}
	s.w.run.acted = true
	_ = s.machine().UpdateContainerResources(s.call(), x.id, want)
	return false
}

// retryResize tries a deferred resize again when its time has come.
func (s *step) retryResize() {
	if r := &s.w.resize; r.want != nil && s.now >= r.retry {
		s.allocate()
	}
}

// roomOnNode lets the pods of a node whose resize was deferred try again.
func (k *Kubelet) roomOnNode(node string, now sim.Time) {
	for _, key := range k.onNode(node) {
		if w := k.pods[key]; w.node == node && w.resize.want != nil {
			k.worker(key).resize.retry = now
			k.wakes = append(k.wakes, actor.Wake{Actor: k.Name(), Key: key, At: now})
		}
	}
	slices.SortFunc(k.wakes, func(a, b actor.Wake) int { return compareKeys(a.Key, b.Key) })
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
