package kubelet

import (
	"slices"
	"time"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// probeType is the type of a probe.
type probeType uint8

const (
	startupProbe probeType = iota
	readinessProbe
	livenessProbe
)

var probeNames = [...]string{"Startup", "Readiness", "Liveness"}

// probeResult is what a probe found, or is taken for before it has run.
type probeResult uint8

const (
	probeUnknown probeResult = iota
	probeSuccess
	probeFailure
)

// probe is the worker of one probe of one container
// (pkg/kubelet/prober/worker.go).
type probe struct {
	container string
	kind      probeType
	at        sim.Time // next beat
	manual    bool     // the status manager wants to know now
	id        string   // of the container that is probed
	last      probeResult
	runs      int32 // results in a row
	onHold    bool  // until there is a new container
	constant  int32 // results in a row that changed nothing
	run       probeRun
}

// probeRun is a probe that waits for its answer.
type probeRun struct {
	busy    bool
	exec    int // session, 0: none
	until   sim.Time
	limit   sim.Time // an exec session is ended then
	result  probeResult
	message string
	err     bool // the probe itself failed: its result is thrown away
}

// result is an entry of the result managers (pkg/kubelet/prober/results).
type result struct {
	kind  probeType
	id    string
	value probeResult
}

// result returns the last settled result of a container's probe.
func (w *worker) result(kind probeType, id string) (probeResult, bool) {
	for i := range w.results {
		if r := &w.results[i]; r.kind == kind && r.id == id {
			return r.value, true
		}
	}
	return probeUnknown, false
}

// setResult settles a result; a new one is reported to the sync loop
// (pkg/kubelet/kubelet.go, syncLoopIteration).
func (s *step) setResult(kind probeType, id string, v probeResult) {
	w := s.w
	for i := range w.results {
		r := &w.results[i]
		if r.kind != kind || r.id != id {
			continue
		}
		if r.value == v {
			return
		}
		r.value = v
		s.reported(kind, id, v)
		return
	}
	w.results = append(w.results, result{kind, id, v})
	s.reported(kind, id, v)
}

func (s *step) reported(kind probeType, id string, v probeResult) {
	switch kind {
	case livenessProbe:
		if v != probeFailure {
			return
		}
	case readinessProbe:
		s.setReadiness(id, v == probeSuccess)
	case startupProbe:
		s.setStarted(id, v == probeSuccess)
	}
	if s.w.work != finished {
		s.w.pending = true
	}
}

// setReadiness shows the readiness of a container without waiting for a sync
// (pkg/kubelet/status/status_manager.go, SetContainerReadiness).
func (s *step) setReadiness(id string, ready bool) {
	st, ok := s.changeContainer(id, func(c *api.ContainerStatus) bool {
		was := c.Ready
		c.Ready = ready
		return was != ready
	})
	if !ok {
		return
	}
	st.Conditions = replaceCondition(st.Conditions, s.ready(&st))
	st.Conditions = replaceCondition(st.Conditions, s.containersReady(&st))
	s.setStatus(st, false, false)
}

// setStarted shows that a container has started
// (pkg/kubelet/status/status_manager.go, SetContainerStartup).
func (s *step) setStarted(id string, started bool) {
	st, ok := s.changeContainer(id, func(c *api.ContainerStatus) bool {
		was := deref(c.Started)
		c.Started = ptr(started)
		return was != started
	})
	if ok {
		st.Conditions = slices.Clone(st.Conditions)
		s.setStatus(st, false, false)
	}
}

func (s *step) changeContainer(id string, change func(*api.ContainerStatus) bool) (api.PodStatus, bool) {
	st := s.w.status
	if s.w.version == 0 {
		return st, false
	}
	for _, list := range []*[]api.ContainerStatus{&st.ContainerStatuses, &st.InitContainerStatuses} {
		for i := range *list {
			if (*list)[i].ContainerID == containerIDPrefix+id {
				l := slices.Clone(*list)
				changed := change(&l[i])
				*list = l
				return st, changed
			}
		}
	}
	return st, false
}

// addProbes starts the workers of the pod's probes
// (pkg/kubelet/prober/prober_manager.go, AddPod).
func (s *step) addProbes() {
	spec := &s.w.pod.Spec
	for i := range spec.Containers {
		s.addProbesOf(&spec.Containers[i])
	}
	for i := range spec.InitContainers {
		if isSidecar(&spec.InitContainers[i]) {
			s.addProbesOf(&spec.InitContainers[i])
		}
	}
}

func (s *step) addProbesOf(c *api.Container) {
	for kind, p := range []*api.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		if p != nil && s.probe(c.Name, probeType(kind)) == nil {
			s.w.probes = append(s.w.probes, probe{container: c.Name, kind: probeType(kind), at: s.now})
		}
	}
}

func (s *step) probe(container string, kind probeType) *probe {
	for i := range s.w.probes {
		if p := &s.w.probes[i]; p.container == container && p.kind == kind {
			return p
		}
	}
	return nil
}

func probeSpec(c *api.Container, kind probeType) *api.Probe {
	if c == nil {
		return nil
	}
	return [...]*api.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe}[kind]
}

// stopProbes ends the probes of startup and liveness, or all of them
// (pkg/kubelet/prober/prober_manager.go, StopLivenessAndStartup, RemovePod).
func (s *step) stopProbes(all bool) {
	s.w.probes = slices.DeleteFunc(s.w.probes, func(p probe) bool { return all || p.kind != readinessProbe })
}

// updateProbeStatus fills in what probes decide: started and ready
// (pkg/kubelet/prober/prober_manager.go, UpdatePodStatus).
func (s *step) updateProbeStatus(st *api.PodStatus) {
	for i := range st.ContainerStatuses {
		s.probeStatus(&st.ContainerStatuses[i])
	}
	for i := range st.InitContainerStatuses {
		c := &st.InitContainerStatuses[i]
		if spec := containerSpec(s.w.pod, c.Name); spec != nil && isSidecar(spec) {
			s.probeStatus(c)
			continue
		}
		c.Started = ptr(c.State.Running != nil)
		c.Ready = c.State.Terminated != nil && c.State.Terminated.ExitCode == 0
	}
}

func (s *step) probeStatus(c *api.ContainerStatus) {
	started := s.isStarted(c)
	c.Started = &started
	c.Ready = false
	if !started {
		return
	}
	id := c.ContainerID[len(containerIDPrefix):]
	if v, ok := s.w.result(readinessProbe, id); ok && v == probeSuccess {
		c.Ready = true
		return
	}
	p := s.probe(c.Name, readinessProbe)
	c.Ready = p == nil
	if p != nil {
		p.manual = true
	}
}

func (s *step) isStarted(c *api.ContainerStatus) bool {
	if c.State.Running == nil {
		return false
	}
	if v, ok := s.w.result(startupProbe, c.ContainerID[len(containerIDPrefix):]); ok {
		return v == probeSuccess
	}
	return s.probe(c.Name, startupProbe) == nil
}

// probeDue runs the probes whose time has come.
func (s *step) probeDue() bool {
	moved := false
	for i := 0; i < len(s.w.probes); i++ {
		p := &s.w.probes[i]
		if p.run.busy {
			moved = s.pollProbe(p) || moved
			continue
		}
		if s.now < p.at && !p.manual {
			continue
		}
		spec := probeSpec(containerSpec(s.w.pod, p.container), p.kind)
		if spec == nil {
			continue
		}
		period := sim.Time(max(spec.PeriodSeconds, 1)) * sim.Second
		if p.manual || p.at == s.now {
			p.at = s.now + period
		} else {
			p.at = tickAt(s.now+1, p.at%period, period)
		}
		p.manual = false
		moved = true
		if !s.doProbe(p, spec) {
			s.w.probes = slices.Delete(s.w.probes, i, i+1)
			i--
		}
	}
	return moved
}

// doProbe looks at the container and, if it is time, probes it; false ends the
// worker (pkg/kubelet/prober/worker.go, doProbe).
func (s *step) doProbe(p *probe, spec *api.Probe) bool {
	w := s.w
	if w.version == 0 {
		return true
	}
	if terminal(w.status.Phase) {
		return false
	}
	c := statusNamed(w.status.ContainerStatuses, p.container)
	if c == nil || c.ContainerID == "" {
		c = statusNamed(w.status.InitContainerStatuses, p.container)
	}
	if c == nil || c.ContainerID == "" {
		return true
	}
	if id := c.ContainerID[len(containerIDPrefix):]; p.id != id {
		w.results = slices.DeleteFunc(w.results, func(r result) bool { return r.kind == p.kind && r.id == p.id })
		p.id, p.onHold, p.constant = id, false, 0
		s.setResult(p.kind, id, [...]probeResult{probeUnknown, probeFailure, probeSuccess}[p.kind])
	}
	if p.onHold {
		return true
	}
	if c.State.Running == nil {
		s.setResult(p.kind, p.id, probeFailure)
		return c.State.Terminated == nil || restarts(containerSpec(w.pod, p.container), &w.pod.Spec, int(c.State.Terminated.ExitCode))
	}
	if w.pod.DeletionTimestamp != nil && p.kind != readinessProbe {
		s.setResult(p.kind, p.id, probeSuccess)
		return false
	}
	if s.now-s.simTime(c.State.Running.StartedAt) < sim.Time(spec.InitialDelaySeconds)*sim.Second {
		return true
	}
	if deref(c.Started) == (p.kind == startupProbe) {
		return true
	}
	s.startProbe(p, spec)
	return true
}

// endProbe counts a result and settles it when its threshold is reached.
func (s *step) endProbe(p *probe, spec *api.Probe) {
	r := p.run
	p.run = probeRun{}
	c := p.container
	if r.err {
		s.event(s.fieldPath(c), "Warning", "Unhealthy", probeNames[p.kind]+" probe errored and resulted in unknown state: "+r.message)
		return
	}
	if r.result == probeFailure {
		s.event(s.fieldPath(c), "Warning", "Unhealthy", probeNames[p.kind]+" probe failed: "+r.message)
	}
	if p.last == r.result {
		p.runs++
	} else {
		p.last, p.runs, p.constant = r.result, 1, 0
	}
	p.constant++
	if p.constant <= 2 {
		s.recordProbe(p, r)
	}
	if r.result == probeFailure && p.runs < max(spec.FailureThreshold, 1) || r.result == probeSuccess && p.runs < max(spec.SuccessThreshold, 1) {
		return
	}
	s.setResult(p.kind, p.id, r.result)
	if p.kind == startupProbe || p.kind == livenessProbe && r.result == probeFailure {
		p.onHold, p.runs = true, 0
	}
}

func (s *step) recordProbe(p *probe, r probeRun) {
	v := trace.Passed
	if r.result == probeFailure {
		v = trace.Failed
	}
	s.record(trace.Probed, v, probeNames[p.kind], "container "+p.container+": "+r.message)
}

// nextProbe returns when the next probe is due and whether its answer can only be
// the one that it gave before.
func (s *step) nextProbe() (sim.Time, bool) {
	t, periodic := never, true
	for i := range s.w.probes {
		p := &s.w.probes[i]
		at, idle := p.at, p.onHold || s.settled(p)
		switch {
		case p.run.busy:
			at, idle = p.run.until, false
		case p.manual:
			at, idle = s.now, false
		}
		if at < t || at == t && !idle {
			t, periodic = at, idle
		}
	}
	return t, periodic
}

// settled reports whether a probe has answered alike so often that only something
// else could change the outcome.
func (s *step) settled(p *probe) bool {
	if p.id == "" {
		return s.w.state == Idle && !s.w.pending
	}
	c := s.machine().ContainerStatus(p.id)
	if c == nil || c.Started == never {
		return true
	}
	spec := probeSpec(containerSpec(s.w.pod, p.container), p.kind)
	if spec == nil {
		return true
	}
	v, ok := s.w.result(p.kind, p.id)
	return ok && v == p.last && p.runs >= max(spec.FailureThreshold, spec.SuccessThreshold, 1)
}

func probeTimeout(spec *api.Probe) time.Duration {
	return time.Duration(max(spec.TimeoutSeconds, 1)) * time.Second
}
