package kubelet

import (
	"slices"

	"podwalk/core/runtime"
	"podwalk/core/sim"
)

const (
	never        = sim.Never
	relistPeriod = sim.Second // pkg/kubelet/pleg/generic.go
	syncPeriod   = sim.Second // of the ticker that looks for due pods, pkg/kubelet/kubelet.go
)

// podStatus is what a relist saw of a pod (pkg/kubelet/container/runtime.go,
// PodStatus). It is replaced as a whole, never changed.
type podStatus struct {
	ips        []string
	containers []containerStatus // newest first
	sandboxes  []sandboxStatus   // newest first
}

type sandboxStatus struct {
	id          string
	attempt     int
	ready       bool
	ip          string
	hostNetwork bool
}

type containerStatus struct {
	id, name, sandbox            string
	image, imageRef              string
	state                        runtime.State
	restarts                     int
	created, started, finishedAt sim.Time
	exitCode                     int
	reason, message              string
}

func (s *containerStatus) running() bool { return s.state == runtime.Running }
func (s *containerStatus) exited() bool  { return s.state == runtime.Exited }

// named returns the newest container of a name, or nil.
func (p *podStatus) named(name string) *containerStatus {
	for i := range p.containers {
		if p.containers[i].name == name {
			return &p.containers[i]
		}
	}
	return nil
}

// active returns the newest container of a name in the newest sandbox, or nil.
func (p *podStatus) active(name string) *containerStatus {
	if len(p.sandboxes) == 0 || !p.sandboxes[0].ready {
		return nil
	}
	for i := range p.containers {
		if c := &p.containers[i]; c.name == name && c.sandbox == p.sandboxes[0].id {
			return c
		}
	}
	return nil
}

// phase is where in its period a loop of a kubelet beats: a name and what it is of.
// In a real cluster that is where the kubelet happened to start.
func (k *Kubelet) phase(of, loop string, period sim.Time) sim.Time {
	return sim.Time(k.rt.Random(loop, of) % uint64(period))
}

// tickAt returns the first beat at or after t.
func tickAt(t, phase, period sim.Time) sim.Time {
	if t >= never-2*period {
		return never
	}
	n := (t - phase + period - 1) / period
	if t < phase {
		n = 0
	}
	return phase + n*period
}

// lastTick returns the latest beat at or before t, or a negative value.
func lastTick(t, phase, period sim.Time) sim.Time {
	if t < phase {
		return -1
	}
	return phase + (t-phase)/period*period
}

// RelistAt returns when the kubelet of a node next relists, at or after t.
func (k *Kubelet) RelistAt(node string, t sim.Time) sim.Time {
	return tickAt(t, k.phase(node, "pleg", relistPeriod), relistPeriod)
}

// syncTick returns when the kubelet of a node next looks for due pods.
func (k *Kubelet) syncTick(node string, t sim.Time) sim.Time {
	return tickAt(t, k.phase(node, "syncloop", syncPeriod), syncPeriod)
}

// relist is the beat of the PLEG: it takes in what changed on the machine before
// it and wakes the worker (pkg/kubelet/pleg/generic.go, Relist).
func (s *step) relist() {
	w := s.w
	rev, changed := s.machine().Changed(w.uid)
	if rev == w.seenRev {
		return
	}
	tick := lastTick(s.now, s.k.phase(w.node, "pleg", relistPeriod), relistPeriod)
	if changed <= tick {
		s.inspect(rev)
	}
}

// relistNow is a relist of this pod alone, which a sync that did something asks
// for (pkg/kubelet/pleg/generic.go, relistPod).
func (s *step) relistNow() {
	rev, _ := s.machine().Changed(s.w.uid)
	if rev != s.w.seenRev {
		s.inspect(rev)
	}
	s.w.relisted = true
}

// inspect takes the pod's status into the cache and reports it to the sync loop.
func (s *step) inspect(rev uint64) {
	w := s.w
	w.seenRev = rev
	w.cache = s.runtimeStatus(&w.cache)
	if ended := s.machine().Ended(w.uid); ended > w.ended {
		w.ended, w.cause, s.c.Cause = ended, ended, ended
	}
	if w.work != finished && w.admitted {
		w.pending = true
	}
}

// observed reports whether the cache is newer than the end of the last sync
// (pkg/kubelet/container/cache.go, GetNewerThan). The beat that began a sync is not:
// a sync which takes no time of the run takes some in a real cluster.
func (s *step) observed() bool {
	w := s.w
	if !w.synced || w.relisted {
		return true
	}
	return lastTick(s.now, s.k.phase(w.node, "pleg", relistPeriod), relistPeriod) > w.lastSync
}

// syncEnded notes that what the worker does next has to see a newer cache.
func (s *step) syncEnded() {
	s.w.lastSync, s.w.synced, s.w.relisted = s.now, true, false
}

// runtimeStatus asks the machine for the state of the pod
// (pkg/kubelet/kuberuntime/kuberuntime_manager.go, GetPodStatus).
func (s *step) runtimeStatus(old *podStatus) podStatus {
	m, uid := s.machine(), s.w.uid
	var p podStatus
	boxes := m.Sandboxes(uid)
	p.sandboxes = make([]sandboxStatus, len(boxes))
	for i, b := range boxes {
		p.sandboxes[i] = sandboxStatus{id: b.ID, attempt: b.Attempt, ready: b.Ready, ip: b.IP, hostNetwork: b.Config.HostNetwork}
		if i == 0 && b.Ready && b.IP != "" {
			p.ips = []string{b.IP}
		}
	}
	if len(p.ips) == 0 && (len(boxes) == 0 || !boxes[0].Ready) {
		p.ips = old.ips
	}
	list := m.Containers(uid)
	p.containers = make([]containerStatus, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		p.containers = append(p.containers, s.containerStatus(list[i], old))
	}
	slices.SortStableFunc(p.containers, func(a, b containerStatus) int { return int(min(max(b.created-a.created, -1), 1)) })
	return p
}

func (s *step) containerStatus(c *runtime.Container, old *podStatus) containerStatus {
	if c.State == runtime.Exited {
		for i := range old.containers {
			if o := &old.containers[i]; o.id == c.ID && o.exited() {
				return *o
			}
		}
	}
	cs := containerStatus{id: c.ID, name: c.Config.Name, sandbox: c.Sandbox, image: c.Config.ImageName, imageRef: c.ImageRef,
		state: c.State, restarts: c.Config.Attempt, created: c.Created, started: c.Started, finishedAt: c.Finished,
		exitCode: c.ExitCode, reason: c.Reason, message: c.Message}
	if c.State == runtime.Exited {
		cs.message = joinMessage(c.Message, s.terminationMessage(c))
	}
	return cs
}

func joinMessage(a, b string) string {
	if a != "" && b != "" {
		return a + ": " + b
	}
	return a + b
}

const (
	maxTerminationMessage  = 4096 // pkg/kubelet/container/runtime.go
	maxTerminationLog      = 2048
	maxTerminationLogLines = 80
)

// terminationMessage reads what a container left behind
// (pkg/kubelet/kuberuntime/kuberuntime_container.go, getTerminationMessage).
func (s *step) terminationMessage(c *runtime.Container) string {
	msg := c.TerminationMessage()
	if len(msg) > maxTerminationMessage {
		msg = msg[:maxTerminationMessage]
	}
	spec := containerSpec(s.w.pod, c.Config.Name)
	if msg != "" || spec == nil || spec.TerminationMessagePolicy != "FallbackToLogsOnError" || c.ExitCode == 0 || c.Reason == "StartError" {
		return msg
	}
	lines := c.Logs()
	lines = lines[max(0, len(lines)-maxTerminationLogLines):]
	var b []byte
	for _, l := range lines {
		b = append(append(b, l.Text...), '\n')
	}
	return string(b[max(0, len(b)-maxTerminationLog):])
}
