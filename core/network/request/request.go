// Package request follows a connection through a cluster: the names that are asked,
// the rules of kube-proxy, the NetworkPolicies, the place where it arrives or where
// it ends, and the symptom that its sender sees. It is pure: what there is in the
// cluster it asks of a View, and whether a program listens there is somebody else's
// business. Every hop can become a trace record.
// Start reading at Reach and Resolve.
package request

import (
	"strconv"

	"podwalk/core/network/dns"
	"podwalk/core/network/policy"
	"podwalk/core/network/proxy"
)

// View is what the cluster is like at the instant of a request.
type View interface {
	dns.Source
	// Table is the Services as the proxy of a node knows them; "" is a proxy that is
	// up to date.
	Table(node string) *proxy.Table
	// Policies are those that the network plugin enforces on a node.
	Policies(node string) *policy.Set
	// Line is what is out of order on a node.
	Line(node string) Line
	// NodeOf names the node to whose pods an address is given, "" if none.
	NodeOf(ip string) string
	Settings() *Settings
	// EndAt tells who has an address: a pod, a node, or nil.
	EndAt(ip string) *policy.End
	// Node returns a node by name; ok is false if there is none.
	Node(name string) (n proxy.Node, ok bool)
	// Nodes lists all nodes, sorted by name.
	Nodes() []proxy.Node
	// Roll returns a random number for a choice; the same arguments give the same.
	Roll(key string, i int) uint64
	// Recent reports whether a client was sent to an endpoint within seconds.
	Recent(client, endpoint string, seconds int32) bool
	// Remember notes that it was.
	Remember(client, endpoint string)
}

// Line is what is out of order on a node, as far as packets meet it.
type Line struct {
	Off     bool   // the machine has no power, or does not run yet
	Cut     bool   // nothing comes in or goes out
	Kubelet bool   // the kubelet is stopped; what runs goes on
	Proxy   string // why the rules of Services are old, such as "kube-proxy has stood still since 12.5s"
	Agent   string // why the policies are
}

// Lost reports whether no packet reaches the node.
func (l *Line) Lost() bool { return l.Off || l.Cut }

// why says why no packet reaches the node.
func (l *Line) why(node string) string {
	if l.Off {
		return "the machine of " + node + " does not run"
	}
	return node + " is cut off from the network"
}

// Settings are what the cluster was made with.
type Settings struct {
	Mode        string // of kube-proxy: iptables, ipvs or nftables
	Plugin      string // network plugin
	Enforces    bool   // whether the plugin enforces NetworkPolicies
	Unknown     string // what becomes of packets to pod addresses that nobody has: Timeout or Unreachable
	Lost        string // and of those to pods of a node that does not answer
	PodCIDR     string // of the whole cluster
	ServiceCIDR string
	DNS         string // address of the name service
}

// Source is who sends.
type Source struct {
	End    *policy.End
	Node   proxy.Node // whose rules the packets meet first; the zero value is outside
	Config dns.Config
	Hosts  string // its /etc/hosts
	Musl   bool   // its C library is musl
}

// Symptoms: what the sender sees.
const (
	OK          = ""
	RefusedConn = "connection refused"
	TimedOut    = "timeout"
	Unreachable = "no route to host"
	NoName      = "NXDOMAIN"
	NoDNS       = "DNS timeout"
	Reset       = "connection reset"
)

// Verdicts of hops, in the words of trace records.
const (
	Passed       = "passed"
	Denied       = "denied"
	Failed       = "failed"
	Info         = "info"
	Assumed      = "assumed"
	NotSimulated = "not simulated"
)

// Ref names the object that a hop is about.
type Ref struct{ Kind, Namespace, Name string }

// String prints kind/namespace/name.
func (r Ref) String() string { return r.Kind + "/" + r.Namespace + "/" + r.Name }

// Detail is one named fact of a hop.
type Detail struct{ Name, Value string }

// Hop is one station of a request. It has the form of a trace record.
type Hop struct {
	Source  string // dns, kube-proxy, networkpolicy, network, cni, ingress or program
	Ref     Ref
	Verdict string
	Reason  string
	Message string
	Detail  []Detail
	Symptom string // what the sender sees if the request ends here
}

// Route is where a connection to an address leads.
type Route struct {
	Hops    []Hop
	IP      string // where it arrives; the same address if nothing translates it
	Port    int32
	From    string // source address that the far end sees
	To      *policy.End
	Service string // namespace/name:port that led there, "" if none
	Symptom string // "" if it arrives
	Outside bool   // it leaves the cluster
}

func (r *Route) add(h Hop) {
	r.Hops = append(r.Hops, h)
	if h.Symptom != "" && r.Symptom == "" {
		r.Symptom = h.Symptom
	}
}

// RefOf is the trace's name of an end.
func RefOf(e *policy.End) Ref {
	switch {
	case e.Name != "":
		return Ref{Kind: "Pod", Namespace: e.Namespace, Name: e.Name}
	case e.Node != "":
		return Ref{Kind: "Node", Name: e.Node}
	}
	return Ref{Kind: "Address", Name: e.IP}
}

func detail(name, value string) Detail { return Detail{Name: name, Value: value} }

func itoa(n int) string { return strconv.Itoa(n) }
