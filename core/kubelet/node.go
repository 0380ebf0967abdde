package kubelet

import (
	"maps"
	"slices"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/runtime"
)

// The versions that a node reports unless it states others.
const (
	kubeletVersion = "v1.37.2"
	runtimeVersion = "containerd://2.2.0"
	kernelVersion  = "6.12.48+deb13-amd64"
	osImage        = "Debian GNU/Linux 13 (trixie)"
)

// FillNode returns a node with what a kubelet would have reported where the given
// one leaves it out; what is stated stays. index is the node's place in the
// cluster: it decides addresses and the range of its pods. It is pure.
func FillNode(node *api.Node, index int) *api.Node {
	n := *node
	n.TypeMeta = api.TypeMeta{APIVersion: "v1", Kind: "Node"}
	n.Labels = maps.Clone(n.Labels)
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	for k, v := range map[string]string{"kubernetes.io/hostname": n.Name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64"} {
		if _, ok := n.Labels[k]; !ok {
			n.Labels[k] = v
		}
	}
	n.Status.Addresses = fillAddresses(&n, index)
	fillResources(&n)
	fillInfo(&n, index)
	n.Status.Conditions = fillConditions(n.Status.Conditions, n.CreationTimestamp)
	fillRuntime(&n)
	return &n
}

func fillAddresses(n *api.Node, index int) []api.NodeAddress {
	list := append([]api.NodeAddress(nil), n.Status.Addresses...)
	has := func(t string) bool {
		for _, a := range list {
			if a.Type == t {
				return true
			}
		}
		return false
	}
	if !has("InternalIP") {
		list = append(list, api.NodeAddress{Type: "InternalIP", Address: "172.18." + strconv.Itoa((index+2)/256) + "." + strconv.Itoa((index+2)%256)})
	}
	if !has("Hostname") {
		list = append(list, api.NodeAddress{Type: "Hostname", Address: n.Name})
	}
	return list
}

// fillResources completes capacity and allocatable from one another.
func fillResources(n *api.Node) {
	given := n.Status.Capacity
	if len(given) == 0 {
		given = n.Status.Allocatable
	}
	c := maps.Clone(given)
	if c == nil {
		c = map[string]api.Quantity{}
	}
	for k, v := range map[string]string{"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "100Gi", "hugepages-1Gi": "0", "hugepages-2Mi": "0"} {
		if _, ok := c[k]; !ok && !(len(given) > 0 && k[0] == 'h') {
			c[k] = api.MustQuantity(v)
		}
	}
	a := maps.Clone(n.Status.Allocatable)
	if a == nil {
		a = map[string]api.Quantity{}
	}
	for k, v := range c {
		if _, ok := a[k]; !ok {
			a[k] = v
		}
	}
	n.Status.Capacity, n.Status.Allocatable = c, a
}

func fillInfo(n *api.Node, index int) {
	i := &n.Status.NodeInfo
	id := "ec2a" + strconv.FormatUint(0x1000+uint64(index), 16)
	for _, f := range []struct {
		to    *string
		value string
	}{{&i.Architecture, "amd64"}, {&i.OperatingSystem, "linux"}, {&i.KubeletVersion, kubeletVersion}, {&i.ContainerRuntimeVersion, runtimeVersion},
		{&i.KernelVersion, kernelVersion}, {&i.OSImage, osImage}, {&i.MachineID, id + "5f0d4a4c9b6e2d7a1c3e5f90"},
		{&i.SystemUUID, id + "-5f0d-4a4c-9b6e-2d7a1c3e5f90"}, {&i.BootID, id + "-71c2-4f1e-8a30-6b1d0c5e9f21"}} {
		if *f.to == "" {
			*f.to = f.value
		}
	}
	if n.Status.DaemonEndpoints.KubeletEndpoint.Port == 0 {
		n.Status.DaemonEndpoints.KubeletEndpoint.Port = 10250
	}
}

// fillConditions lists the conditions that a kubelet reports, in its order, and then
// what else the node states (pkg/kubelet/nodestatus/setters.go). Times that are not
// stated are that of the node's creation.
func fillConditions(given []api.NodeCondition, created api.Time) []api.NodeCondition {
	list := []api.NodeCondition{
		{Type: "MemoryPressure", Status: "False", Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: "DiskPressure", Status: "False", Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: "PIDPressure", Status: "False", Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		{Type: "Ready", Status: "True", Reason: "KubeletReady", Message: "kubelet is posting ready status"},
	}
	for _, g := range given {
		if i := slices.IndexFunc(list, func(c api.NodeCondition) bool { return c.Type == g.Type }); i >= 0 {
			list[i] = g
		} else {
			list = append(list, g)
		}
	}
	for i := range list {
		c := &list[i]
		if c.LastHeartbeatTime == 0 {
			c.LastHeartbeatTime = created
		}
		if c.LastTransitionTime == 0 {
			c.LastTransitionTime = created
		}
	}
	return list
}

// declaredFeatures are those of a v1.37 kubelet (component-helpers/nodedeclaredfeatures).
var declaredFeatures = []string{"ExtendWebSocketsToKubelet", "InPlacePodLevelResourcesVerticalScaling",
	"InPlacePodVerticalScalingInitContainers", "RestartAllContainersOnContainerExits"}

// fillRuntime completes what the node says of its runtime and its kubelet.
func fillRuntime(n *api.Node) {
	if n.Status.NodeInfo.RunningInUserNamespace == nil {
		n.Status.NodeInfo.RunningInUserNamespace = ptr(false)
	}
	if len(n.Status.RuntimeHandlers) == 0 {
		for _, h := range runtime.Handlers {
			n.Status.RuntimeHandlers = append(n.Status.RuntimeHandlers, api.NodeRuntimeHandler{Name: h,
				Features: &api.NodeRuntimeHandlerFeatures{RecursiveReadOnlyMounts: ptr(true), UserNamespaces: ptr(true)}})
		}
	}
	if len(n.Status.DeclaredFeatures) == 0 {
		n.Status.DeclaredFeatures = declaredFeatures
	}
}

// configureMachine tells a machine of its node when it is first used.
func (s *step) configureMachine(m *runtime.Machine) {
	n := s.c.Node(s.w.node)
	if n == nil {
		n, _ = s.c.Host.Latest().Get("Node", "", s.w.node).(*api.Node)
	}
	if n == nil {
		return
	}
	cpu := n.Status.Capacity["cpu"]
	h := runtime.Host{Address: internalIP(n), PodCIDR: s.k.podCIDR(n), CPUs: int(cpu.Value())}
	for _, i := range n.Status.Images {
		h.Images = append(h.Images, runtime.HostImage{Names: i.Names, Size: i.SizeBytes})
	}
	for _, r := range n.Status.RuntimeHandlers {
		h.Handlers = append(h.Handlers, r.Name)
	}
	m.Configure(h)
}

// PodCIDR is the range of pod addresses of the index-th node of a cluster whose
// Nodes do not state one.
func PodCIDR(index int) string {
	return "10.244." + strconv.Itoa(index%256) + ".0/24"
}

// podCIDR is the range that a node states, or the one that its place gives it.
func (k *Kubelet) podCIDR(n *api.Node) string {
	if n.Spec.PodCIDR != "" {
		return n.Spec.PodCIDR
	}
	return k.cfg.PodCIDRs[n.Name]
}
