package kubelet

import (
	"strconv"

	"podwalk/core/api"
)

// refusal is why a node does not admit a pod.
type refusal struct{ reason, message string }

// admit checks whether the node takes a pod: the predicates that the scheduler
// checks too, since a pod may be bound without it
// (pkg/kubelet/lifecycle/predicate.go, Admit).
func (s *step) admit() *refusal {
	w := s.w
	w.cost = costOf(w.pod)
	n := s.c.Node(w.node)
	if n == nil {
		return nil
	}
	if r := s.underPressure(); r != nil {
		return r
	}
	if r := s.forbiddenSysctl(); r != nil {
		return r
	}
	if w.pod.Spec.OS != nil && w.pod.Spec.OS.Name != "linux" {
		return &refusal{"PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"}
	}
	pods, used, ports := s.others()
	if r := s.insufficient(n, pods, used); r != nil {
		return r
	}
	if !nodeMatches(n, &w.pod.Spec) {
		return predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
	}
	for _, p := range w.cost.ports {
		for _, q := range ports {
			if p.port == q.port && p.protocol == q.protocol && (p.ip == q.ip || p.ip == anyIP || q.ip == anyIP) {
				return predicate("NodePorts", "node(s) didn't have free ports for the requested pod ports")
			}
		}
	}
	for i := range n.Spec.Taints {
		if t := &n.Spec.Taints[i]; t.Effect == "NoExecute" && !api.Tolerated(w.pod.Spec.Tolerations, t) {
			return predicate("TaintToleration", "node(s) had untolerated taint(s)")
		}
	}
	return nil
}

func predicate(name, why string) *refusal {
	return &refusal{name, "Predicate " + name + " failed: " + why}
}

const anyIP = "0.0.0.0"

// others sums up the pods that the node has admitted and that are not over.
func (s *step) others() (pods int, used cost, ports []hostPort) {
	for _, key := range s.k.onNode(s.w.node) {
		for w := s.k.pods[key]; w != nil; w = w.older {
			if w == s.w || w.node != s.w.node || !w.admitted || w.work == terminated || w.work == finished {
				continue
			}
			pods++
			used.cpu += w.cost.cpu
			used.memory += w.cost.memory
			used.storage += w.cost.storage
			ports = append(ports, w.cost.ports...)
		}
	}
	return pods, used, ports
}

// insufficient checks pods, cpu, memory and storage, in that order
// (pkg/scheduler/framework/plugins/noderesources/fit.go, fitsRequest).
func (s *step) insufficient(n *api.Node, pods int, used cost) *refusal {
	room := n.Status.Allocatable
	lack := func(name string, want, have, used int64, all bool) *refusal {
		if !all && (want == 0 || want <= have-used) || all && used+want <= have {
			return nil
		}
		return &refusal{"OutOf" + name, "Node didn't have enough resource: " + name + ", requested: " + strconv.FormatInt(want, 10) +
			", used: " + strconv.FormatInt(used, 10) + ", capacity: " + strconv.FormatInt(have, 10)}
	}
	if q, ok := room["pods"]; ok {
		if r := lack("pods", 1, q.Value(), int64(pods), true); r != nil {
			return r
		}
	}
	cpu, memory, storage := room["cpu"], room["memory"], room["ephemeral-storage"]
	if r := lack("cpu", s.w.cost.cpu, cpu.MilliValue(), used.cpu, false); r != nil {
		return r
	}
	if r := lack("memory", s.w.cost.memory, memory.Value(), used.memory, false); r != nil {
		return r
	}
	return lack("ephemeral-storage", s.w.cost.storage, storage.Value(), used.storage, false)
}

// costOf sums up what a pod asks of its node.
func costOf(pod *api.Pod) cost {
	r := podRequests(pod)
	cpu, memory, storage := r["cpu"], r["memory"], r["ephemeral-storage"]
	c := cost{cpu: cpu.MilliValue(), memory: memory.Value(), storage: storage.Value()}
	for i := range pod.Spec.Containers {
		for _, p := range pod.Spec.Containers[i].Ports {
			if p.HostPort == 0 {
				continue
			}
			h := hostPort{ip: p.HostIP, protocol: p.Protocol, port: p.HostPort}
			if h.ip == "" {
				h.ip = anyIP
			}
			if h.protocol == "" {
				h.protocol = "TCP"
			}
			c.ports = append(c.ports, h)
		}
	}
	return c
}
