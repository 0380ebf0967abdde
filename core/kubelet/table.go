package kubelet

import (
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// State is a place in the table of transitions of a pod worker.
type State uint8

// The places. Those up to EndSync belong to SyncPod, the rest to the end of a pod.
const (
	Idle State = iota
	GenerateStatus
	MountVolumes
	ComputeActions
	KillContainers
	CreateSandbox
	SandboxCreated
	NextContainer
	EnsureImage
	PullImage
	ImagePulled
	MakeConfig
	CreateContainer
	ContainerCreated
	StartContainer
	ContainerStarted
	PostStart
	EndSync
	StopPod
	PodStopped
	Unmount
	Finished
	states
)

var stateNames = [states]string{"Idle", "GenerateStatus", "MountVolumes", "ComputeActions", "KillContainers", "CreateSandbox",
	"SandboxCreated", "NextContainer", "EnsureImage", "PullImage", "ImagePulled", "MakeConfig", "CreateContainer", "ContainerCreated",
	"StartContainer", "ContainerStarted", "PostStart", "EndSync", "StopPod", "PodStopped", "Unmount", "Finished"}

// String returns the name.
func (s State) String() string { return stateNames[s] }

// row is one transition: in From, when the condition holds, do the effect and go
// to To, where nothing happens before the delay is over. The rows of a state are
// tried in order.
type row struct {
	from     State
	cond     string
	when     func(*step) bool
	to       State
	delay    func(*step) sim.Time
	do       func(*step)
	upstream string // file of pkg/kubelet and the function that this mirrors
	record   *mark  // nil: the transition itself leaves none; its effect may
}

// mark is the record of a transition; the condition is its message.
type mark struct {
	stage   trace.Stage
	verdict trace.Verdict
	reason  string
}

var table = []row{
	{Idle, "the pod has to be brought up", (*step).maySync, GenerateStatus, nil, (*step).beginSync, "pod_workers.go podWorkerLoop", nil},
	{Idle, "the pod has to end", (*step).mayStop, StopPod, nil, (*step).beginStop, "kubelet.go SyncTerminatingPod", &mark{trace.Ended, trace.Info, "Terminating"}},
	{Idle, "the pod has ended", (*step).mayCleanUp, Unmount, (*step).unmountTime, (*step).beginCleanUp, "kubelet.go SyncTerminatedPod", nil},

	{GenerateStatus, "the phase is terminal", (*step).phaseIsTerminal, EndSync, nil, (*step).endTerminal, "kubelet.go SyncPod", nil},
	{GenerateStatus, "else", nil, MountVolumes, nil, (*step).addVolumes, "kubelet.go SyncPod", nil},

	{MountVolumes, "the pod has to end", (*step).cancelled, EndSync, nil, (*step).cancel, "volumemanager/volume_manager.go WaitForAttachAndMount", nil},
	{MountVolumes, "all volumes that containers mount are there", (*step).volumesReady, ComputeActions, nil, (*step).computeActions, "volumemanager/volume_manager.go WaitForAttachAndMount", &mark{trace.Volumes, trace.Passed, "VolumesReady"}},
	{MountVolumes, "a volume cannot be processed", (*step).unprocessed, EndSync, nil, (*step).failProcess, "volumemanager/volume_manager.go verifyVolumesMountedFunc", nil},
	{MountVolumes, "two minutes and three seconds have passed", (*step).mountTimedOut, EndSync, nil, (*step).failMount, "volumemanager/volume_manager.go WaitForAttachAndMount", nil},
	{MountVolumes, "else", nil, MountVolumes, (*step).mountPoll, nil, "volumemanager/volume_manager.go WaitForAttachAndMount", nil},

	{ComputeActions, "containers have to go", (*step).mustKill, KillContainers, nil, (*step).beginKills, "kuberuntime/kuberuntime_manager.go SyncPod", nil},
	{ComputeActions, "the pod has no usable sandbox", (*step).needsSandbox, CreateSandbox, (*step).sandboxTime, nil, "kuberuntime/kuberuntime_manager.go SyncPod", nil},
	{ComputeActions, "else", nil, NextContainer, nil, nil, "kuberuntime/kuberuntime_manager.go SyncPod", nil},

	{KillContainers, "all are stopped, the pod has to end", (*step).stoppedForGood, PodStopped, nil, (*step).stopSandboxes, "kuberuntime/kuberuntime_manager.go killPodWithSyncResult", nil},
	{KillContainers, "all are stopped, a hook had failed", (*step).stoppedAfterHook, NextContainer, nil, (*step).failHook, "kuberuntime/kuberuntime_container.go startContainer", nil},
	{KillContainers, "all are stopped, a new sandbox is needed", (*step).stoppedForSandbox, CreateSandbox, (*step).sandboxTime, (*step).stopForSandbox, "kuberuntime/kuberuntime_manager.go SyncPod", nil},
	{KillContainers, "all are stopped", (*step).allKilled, NextContainer, nil, (*step).stopIfKilled, "kuberuntime/kuberuntime_manager.go SyncPod", nil},

	{CreateSandbox, "always", nil, SandboxCreated, nil, (*step).runPodSandbox, "kuberuntime/kuberuntime_sandbox.go createPodSandbox", nil},
	{SandboxCreated, "it failed", (*step).sandboxFailed, EndSync, nil, nil, "kuberuntime/kuberuntime_manager.go SyncPod", nil},
	{SandboxCreated, "else", nil, NextContainer, nil, (*step).sandboxReady, "kubelet.go OnPodSandboxReady", nil},

	{NextContainer, "none is left to start", (*step).noneLeft, EndSync, nil, nil, "kuberuntime/kuberuntime_manager.go SyncPod", nil},
	{NextContainer, "it is in back-off", (*step).inBackOff, NextContainer, nil, (*step).backOff, "kuberuntime/kuberuntime_manager.go doBackOff", &mark{trace.Started, trace.Waiting, "CrashLoopBackOff"}},
	{NextContainer, "else", nil, EnsureImage, nil, (*step).inspectImage, "images/image_manager.go EnsureImageExists", nil},

	{EnsureImage, "it cannot be had", (*step).containerFailed, NextContainer, nil, (*step).failStart, "images/image_manager.go imagePullPrecheck", nil},
	{EnsureImage, "it is there", (*step).imagePresent, MakeConfig, nil, (*step).makeConfig, "images/image_manager.go EnsureImageExists", &mark{trace.Pulled, trace.Passed, "ImagePresent"}},
	{EnsureImage, "else", nil, PullImage, (*step).pullTime, (*step).beginPull, "images/image_manager.go pullImage", &mark{trace.Pulled, trace.Waiting, "Pulling"}},
	{PullImage, "always", nil, ImagePulled, nil, (*step).endPull, "images/image_manager.go pullImage", nil},
	{ImagePulled, "it failed", (*step).containerFailed, NextContainer, nil, (*step).failStart, "images/image_manager.go evalCRIPullErr", nil},
	{ImagePulled, "else", nil, MakeConfig, nil, (*step).makeConfig, "images/image_manager.go pullImage", nil},

	{MakeConfig, "it cannot be made", (*step).containerFailed, NextContainer, nil, (*step).failStart, "kuberuntime/kuberuntime_container.go generateContainerConfig", nil},
	{MakeConfig, "else", nil, CreateContainer, (*step).createTime, nil, "kuberuntime/kuberuntime_container.go startContainer", nil},
	{CreateContainer, "always", nil, ContainerCreated, nil, (*step).createContainer, "kuberuntime/kuberuntime_container.go startContainer", nil},
	{ContainerCreated, "it failed", (*step).containerFailed, NextContainer, nil, (*step).failStart, "kuberuntime/kuberuntime_container.go startContainer", nil},
	{ContainerCreated, "else", nil, StartContainer, (*step).startTime, nil, "kuberuntime/kuberuntime_container.go startContainer", nil},
	{StartContainer, "always", nil, ContainerStarted, nil, (*step).startContainer, "kuberuntime/kuberuntime_container.go startContainer", nil},
	{ContainerStarted, "it failed", (*step).containerFailed, NextContainer, nil, (*step).failStart, "kuberuntime/kuberuntime_container.go startContainer", nil},
	{ContainerStarted, "it has a postStart hook", (*step).hasPostStart, PostStart, nil, (*step).beginPostStart, "kuberuntime/kuberuntime_container.go startContainer", nil},
	{ContainerStarted, "else", nil, NextContainer, nil, (*step).started, "kuberuntime/kuberuntime_manager.go SyncPod", nil},
	{PostStart, "the hook failed", (*step).postStartFailed, KillContainers, nil, (*step).killAfterHook, "kuberuntime/kuberuntime_container.go startContainer", &mark{trace.Started, trace.Failed, "PostStartHookError"}},
	{PostStart, "the hook is done", (*step).postStartDone, NextContainer, nil, (*step).started, "kuberuntime/kuberuntime_container.go startContainer", nil},

	{EndSync, "always", nil, Idle, nil, (*step).completeSync, "pod_workers.go completeWork", nil},

	{StopPod, "always", nil, KillContainers, nil, (*step).beginKills, "kubelet.go SyncTerminatingPod", nil},
	{PodStopped, "always", nil, Idle, nil, (*step).completeTerminating, "pod_workers.go completeTerminating", &mark{trace.Ended, trace.Info, "Terminated"}},
	{Unmount, "always", nil, Finished, nil, (*step).completeTerminated, "pod_workers.go completeTerminated", &mark{trace.Ended, trace.Info, "CleanedUp"}},
}

// rows are the rows of the table by the state that they leave.
var rows = func() (r [states][]row) {
	for _, x := range table {
		r[x.from] = append(r[x.from], x)
	}
	return r
}()

// advance takes the worker's next transition, if there is one now.
func (s *step) advance() bool {
	w := s.w
	if s.now < w.at {
		return false
	}
	for i := range rows[w.state] {
		r := &rows[w.state][i]
		if r.when != nil && !r.when(s) {
			continue
		}
		if r.record != nil && s.noteworthy(r) {
			s.record(r.record.stage, r.record.verdict, r.record.reason, r.cond)
		}
		if r.do != nil {
			r.do(s)
		}
		w.at = s.now
		if r.delay != nil {
			w.at += r.delay(s)
		}
		w.state = r.to
		return true
	}
	return false
}

// noteworthy reports whether a transition says anything new: that volumes are ready
// is so once.
func (s *step) noteworthy(r *row) bool {
	return r.from != MountVolumes || s.w.run != nil && len(s.w.run.status.sandboxes) == 0
}

// run does everything that is due at this instant.
func (s *step) run() {
	s.catchUp()
	for again := true; again; {
		s.relist()
		s.dueSync()
		again = s.mountDue()
		again = s.probeDue() || again
		again = s.hooksDue() || again
		again = s.evictDue() || again
		for s.advance() {
			again = true
		}
	}
	s.sendStatus()
	s.w.calm = s.isCalm()
}

// next returns when the worker has to be looked at again, and whether that look
// could change anything.
func (s *step) next() (sim.Time, bool) {
	w := s.w
	t, periodic := never, true
	add := func(at sim.Time, idle bool) {
		if at < t || at == t && !idle {
			t, periodic = at, idle
		}
	}
	if w.state != Idle && w.at > s.now {
		add(w.at, false)
	}
	if w.state == Idle && w.pending && w.work != finished {
		add(s.k.RelistAt(w.node, w.lastSync+1), false)
	}
	if w.work == syncing && w.admitted {
		if !w.calm {
			add(w.requeueAt, !w.failing && w.state == Idle && !s.stale())
		}
		add(s.deadline(), false)
		add(s.evictionAt(), false)
		if w.resize.want != nil {
			add(w.resize.retry, true)
		}
	}
	if !s.offline {
		add(w.sendAt, false)
	}
	if rev, changed := s.machine().Changed(w.uid); rev != w.seenRev && w.work != finished {
		add(s.k.RelistAt(w.node, changed), false)
	}
	add(s.nextHook(), false)
	add(s.nextMount(), false)
	pt, pp := s.nextProbe()
	add(pt, pp)
	return t, periodic
}
