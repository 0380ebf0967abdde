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
	pods     []*api.Pod
	sites    []site
	nodes    int // sites that are nodes; behind them are those that only pods ask for
	present  *api.ControllerRevision
	older    []*api.ControllerRevision
	hash     string // of the present revision
	template string // the set's template generation, "" if it has none
}

// site is a node with the set's pods that are on it or ask for it, the oldest
// first.
type site struct {
	name      string
	node      *api.Node
	run, stay bool // whether a pod shall run here, and one that does may stay
	pods      []*api.Pod
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
	l.survey()
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

// survey finds the nodes, in the order of their names.
func (l *look) survey() {
	l.fit = newFit(l.set)
	l.ctx.Read.Each("Node", "", func(o api.Object) bool {
		n := o.(*api.Node)
		run, stay := l.fit.on(n)
		l.sites = append(l.sites, site{name: n.Name, node: n, run: run, stay: stay})
		return true
	})
	l.nodes = len(l.sites)
}

// group gives the pods to their sites; what has ended and is being deleted is not
// looked at any more.
func (l *look) group() {
	at, count := make([]int, len(l.pods)), make([]int, l.nodes)
	for i, p := range l.pods {
		at[i] = -1
		if podcontrol.IsFinished(p) && p.DeletionTimestamp != nil {
			continue
		}
		if at[i] = l.siteOf(target(p)); at[i] == len(count) {
			count = append(count, 0)
		}
		if at[i] >= 0 {
			count[at[i]]++
		}
	}
	all := make([]*api.Pod, 0, len(l.pods))
	for i, n := range count {
		l.sites[i].pods = all[len(all) : len(all) : len(all)+n]
		all = all[:len(all)+n]
	}
	for i, p := range l.pods {
		if at[i] >= 0 {
			l.sites[at[i]].pods = append(l.sites[at[i]].pods, p)
		}
	}
	for i := range l.sites {
		if len(l.sites[i].pods) > 1 {
			oldestFirst(l.sites[i].pods)
		}
	}
}

// siteOf returns the place of a node's site, which it adds for one that is not
// there, or -1 for no name.
func (l *look) siteOf(node string) int {
	if node == "" {
		return -1
	}
	known := l.sites[:l.nodes]
	if i := sort.Search(len(known), func(i int) bool { return known[i].name >= node }); i < len(known) && known[i].name == node {
		return i
	}
	for i := l.nodes; i < len(l.sites); i++ {
		if l.sites[i].name == node {
			return i
		}
	}
	l.sites = append(l.sites, site{name: node})
	return len(l.sites) - 1
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
	for i := range l.sites[:l.nodes] {
		need, gone := l.judge(&l.sites[i])
		if need {
			needy = append(needy, l.sites[i].name)
		}
		surplus = append(surplus, gone...)
	}
	for _, lost := range l.sites[l.nodes:] {
		for _, p := range lost.pods {
			if p.Spec.NodeName == "" {
				surplus = append(surplus, p)
			}
		}
	}
	return needy, surplus
}

// judge decides about one node (podsShouldBeOnNode).
func (l *look) judge(s *site) (need bool, gone []*api.Pod) {
	switch {
	case s.run && len(s.pods) == 0:
		return true, nil
	case s.stay:
		running, gone := l.weed(s)
		if !l.surges() {
			if len(running) > 1 {
				gone = append(gone, running[1:]...)
			}
			return false, gone
		}
		if len(running) <= 1 {
			return len(running) == 0 && s.run, gone
		}
		return false, append(gone, l.replaced(running)...)
	}
	for _, p := range s.pods {
		if p.DeletionTimestamp == nil {
			gone = append(gone, p)
		}
	}
	return false, gone
}

// weed parts the pods of a node into those that run and those that have ended and
// shall be replaced.
func (l *look) weed(s *site) (running, gone []*api.Pod) {
	if len(s.pods) == 1 && podcontrol.IsActive(s.pods[0]) {
		return s.pods, nil
	}
	for _, p := range s.pods {
		found := " daemon pod " + p.Namespace + "/" + p.Name + " on node " + s.name + ", will try to "
		switch {
		case p.DeletionTimestamp != nil:
		case p.Status.Phase == "Failed":
			if until, hold := l.c.holdOff(l.ctx.Now(), failure{l.set.UID, l.set.Status.ObservedGeneration, s.name}); hold {
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
