package kubelet

import (
	"sort"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// signal is something that a node can run short of
// (pkg/kubelet/eviction/helpers.go; defaults_linux.go).
type signal struct {
	name, resource string // as faults and as messages name it
	bad            string // reason of the condition, without its prefix
	badMessage     string
	condition      string
}

var signals = [3]signal{
	{"memory", "memory", "InsufficientMemory", "kubelet has insufficient memory available", "MemoryPressure"},
	{"disk", "ephemeral-storage", "DiskPressure", "kubelet has disk pressure", "DiskPressure"},
	{"pid", "pids", "InsufficientPID", "kubelet has insufficient PID available", "PIDPressure"},
}

const (
	memoryThreshold = 100 << 20 // memory.available<100Mi
	diskShare       = 10        // nodefs.available<10%
	pidThreshold    = 3276      // pid.available<10% of 32768, which is no default
	// transition is how long a condition stays after its cause
	// (evictionPressureTransitionPeriod).
	transition = 5 * sim.Minute
)

// starvation is how a node stands with one signal.
type starvation struct {
	on       bool  // something beside the pods takes what there is
	left     int64 // what is left: bytes, or processes
	limit    int64 // below which the node is short
	observed bool  // the condition is set
	last     sim.Time
}

// Starve has a node run short of memory, disk or pid: so much is left, or half of the
// threshold if left is negative. It reports false for another resource.
func (k *Kubelet) Starve(n *api.Node, resource string, left int64) bool {
	for i := range signals {
		if signals[i].name != resource {
			continue
		}
		st := k.nodes[n.Name]
		if left < 0 {
			left = threshold(n, i) / 2
		}
		p := &st.pressure[i]
		p.on, p.left, p.limit = true, left, threshold(n, i)
		k.nodes[n.Name] = st
		return true
	}
	return false
}

// Relieve ends what Starve began.
func (k *Kubelet) Relieve(node, resource string) bool {
	for i := range signals {
		if signals[i].name == resource {
			st := k.nodes[node]
			st.pressure[i].on = false
			k.nodes[node] = st
			return true
		}
	}
	return false
}

func threshold(n *api.Node, i int) int64 {
	switch signals[i].name {
	case "memory":
		return memoryThreshold
	case "pid":
		return pidThreshold
	}
	q := n.Status.Capacity["ephemeral-storage"]
	return q.Value() / 100 * diskShare
}

// short reports whether the node is short of it now.
func (p *starvation) short() bool { return p.on && p.left < p.limit }

// nextRelief returns when the eviction manager next looks, and whether it can do
// nothing then: there is no pod to evict.
func (k *Kubelet) nextRelief(name string, st *nodeState, now sim.Time) (sim.Time, bool) {
	at, idle := never, true
	for i := range st.pressure {
		p := &st.pressure[i]
		switch {
		case p.short():
			at = min(at, tickAt(now+1, k.phase(name, "eviction", evictionPeriod), evictionPeriod))
			idle = idle && p.observed && len(k.victims(name)) == 0
		case p.observed:
			at = min(at, tickAt(max(p.last+transition, now+1), k.phase(name, "eviction", evictionPeriod), evictionPeriod))
			idle = false
		}
	}
	return at, idle
}

// relieve is a round of the eviction manager
// (pkg/kubelet/eviction/eviction_manager.go, synchronize).
func (k *Kubelet) relieve(c *actor.Ctx, name string, st *nodeState) []actor.Wake {
	n := liveNode(c, name)
	if at := tickAt(c.Now(), k.phase(name, "eviction", evictionPeriod), evictionPeriod); at != c.Now() || st.pressure == [3]starvation{} {
		return nil
	}
	short := -1
	for i := range st.pressure {
		p := &st.pressure[i]
		before := p.observed
		switch {
		case p.short():
			p.observed, p.last = true, c.Now()
			if short < 0 {
				short = i
			}
		case c.Now()-p.last >= transition:
			p.observed = false
		}
		if before != p.observed {
			st.report = c.Now()
		}
	}
	if short < 0 {
		return nil
	}
	return k.makeRoom(c, n, st, short)
}

// makeRoom removes images where the disk is short, and then evicts one pod.
func (k *Kubelet) makeRoom(c *actor.Ctx, n *api.Node, st *nodeState, i int) []actor.Wake {
	g, p := &signals[i], &st.pressure[i]
	k.nodeEvent(c, n.Name, "Warning", "EvictionThresholdMet", "Attempting to reclaim "+g.resource)
	if g.name == "disk" {
		call := runtime.Call{Now: c.Now(), Ref: trace.Ref{Kind: "Node", Name: n.Name}, Record: c.Record}
		if p.left += k.rt.Node(n.Name).PruneImages(call); !p.short() {
			return nil
		}
	}
	list := k.ranked(n.Name, i, c.Now())
	if len(list) == 0 {
		return nil
	}
	v := list[0]
	message := k.evictionMessage(v, n, i, p)
	p.left += v.used
	w := k.worker(v.w.key)
	for w.uid != v.w.uid {
		w = w.older
	}
	s := &step{k: k, c: c, w: w, now: c.Now(), offline: k.offline(n.Name)}
	s.event("", "Warning", evicted, message)
	s.record(trace.Ended, trace.Failed, evicted, message)
	w.evict = &eviction{evicted, message, true}
	w.grace = 1
	s.updatePod()
	return []actor.Wake{{Actor: k.Name(), Key: w.key, At: c.Now()}}
}

// victim is a pod that may be evicted, with what it takes and what it asks for.
type victim struct {
	w               *worker
	used, requested int64
}

// victims are the pods of a node that run and may be evicted, by name.
func (k *Kubelet) victims(node string) (list []victim) {
	for _, key := range k.onNode(node) {
		for w := k.pods[key]; w != nil; w = w.older {
			if w.node == node && w.admitted && w.work == syncing && w.evict == nil && !critical(w.pod) {
				list = append(list, victim{w: w})
			}
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].w.key.String() < list[j].w.key.String() })
	return list
}

// ranked puts first the pods that take more than they ask for, then those of lower
// priority, then those that take the most beyond what they ask for
// (pkg/kubelet/eviction/helpers.go, rankMemoryPressure, rankDiskPressureFunc,
// rankPIDPressure).
func (k *Kubelet) ranked(node string, i int, now sim.Time) []victim {
	list := k.victims(node)
	for j := range list {
		v := &list[j]
		for _, u := range k.rt.Node(node).Usages(v.w.uid, now) {
			v.used += [...]int64{u.Memory, u.Disk, int64(u.Processes)}[i]
		}
		v.requested = [...]int64{v.w.cost.memory, v.w.cost.storage, 0}[i]
	}
	pids := signals[i].name == "pid"
	sort.SliceStable(list, func(a, b int) bool {
		x, y := &list[a], &list[b]
		if over := x.used > x.requested; !pids && over != (y.used > y.requested) {
			return over
		}
		if p, q := deref(x.w.pod.Spec.Priority), deref(y.w.pod.Spec.Priority); p != q {
			return p < q
		}
		return x.used-x.requested > y.used-y.requested
	})
	return list
}

// evictionMessage says why a pod has to go
// (pkg/kubelet/eviction/helpers.go, evictionMessage).
func (k *Kubelet) evictionMessage(v victim, n *api.Node, i int, p *starvation) string {
	g := &signals[i]
	amount := func(b int64) string {
		f := api.BinarySI
		if g.name == "pid" {
			f = api.DecimalSI
		}
		q := api.NewQuantity(b, f)
		return q.String()
	}
	text := "The node was low on resource: " + g.resource + ". Threshold quantity: " + amount(p.limit) + ", available: " + amount(p.left) + ". "
	if g.name == "pid" {
		return text
	}
	for _, u := range k.rt.Node(n.Name).Usages(v.w.uid, k.now) {
		spec := containerSpec(v.w.pod, u.Name)
		if spec == nil {
			continue
		}
		request, used := spec.Resources.Requests[g.resource], u.Memory
		if g.name == "disk" {
			used = u.Disk
		}
		if used > request.Value() {
			text += "Container " + u.Name + " was using " + amount(used) + ", request is " + request.String() + ", has larger consumption of " + g.resource + ". "
		}
	}
	return text
}

// underPressure refuses a pod while the node is short of something; where it is
// memory alone, only pods that ask for none (eviction_manager.go, Admit).
func (s *step) underPressure() *refusal {
	st := s.k.nodes[s.w.node]
	text, memoryOnly := "", true
	for i := range signals {
		if st.pressure[i].observed {
			if text != "" {
				text += " "
			}
			text += signals[i].condition
			memoryOnly = memoryOnly && signals[i].name == "memory"
		}
	}
	memory := api.Taint{Key: "node.kubernetes.io/memory-pressure", Effect: "NoSchedule"}
	switch {
	case text == "" || critical(s.w.pod):
		return nil
	case memoryOnly && (qosClass(s.w.pod) != "BestEffort" || api.Tolerated(s.w.pod.Spec.Tolerations, &memory)):
		return nil
	}
	return &refusal{evicted, "The node had condition: [" + text + "]. "}
}
