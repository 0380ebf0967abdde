package kubelet

import (
	"time"

	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
)

// killReason says why a container is stopped; it decides the grace period.
type killReason uint8

const (
	killUnknown killReason = iota
	killLiveness
	killStartup
	killChanged
	killHook
)

// afterKill is what follows when all containers are stopped.
type afterKill uint8

const (
	thenGoOn afterKill = iota
	thenStop           // the pod ends
	thenHook           // a postStart hook had failed
)

// kill is the end of one container: its preStop hook, its turn among the
// sidecars, its stop signal (pkg/kubelet/kuberuntime/kuberuntime_container.go,
// killContainer).
type kill struct {
	id, name string
	ordered  bool // sidecars wait for their turn
	grace    int64
	phase    killPhase
	since    sim.Time // of the phase
	hook     hook
	done     bool
}

type killPhase uint8

const (
	killHooking killPhase = iota
	killWaiting
	killStopping
)

// maxGrace bounds grace periods, in seconds, so that spans of time do not overflow.
const maxGrace = 1 << 31

const minimumGrace = 2 // seconds, pkg/kubelet/kuberuntime/kuberuntime_container.go

func (s *step) mustKill() bool {
	a := &s.w.run.actions
	return a.killPod && len(s.w.run.status.sandboxes) > 0 || len(a.kills) > 0
}

// mayStop reports whether the end of the pod can begin.
func (s *step) mayStop() bool {
	w := s.w
	return w.work == terminating && w.pending && s.observed()
}

// beginStop reports that the pod ends and stops its probes
// (pkg/kubelet/kubelet.go, SyncTerminatingPod).
func (s *step) beginStop() {
	w := s.w
	w.pending, w.requeueAt = false, never
	s.relistCache()
	w.run = &syncRun{status: w.cache, begun: s.now, then: thenStop}
	s.setStatus(s.generateStatus(&w.run.status, false), w.pod.DeletionTimestamp != nil, false)
	s.stopProbes(false)
}

// beginKills lists the containers that have to go.
func (s *step) beginKills() {
	w, r := s.w, s.w.run
	var grace *int64
	switch {
	case r.then == thenStop && w.grace > 0 && (w.pod.DeletionTimestamp != nil || w.gone || w.evict != nil && w.evict.reason == evicted):
		grace = &w.grace
	case r.then != thenStop && !r.actions.killPod:
		for _, k := range r.actions.kills {
			s.addKill(k.id, k.name, k.message, k.reason, nil, false)
		}
		r.acted = true
		return
	}
	r.acted = true
	for _, c := range goroutineOrder(r.status.containers) {
		if c.running() {
			s.addKill(c.id, c.name, "Stopping container "+c.name, killUnknown, grace, true)
		}
	}
}

// goroutineOrder is the order in which Go runs goroutines that were started one
// after the other: the last one first.
func goroutineOrder(list []containerStatus) []*containerStatus {
	var l []*containerStatus
	for i := range list {
		if list[i].running() {
			l = append(l, &list[i])
		}
	}
	if n := len(l); n > 1 {
		l = append([]*containerStatus{l[n-1]}, l[:n-1]...)
	}
	return l
}

func (s *step) addKill(id, name, message string, why killReason, override *int64, ordered bool) {
	c := containerSpec(s.w.pod, name)
	if c == nil {
		return
	}
	grace := s.graceOf(c, why)
	s.event(s.fieldPath(name), "Normal", "Killing", message)
	if override != nil {
		grace = *override
	}
	grace = min(grace, maxGrace)
	k := kill{id: id, name: name, grace: grace, since: s.now, ordered: ordered && hasSidecar(s.w.pod), phase: killWaiting}
	if c.Lifecycle != nil && c.Lifecycle.PreStop != nil && grace > 0 {
		k.phase = killHooking
		k.hook = s.beginHook(c, id, c.Lifecycle.PreStop)
	}
	s.w.run.kills = append(s.w.run.kills, k)
}

// graceOf is how long a container gets to stop (pkg/kubelet/kuberuntime/
// kuberuntime_container.go, setTerminationGracePeriod).
func (s *step) graceOf(c *api.Container, why killReason) int64 {
	pod := s.w.pod
	if pod.DeletionGracePeriodSeconds != nil {
		return *pod.DeletionGracePeriodSeconds
	}
	if pod.Spec.TerminationGracePeriodSeconds == nil {
		return minimumGrace
	}
	p := c.LivenessProbe
	if why == killStartup {
		p = c.StartupProbe
	}
	if (why == killStartup || why == killLiveness) && p != nil && p.TerminationGracePeriodSeconds != nil {
		return *p.TerminationGracePeriodSeconds
	}
	return *pod.Spec.TerminationGracePeriodSeconds
}

func hasSidecar(p *api.Pod) bool {
	for i := range p.Spec.InitContainers {
		if isSidecar(&p.Spec.InitContainers[i]) {
			return true
		}
	}
	return false
}

// killsDue moves the ends of containers on.
func (s *step) killsDue() bool {
	r := s.w.run
	if r == nil || s.w.state != KillContainers {
		return false
	}
	moved := false
	for again := true; again; {
		again = false
		for i := range r.kills {
			if s.moveKill(&r.kills[i]) {
				again, moved = true, true
			}
		}
	}
	return moved
}

func (s *step) moveKill(k *kill) bool {
	if k.done {
		return false
	}
	switch k.phase {
	case killHooking:
		if !s.pollHook(&k.hook) && s.now < k.since+sim.Time(k.grace)*sim.Second {
			return false
		}
		if k.hook.done && k.hook.err != "" {
			s.event(s.fieldPath(k.name), "Warning", "FailedPreStopHook", "PreStopHook failed")
		}
		k.grace -= int64((s.now - k.since) / sim.Second)
		k.phase, k.since = killWaiting, s.now
		return true
	case killWaiting:
		if k.ordered && k.grace > 0 && !s.turn(k) && s.now < k.since+sim.Time(k.grace)*sim.Second {
			return false
		}
		k.grace -= int64((s.now - k.since) / sim.Second)
		k.grace = max(k.grace, minimumGrace)
		if err := s.machine().StopContainer(s.call(), k.id, time.Duration(k.grace)*time.Second); err != nil {
			k.done = true
		}
		k.phase, k.since = killStopping, s.now
		return true
	}
	if c := s.machine().ContainerStatus(k.id); c != nil && c.State == runtime.Running {
		return false
	}
	k.done = true
	return true
}

// turn reports whether a container may stop: sidecars wait for the main containers
// and for the sidecars after them (pkg/kubelet/kuberuntime/
// kuberuntime_termination_order.go).
func (s *step) turn(k *kill) bool {
	spec := &s.w.pod.Spec
	at := -1
	for i := range spec.InitContainers {
		if spec.InitContainers[i].Name == k.name {
			at = i
		}
	}
	if at < 0 || !isSidecar(&spec.InitContainers[at]) {
		return true
	}
	for i := range spec.Containers {
		if s.stillStopping(spec.Containers[i].Name) {
			return false
		}
	}
	for i := at + 1; i < len(spec.InitContainers); i++ {
		if isSidecar(&spec.InitContainers[i]) && s.stillStopping(spec.InitContainers[i].Name) {
			return false
		}
	}
	return true
}

func (s *step) stillStopping(name string) bool {
	for i := range s.w.run.kills {
		if k := &s.w.run.kills[i]; k.name == name {
			return !k.done
		}
	}
	return false
}

func (s *step) allKilled() bool {
	s.killsDue()
	for i := range s.w.run.kills {
		if !s.w.run.kills[i].done {
			return false
		}
	}
	return true
}

func (s *step) stoppedForGood() bool    { return s.w.run.then == thenStop && s.allKilled() }
func (s *step) stoppedAfterHook() bool  { return s.w.run.then == thenHook && s.allKilled() }
func (s *step) stoppedForSandbox() bool { return s.w.run.actions.createSandbox && s.allKilled() }

// stopSandboxes stops the sandboxes of the pod.
func (s *step) stopSandboxes() {
	for _, b := range s.w.run.status.sandboxes {
		_ = s.machine().StopPodSandbox(s.call(), b.id)
	}
}

func (s *step) stopForSandbox() {
	s.stopSandboxes()
	s.w.run.kills = nil
	s.w.run.status.ips = nil
}

// stopIfKilled stops the sandbox where a sync ends the pod's containers for good.
func (s *step) stopIfKilled() {
	r := s.w.run
	if r.actions.killPod {
		s.stopSandboxes()
		r.sandbox = ""
	}
	r.kills = nil
}

// completeTerminating reports the end states of the containers
// (pkg/kubelet/kubelet.go, SyncTerminatingPod; pod_workers.go, completeTerminating).
func (s *step) completeTerminating() {
	w := s.w
	s.stopProbes(true)
	stopped := s.runtimeStatus(&w.run.status)
	if len(stopped.ips) == 0 {
		stopped.ips = w.run.status.ips
	}
	w.run = nil
	w.work, w.pending = terminated, true
	w.terminatedAt = s.now
	s.syncEnded()
	s.setStatus(s.generateStatus(&stopped, true), w.pod.DeletionTimestamp != nil, false)
}

// unmounting is how long the volume manager takes to unmount
// (pkg/kubelet/volumemanager/reconciler/reconciler.go, loops of 100 ms).
const unmounting = 200 * sim.Millisecond

// mayCleanUp reports whether the worker can end.
func (s *step) mayCleanUp() bool {
	w := s.w
	return w.work == terminated && w.pending && s.observed()
}

func (s *step) beginCleanUp() {
	w := s.w
	w.pending = false
	s.relist()
	w.pending = false
	s.setStatus(s.generateStatus(&w.cache, true), w.pod.DeletionTimestamp != nil, false)
}

// unmountTime is how long SyncTerminatedPod waits for volumes.
func (s *step) unmountTime() sim.Time {
	if s.now-s.w.terminatedAt >= unmounting || len(s.w.mounts) == 0 {
		return 0
	}
	return volumePoll
}

// completeTerminated ends the worker (pkg/kubelet/status/status_manager.go,
// TerminatePod; pod_workers.go, completeTerminated).
func (s *step) completeTerminated() {
	w := s.w
	w.work, w.pending = finished, false
	w.mounts = nil
	s.k.roomOnNode(w.node, s.now)
	if !w.gone {
		s.terminatePod()
	}
}
