package scheduler

import (
	"maps"

	"podwalk/core/actor"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
)

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

// pendingBind is a pod that has a node and waits for its volumes.
type pendingBind struct {
	pod  *queued
	info *f.PodInfo
	node string
	till sim.Time
}

func (s *Scheduler) continueBindings(c *actor.Ctx) {}

func (s *Scheduler) bindingDeadline() sim.Time { return sim.Never }
