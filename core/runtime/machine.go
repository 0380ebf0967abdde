package runtime

import (
	"podwalk/core/network/cni"
	"podwalk/core/network/ipam"
	"podwalk/core/sim"
	"podwalk/core/workload"
)

// Machine is the containerd of one node.
type Machine struct {
	handled []string // runtime handlers that the node states
	Name    string

	own    *owner
	rt     *Runtime
	images map[string]*local // by full reference
	pods   map[string]*pod   // by pod uid
	where  map[string]string // container or sandbox id -> pod uid
	net    cni.Node
	cpus   int
	addr   string // of the node
	known  bool   // Configure has run
	cut    bool   // from the network
}

// Host is what a machine is told of its node.
type Host struct {
	Address string // InternalIP
	PodCIDR string
	CPUs    int
	Images  []HostImage
	// Handlers are the runtime handlers that the node states; nil is Handlers.
	Handlers []string
}

// HostImage is an image that is there from the start.
type HostImage struct {
	Names []string
	Size  int64
}

func newMachine(r *Runtime, name string) *Machine {
	return &Machine{Name: name, own: r.own, rt: r, images: map[string]*local{}, pods: map[string]*pod{},
		where: map[string]string{}, net: cni.Node{Name: name}}
}

// Configured reports whether Configure has run.
func (m *Machine) Configured() bool { return m.known }

// Configure tells a machine of its node, once.
func (m *Machine) Configure(h Host) {
	if m.known {
		return
	}
	m.known, m.cpus, m.addr, m.handled = true, h.CPUs, h.Address, h.Handlers
	if h.Address != "" {
		m.rt.hosts[h.Address] = m.Name
	}
	if block, err := ipam.Parse(h.PodCIDR); err == nil {
		m.net.Block = block
	}
	for _, img := range h.Images {
		m.preload(img)
	}
}

// pod is everything of one pod on a machine: its sandboxes, containers, volumes
// and sockets. It is the unit that is copied when a clone touches it.
type pod struct {
	own                  *owner
	uid, namespace, name string
	sandboxes            []*Sandbox   // newest first
	containers           []*Container // oldest first
	volumes              []volume
	socks                []socket
	rev                  uint64    // counts the changes of state that a relist would see
	changed              sim.Time  // of the latest
	cause                sim.Cause // record of the latest that happened by itself
	limits               []DiskLimit
	over                 *DiskLimit // one of limits
	overSince            sim.Time
}

// volume is a file system of the pod, or one that it shares with others.
type volume struct {
	name   string
	tree   *workload.Tree
	shared string // key in Runtime.shared, "" for the pod's own
}

// pod returns the pod with a uid, ready to be changed, or nil.
func (m *Machine) pod(uid string) *pod {
	p := m.pods[uid]
	if p != nil && p.own != m.own {
		p = p.clone(m)
		m.pods[uid] = p
	}
	return p
}

// clone copies a pod for a machine: processes, files and volumes, the shared ones
// replaced by those of the machine's runtime.
func (p *pod) clone(m *Machine) *pod {
	c := *p
	c.own = m.own
	trees := make(map[*workload.Tree]*workload.Tree, len(p.volumes))
	c.volumes = make([]volume, len(p.volumes))
	for i, v := range p.volumes {
		c.volumes[i] = v
		if v.shared != "" {
			c.volumes[i].tree = m.rt.tree(v.shared)
		} else {
			c.volumes[i].tree = v.tree.Clone()
		}
		trees[v.tree] = c.volumes[i].tree
	}
	mapped := func(t *workload.Tree) *workload.Tree {
		if n, ok := trees[t]; ok {
			return n
		}
		n := t.Clone()
		trees[t] = n
		return n
	}
	c.sandboxes = make([]*Sandbox, len(p.sandboxes))
	for i, s := range p.sandboxes {
		n := *s
		c.sandboxes[i] = &n
	}
	c.containers = make([]*Container, len(p.containers))
	for i, ct := range p.containers {
		c.containers[i] = ct.clone(mapped)
	}
	c.socks = append([]socket(nil), p.socks...)
	return &c
}

// touch notes a change of state that a relist would see.
func (p *pod) touch(now sim.Time) {
	p.rev++
	p.changed = now
}

// find returns a container by id, ready to be changed, with its pod.
func (m *Machine) find(id string) (*pod, *Container) {
	p := m.pod(m.where[id])
	if p == nil {
		return nil, nil
	}
	for _, c := range p.containers {
		if c.ID == id {
			return p, c
		}
	}
	return p, nil
}

// Changed returns how many changes of state a relist would have seen of a pod and
// when the latest was.
func (m *Machine) Changed(uid string) (uint64, sim.Time) {
	p := m.pods[uid]
	if p == nil {
		return 0, 0
	}
	return p.rev, p.changed
}

// Ended returns the record of the latest end of one of the pod's containers, 0 if
// there was none.
func (m *Machine) Ended(uid string) sim.Cause {
	if p := m.pods[uid]; p != nil {
		return p.cause
	}
	return 0
}

// SetVolume puts a file system of the pod's own on the machine. Containers that
// have an earlier one of that name mounted see the new one, unless they mount a
// part of it: a bind mount keeps the file that it was made of.
func (m *Machine) SetVolume(uid, name string, t *workload.Tree) {
	p := m.podFor(uid)
	for i := range p.volumes {
		v := &p.volumes[i]
		if v.name != name {
			continue
		}
		for _, c := range p.containers {
			for j := range c.fs.Mounts {
				if mt := &c.fs.Mounts[j]; mt.Tree == v.tree && mt.Sub == "" {
					mt.Tree = t
				}
			}
		}
		v.tree, v.shared = t, ""
		return
	}
	p.volumes = append(p.volumes, volume{name: name, tree: t})
}

// SetSharedVolume makes a file system that pods share a volume of the pod: key is
// "host" for the machine's own files, or "disk/NAME".
func (m *Machine) SetSharedVolume(uid, name, key string) {
	if key == "host" {
		key = "host/" + m.Name
	}
	p := m.podFor(uid)
	if m.Volume(uid, name) == nil {
		p.volumes = append(p.volumes, volume{name: name, tree: m.rt.tree(key), shared: key})
	}
}

// Volume returns the file system of a volume, or nil.
func (m *Machine) Volume(uid, name string) *workload.Tree {
	p := m.pod(uid)
	if p == nil {
		return nil
	}
	for i := range p.volumes {
		if p.volumes[i].name == name {
			return p.volumes[i].tree
		}
	}
	return nil
}

// Host returns the machine's own files.
func (m *Machine) Host() *workload.Tree { return m.rt.tree("host/" + m.Name) }

// podFor returns the record of a pod; it is made when first asked for.
func (m *Machine) podFor(uid string) *pod {
	if p := m.pod(uid); p != nil {
		return p
	}
	p := &pod{own: m.own, uid: uid}
	m.pods[uid] = p
	return p
}

// RemovePod forgets a pod: its files, dead containers and stopped sandboxes.
func (m *Machine) RemovePod(uid string) {
	p := m.pods[uid]
	if p == nil {
		return
	}
	for _, s := range p.sandboxes {
		delete(m.where, s.ID)
	}
	for _, c := range p.containers {
		delete(m.where, c.ID)
	}
	delete(m.pods, uid)
}

// Pods returns the uids of the pods that have anything on the machine, sorted.
func (m *Machine) Pods() []string { return sortedKeys(m.pods) }

// HostKind says what lies at a path of the machine's own files, in the words of
// hostPath's types: Directory, File or CharDevice.
func (m *Machine) HostKind(path string) (string, bool) {
	info, err := (&workload.FS{Root: m.Host()}).Stat(path)
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		return "Directory", true
	case info.Mode&workload.ModeChar == workload.ModeChar && info.Mode&workload.ModeRegular != workload.ModeRegular:
		return "CharDevice", true
	}
	return "File", true
}
