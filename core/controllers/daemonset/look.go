package daemonset

import (
	"sort"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/history"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/sim"
)

// burst is how many pods one look creates or deletes at most.
const burst = 250

// templateGeneration counts the changes of a set's template, in an annotation of
// the set and a label of its pods.
const (
	templateGeneration      = "deprecated.daemonset.template.generation"
	templateGenerationLabel = "pod-template-generation"
)

// look is one look at a set (syncDaemonSet).
type look struct {
	c     *Controller
	ctx   *actor.Ctx
	set   *api.DaemonSet
	wrote uint64
	next  sim.Time

	fit      fit
	nodes    []*api.Node
	pods     []*api.Pod
	onNode   map[string][]*api.Pod // pods by the node that they are on or ask for
	present  *api.ControllerRevision
	older    []*api.ControllerRevision
	hash     string // of the present revision
	template string // the set's template generation, "" if it has none
}

// run reports whether the look succeeded; else it is repeated.
func (l *look) run() bool {
	d := l.set
	selector, err := d.Spec.Selector.AsSelector()
	if err != nil {
		return false
	}
	if selector.Empty() {
		l.event("Warning", "SelectingAll", "This daemon set is selecting all pods. A non-empty selector is required.")
		return true
	}
	if d.DeletionTimestamp != nil {
		return true
	}
	l.ctx.Read.Each("Node", "", func(o api.Object) bool {
		l.nodes = append(l.nodes, o.(*api.Node))
		return true
	})
	l.fit = newFit(d)
	if _, err := strconv.ParseInt(d.Annotations[templateGeneration], 10, 64); err == nil {
		l.template = d.Annotations[templateGeneration]
	}
	var st *api.Status
	candidates := append(podcontrol.Owned(l.ctx.Read, d), podcontrol.Orphans(l.ctx.Read, d.Namespace)...)
	if l.pods, st = (&podcontrol.Claims{Owner: d, Selector: selector}).Pods(l.ctx, candidates); st != nil {
		return false
	}
	l.group()
	if !l.revise(selector) {
		return false
	}
	ok := l.update()
	return l.writeStatus() && ok
}

// group sorts the pods by node; what has ended and is being deleted is not looked
// at any more.
func (l *look) group() {
	l.onNode = map[string][]*api.Pod{}
	for _, p := range l.pods {
		if podcontrol.IsFinished(p) && p.DeletionTimestamp != nil {
			continue
		}
		if n := target(p); n != "" {
			l.onNode[n] = append(l.onNode[n], p)
		}
	}
	for _, list := range l.onNode {
		oldestFirst(list)
	}
}

// oldestFirst sorts pods: those that are on a node, then by age.
func oldestFirst(list []*api.Pod) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case (a.Spec.NodeName != "") != (b.Spec.NodeName != ""):
			return a.Spec.NodeName != ""
		case a.CreationTimestamp != b.CreationTimestamp:
			return a.CreationTimestamp < b.CreationTimestamp
		}
		return a.Name < b.Name
	})
}

// update makes and deletes pods, rolls the template out once that is settled, and
// forgets old revisions.
func (l *look) update() bool {
	quiet, ok := l.sync(l.manage())
	if !ok {
		return false
	}
	if quiet && l.set.Spec.UpdateStrategy.Type == "RollingUpdate" {
		if _, ok = l.sync(l.roll()); !ok {
			return false
		}
	}
	return l.forget()
}

// manage finds the nodes that need a pod and the pods that must go.
func (l *look) manage() (needy []string, surplus []*api.Pod) {
	known := make(map[string]bool, len(l.nodes))
	for _, n := range l.nodes {
		known[n.Name] = true
		need, gone := l.judge(n)
		if need {
			needy = append(needy, n.Name)
		}
		surplus = append(surplus, gone...)
	}
	for _, name := range sortedNodes(l.onNode) {
		for _, p := range l.onNode[name] {
			if !known[name] && p.Spec.NodeName == "" {
				surplus = append(surplus, p)
			}
		}
	}
	return needy, surplus
}

func sortedNodes(m map[string][]*api.Pod) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// judge decides about one node (podsShouldBeOnNode).
func (l *look) judge(n *api.Node) (need bool, gone []*api.Pod) {
	run, stay := l.fit.on(n)
	here, exists := l.onNode[n.Name]
	switch {
	case run && !exists:
		return true, nil
	case stay:
		running, gone := l.weed(n, here)
		if !l.surges() {
			if len(running) > 1 {
				gone = append(gone, running[1:]...)
			}
			return false, gone
		}
		if len(running) <= 1 {
			return len(running) == 0 && run, gone
		}
		return false, append(gone, l.replaced(running)...)
	}
	for _, p := range here {
		if p.DeletionTimestamp == nil {
			gone = append(gone, p)
		}
	}
	return false, gone
}

// weed parts the pods of a node into those that run and those that have ended and
// shall be replaced.
func (l *look) weed(n *api.Node, here []*api.Pod) (running, gone []*api.Pod) {
	for _, p := range here {
		found := " daemon pod " + p.Namespace + "/" + p.Name + " on node " + n.Name + ", will try to "
		switch {
		case p.DeletionTimestamp != nil:
		case p.Status.Phase == "Failed":
			if until, hold := l.c.holdOff(l.ctx.Now(), failure{l.set.UID, l.set.Status.ObservedGeneration, n.Name}); hold {
				l.next = min(l.next, until)
				continue
			}
			l.event("Warning", "FailedDaemonPod", "Found failed"+found+"kill it")
			gone = append(gone, p)
		case p.Status.Phase == "Succeeded":
			l.event("Normal", "SucceededDaemonPod", "Found succeeded"+found+"delete it")
			gone = append(gone, p)
		default:
			running = append(running, p)
		}
	}
	return running, gone
}

// replaced are the pods of a node to delete while a set surges: all but the oldest
// new and the oldest old one, and the latter once the new one is available or the
// old one is not ready.
func (l *look) replaced(running []*api.Pod) (gone []*api.Pod) {
	var fresh, old *api.Pod
	for _, p := range running {
		switch updated := p.Labels[history.HashLabel] == l.hash; {
		case updated && fresh == nil:
			fresh = p
		case !updated && old == nil:
			old = p
		default:
			gone = append(gone, p)
		}
	}
	if fresh != nil && old != nil && (!podcontrol.IsReady(old) || l.available(fresh)) {
		gone = append(gone, old)
	}
	return gone
}

func (l *look) available(p *api.Pod) bool {
	return podcontrol.IsAvailable(p, l.set.Spec.MinReadySeconds, l.ctx.Time())
}

// sync makes pods on nodes and deletes pods. quiet says that there was nothing to
// do (syncNodes).
func (l *look) sync(needy []string, gone []*api.Pod) (quiet, ok bool) {
	needy, gone = needy[:min(len(needy), burst)], gone[:min(len(gone), burst)]
	if len(needy)+len(gone) == 0 {
		return true, true
	}
	t := l.podTemplate()
	next := 0
	_, st := podcontrol.SlowStart(len(needy), func() *api.Status {
		one := *t
		one.Spec.Affinity = onNode(t.Spec.Affinity, needy[next])
		next++
		res := control.Create(l.ctx, podcontrol.FromTemplate(&one, l.set), l.set)
		if podcontrol.IsNamespaceTerminating(res.Status) {
			return nil
		}
		return res.Status
	})
	ok = st == nil
	for _, p := range gone {
		if res := control.Delete(l.ctx, p, l.set); res.Failed() && res.Status.Reason != api.ReasonNotFound {
			ok = false
		}
	}
	l.wrote = l.ctx.Host.Latest().Rev()
	return false, ok
}

// podTemplate is the set's template with the tolerations and labels of its pods.
func (l *look) podTemplate() *api.PodTemplateSpec {
	t := l.set.Spec.Template
	t.Spec.Tolerations = l.fit.tolerations
	labels := map[string]string{}
	for k, v := range t.Labels {
		labels[k] = v
	}
	if l.template != "" {
		labels[templateGenerationLabel] = l.template
	}
	labels[history.HashLabel] = l.hash
	t.Labels = labels
	return &t
}

func (l *look) event(kind, reason, message string) {
	l.ctx.Event(actor.Event{Regarding: l.set, Type: kind, Reason: reason, Message: message, Component: name})
}
