package kubelet

import (
	"podwalk/core/actor"
	"podwalk/core/sim"
)

// leaseState is what is wrong with the lease of a node whose kubelet runs.
type leaseState struct {
	odd     bool     // something is, or was until now
	stopped bool     // the kubelet does not renew it
	until   sim.Time // renewals carry a time that is not after the last one until then
	offset  sim.Time // of the machine's clock
}

// silent reports whether the node lifecycle controller sees no renewal: it takes a
// lease whose time is not after the last one for the old one
// (pkg/controller/nodelifecycle/node_lifecycle_controller.go, tryUpdateNodeHealth).
func (l *leaseState) silent(now sim.Time) bool { return l.stopped || now < l.until }

// StopLease says whether the kubelet of a node leaves its lease as it is. It returns
// the key to look at.
func (k *Kubelet) StopLease(node string, stop bool) sim.Key {
	st := k.nodes[node]
	st.lease.stopped, st.lease.odd = stop, true
	k.nodes[node] = st
	return nodeKey(node)
}

// SetClock sets how far the clock of a node's machine is off. It returns until when
// the renewals of its lease count for nothing: a clock that is set back says what it
// has said before.
func (k *Kubelet) SetClock(node string, offset, now sim.Time) (sim.Key, sim.Time) {
	st := k.nodes[node]
	l := &st.lease
	latest := max(now+l.offset, l.until+l.offset) // the time that a renewal has to pass
	l.offset, l.odd = offset, true
	l.until = latest - offset
	k.nodes[node] = st
	return nodeKey(node), l.until
}

// unheard is what the kubelet does that goes on although its lease says nothing: it
// compares its node's status with what it has reported every ten seconds, and writes
// it again when the controller has changed it (pkg/kubelet/kubelet_node_status.go,
// tryUpdateNodeStatus).
func (k *Kubelet) unheard(c *actor.Ctx, name string, st *nodeState) (wakes []actor.Wake) {
	ready := false
	for _, x := range liveNode(c, name).Status.Conditions {
		ready = ready || x.Type == "Ready" && x.Status == "True"
	}
	if !ready && c.Now() == k.nodeReport(name, c.Now()) {
		k.reportNode(c, name, st)
		for _, key := range k.resend(name, c.Now()) {
			wakes = append(wakes, actor.Wake{Actor: k.Name(), Key: key, At: c.Now()})
		}
		ready = true
	}
	if !st.lease.silent(c.Now()) {
		k.renewLease(c, name)
		st.lease.odd = !ready
	}
	return wakes
}

// nextLease is when the node is to be looked at because of its lease; idle says that
// nothing comes of it unless the controller acts.
func (k *Kubelet) nextLease(name string, st *nodeState, now sim.Time) (at sim.Time, idle bool) {
	if !st.lease.odd || k.offline(name) {
		return sim.Never, false
	}
	at = k.nodeReport(name, now+1)
	if !st.lease.stopped && now < st.lease.until && st.lease.until < at {
		return st.lease.until, false
	}
	return at, true
}
