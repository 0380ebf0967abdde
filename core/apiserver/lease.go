package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/sim"
)

// The lease of a healthy node is computed when it is read: its kubelet renews it
// every ten seconds, and nothing would depend on the writes
// (pkg/kubelet/kubelet.go, NewMainKubelet: a quarter of the lease's duration).
const (
	leaseNamespace = "kube-node-lease"
	LeaseSeconds   = int32(40)
	leaseRenewal   = 10 * sim.Second
)

// nodeLease returns the lease of a node whose kubelet renews it, or nil. One that is
// stored is not renewed any more.
func (c *call) nodeLease(name string) api.Object {
	n, _ := c.read.Get("Node", "", name).(*api.Node)
	if n == nil || c.s.cfg.Hosts != nil && !c.s.cfg.Hosts[name] || neverReported(n) || c.read.Get("Lease", leaseNamespace, name) != nil {
		return nil
	}
	seconds := LeaseSeconds
	holder := n.Name
	renewed := LeaseRenewal(c.s.cfg.Start, c.now)
	l := &api.Lease{TypeMeta: api.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}}
	l.ObjectMeta = api.ObjectMeta{Name: n.Name, Namespace: leaseNamespace, CreationTimestamp: n.CreationTimestamp,
		ResourceVersion: n.ResourceVersion, OwnerReferences: []api.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: n.Name, UID: n.UID}}}
	l.UID = c.uid(&l.ObjectMeta)
	l.Spec = api.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &renewed}
	return l
}

// LeaseRenewal is when a kubelet last renewed its lease; start is the instant of
// virtual time zero in ns since 1970.
func LeaseRenewal(start int64, now sim.Time) api.MicroTime {
	return api.MicroTime((start + int64(now-now%leaseRenewal)) / 1000)
}

// neverReported reports whether nothing says that a node has a kubelet.
func neverReported(n *api.Node) bool {
	for _, cond := range n.Status.Conditions {
		if cond.Type == "Ready" {
			return cond.Status == "Unknown"
		}
	}
	return true
}

// nodeLeases visits the leases of all healthy nodes.
func (c *call) nodeLeases(visit func(api.Object)) {
	c.read.Each("Node", "", func(o api.Object) bool {
		if l := c.nodeLease(o.Meta().Name); l != nil {
			visit(l)
		}
		return true
	})
}
