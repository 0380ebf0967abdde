package scheduler

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// absorb brings the cache and the queue up to what has been delivered
// (pkg/scheduler/eventhandlers.go). The first look lists everything.
func (s *Scheduler) absorb(c *actor.Ctx) {
	if !s.started {
		s.started = true
		q := newQueue(c.Host.Start(), s.initial, s.most)
		s.queue = &q
		for _, kind := range []string{"Node", "Pod"} {
			c.Read.Each(kind, "", func(o api.Object) bool {
				s.change(c, store.Change{New: o, Cause: c.Cause})
				return true
			})
		}
		return
	}
	s.ownQueue()
	for _, ch := range c.Changes {
		s.change(c, ch)
	}
}

func (s *Scheduler) change(c *actor.Ctx, ch store.Change) {
	switch ch.Object().(type) {
	case *api.Node:
		s.nodeChanged(c, ch)
	case *api.Pod:
		s.podChanged(c, ch)
	default:
		if r, ok := resourceOf[ch.Object().ObjectType().Kind]; ok {
			s.moveAll(c, f.Event{Resource: r, Action: actionOf(ch)}, ch.Old, ch.New, ch.Cause, nil)
		}
	}
}

var resourceOf = map[string]f.EventResource{"PersistentVolume": f.PersistentVolume, "PersistentVolumeClaim": f.PersistentVolumeClaim,
	"StorageClass": f.StorageClass, "CSINode": f.CSINode, "CSIDriver": f.CSIDriver, "CSIStorageCapacity": f.CSIStorageCapacity,
	"VolumeAttachment": f.VolumeAttachment}

func actionOf(ch store.Change) f.Action {
	switch {
	case ch.Old == nil:
		return f.Add
	case ch.New == nil:
		return f.Delete
	}
	return f.Update
}

func (s *Scheduler) nodeChanged(c *actor.Ctx, ch store.Change) {
	old, _ := ch.Old.(*api.Node)
	now, _ := ch.New.(*api.Node)
	switch {
	case now == nil:
		s.moveAll(c, f.Event{Resource: f.Node, Action: f.Delete}, ch.Old, nil, ch.Cause, nil)
		s.cache.removeNode(old.Name)
		return
	case old == nil:
		s.cache.setNode(now)
		s.moveAll(c, f.Event{Resource: f.Node, Action: f.Add}, nil, ch.New, ch.Cause, nil)
		return
	}
	s.cache.setNode(now)
	for _, a := range nodeActions(old, now) {
		s.moveAll(c, f.Event{Resource: f.Node, Action: a}, ch.Old, ch.New, ch.Cause, nil)
	}
}

// nodeActions names what changed of a node
// (pkg/scheduler/framework/events.go, NodeSchedulingPropertiesChange).
func nodeActions(old, now *api.Node) []f.Action {
	var l []f.Action
	add := func(changed bool, a f.Action) {
		if changed {
			l = append(l, a)
		}
	}
	add(old.Spec.Unschedulable && !now.Spec.Unschedulable, f.UpdateNodeTaint)
	add(!sameQuantities(old.Status.Allocatable, now.Status.Allocatable), f.UpdateNodeAllocatable)
	add(!maps.Equal(old.Labels, now.Labels), f.UpdateNodeLabel)
	add(!reflect.DeepEqual(old.Spec.Taints, now.Spec.Taints) && len(old.Spec.Taints)+len(now.Spec.Taints) > 0, f.UpdateNodeTaint)
	add(!maps.Equal(nodeConditions(old), nodeConditions(now)), f.UpdateNodeCondition)
	add(!maps.Equal(old.Annotations, now.Annotations), f.UpdateNodeAnnotation)
	add(!reflect.DeepEqual(old.Spec.PodPreemptionPolicy, now.Spec.PodPreemptionPolicy), f.UpdateNodePreemptionPolicy)
	add(!slices.Equal(old.Status.DeclaredFeatures, now.Status.DeclaredFeatures), f.UpdateNodeDeclaredFeature)
	return l
}

func nodeConditions(n *api.Node) map[string]string {
	m := make(map[string]string, len(n.Status.Conditions))
	for i := range n.Status.Conditions {
		m[n.Status.Conditions[i].Type] = n.Status.Conditions[i].Status
	}
	return m
}

func sameQuantities(a, b map[string]api.Quantity) bool {
	return maps.EqualFunc(a, b, api.Quantity.Equal)
}

// finished reports whether the scheduler's watch leaves a pod out.
func finished(p *api.Pod) bool {
	return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed"
}

func (s *Scheduler) podChanged(c *actor.Ctx, ch store.Change) {
	old, _ := ch.Old.(*api.Pod)
	now, _ := ch.New.(*api.Pod)
	if old != nil && finished(old) {
		old = nil
	}
	if now != nil && finished(now) {
		now = nil
	}
	if old != nil && now != nil && old.UID != now.UID {
		s.podChanged(c, store.Change{Old: old, Cause: ch.Cause})
		old = nil
	}
	switch {
	case old == nil && now == nil:
	case old == nil:
		s.podAdded(c, now, ch.Cause)
	case now == nil:
		s.podGone(c, old, ch.Cause)
	default:
		s.podUpdated(c, old, now, ch.Cause)
	}
}

func (s *Scheduler) podAdded(c *actor.Ctx, p *api.Pod, cause sim.Cause) {
	if p.Spec.NodeName != "" {
		s.cache.confirm(f.NewPodInfo(p))
		s.moveAll(c, f.Event{Resource: f.AssignedPod, Action: f.Add}, nil, p, cause, nil)
		return
	}
	if !s.responsible(c, p, cause) {
		return
	}
	s.enqueue(c, p, cause)
}

// responsible reports whether the pod asks for this scheduler. If not, a record
// says once that nobody here will schedule it.
func (s *Scheduler) responsible(c *actor.Ctx, p *api.Pod, cause sim.Cause) bool {
	if s.profiles[p.Spec.SchedulerName] != nil {
		return true
	}
	k := podKey{p.Namespace, p.Name}
	if !s.strange[k] {
		s.strange[k] = true
		s.causedBy(c, cause).Record(trace.Record{Stage: trace.Scheduled, Ref: actor.RefOf(p), Verdict: trace.Waiting, Reason: "OtherScheduler",
			Message: "schedulerName " + quoted(p.Spec.SchedulerName) + " is not this scheduler's: it leaves the pod alone, without an event or a condition"})
	}
	return false
}

func quoted(s string) string { return `"` + s + `"` }

func (s *Scheduler) podGone(c *actor.Ctx, p *api.Pod, cause sim.Cause) {
	gone := f.Event{Resource: f.AssignedPod, Action: f.Delete}
	if p.Spec.NodeName != "" {
		s.cache.removePod(p.Spec.NodeName, p.UID)
		s.moveAll(c, gone, p, nil, cause, nil)
		return
	}
	delete(s.strange, podKey{p.Namespace, p.Name})
	s.nominees.remove(p.UID)
	if q := s.queue.pods[podKey{p.Namespace, p.Name}]; q != nil {
		s.queue.take(q)
	}
	if b := s.binding[p.UID]; b != nil {
		s.release(b)
	}
	if _, ok := s.cache.assumed[p.UID]; ok {
		s.cache.forget(p.UID)
		s.moveAll(c, gone, p, nil, cause, nil)
		return
	}
	if p.Status.NominatedNodeName != "" {
		s.moveAll(c, gone, p, nil, cause, atMost(f.PriorityOf(p)))
	}
}

func atMost(priority int32) func(*queued) bool {
	return func(q *queued) bool { return q.info.Priority <= priority }
}

func (s *Scheduler) podUpdated(c *actor.Ctx, old, now *api.Pod, cause sim.Cause) {
	switch {
	case old.Spec.NodeName != "":
		s.assignedUpdated(c, old, now, cause)
	case now.Spec.NodeName != "":
		s.nominees.remove(now.UID)
		delete(s.strange, podKey{now.Namespace, now.Name})
		if q := s.queue.pods[podKey{now.Namespace, now.Name}]; q != nil {
			s.queue.take(q)
		}
		s.podAdded(c, now, cause)
	case s.responsible(c, now, cause):
		s.waitingUpdated(c, old, now, cause)
	}
}

func (s *Scheduler) assignedUpdated(c *actor.Ctx, old, now *api.Pod, cause sim.Cause) {
	events := podEvents(old, now, false)
	if len(events) == 0 {
		if p := s.cache.removePod(now.Spec.NodeName, now.UID); p != nil {
			same := *p
			same.Pod = now
			s.cache.addPod(now.Spec.NodeName, &same)
			return
		}
	}
	s.cache.confirm(f.NewPodInfo(now))
	for _, e := range events {
		s.moveAll(c, e, old, now, cause, nil)
	}
}

func (s *Scheduler) waitingUpdated(c *actor.Ctx, old, now *api.Pod, cause sim.Cause) {
	if _, ok := s.cache.assumed[now.UID]; ok {
		if now.DeletionTimestamp != nil && old.DeletionTimestamp == nil {
			s.cache.forget(now.UID)
			s.moveAll(c, f.Event{Resource: f.AssignedPod, Action: f.Delete}, now, nil, cause, nil)
		}
		return
	}
	q := s.queue.pods[podKey{now.Namespace, now.Name}]
	if q == nil {
		s.enqueue(c, now, cause)
	} else {
		s.queuedUpdated(c, q, old, now, cause)
	}
	if was := old.Status.NominatedNodeName; was != "" && was != now.Status.NominatedNodeName {
		s.moveAll(c, f.Event{Resource: f.AssignedPod, Action: f.Delete}, old, nil, cause, atMost(f.PriorityOf(old)))
	}
}

func (s *Scheduler) queuedUpdated(c *actor.Ctx, q *queued, old, now *api.Pod, cause sim.Cause) {
	before := q.info
	q.info = f.NewPodInfo(now)
	s.nominees.update(before, q.info)
	if q.place != unschedulable {
		return
	}
	events := podEvents(old, now, true)
	if len(events) == 0 {
		events = []f.Event{{Resource: f.TargetPod, Action: f.Update}}
	}
	h := &f.HintContext{Cluster: s.clusterOf(c.Read)}
	for _, e := range events {
		if s.worth(h, q, e, old, now) && s.requeue(c, q, e, cause) {
			return
		}
	}
}

// podEvents names what changed of a pod as far as plugins ask for it
// (pkg/scheduler/framework/events.go, PodSchedulingPropertiesChange). It is empty
// where upstream sends the general update, which no default plugin wants.
func podEvents(old, now *api.Pod, target bool) []f.Event {
	r := f.UnscheduledPod
	switch {
	case now.Spec.NodeName != "":
		r = f.AssignedPod
	case target:
		r = f.TargetPod
	}
	var l []f.Event
	add := func(changed bool, a f.Action) {
		if changed {
			l = append(l, f.Event{Resource: r, Action: a})
		}
	}
	add(!maps.Equal(old.Labels, now.Labels), f.UpdatePodLabel)
	if down, up := scaled(old, now); down || up {
		add(down, f.UpdatePodScaleDown)
		add(up, f.UpdatePodScaleUp)
	}
	add(len(now.Spec.SchedulingGates) == 0 && len(old.Spec.SchedulingGates) > 0, f.UpdatePodSchedulingGatesEliminated)
	add(len(now.Spec.Tolerations) != len(old.Spec.Tolerations), f.UpdatePodToleration)
	return l
}

func scaled(old, now *api.Pod) (down, up bool) {
	if sameResources(old, now) {
		return false, false
	}
	a, b := f.Requests(old), f.Requests(now)
	for name, q := range a {
		n, ok := b[name]
		down = down || !ok || q.MilliValue() > n.MilliValue()
	}
	for name, q := range b {
		n, ok := a[name]
		up = up || !ok || q.MilliValue() > n.MilliValue()
	}
	return down, up
}

// sameResources is a quick look at what requests are made of.
func sameResources(a, b *api.Pod) bool {
	if len(a.Spec.Containers) != len(b.Spec.Containers) || (a.Spec.Resources == nil) != (b.Spec.Resources == nil) || a.Spec.Resources != nil {
		return false
	}
	for i := range a.Spec.Containers {
		if !sameQuantities(a.Spec.Containers[i].Resources.Requests, b.Spec.Containers[i].Resources.Requests) {
			return false
		}
	}
	return sameStatusResources(a.Status.ContainerStatuses, b.Status.ContainerStatuses) &&
		sameStatusResources(a.Status.InitContainerStatuses, b.Status.InitContainerStatuses)
}

func sameStatusResources(a, b []api.ContainerStatus) bool {
	requests := func(s *api.ContainerStatus) map[string]api.Quantity {
		if s.Resources == nil {
			return s.AllocatedResources
		}
		return s.Resources.Requests
	}
	if len(a) != len(b) {
		return false
	}
	return slices.EqualFunc(a, b, func(x, y api.ContainerStatus) bool {
		return strings.EqualFold(x.Name, y.Name) && sameQuantities(requests(&x), requests(&y))
	})
}
