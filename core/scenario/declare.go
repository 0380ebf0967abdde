package scenario

import (
	"errors"
	"sort"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/cluster"
	"podwalk/core/codec"
	"podwalk/core/kubectl"
	"podwalk/core/scheduler/config"
	"podwalk/core/sim"
	"podwalk/core/workload"
)

// Group is the API group and version of the documents that describe the
// simulation instead of the cluster's contents.
const Group = "sim.podwalk.dev/v1"

// ClusterDecl is a document of kind Cluster. Its fields may stand under spec or
// beside kind.
type ClusterDecl struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Metadata   DeclMeta    `json:"metadata"`
	Spec       ClusterSpec `json:"spec"`
}

// DeclMeta names a document of the simulation.
type DeclMeta struct {
	Name string `json:"name"`
}

// ClusterSpec is what a cluster is made of; what is left out is the default.
type ClusterSpec struct {
	Nodes     []api.Node      `json:"nodes,omitempty"`
	CNI       string          `json:"cni,omitempty"`       // kindnet, calico, flannel or cilium
	ProxyMode string          `json:"proxyMode,omitempty"` // iptables, ipvs or nftables
	Features  map[string]bool `json:"features,omitempty"`  // feature gates of Kubernetes
	Seed      *int64          `json:"seed,omitempty"`
	Kubelet   KubeletSpec     `json:"kubelet,omitempty"`
	Addons    []string        `json:"addons,omitempty"`
	// ServiceCIDR is the range of cluster addresses, or two with a comma between.
	ServiceCIDR string `json:"serviceCIDR,omitempty"`
}

// KubeletSpec sets the kubelets.
type KubeletSpec struct {
	SyncFrequency string   `json:"syncFrequency,omitempty"` // a duration, 1m if left out
	PullSeconds   *float64 `json:"pullSeconds,omitempty"`   // every pull takes so long
}

// Problem is something wrong with a document of the simulation, or with a Node
// that the cluster should start with.
type Problem struct {
	File    string
	Mark    codec.Mark
	Message string
}

// Error prints "FILE:LINE: message".
func (p Problem) Error() string {
	return p.File + ":" + strconv.Itoa(int(p.Mark.Line)) + ": " + p.Message
}

// declarations collects what the files say about the simulation.
type declarations struct {
	cfg      cluster.Config
	nodes    []*api.Node
	places   []place // of nodes
	images   []workload.ImageDecl
	cluster  *place
	sched    *place // the KubeSchedulerConfiguration
	features []string
	ignored  []string // of the KubeSchedulerConfiguration
	problems []Problem
}

type place struct {
	file string
	node *codec.Node
}

func (d *declarations) problem(p place, mark codec.Mark, message string) {
	if mark.Line == 0 {
		mark = p.node.Mark
	}
	d.problems = append(d.problems, Problem{p.file, mark, message})
}

// collect reads the simulation's documents and Nodes of a file. Text that cannot
// be read is left to kubectl, which says so when the file is applied.
func (d *declarations) collect(f kubectl.File) {
	nodes, _ := codec.Read(f.Text)
	for i := range nodes {
		d.document(place{f.Name, &nodes[i]})
	}
}

func (d *declarations) document(p place) {
	switch version, kind := p.node.Str("apiVersion"), p.node.Str("kind"); {
	case version == Group || strings.HasPrefix(version, "sim.podwalk.dev/"):
		d.simulation(p, version, kind)
	case strings.HasPrefix(version, config.Group+"/"):
		d.schedulerDoc(p)
	case version == "v1" && kind == "Node":
		d.node(p)
	case version == "v1" && kind == "List":
		if items := p.node.Get("items"); items != nil {
			for i := range items.Items {
				d.document(place{p.file, &items.Items[i]})
			}
		}
	}
}

func (d *declarations) simulation(p place, version, kind string) {
	if version != Group {
		d.problem(p, p.markOf("apiVersion"), `no version "`+version+`" of the simulation's documents, use `+Group)
		return
	}
	n := lift(p.node)
	p.node = &n
	switch kind {
	case "Cluster":
		d.clusterDoc(p)
	case "Image":
		d.imageDoc(p)
	default:
		d.problem(p, p.markOf("kind"), `no kind "`+kind+`" in `+Group+`, only Cluster and Image`)
	}
}

// markOf returns where a top-level field's value stands.
func (p place) markOf(field string) codec.Mark {
	if v := p.node.Get(field); v != nil {
		return v.Mark
	}
	return p.node.Mark
}

// lift moves the fields that stand beside kind under spec.
func lift(n *codec.Node) codec.Node {
	out := codec.Node{Kind: codec.Map, Mark: n.Mark}
	spec := codec.Node{Kind: codec.Map, Mark: n.Mark}
	if s := n.Get("spec"); s != nil {
		spec = *s
	}
	for _, f := range n.Fields {
		switch f.Key {
		case "apiVersion", "kind", "metadata":
			out.Fields = append(out.Fields, f)
		case "spec":
		default:
			spec.Fields = append(spec.Fields[:len(spec.Fields):len(spec.Fields)], f)
		}
	}
	out.Fields = append(out.Fields, codec.Field{Key: "spec", Mark: spec.Mark, Value: spec})
	return out
}

// decode fills into and reports what does not fit; it returns false then.
func (d *declarations) decode(p place, into any) bool {
	r := codec.Decode(p.node, into)
	if r == nil {
		return true
	}
	if r.Type != nil {
		d.problem(p, r.Type.Mark, r.Type.Message)
		return false
	}
	for _, i := range r.Strict {
		d.problem(p, i.Mark, i.Message)
	}
	return false
}

func (d *declarations) imageDoc(p place) {
	var decl workload.ImageDecl
	if !d.decode(p, &decl) {
		return
	}
	if bad := decl.Validate(); len(bad) > 0 {
		for _, b := range bad {
			d.problem(p, markAt(p.node, b.Path), b.Path+": "+b.Message)
		}
		return
	}
	d.images = append(d.images, decl)
}

func (d *declarations) clusterDoc(p place) {
	if d.cluster != nil {
		d.problem(p, p.node.Mark, "more than one Cluster: the first is at "+d.cluster.file+":"+strconv.Itoa(int(d.cluster.node.Mark.Line)))
		return
	}
	d.cluster = &p
	var decl ClusterDecl
	if d.decode(p, &decl) {
		d.settings(p, decl.Spec)
	}
}

func (d *declarations) settings(p place, s ClusterSpec) {
	d.oneOf(p, "cni", s.CNI, "kindnet", "calico", "flannel", "cilium")
	d.oneOf(p, "proxyMode", s.ProxyMode, "iptables", "ipvs", "nftables")
	d.cfg.CNI, d.cfg.ProxyMode, d.cfg.Addons = s.CNI, s.ProxyMode, s.Addons
	if s.ServiceCIDR != "" {
		if why := apiserver.CheckServiceCIDR(s.ServiceCIDR); why != "" {
			d.problem(p, markAt(p.node, "spec.serviceCIDR"), "serviceCIDR: "+why)
		} else {
			d.cfg.ServiceCIDR = s.ServiceCIDR
		}
	}
	if s.Seed != nil {
		d.cfg.Seed = uint64(*s.Seed)
	}
	if f := s.Kubelet.SyncFrequency; f != "" {
		v, err := time.ParseDuration(f)
		if err != nil || v < time.Second || v > time.Hour {
			d.problem(p, markAt(p.node, "spec.kubelet.syncFrequency"), "kubelet.syncFrequency: "+strconv.Quote(f)+" is no duration from 1s to 1h")
		}
		d.cfg.SyncFrequency = v
	}
	if s.Kubelet.PullSeconds != nil {
		v := *s.Kubelet.PullSeconds
		if !(v >= 0 && v <= 86400) {
			d.problem(p, markAt(p.node, "spec.kubelet.pullSeconds"), "kubelet.pullSeconds: must be from 0 to 86400")
		}
		d.cfg.Latency = sim.DefaultLatency()
		d.cfg.Latency.Pull = max(1, sim.Time(v*float64(sim.Second)))
	}
	for name := range s.Features {
		d.features = append(d.features, name)
	}
	sort.Strings(d.features)
	list := p.node.Get("spec", "nodes")
	for i := range s.Nodes {
		n := s.Nodes[i]
		n.TypeMeta = api.TypeMeta{APIVersion: "v1", Kind: "Node"}
		d.add(place{p.file, &list.Items[i]}, &n)
	}
}

func (d *declarations) oneOf(p place, field, value string, allowed ...string) {
	if value == "" {
		return
	}
	for _, a := range allowed {
		if a == value {
			return
		}
	}
	d.problem(p, markAt(p.node, "spec."+field), field+": Unsupported value: "+strconv.Quote(value)+`: supported values: "`+strings.Join(allowed, `", "`)+`"`)
}

func (d *declarations) node(p place) {
	n := &api.Node{}
	if r := codec.Decode(p.node, n); r != nil {
		return // kubectl's apply tells it in the server's words
	}
	d.add(p, n)
}

func (d *declarations) add(p place, n *api.Node) {
	for i, o := range d.nodes {
		if o.Name == n.Name {
			d.problem(p, markAt(p.node, "metadata.name"), `two nodes named "`+n.Name+`": the first is at `+
				d.places[i].file+":"+strconv.Itoa(int(d.places[i].node.Mark.Line)))
			return
		}
	}
	d.nodes = append(d.nodes, n)
	d.places = append(d.places, p)
}

// markAt returns the place of the value at a dotted path, or of the deepest part
// of it that is there. List indexes stand in brackets.
func markAt(n *codec.Node, path string) codec.Mark {
	mark := n.Mark
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		next := n.Get(part)
		if i, err := strconv.Atoi(part); err == nil && n.Kind == codec.List && i >= 0 && i < len(n.Items) {
			next = &n.Items[i]
		}
		if next == nil {
			return mark
		}
		n, mark = next, next.Mark
	}
	return mark
}

// readAll reads a file that must be whole and that kubectl never sees.
func readAll(f kubectl.File) ([]codec.Node, *Problem) {
	nodes, err := codec.ReadWords(f.Text)
	if err == nil {
		return nodes, nil
	}
	p := Problem{File: f.Name, Message: err.Error()}
	var syntax *codec.SyntaxError
	if errors.As(err, &syntax) {
		p.Mark = syntax.Mark
	}
	return nil, &p
}

// strictNode is document for --nodes: what does not fit a Node is a problem.
func (d *declarations) strictNode(p place) {
	if p.node.Str("apiVersion") == "v1" && p.node.Str("kind") == "Node" && !d.decode(p, &api.Node{}) {
		return
	}
	d.document(p)
}
