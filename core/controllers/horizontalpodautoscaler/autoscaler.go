// Package horizontalpodautoscaler sizes workloads by how busy their pods are
// (pkg/controller/podautoscaler). The pods' usage is what the simulated containers
// use, read every 15 s as the metrics server would; without a metrics server in the
// cluster it fails as the real one does. Metrics of other APIs (custom, external)
// are not served by anything here. Start reading at Controller and look.sync.
package horizontalpodautoscaler

import (
	"maps"
	"math"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

const (
	name   = "horizontal-pod-autoscaler"
	period = 15 * sim.Second // --horizontal-pod-autoscaler-sync-period
)

// Controller is the actor. The lists in its maps are replaced, never changed.
type Controller struct {
	rt        *runtime.Runtime
	advice    map[string][]advice // by key: unstabilized recommendations
	grown     map[string][]resize // by key
	shrunk    map[string][]resize // by key
	samples   map[string]sample   // by container: what it had used when it was last read
	selectors map[string]string   // by key: the selector of the target
}

var _ actor.Actor = (*Controller)(nil)

// New returns the actor.
func New() actor.Actor {
	return &Controller{advice: map[string][]advice{}, grown: map[string][]resize{}, shrunk: map[string][]resize{},
		samples: map[string]sample{}, selectors: map[string]string{}}
}

// Name returns the name of the real controller's service account.
func (r *Controller) Name() string { return name }

// SetRuntime attaches the machines, whose containers are measured.
func (r *Controller) SetRuntime(rt *runtime.Runtime) { r.rt = rt }

// Clone returns an independent copy, which must be given its machines.
func (r *Controller) Clone() actor.Actor {
	return &Controller{r.rt, maps.Clone(r.advice), maps.Clone(r.grown), maps.Clone(r.shrunk), maps.Clone(r.samples), maps.Clone(r.selectors)}
}

// Watches maps autoscalers to themselves where they are new, gone, or have another
// spec: their status is this actor's own writing.
func (r *Controller) Watches() []actor.Watch {
	return []actor.Watch{{Kind: "HorizontalPodAutoscaler", Map: func(_ store.Snapshot, c store.Change) []sim.Key {
		m := c.Object().Meta()
		if c.Old != nil && c.New != nil && c.Old.Meta().Generation == m.Generation {
			return nil
		}
		return []sim.Key{{Kind: "HorizontalPodAutoscaler", Namespace: m.Namespace, Name: m.Name}}
	}}}
}

// Reconcile looks at one autoscaler, and again every 15 seconds. Where a look
// changed nothing and nothing will change by the passing of time alone, the next
// one is only a resync.
func (r *Controller) Reconcile(c *actor.Ctx, key sim.Key) actor.Result {
	id := key.Namespace + "/" + key.Name
	cached, ok := c.Read.Get("HorizontalPodAutoscaler", key.Namespace, key.Name).(*api.HorizontalPodAutoscaler)
	if !ok {
		delete(r.advice, id)
		delete(r.grown, id)
		delete(r.shrunk, id)
		delete(r.selectors, id)
		return actor.Result{}
	}
	h := *cached
	h.Status.Conditions = append([]api.HorizontalPodAutoscalerCondition(nil), h.Status.Conditions...)
	l := &look{r: r, c: c, h: &h, was: cached, id: id}
	if err := l.sync(); err != "" {
		c.Record(trace.Record{Ref: actor.RefOf(&h), Verdict: trace.Failed, Reason: "Retry", Message: err})
	}
	return actor.Result{Next: c.Now() + period, Periodic: !l.moving}
}

// look is one look at one autoscaler.
type look struct {
	r      *Controller
	c      *actor.Ctx
	h      *api.HorizontalPodAutoscaler // a copy; its conditions are the look's
	was    *api.HorizontalPodAutoscaler
	id     string
	moving bool // the passing of time alone may change something
}

// sync is reconcileAutoscaler; the text says what failed.
func (l *look) sync() string {
	t, problem := l.target()
	if problem != "" {
		l.event("Warning", "FailedGetScale", problem)
		l.set("AbleToScale", "False", "FailedGetScale", "the HPA controller was unable to get the target's current scale: "+problem)
		l.write()
		return problem
	}
	l.set("AbleToScale", "True", "SucceededGetScale", "the HPA controller was able to get the target's current scale")
	if l.r.advice[l.id] == nil {
		l.r.advice[l.id] = []advice{{t.wanted, l.c.Now()}}
	}
	least := int32(1)
	if l.h.Spec.MinReplicas != nil {
		least = *l.h.Spec.MinReplicas
	}
	size, why, failed := t.wanted, "", ""
	var statuses []api.MetricStatus
	switch {
	case t.wanted == 0 && !l.mayLeaveZero(least):
		l.set("ScalingActive", "False", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero")
	case t.wanted > l.h.Spec.MaxReplicas:
		size, why = l.h.Spec.MaxReplicas, "Current number of replicas above Spec.MaxReplicas"
	case t.wanted != 0 && t.wanted < least:
		size, why = least, "Current number of replicas below Spec.MinReplicas"
	default:
		var proposed int32
		var metric string
		proposed, metric, statuses, failed = l.propose(t)
		if proposed < 0 {
			l.report(t.wanted, l.h.Status.DesiredReplicas, statuses, false)
			l.write()
			l.event("Warning", "FailedComputeMetricsReplicas", failed)
			return failed
		}
		size, why = l.normalize(t.wanted, proposed, least, metric)
	}
	rescale := size != t.wanted
	if rescale {
		if problem := l.resize(t, size, why, statuses); problem != "" {
			return problem
		}
		l.notScaledToZero(t.wanted, size, least)
	}
	l.report(t.wanted, size, statuses, rescale)
	l.write()
	return failed
}

// mayLeaveZero reports whether a target of no replicas is scaled: one that this
// autoscaler brought there is (shouldComputeMetricsForZeroReplicas).
func (l *look) mayLeaveZero(least int32) bool {
	byUs := false
	for _, c := range l.h.Status.Conditions {
		byUs = byUs || c.Type == "ScaledToZero" && c.Status == "True"
	}
	return byUs && (least != 0 || l.hasOtherMetrics())
}

func (l *look) hasOtherMetrics() bool {
	for _, m := range l.h.Spec.Metrics {
		if m.Type == "Object" || m.Type == "External" {
			return true
		}
	}
	return false
}

func (l *look) notScaledToZero(from, to, least int32) {
	if from > 0 && to == 0 && least == 0 && l.hasOtherMetrics() {
		l.set("ScaledToZero", "True", "ScaledToZero", "the HPA controller scaled the workload to zero")
		return
	}
	l.set("ScaledToZero", "False", "NotScaledToZero", "the HPA controller did not scale the workload to zero")
}

// propose is the largest size that a metric asks for, -1 if none can be told or
// some cannot and the rest would shrink (computeReplicasForMetrics).
func (l *look) propose(t *target) (size int32, metric string, statuses []api.MetricStatus, failed string) {
	pods, problem := l.selected(t)
	if problem != "" {
		return -1, "", nil, problem
	}
	statuses = make([]api.MetricStatus, len(l.h.Spec.Metrics))
	invalid, reason, message := 0, "", ""
	for i := range l.h.Spec.Metrics {
		m := l.measure(&l.h.Spec.Metrics[i], t, pods, &statuses[i])
		if m.failed != "" {
			if invalid++; invalid == 1 {
				reason, message, failed = m.reason, "the HPA was unable to compute the replica count: "+m.cause, m.failed
			}
			continue
		}
		if size == 0 || m.replicas > size {
			size, metric = m.replicas, m.name
		}
	}
	if invalid > 0 {
		failed = "invalid metrics (" + itoa(int64(invalid)) + " invalid out of " + itoa(int64(len(l.h.Spec.Metrics))) + "), first error is: " + failed
	}
	if invalid >= len(l.h.Spec.Metrics) || invalid > 0 && size < t.wanted {
		l.set("ScalingActive", "False", reason, message)
		return -1, "", statuses, failed
	}
	l.set("ScalingActive", "True", "ValidMetricFound", "the HPA was able to successfully calculate a replica count from "+metric)
	return size, metric, statuses, failed
}

// normalize brings a proposal within what the rules allow, and says why.
func (l *look) normalize(now, proposed, least int32, metric string) (size int32, why string) {
	if proposed > now {
		why = metric + " above target"
	}
	if proposed < now {
		why = "All metrics below target"
	}
	proposed = max(proposed, 0)
	if l.h.Spec.Behavior == nil {
		size = l.plain(now, proposed, least)
	} else {
		size = l.behave(now, proposed, least)
	}
	if now == 0 && size < least {
		size = least
		if why == "" {
			why = "Current number of replicas below Spec.MinReplicas"
		}
	}
	return size, why
}

func ceil(f float64) int32 {
	if f > math.MaxInt32 {
		return math.MaxInt32
	}
	return int32(math.Ceil(f))
}
