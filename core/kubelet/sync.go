package kubelet

import (
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// syncRun is one run of SyncPod or SyncTerminatingPod.
type syncRun struct {
	status  podStatus // as the PLEG's cache was at its start
	actions actions
	begun   sim.Time

	sandbox string
	ips     []string
	kills   []kill
	then    afterKill

	i    int // position in actions.start
	cur  *api.Container
	kind kind
	fail *startResult // what went wrong with the current container
	pull pulling
	conf *runtime.ContainerConfig
	id   string // of the current container
	hook hook

	results []startResult
	acted   bool // something was done that a relist would see
	abort   bool // no more containers are started
	err     string
	network bool     // the error is that the network is not ready
	ended   bool     // the phase is terminal
	secrets []string // pull secrets that are missing
}

// startResult is the outcome of starting a container; err is "" when it runs.
type startResult struct {
	container    string
	err, message string
	until        sim.Time // end of a crash back-off, 0: none
}

// maySync reports whether SyncPod can begin: there is an update and the PLEG has
// looked since the last sync.
func (s *step) maySync() bool {
	w := s.w
	return w.work == syncing && w.admitted && w.pending && s.observed()
}

// beginSync generates the status that the API server shall see
// (pkg/kubelet/kubelet.go, SyncPod).
func (s *step) beginSync() {
	w := s.w
	w.pending = false
	s.relistCache()
	w.run = &syncRun{status: w.cache, begun: s.now}
	s.resizeProgress()
	st := s.generateStatus(&w.run.status, false)
	w.run.ended = terminal(st.Phase)
	for _, ip := range st.PodIPs {
		w.run.ips = append(w.run.ips, ip.IP)
	}
	s.setStatus(st, w.pod.DeletionTimestamp != nil, false)
}

// relistCache makes the cache as new as the latest beat.
func (s *step) relistCache() { s.relist(); s.w.pending = false }

func (s *step) phaseIsTerminal() bool { return s.w.run.ended }
func (s *step) endTerminal()          {}

// dueSync wakes the worker when its time in the work queue, or the pod's
// deadline, has come (pkg/kubelet/kubelet.go, getPodsToSync).
func (s *step) dueSync() {
	w := s.w
	if w.work != syncing || !w.admitted {
		return
	}
	s.retryResize()
	if s.now >= w.requeueAt {
		w.requeueAt = never
		w.pending = true
	}
	if s.now >= s.deadline() && w.evict == nil {
		w.evict = &eviction{reason: deadlineExceeded, message: "Pod was active on the node longer than the specified deadline"}
		w.pending = true
	}
}

const deadlineExceeded = "DeadlineExceeded"

// deadline returns when the sync loop notices that activeDeadlineSeconds is over
// (pkg/kubelet/active_deadline.go).
func (s *step) deadline() sim.Time {
	w := s.w
	d := w.pod.Spec.ActiveDeadlineSeconds
	if d == nil || w.evict != nil || w.status.StartTime == nil {
		return never
	}
	return s.k.syncTick(w.node, s.simTime(*w.status.StartTime)+sim.Time(*d)*sim.Second)
}

// backOffPeriod is the wait after a failed sync
// (pkg/kubelet/kubelet.go, backOffPeriod).
const backOffPeriod = 10 * sim.Second

// completeSync ends a sync and puts the pod back into the work queue
// (pkg/kubelet/pod_workers.go, completeSync and completeWork).
func (s *step) completeSync() {
	w, r := s.w, s.w.run
	w.updateReasons(r.results)
	s.missingSecrets()
	w.run = nil
	s.syncEnded()
	if r.ended {
		w.work, w.pending, w.requeueAt = terminating, true, never
		s.shortenGrace()
		return
	}
	err := r.err != ""
	until := sim.Time(0)
	for _, x := range r.results {
		if x.err == "" {
			continue
		}
		if x.until != 0 && (until == 0 || x.until < until) {
			until = x.until
		}
		err = true
	}
	if r.acted && !err {
		s.relistNow()
	}
	w.failing = err
	w.requeueAt = s.requeue(s.now, err, until)
}

// requeue returns when the sync loop shall look again at a pod whose sync ended at an
// instant (pkg/kubelet/pod_workers.go, completeWork).
func (s *step) requeue(at sim.Time, failed bool, until sim.Time) sim.Time {
	resync := sim.Time(s.k.cfg.SyncFrequency)
	wait := resync
	switch {
	case failed && s.w.runNetwork():
		wait = sim.Second
	case failed && until != 0:
		wait = min(max(until-at, 0), resync)
	case failed:
		wait = min(backOffPeriod, resync)
	}
	s.w.hooks++
	jitter := float64(s.c.Random("sync", s.w.key.String(), s.w.hooks)>>11) / (1 << 53)
	return s.k.syncTick(s.w.node, at+wait+sim.Time(0.5*jitter*float64(wait)))
}

func (w *worker) runNetwork() bool { return w.run != nil && w.run.network }

// missingSecrets tells of pull secrets that do not exist when a pull has failed
// (pkg/kubelet/kubelet.go, SyncPod).
func (s *step) missingSecrets() {
	r := s.w.run
	if len(r.secrets) == 0 {
		return
	}
	for _, x := range r.results {
		if x.err == "ErrImagePull" {
			s.event("", "Warning", "FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets ("+join(r.secrets, ", ")+"); attempting to pull the image may not succeed.")
			return
		}
	}
}

func (s *step) needsSandbox() bool    { return s.w.run.actions.createSandbox }
func (s *step) sandboxTime() sim.Time { return s.k.cfg.Latency.SandboxCreate }
func (s *step) createTime() sim.Time  { return s.k.cfg.Latency.ContainerCreate }
func (s *step) startTime() sim.Time   { return s.k.cfg.Latency.ContainerStart }
func (s *step) sandboxFailed() bool   { return s.w.run.err != "" }
func (s *step) containerFailed() bool { return s.w.run.fail != nil }

// runPodSandbox makes the sandbox (pkg/kubelet/kuberuntime/kuberuntime_sandbox.go).
func (s *step) runPodSandbox() {
	r := s.w.run
	r.acted = true
	cfg, err := s.sandboxConfig(r.actions.attempt)
	var box *runtime.Sandbox
	if err == nil {
		box, err = s.machine().RunPodSandbox(s.call(), cfg)
	}
	if err != nil {
		r.err = err.Error()
		if s.w.work != syncing {
			return
		}
		s.event("", "Warning", "FailedCreatePodSandBox", "Failed to create pod sandbox: "+err.Error())
		return
	}
	r.sandbox = box.ID
	if box.IP != "" {
		r.ips = []string{box.IP}
	}
}

// sandboxReady reports PodReadyToStartContainers at once
// (pkg/kubelet/kubelet.go, OnPodSandboxReady).
func (s *step) sandboxReady() {
	w := s.w
	if w.version == 0 {
		return
	}
	st := w.status
	st.Conditions = replaceCondition(st.Conditions, api.PodCondition{Type: "PodReadyToStartContainers", Status: "True", ObservedGeneration: w.pod.Generation})
	s.setStatus(st, false, false)
}

// record writes a trace record of the kubelet about the pod; what the worker does
// next is caused by it.
func (s *step) record(stage trace.Stage, v trace.Verdict, reason, message string, detail ...trace.Detail) {
	s.note(trace.Record{Source: "kubelet", Stage: stage, Ref: s.ref(), Verdict: v, Reason: reason, Message: message, Detail: detail})
}

// note writes a record, also for the runtime, and links the next one to it.
func (s *step) note(r trace.Record) sim.Cause {
	id := s.c.Record(r)
	s.w.cause, s.c.Cause = id, id
	return id
}
