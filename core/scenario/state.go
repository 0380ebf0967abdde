package scenario

import (
	"sort"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/kubectl/printer"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// State is the picture of a cluster at one instant, as the page draws it.
type State struct {
	Now       float64         `json:"now"`
	Nodes     []NodeState     `json:"nodes"`
	Pods      []PodState      `json:"pods"`
	Workloads []WorkloadState `json:"workloads"`
	Services  []ServiceState  `json:"services"`
}

// ServiceState is a Service with its first port, 0 if it has none.
type ServiceState struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	IP        string `json:"ip"`
	Port      int32  `json:"port"`
}

// Usage is how much of something is taken of how much there is.
type Usage struct {
	Used     int64 `json:"used"`
	Capacity int64 `json:"capacity"`
}

// NodeState is a node. CPU counts in thousandths, memory in bytes; used is the sum
// of the requests of its pods.
type NodeState struct {
	Name        string   `json:"name"`
	Ready       bool     `json:"ready"`
	Schedulable bool     `json:"schedulable"`
	Zone        string   `json:"zone"`
	Roles       []string `json:"roles"`
	Taints      []string `json:"taints"`
	CPU         Usage    `json:"cpu"`
	Memory      Usage    `json:"memory"`
	Pods        Usage    `json:"pods"`
}

// PodState is a pod.
type PodState struct {
	Namespace  string           `json:"namespace"`
	Name       string           `json:"name"`
	UID        string           `json:"uid"`
	Node       string           `json:"node"`
	Phase      string           `json:"phase"`
	Status     string           `json:"status"` // as in the STATUS column
	Ready      string           `json:"ready"`
	Restarts   int              `json:"restarts"`
	IP         string           `json:"ip"`
	Owner      string           `json:"owner,omitempty"`
	Containers []ContainerState `json:"containers"`
}

// ContainerState is a container of a pod.
type ContainerState struct {
	Name     string `json:"name"`
	Init     bool   `json:"init"`
	State    string `json:"state"` // waiting, running or terminated
	Reason   string `json:"reason"`
	Ready    bool   `json:"ready"`
	Restarts int32  `json:"restarts"`
	ExitCode *int32 `json:"exitCode,omitempty"`
}

// StateAt returns the picture of an instant up to now.
func (s *Session) StateAt(t sim.Time) (State, error) {
	v, err := s.c.StateAt(t)
	if err != nil {
		return State{}, err
	}
	st := State{Now: min(t, s.c.Now()).Seconds(), Nodes: []NodeState{}, Pods: []PodState{}, Workloads: workloads(v), Services: services(v)}
	at := map[string]int{}
	v.Each("Node", "", func(o api.Object) bool {
		n := o.(*api.Node)
		at[n.Name] = len(st.Nodes)
		st.Nodes = append(st.Nodes, nodeState(n))
		return true
	})
	v.Each("Pod", "", func(o api.Object) bool {
		p := o.(*api.Pod)
		st.Pods = append(st.Pods, podState(p))
		if i, ok := at[p.Spec.NodeName]; ok && p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" {
			st.Nodes[i].add(p)
		}
		return true
	})
	return st, nil
}

func services(v store.Snapshot) []ServiceState {
	list := []ServiceState{}
	v.Each("Service", "", func(o api.Object) bool {
		x := o.(*api.Service)
		s := ServiceState{Namespace: x.Namespace, Name: x.Name, Type: x.Spec.Type, IP: x.Spec.ClusterIP}
		if len(x.Spec.Ports) > 0 {
			s.Port = x.Spec.Ports[0].Port
		}
		list = append(list, s)
		return true
	})
	return list
}

func nodeState(n *api.Node) NodeState {
	s := NodeState{Name: n.Name, Schedulable: !n.Spec.Unschedulable, Zone: n.Labels["topology.kubernetes.io/zone"],
		Roles: append([]string{}, printer.NodeRoles(n)...), Taints: []string{}}
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" {
			s.Ready = c.Status == "True"
		}
	}
	for _, t := range n.Spec.Taints {
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		s.Taints = append(s.Taints, text+":"+t.Effect)
	}
	a := n.Status.Allocatable
	s.CPU.Capacity, s.Memory.Capacity, s.Pods.Capacity = a["cpu"].MilliValue(), a["memory"].Value(), a["pods"].Value()
	return s
}

func (n *NodeState) add(p *api.Pod) {
	n.Pods.Used++
	for _, c := range p.Spec.Containers {
		n.CPU.Used += c.Resources.Requests["cpu"].MilliValue()
		n.Memory.Used += c.Resources.Requests["memory"].Value()
	}
}

func podState(p *api.Pod) PodState {
	st := printer.StateOf(p)
	s := PodState{Namespace: p.Namespace, Name: p.Name, UID: p.UID, Node: p.Spec.NodeName, Phase: p.Status.Phase,
		Status: st.Status, Ready: strconv.Itoa(st.Ready) + "/" + strconv.Itoa(st.Total), Restarts: st.Restarts, IP: p.Status.PodIP,
		Owner: ownerOf(&p.ObjectMeta), Containers: []ContainerState{}}
	s.containers(p.Status.InitContainerStatuses, true)
	s.containers(p.Status.ContainerStatuses, false)
	return s
}

func (s *PodState) containers(list []api.ContainerStatus, init bool) {
	list = append([]api.ContainerStatus(nil), list...)
	if !init {
		sort.SliceStable(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	}
	for _, c := range list {
		o := ContainerState{Name: c.Name, Init: init, Ready: c.Ready, Restarts: c.RestartCount, State: "waiting"}
		switch {
		case c.State.Running != nil:
			o.State = "running"
		case c.State.Terminated != nil:
			o.State, o.Reason = "terminated", c.State.Terminated.Reason
			o.ExitCode = &c.State.Terminated.ExitCode
		case c.State.Waiting != nil:
			o.Reason = c.State.Waiting.Reason
		}
		s.Containers = append(s.Containers, o)
	}
}
