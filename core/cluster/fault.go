package cluster

import (
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/kubelet"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// Fault is something that goes wrong, or is put right, at the present instant: the
// body of the command "fault". Faults lists them.
type Fault struct {
	Name string
	Args []string
}

// String is the fault as a script names it.
func (f Fault) String() string {
	return strings.TrimSpace(f.Name + " " + strings.Join(f.Args, " "))
}

// FaultInfo describes a fault: its name, its arguments and what it does.
type FaultInfo struct{ Name, Args, About string }

// Faults are all that there are, in the order in which a person meets them.
func Faults() []FaultInfo {
	list := make([]FaultInfo, len(faults))
	for i, f := range faults {
		list[i] = f.FaultInfo
	}
	return list
}

type faultKind struct {
	FaultInfo
	least, most int // arguments
	do          func(*Cluster, []string) (said, wrong string)
}

// faults are filled in by init: their functions refer to the list.
var faults []faultKind

func init() {
	faults = []faultKind{
		{FaultInfo{"node-down", "NODE", "the machine loses its power: kubelet and containers end"}, 1, 1, (*Cluster).nodeDown},
		{FaultInfo{"node-up", "NODE", "the machine starts again"}, 1, 1, (*Cluster).nodeUp},
		{FaultInfo{"network-cut", "NODE", "the machine goes on, but its kubelet reaches neither API server nor registries"}, 1, 1, (*Cluster).networkCut},
		{FaultInfo{"network-heal", "NODE", "the machine is back in the network"}, 1, 1, (*Cluster).networkHeal},
		{FaultInfo{"kubelet-stop", "NODE", "the kubelet ends, its containers go on"}, 1, 1, (*Cluster).kubeletStop},
		{FaultInfo{"kubelet-start", "NODE", "the kubelet starts again"}, 1, 1, (*Cluster).kubeletStart},
		{FaultInfo{"lease-stop", "NODE", "the kubelet goes on, but does not renew the lease of its node"}, 1, 1, (*Cluster).leaseStop},
		{FaultInfo{"lease-start", "NODE", "the kubelet renews the lease again"}, 1, 1, (*Cluster).leaseStart},
		{FaultInfo{"clock", "NODE OFFSET", "the machine's clock is off by OFFSET, such as -2m, 90s or 0s: the lease carries its time"}, 2, 2, (*Cluster).clock},
		{FaultInfo{"pressure", "NODE memory|disk|pid [LEFT]", "something beside the pods takes what there is; LEFT remains, or half of what the kubelet wants"}, 2, 3, (*Cluster).pressure},
		{FaultInfo{"relief", "NODE memory|disk|pid", "what took it gives it back"}, 2, 2, (*Cluster).relief},
		{FaultInfo{"container-kill", "[NAMESPACE/]POD [CONTAINER]", "the container's process gets SIGKILL"}, 1, 2, (*Cluster).containerKill},
		{FaultInfo{"registry-down", "[HOST]", "no image can be pulled from HOST, or from anywhere"}, 0, 1, (*Cluster).registryDown},
		{FaultInfo{"registry-up", "[HOST]", "images can be pulled again"}, 0, 1, (*Cluster).registryUp},
		{FaultInfo{"component-stop", "apiserver|scheduler|controller-manager, or kube-proxy|cni [NODE]", "the component stands still"}, 1, 2, (*Cluster).componentStop},
		{FaultInfo{"component-start", "apiserver|scheduler|controller-manager, or kube-proxy|cni [NODE]", "the component goes on with what it knew"}, 1, 2, (*Cluster).componentStart},
	}
}

// Check returns what is wrong with the form of a fault, or "".
func (f Fault) Check() string {
	for _, k := range faults {
		switch {
		case k.Name != f.Name:
		case len(f.Args) < k.least || len(f.Args) > k.most:
			return "fault " + k.Name + ": want " + k.Args
		default:
			return ""
		}
	}
	return "no fault " + strconv.Quote(f.Name) + ": want " + strings.Join(faultNames(), ", ")
}

// Inject carries a fault out. It returns what happened, or what was wrong with it.
// Every fault leaves a record.
func (c *Cluster) Inject(f Fault) (said, wrong string) {
	if wrong = f.Check(); wrong != "" {
		return "", wrong
	}
	for _, k := range faults {
		if k.Name != f.Name {
			continue
		}
		if said, wrong = k.do(c, f.Args); wrong != "" {
			return "", "fault " + k.Name + ": " + wrong
		}
		c.Note(trace.Record{Source: "fault", Verdict: trace.Failed, Reason: f.Name, Message: said, Ref: c.faultRef(f),
			Detail: []trace.Detail{{Name: "fault", Value: f.String()}}})
	}
	return said, ""
}

func faultNames() (names []string) {
	for _, f := range faults {
		names = append(names, f.Name)
	}
	return names
}

// faultRef is the object that a fault is about, where it is one.
func (c *Cluster) faultRef(f Fault) trace.Ref {
	switch {
	case f.Name == "container-kill":
		namespace, name := podName(f.Args[0])
		return trace.Ref{Kind: "Pod", Namespace: namespace, Name: name}
	case len(f.Args) > 0 && c.cfg.hosts()[f.Args[0]]:
		return trace.Ref{Kind: "Node", Name: f.Args[0]}
	case len(f.Args) > 1 && c.cfg.hosts()[f.Args[1]]:
		return trace.Ref{Kind: "Node", Name: f.Args[1]}
	}
	return trace.Ref{}
}

func podName(arg string) (namespace, name string) {
	if ns, rest, ok := strings.Cut(arg, "/"); ok {
		return ns, rest
	}
	return "default", arg
}

func (c *Cluster) kubelets() *kubelet.Kubelet { return c.Actor("kubelet").(*kubelet.Kubelet) }

// host returns the Node of a machine, or why there is none.
func (c *Cluster) host(name string) (*api.Node, string) {
	if !c.cfg.hosts()[name] {
		return nil, "there is no machine " + strconv.Quote(name)
	}
	n, _ := c.Latest().Get("Node", "", name).(*api.Node)
	if n == nil {
		return nil, "node " + strconv.Quote(name) + " is not in the cluster"
	}
	return n, ""
}

// silence notes the last heartbeat of a node: until its lease is renewed again, the
// API server holds this one.
func (c *Cluster) silence(n *api.Node) {
	if c.Latest().Get("Lease", "kube-node-lease", n.Name) != nil {
		return
	}
	seconds, holder, renewed := apiserver.LeaseSeconds, n.Name, apiserver.LeaseRenewal(c.cfg.Start, c.now)
	l := &api.Lease{TypeMeta: api.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}}
	l.Namespace, l.Name = "kube-node-lease", n.Name
	l.OwnerReferences = []api.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: n.Name, UID: n.UID}}
	l.Spec = api.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &renewed}
	c.server.Handle(c.now, 0, &c.log, api.Request{Verb: api.Create, Kind: api.KindNamed("Lease"), Namespace: l.Namespace, Object: l,
		User: api.User{Name: "system:node:" + n.Name, Groups: []string{"system:nodes", "system:authenticated"}}})
	c.distribute()
}

func (c *Cluster) look(key sim.Key, at sim.Time) {
	c.queue.Push(sim.Item{At: max(at, c.now), Actor: "kubelet", Key: key})
}

func (c *Cluster) nodeDown(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	c.silence(n)
	c.kubelets().PowerOff(c.call(), n.Name)
	return "the machine of node " + n.Name + " has lost its power", ""
}

func (c *Cluster) call() runtime.Call {
	return runtime.Call{Now: c.now, Record: c.log.Append}
}

func (c *Cluster) nodeUp(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" || !c.kubelets().Off(n.Name) {
		return "the machine of node " + args[0] + " runs already", wrong
	}
	at := c.now + kubelet.BootTime
	c.look(c.kubelets().StartAt(n.Name, at, true), at)
	return "the machine of node " + n.Name + " starts", ""
}

func (c *Cluster) kubeletStop(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	c.silence(n)
	c.kubelets().Stop(n.Name)
	return "the kubelet of node " + n.Name + " is stopped; its containers go on", ""
}

func (c *Cluster) kubeletStart(args []string) (string, string) {
	n, wrong := c.host(args[0])
	switch {
	case wrong != "":
		return "", wrong
	case c.kubelets().Off(n.Name):
		return "", "the machine of node " + n.Name + " has no power: use node-up"
	case !c.kubelets().Stopped(n.Name):
		return "the kubelet of node " + n.Name + " runs already", ""
	}
	c.look(c.kubelets().StartAt(n.Name, c.now, false), c.now)
	return "the kubelet of node " + n.Name + " is started", ""
}

func (c *Cluster) networkCut(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	c.silence(n)
	c.kubelets().Cut(n.Name)
	c.hush(n.Name, func(d *deaf) {
		if !d.cut {
			d.cut, d.cutAt = true, c.now
		}
	})
	return "node " + n.Name + " is cut off from the network", ""
}

func (c *Cluster) networkHeal(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	c.hush(n.Name, func(d *deaf) { d.cut = false })
	c.reconnect(n.Name)
	return "node " + n.Name + " is back in the network", ""
}

// reconnect lets a kubelet hear again what has become of its pods.
func (c *Cluster) reconnect(node string) {
	for _, key := range c.kubelets().Reconnect(node, c.now) {
		c.look(key, c.now)
	}
	for _, o := range c.Latest().ByIndex("pod.node", node) {
		c.look(sim.Key{Kind: "Pod", Namespace: o.Meta().Namespace, Name: o.Meta().Name}, c.now)
	}
}

func (c *Cluster) pressure(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	left := int64(-1)
	if len(args) == 3 {
		q, err := api.ParseQuantity(args[2])
		if err != nil || q.Sign() < 0 {
			return "", "LEFT " + strconv.Quote(args[2]) + " is no amount"
		}
		left = q.Value()
	}
	if !c.kubelets().Starve(n, args[1], left) {
		return "", "want memory, disk or pid, not " + strconv.Quote(args[1])
	}
	c.look(sim.Key{Kind: "Node", Name: n.Name}, c.now)
	return "node " + n.Name + " runs short of " + args[1], ""
}

func (c *Cluster) relief(args []string) (string, string) {
	n, wrong := c.host(args[0])
	if wrong != "" {
		return "", wrong
	}
	if !c.kubelets().Relieve(n.Name, args[1]) {
		return "", "want memory, disk or pid, not " + strconv.Quote(args[1])
	}
	c.look(sim.Key{Kind: "Node", Name: n.Name}, c.now)
	return "node " + n.Name + " has enough " + args[1] + " again", ""
}

func (c *Cluster) containerKill(args []string) (string, string) {
	namespace, name := podName(args[0])
	p, _ := c.Latest().Get("Pod", namespace, name).(*api.Pod)
	if p == nil || p.Spec.NodeName == "" {
		return "", "no pod " + strconv.Quote(name) + " runs in namespace " + namespace
	}
	want := ""
	if len(args) == 2 {
		want = args[1]
	}
	call := c.call()
	call.Ref = trace.Ref{Kind: "Pod", Namespace: namespace, Name: name}
	killed := c.rt.Node(p.Spec.NodeName).KillContainer(call, p.UID, want)
	if killed == "" {
		return "", "no container " + want + " of the pod runs"
	}
	c.look(sim.Key{Kind: "Pod", Namespace: namespace, Name: name}, c.kubelets().RelistAt(p.Spec.NodeName, c.now))
	return "container " + killed + " is killed", ""
}

func (c *Cluster) registryDown(args []string) (string, string) {
	return c.registry(args, true, " does not answer")
}

func (c *Cluster) registryUp(args []string) (string, string) {
	return c.registry(args, false, " answers again")
}

func (c *Cluster) registry(args []string, down bool, what string) (string, string) {
	host, who := "", "no registry"
	if len(args) == 1 {
		host, who = args[0], "the registry "+args[0]
	}
	c.rt.SetRegistry(host, down)
	if host == "" {
		who = "every registry"
	}
	return who + what, ""
}

// Components are those that can stand still.
const (
	apiServer         = "apiserver"
	schedulerName     = "scheduler"
	controllerManager = "controller-manager"
)

func wrongComponent(args []string) string {
	switch name := args[0]; {
	case name != apiServer && name != schedulerName && name != controllerManager:
		return "want " + apiServer + ", " + schedulerName + ", " + controllerManager + ", " + kubeProxy + " or " + cniDaemon + ", not " + strconv.Quote(name)
	case len(args) > 1:
		return name + " is not one of a node"
	}
	return ""
}

func (c *Cluster) componentStop(args []string) (string, string) {
	name := args[0]
	if name == kubeProxy || name == cniDaemon {
		return c.daemon(args, true)
	}
	if wrong := wrongComponent(args); wrong != "" {
		return "", wrong
	}
	if name == apiServer {
		c.kubelets().Cut("")
	}
	c.stopped = withKey(c.stopped, name, true)
	return "the component " + name + " stands still", ""
}

func (c *Cluster) componentStart(args []string) (string, string) {
	name := args[0]
	if name == kubeProxy || name == cniDaemon {
		return c.daemon(args, false)
	}
	if wrong := wrongComponent(args); wrong != "" {
		return "", wrong
	}
	if !c.stopped[name] {
		return "the component " + name + " runs already", ""
	}
	c.stopped = withKey(c.stopped, name, false)
	if name == apiServer {
		c.kubelets().Resume()
		var nodes []string
		for n := range c.cfg.hosts() {
			nodes = append(nodes, n)
		}
		sort.Strings(nodes)
		for _, n := range nodes {
			if !c.kubelets().Isolated(n) {
				c.reconnect(n)
			}
		}
	}
	held := c.held
	c.held = nil
	for _, it := range held {
		it.At = max(it.At, c.now)
		c.queue.Push(it)
	}
	return "the component " + name + " goes on", ""
}

func withKey(m map[string]bool, key string, on bool) map[string]bool {
	n := map[string]bool{}
	for k := range m {
		n[k] = true
	}
	delete(n, key)
	if on {
		n[key] = true
	}
	return n
}

// stands reports whether the component that an actor is part of stands still.
func (c *Cluster) stands(s *seat) bool {
	if len(c.stopped) == 0 || s.part == "" {
		return false
	}
	return c.stopped[s.part] || c.stopped[apiServer]
}

// refuse answers a request while the API server stands still.
func (c *Cluster) refuse() (api.Response, bool) {
	text := c.Refused()
	if text == "" {
		return api.Response{}, false
	}
	return api.Response{Status: &api.Status{Status: "Failure", Reason: api.ReasonServiceUnavailable, Code: 503, Message: text}}, true
}

// Refused is what a client hears while the API server stands still, or "".
func (c *Cluster) Refused() string {
	if !c.stopped[apiServer] {
		return ""
	}
	return "The connection to the server " + c.cfg.apiAddress() + ":6443 was refused - did you specify the right host or port?"
}
