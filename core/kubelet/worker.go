package kubelet

import (
	"slices"

	"podwalk/core/api"
	"podwalk/core/sim"
)

// work is what a pod worker has to do next (pkg/kubelet/pod_workers.go).
type work uint8

const (
	syncing     work = iota // SyncPod: bring the pod up
	terminating             // SyncTerminatingPod: stop its containers
	terminated              // SyncTerminatedPod: clean up
	finished                // nothing more is done
)

// worker is all that a kubelet keeps about one pod. It is data; clone makes an
// independent copy. Status values inside are replaced, never changed in place.
type worker struct {
	own   *owner
	older *worker // an earlier pod of the same name that is not gone yet

	key       sim.Key
	uid, node string
	seen      *api.Pod // as last delivered
	pod       *api.Pod // the same with the resources that are allocated
	resize    resizing
	user      api.User
	cause     sim.Cause // record that leads to what the worker does next
	cost      cost
	sums      sums

	// Pod worker.
	work         work
	admitted     bool
	gone         bool  // the API server does not have it any more
	pending      bool  // an update waits for the worker
	grace        int64 // seconds, 0: not decided
	lastSync     sim.Time
	synced       bool // lastSync is set
	requeueAt    sim.Time
	calm         bool // the resyncs up to the next look change nothing
	failing      bool // the last sync ended with an error
	evict        *eviction
	terminatedAt sim.Time

	// The place in the table of transitions.
	state State
	at    sim.Time // when the wait of that place is over
	run   *syncRun

	// PLEG.
	seenRev  uint64
	relisted bool      // this pod alone, after the last sync
	ended    sim.Cause // record of the latest end of a container that a relist saw
	cache    podStatus

	// Status manager.
	status  api.PodStatus
	version uint64 // of status; 0: none yet
	sent    uint64
	told    *api.Pod // the pod with what was sent
	done    bool     // TerminatePod has run
	sendAt  sim.Time // sim.Never: nothing to send

	reasons []reason
	crash   []backOff
	pulls   []backOff
	probes  []probe
	results []result
	mounts  []mount
	hooks   uint64 // counts what has been run in containers
}

// cost is what a pod asks of its node.
type cost struct {
	cpu, memory, storage int64 // milli, bytes, bytes
	ports                []hostPort
}

type hostPort struct {
	ip, protocol string
	port         int32
}

// sums are the totals of a pod's containers that its status shows.
type sums struct {
	of               *api.Pod // whose
	running          bool     // with the limits of a pod that runs
	requests, limits map[string]api.Quantity
}

// totals returns requests and limits of the pod.
func (w *worker) totals() (requests, limits map[string]api.Quantity) {
	running := w.pod.Status.Phase == "Running"
	if w.sums.of == nil || !sameResources(w.sums.of, w.pod) || w.sums.running != running {
		w.sums = sums{of: w.pod, running: running, requests: podRequests(w.pod), limits: podLimits(w.pod)}
	}
	return w.sums.requests, w.sums.limits
}

// eviction is the kubelet's decision to end a pod, with what its status shall say.
// disruption: the pod has to make room on its node, which a condition says.
type eviction struct {
	reason, message string
	disruption      bool
}

// reason is an entry of the reason cache: why a container did not start
// (pkg/kubelet/reason_cache.go).
type reason struct{ container, reason, message string }

func newWorker(own *owner, key sim.Key, pod *api.Pod) *worker {
	return &worker{own: own, key: key, uid: pod.UID, node: pod.Spec.NodeName, seen: pod, pod: pod, sendAt: sim.Never, requeueAt: sim.Never,
		user: api.User{Name: "system:node:" + pod.Spec.NodeName, Groups: []string{"system:nodes", "system:authenticated"}}}
}

// clone returns a copy that may be changed by own, with the older workers.
func (w *worker) clone(own *owner) *worker {
	c := *w
	c.own = own
	if w.older != nil {
		c.older = w.older.clone(own)
	}
	if w.run != nil {
		r := *w.run
		r.kills = slices.Clone(r.kills)
		r.results = slices.Clone(r.results)
		c.run = &r
	}
	c.reasons = slices.Clone(w.reasons)
	c.crash = slices.Clone(w.crash)
	c.pulls = slices.Clone(w.pulls)
	c.probes = slices.Clone(w.probes)
	c.results = slices.Clone(w.results)
	c.mounts = slices.Clone(w.mounts)
	return &c
}

func (w *worker) reasonOf(container string) *reason {
	for i := range w.reasons {
		if w.reasons[i].container == container {
			return &w.reasons[i]
		}
	}
	return nil
}

// updateReasons takes the outcomes of a sync into the reason cache
// (pkg/kubelet/reason_cache.go, Update).
func (w *worker) updateReasons(results []startResult) {
	for _, r := range results {
		w.reasons = slices.DeleteFunc(w.reasons, func(x reason) bool { return x.container == r.container })
		if r.err != "" {
			w.reasons = append(w.reasons, reason{r.container, r.err, r.message})
		}
	}
}

// podName prints a pod as the kubelet's messages do: name_namespace(uid).
func (w *worker) podName() string { return w.key.Name + "_" + w.key.Namespace + "(" + w.uid + ")" }
