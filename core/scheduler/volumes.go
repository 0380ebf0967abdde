package scheduler

import (
	"maps"
	"slices"

	"podwalk/core/actor"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// volumePoll is how often is looked whether volumes are bound
// (volumebinding/binder.go, BindPodVolumes).
const volumePoll = sim.Second

// volumeMind holds what the scheduler has decided about volumes and the API does
// not show yet (volumebinding's assume caches).
type volumeMind struct {
	claimOf map[string]string // volume -> namespace/name of its claim
	nodeOf  map[string]string // namespace/name of a claim -> node to provision it for
}

func newVolumeMind() volumeMind { return volumeMind{map[string]string{}, map[string]string{}} }

func (v *volumeMind) clone() volumeMind {
	return volumeMind{maps.Clone(v.claimOf), maps.Clone(v.nodeOf)}
}

// ClaimOf returns the claim that a volume is assumed to be bound to, or "".
func (v *volumeMind) ClaimOf(volume string) string { return v.claimOf[volume] }

// NodeOf returns the node that a claim is to be provisioned for, or "".
func (v *volumeMind) NodeOf(claim string) string { return v.nodeOf[claim] }

// pendingBind is a pod that has a node and waits for its volumes. It is never
// changed in place.
type pendingBind struct {
	pod      queued
	node     string
	poll     sim.Time // next look
	till     sim.Time
	cause    sim.Cause
	volumes  []wanted
	reserved *volumeMind
}

// wanted is a claim that is being bound: to a volume, or by a provisioner.
type wanted struct {
	claim  podKey
	volume string // "" for a provisioner
	rev    uint64 // of the object that was written
}

var _ f.Reservation = (*pendingBind)(nil)

// BindVolume assumes that a claim (namespace/name) is bound to a volume.
func (b *pendingBind) BindVolume(claim, volume string) {
	b.reserved.claimOf[volume] = claim
	b.volumes = append(b.volumes, wanted{claim: claimKey(claim), volume: volume})
}

// Provision assumes that a claim is to be provisioned for a node.
func (b *pendingBind) Provision(claim, node string) {
	b.reserved.nodeOf[claim] = node
	b.volumes = append(b.volumes, wanted{claim: claimKey(claim)})
}

func claimKey(s string) podKey {
	i := 0
	for s[i] != '/' {
		i++
	}
	return podKey{s[:i], s[i+1:]}
}

// release takes the assumptions about the pod's volumes back.
func (s *Scheduler) release(b *pendingBind) {
	for _, w := range b.volumes {
		delete(s.volumes.claimOf, w.volume)
		delete(s.volumes.nodeOf, w.claim.namespace+"/"+w.claim.name)
	}
	delete(s.binding, b.pod.info.Pod.UID)
}

// bindVolumes writes down which volumes the claims shall get, and nominates the
// node meanwhile (bindAPIUpdate).
func (s *Scheduler) bindVolumes(c *actor.Ctx, b *pendingBind) {
	p := b.pod.info.Pod
	s.patchStatus(c, p, nil, &b.node)
	s.binding[p.UID] = b
	for i := range b.volumes {
		if msg := s.bindVolume(c, b, &b.volumes[i]); msg != "" {
			s.unbind(c, b.pod, msg)
			return
		}
	}
	c.Record(trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(p), Verdict: trace.Waiting, Reason: f.VolumeBinding.String(),
		Message: "waits for its volumes to be bound before it goes to " + b.node})
}

// bindVolume returns the message of a failed write, or "".
func (s *Scheduler) bindVolume(c *actor.Ctx, b *pendingBind, w *wanted) string {
	claim, _ := c.Read.Get("PersistentVolumeClaim", w.claim.namespace, w.claim.name).(*api.PersistentVolumeClaim)
	if claim == nil {
		return "persistentvolumeclaim " + quoted(w.claim.name) + " not found"
	}
	var o api.Object
	if w.volume == "" {
		now := *claim
		now.Annotations = with(claim.Annotations, f.AnnSelectedNode, b.node)
		o = &now
	} else {
		v, _ := c.Read.Get("PersistentVolume", "", w.volume).(*api.PersistentVolume)
		if v == nil {
			return "persistentvolume " + quoted(w.volume) + " not found"
		}
		now := *v
		now.Annotations = with(v.Annotations, f.AnnBoundByController, "yes")
		now.Spec.ClaimRef = &api.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace,
			Name: claim.Name, UID: claim.UID, ResourceVersion: claim.ResourceVersion}
		o = &now
	}
	resp := c.Update(o)
	if resp.Failed() {
		return resp.Status.Message
	}
	if resp.Object != nil {
		w.rev = store.RevOf(resp.Object)
	}
	return ""
}

func with(m map[string]string, key, value string) map[string]string {
	c := maps.Clone(m)
	if c == nil {
		c = map[string]string{}
	}
	c[key] = value
	return c
}

// continueBindings looks, each second, whether the volumes are bound.
func (s *Scheduler) continueBindings(c *actor.Ctx) {
	for _, uid := range slices.Sorted(maps.Keys(s.binding)) {
		b := s.binding[uid]
		if c.Now() < b.poll {
			continue
		}
		w := s.causedBy(c, b.cause)
		done, msg := s.volumesBound(c, b)
		switch {
		case msg == "" && !done && c.Now() >= b.till:
			msg = "context deadline exceeded"
			fallthrough
		case msg != "":
			s.unbind(w, b.pod, "binding volumes: "+msg)
		case done:
			s.release(b)
			s.finishBind(w, b.pod, b.node)
		default:
			next := *b
			next.poll = c.Now() + volumePoll
			s.binding[uid] = &next
		}
	}
}

// volumesBound reports whether the volume controller is done with all claims, or
// why that cannot be any more (checkBindings).
func (s *Scheduler) volumesBound(c *actor.Ctx, b *pendingBind) (done bool, msg string) {
	p := b.pod.info.Pod
	if now := c.Pod(p.Namespace, p.Name); now == nil || now.UID != p.UID {
		return false, "pod does not exist any more: pod " + quoted(p.Name) + " not found"
	}
	if c.Node(b.node) == nil {
		return false, "failed to get node " + quoted(b.node) + ": node " + quoted(b.node) + " not found"
	}
	done = true
	for _, w := range b.volumes {
		ok, msg := s.claimBound(c, b.node, w)
		if msg != "" {
			return false, msg
		}
		done = done && ok
	}
	return done, ""
}

func (s *Scheduler) claimBound(c *actor.Ctx, node string, w wanted) (bool, string) {
	claim, _ := c.Read.Get("PersistentVolumeClaim", w.claim.namespace, w.claim.name).(*api.PersistentVolumeClaim)
	if claim == nil {
		return false, "failed to check binding: persistentvolumeclaim " + quoted(w.claim.name) + " not found"
	}
	name := w.volume
	if name == "" {
		if store.RevOf(claim) < w.rev {
			return false, ""
		}
		if claim.Annotations[f.AnnSelectedNode] != node {
			return false, "provisioning failed for PVC " + quoted(claim.Name)
		}
		name = claim.Spec.VolumeName
	}
	v, _ := c.Read.Get("PersistentVolume", "", name).(*api.PersistentVolume)
	switch {
	case v == nil && w.volume != "":
		return false, "failed to check binding: persistentvolume " + quoted(name) + " not found"
	case v == nil || w.volume != "" && store.RevOf(v) < w.rev:
		return false, ""
	case !f.VolumeReaches(v, c.Node(node)):
		return false, "pv " + quoted(name) + " node affinity doesn't match node " + quoted(node) + ": no matching NodeSelectorTerms"
	case w.volume != "" && (v.Spec.ClaimRef == nil || v.Spec.ClaimRef.UID == ""):
		return false, "ClaimRef got reset for pv " + quoted(name)
	}
	return f.FullyBound(claim), ""
}

// bindingDeadline returns when a pod that waits for its volumes is to be looked at.
func (s *Scheduler) bindingDeadline() sim.Time {
	at := sim.Never
	for _, b := range s.binding {
		at = min(at, b.poll)
	}
	return at
}
