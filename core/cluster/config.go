package cluster

import (
	"podwalk/core/admission/expression"
	"time"

	"podwalk/core/api"
	"podwalk/core/kubelet"
	"podwalk/core/scheduler"
	"podwalk/core/sim"
	"podwalk/core/workload"
)

// Config is what a cluster is made of. The zero value is the default cluster.
type Config struct {
	Seed          uint64
	Start         int64 // virtual time zero in ns since 1970; 0 is DefaultStart
	Nodes         []*api.Node
	Images        []workload.ImageDecl
	Latency       sim.Latency
	SyncFrequency time.Duration // of the kubelets; 0 is one minute
	CNI           string
	ProxyMode     string
	Addons        []string
	ServiceCIDR   string // range of cluster addresses, or two with a comma; "" is apiserver.DefaultServiceCIDR
	Scheduler     scheduler.Config
	Execute       Executor // carries out commands
	MaxSteps      uint64   // items in the whole run; 0 is no limit
	MaxTime       sim.Time // instant at which the run ends; 0 is no limit
	// Expressions runs the expressions of admission policies; nil says of each that it
	// is not simulated.
	Expressions expression.Engine
}

// DefaultStart is 2026-01-05 10:00:00 UTC, a Monday.
const DefaultStart = 1767607200 * int64(time.Second)

func (cfg Config) withDefaults() Config {
	if cfg.Start == 0 {
		cfg.Start = DefaultStart
	}
	if cfg.Latency == (sim.Latency{}) {
		cfg.Latency = sim.DefaultLatency()
	}
	if cfg.SyncFrequency == 0 {
		cfg.SyncFrequency = time.Minute
	}
	if cfg.CNI == "" {
		cfg.CNI = "kindnet"
	}
	if cfg.ProxyMode == "" {
		cfg.ProxyMode = "iptables"
	}
	if cfg.Nodes == nil {
		cfg.Nodes = DefaultNodes()
	}
	return cfg
}

// apiAddress is where the API server is reached: on the node of the control plane,
// or on the first one where none has its label.
func (cfg Config) apiAddress() string {
	at := 0
	for i, n := range cfg.Nodes {
		if _, ok := n.Labels["node-role.kubernetes.io/control-plane"]; ok {
			at = i
			break
		}
	}
	if at < len(cfg.Nodes) {
		for _, a := range kubelet.FillNode(cfg.Nodes[at], at).Status.Addresses {
			if a.Type == "InternalIP" {
				return a.Address
			}
		}
	}
	return ""
}

// kubelets configures the kubelets: those of the nodes that the cluster starts
// with. A Node that is created later is an object without a machine.
func (cfg Config) kubelets() kubelet.Config {
	k := kubelet.Config{SyncFrequency: cfg.SyncFrequency, Latency: cfg.Latency, Hosts: cfg.hosts(), PodCIDRs: map[string]string{}}
	for i, n := range cfg.Nodes {
		k.PodCIDRs[n.Name] = kubelet.PodCIDR(i)
	}
	return k
}

// hosts names the nodes that have a machine and a kubelet.
func (cfg Config) hosts() map[string]bool {
	m := map[string]bool{}
	for _, n := range cfg.Nodes {
		m[n.Name] = true
	}
	return m
}

// DefaultNodes are a control plane with its taint and three workers each in a zone of its own.
func DefaultNodes() []*api.Node {
	nodes := []*api.Node{node("control-plane", map[string]string{
		"node-role.kubernetes.io/control-plane":                   "",
		"node.kubernetes.io/exclude-from-external-load-balancers": "",
	})}
	nodes[0].Spec.Taints = []api.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}}
	for i, name := range []string{"node-1", "node-2", "node-3"} {
		nodes = append(nodes, node(name, map[string]string{"topology.kubernetes.io/zone": "zone-" + string(rune('a'+i))}))
	}
	for i, n := range nodes {
		n.Spec.PodCIDR = kubelet.PodCIDR(i)
		n.Spec.PodCIDRs = []string{n.Spec.PodCIDR}
	}
	return nodes
}

func node(name string, labels map[string]string) *api.Node {
	n := &api.Node{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Node"}}
	n.Name, n.Labels = name, labels
	n.Status.Capacity = map[string]api.Quantity{
		"cpu": api.MustQuantity("4"), "memory": api.MustQuantity("8Gi"),
		"ephemeral-storage": api.MustQuantity("100Gi"), "pods": api.MustQuantity("110"),
	}
	return n
}

// Initial returns a node that the cluster was made with and still has, or nil.
func (c *Cluster) Initial(name string) api.Object {
	for _, n := range c.cfg.Nodes {
		if n.Name == name {
			return c.Latest().Get("Node", "", name)
		}
	}
	return nil
}
