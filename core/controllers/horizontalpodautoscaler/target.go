package horizontalpodautoscaler

import (
	"strconv"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
)

// target is the scale of a workload.
type target struct {
	kind     *api.Kind
	wanted   int32 // spec.replicas
	have     int32 // status.replicas
	selector string
	sel      api.Selector
}

// target reads the scale of what the autoscaler refers to.
func (l *look) target() (*target, string) {
	ref := l.h.Spec.ScaleTargetRef
	if strings.Count(ref.APIVersion, "/") > 1 {
		return nil, "unexpected GroupVersion string: " + ref.APIVersion
	}
	group, _, _ := strings.Cut(ref.APIVersion, "/")
	if !strings.Contains(ref.APIVersion, "/") {
		group = ""
	}
	k := api.KindNamed(ref.Kind)
	if k == nil || k.Group != group {
		return nil, "no matches for kind " + strconv.Quote(ref.Kind) + " in group " + strconv.Quote(group)
	}
	t := &target{kind: k}
	if !t.scalable() {
		return nil, "the server could not find the requested resource"
	}
	res := l.c.Do(api.Request{Verb: api.Get, Kind: k, Namespace: l.h.Namespace, Name: ref.Name, Subresource: "scale"})
	if res.Failed() {
		return nil, res.Status.Message
	}
	t.read(res.Object)
	return t, ""
}

func (t *target) scalable() bool {
	switch t.kind.Kind {
	case "Deployment", "ReplicaSet", "StatefulSet", "ReplicationController":
		return true
	}
	return false
}

func (t *target) read(o api.Object) {
	var selector *api.LabelSelector
	var n *int32
	switch x := o.(type) {
	case *api.Deployment:
		n, t.have, selector = x.Spec.Replicas, x.Status.Replicas, x.Spec.Selector
	case *api.ReplicaSet:
		n, t.have, selector = x.Spec.Replicas, x.Status.Replicas, x.Spec.Selector
	case *api.StatefulSet:
		n, t.have, selector = x.Spec.Replicas, x.Status.Replicas, x.Spec.Selector
	case *api.ReplicationController:
		n, t.have, selector = x.Spec.Replicas, x.Status.Replicas, &api.LabelSelector{MatchLabels: x.Spec.Selector}
	}
	t.wanted = 1
	if n != nil {
		t.wanted = *n
	}
	t.sel, _ = selector.AsSelector()
	t.selector = t.sel.String()
}

// selected returns the pods of the target (validateAndParseSelector).
func (l *look) selected(t *target) ([]*api.Pod, string) {
	if t.selector == "" {
		l.event("Warning", "SelectorRequired", "selector is required")
		l.set("ScalingActive", "False", "InvalidSelector", "the HPA target's scale is missing a selector")
		return nil, "selector is required"
	}
	l.r.selectors[l.id] = t.selector
	var pods []*api.Pod
	l.c.Read.Each("Pod", l.h.Namespace, func(o api.Object) bool {
		if p := o.(*api.Pod); t.sel.Matches(p.Labels) {
			pods = append(pods, p)
		}
		return true
	})
	if other := l.rival(pods); other != "" {
		text := "pods by selector " + t.selector + " are controlled by more than one HPA (e.g. [" + l.id + " " + other + "])"
		l.event("Warning", "AmbiguousSelector", text)
		l.set("ScalingActive", "False", "AmbiguousSelector", text)
		return nil, text
	}
	return pods, ""
}

// rival is another autoscaler that selects one of the pods, "" if there is none.
func (l *look) rival(pods []*api.Pod) (found string) {
	l.c.Read.Each("HorizontalPodAutoscaler", l.h.Namespace, func(o api.Object) bool {
		id := o.Meta().Namespace + "/" + o.Meta().Name
		if id == l.id || l.r.selectors[id] == "" {
			return true
		}
		sel, err := api.ParseSelector(l.r.selectors[id])
		for _, p := range pods {
			if err == nil && sel.Matches(p.Labels) {
				found = id
			}
		}
		return found == ""
	})
	return found
}

// resize writes the new size; the text says what failed.
func (l *look) resize(t *target, size int32, why string, statuses []api.MetricStatus) string {
	res := l.c.Do(api.Request{Verb: api.Patch, Kind: t.kind, Namespace: l.h.Namespace, Name: l.h.Spec.ScaleTargetRef.Name, Subresource: "scale",
		PatchType: "application/merge-patch+json", Body: []byte(`{"spec":{"replicas":` + itoa(int64(size)) + `}}`)})
	if res.Failed() {
		l.event("Warning", "FailedRescale", "New size: "+itoa(int64(size))+"; reason: "+why+"; error: "+res.Status.Message)
		l.set("AbleToScale", "False", "FailedUpdateScale", "the HPA controller was unable to update the target scale: "+res.Status.Message)
		l.report(t.wanted, l.h.Status.DesiredReplicas, statuses, false)
		l.write()
		return res.Status.Message
	}
	l.set("AbleToScale", "True", "SucceededRescale", "the HPA controller was able to update the target scale to "+itoa(int64(size)))
	l.event("Normal", "SuccessfulRescale", "New size: "+itoa(int64(size))+"; reason: "+why)
	l.remember(t.wanted, size)
	return ""
}

func (l *look) event(kind, reason, message string) {
	l.c.Event(actor.Event{Regarding: l.h, Type: kind, Reason: reason, Message: message, Component: name})
}

// set sets a condition; its time moves only with its status.
func (l *look) set(kind, status, reason, message string) {
	list := l.h.Status.Conditions
	for i := range list {
		if c := &list[i]; c.Type == kind {
			if c.Status != status {
				c.LastTransitionTime = l.c.Time()
			}
			c.Status, c.Reason, c.Message = status, reason, message
			return
		}
	}
	l.h.Status.Conditions = append(list, api.HorizontalPodAutoscalerCondition{Type: kind, Status: status, Reason: reason, Message: message,
		LastTransitionTime: l.c.Time()})
}

// report fills in the status (setStatus).
func (l *look) report(now, desired int32, statuses []api.MetricStatus, rescaled bool) {
	s := &l.h.Status
	s.CurrentReplicas, s.DesiredReplicas, s.CurrentMetrics = now, desired, statuses
	generation := l.h.Generation
	s.ObservedGeneration = &generation
	if rescaled {
		at := l.c.Time()
		s.LastScaleTime = &at
	}
}

// write writes the status if it is news.
func (l *look) write() {
	if api.Equal(&l.h.Status, &l.was.Status) {
		return
	}
	l.moving = true
	if res := l.c.UpdateStatus(l.h); res.Failed() {
		l.event("Warning", "FailedUpdateStatus", res.Status.Message)
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// isPending reports whether a pod has not started.
func isPending(p *api.Pod) bool { return p.Status.Phase == "Pending" }

// isIgnored reports whether a pod does not count at all.
func isIgnored(p *api.Pod) bool { return p.DeletionTimestamp != nil || p.Status.Phase == "Failed" }

var readyOf = podcontrol.Condition
