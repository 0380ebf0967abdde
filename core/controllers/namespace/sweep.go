package namespace

import (
	"sort"
	"strconv"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// finalizerEstimate is how long, in seconds, something with a finalizer is supposed
// to stay (deletion/namespaced_resources_deleter.go, finalizerEstimateSeconds).
const finalizerEstimate = 15

// sweep is one deletion of the content of a namespace.
type sweep struct {
	c          *actor.Ctx
	ns         *api.Namespace
	estimate   int64
	errors     []string
	remaining  map[*api.Kind]int
	finalizers map[string]int
}

// run deletes the pods, and everything else once they are gone
// (deletion/namespaced_resources_deleter.go, deleteAllContent).
func (s *sweep) run() {
	s.remaining, s.finalizers = map[*api.Kind]int{}, map[string]int{}
	pods := api.KindNamed("Pod")
	s.kind(pods)
	var found []api.NamespaceCondition
	if s.remaining[pods] == 0 {
		for _, k := range kinds(s.c.Host.Latest()) {
			if k != pods {
				s.kind(k)
			}
		}
		found = s.totals()
	}
	s.report(found)
}

// kind deletes the objects of one kind and counts what stays
// (deleteAllContentForGroupVersionResource).
func (s *sweep) kind(k *api.Kind) {
	if !s.holds(k) {
		return
	}
	estimate := s.gracePeriod(k)
	res := s.c.Do(api.Request{Verb: api.DeleteCollection, Kind: k, Namespace: s.ns.Name, Propagation: "Background"})
	if res.Failed() {
		s.estimate = max(s.estimate, estimate)
		s.errors = append(s.errors, res.Status.Message)
		return
	}
	with := 0
	s.c.Host.Latest().Each(k.Kind, s.ns.Name, func(o api.Object) bool {
		s.remaining[k]++
		for _, f := range o.Meta().Finalizers {
			s.finalizers[f]++
			with++
		}
		return true
	})
	switch {
	case s.remaining[k] == 0:
		return
	case estimate == 0 && with > 0:
		estimate = finalizerEstimate
	case estimate == 0:
		s.errors = append(s.errors, "unexpected items still remain in namespace: "+s.ns.Name+" for gvr: "+groupVersionResource(k))
	}
	s.estimate = max(s.estimate, estimate)
}

// groupVersionResource prints a resource as Go prints schema.GroupVersionResource.
func groupVersionResource(k *api.Kind) string {
	return k.Group + "/" + k.Version + ", Resource=" + k.Plural
}

func (s *sweep) holds(k *api.Kind) (any bool) {
	s.c.Host.Latest().Each(k.Kind, s.ns.Name, func(api.Object) bool {
		any = true
		return false
	})
	return any
}

// gracePeriod is how long, in seconds, the pods may take to end; 0 when they should
// have ended by now (estimateGracefulTermination).
func (s *sweep) gracePeriod(k *api.Kind) int64 {
	if k.Kind != "Pod" {
		return 0
	}
	longest := int64(0)
	s.c.Host.Latest().Each("Pod", s.ns.Name, func(o api.Object) bool {
		p := o.(*api.Pod)
		if g := p.Spec.TerminationGracePeriodSeconds; g != nil && p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" {
			longest = max(longest, *g)
		}
		return true
	})
	since := s.c.Now() - actor.SimTime(s.c.Host.Start(), *s.ns.DeletionTimestamp)
	if since >= sim.Time(min(longest, 1<<31))*sim.Second {
		return 0
	}
	return longest
}

// totals are the conditions that say what is left (deletion/status_condition_utils.go,
// ProcessContentTotals).
func (s *sweep) totals() (list []api.NamespaceCondition) {
	var kinds, holders []string
	for k, n := range s.remaining {
		if n > 0 {
			kinds = append(kinds, k.Plural+"."+k.Group+" has "+strconv.Itoa(n)+" resource instances")
		}
	}
	for f, n := range s.finalizers {
		holders = append(holders, f+" in "+strconv.Itoa(n)+" resource instances")
	}
	sort.Strings(kinds)
	sort.Strings(holders)
	if kinds != nil {
		list = append(list, api.NamespaceCondition{Type: "NamespaceContentRemaining", Status: "True", Reason: "SomeResourcesRemain",
			Message: "Some resources are remaining: " + strings.Join(kinds, ", ")})
	}
	if holders != nil {
		list = append(list, api.NamespaceCondition{Type: "NamespaceFinalizersRemaining", Status: "True", Reason: "SomeFinalizersRemain",
			Message: "Some content in the namespace has finalizers remaining: " + strings.Join(holders, ", ")})
	}
	return list
}

// conditions in the order in which they are written, with what each says when all
// is well.
var conditions = []api.NamespaceCondition{
	{Type: "NamespaceDeletionDiscoveryFailure", Reason: "ResourcesDiscovered", Message: "All resources successfully discovered"},
	{Type: "NamespaceDeletionGroupVersionParsingFailure", Reason: "ParsedGroupVersions", Message: "All legacy kube types successfully parsed"},
	{Type: "NamespaceDeletionContentFailure", Reason: "ContentDeleted", Message: "All content successfully deleted, may be waiting on finalization"},
	{Type: "NamespaceContentRemaining", Reason: "ContentRemoved", Message: "All content successfully removed"},
	{Type: "NamespaceFinalizersRemaining", Reason: "ContentHasNoFinalizers", Message: "All content-preserving finalizers finished"},
}

// report writes the conditions into the namespace when one of them is new
// (deletion/status_condition_utils.go, Update).
func (s *sweep) report(found []api.NamespaceCondition) {
	if len(s.errors) > 0 {
		sort.Strings(s.errors)
		found = append(found, api.NamespaceCondition{Type: "NamespaceDeletionContentFailure", Status: "True", Reason: "ContentDeletionFailed",
			Message: "Failed to delete all resource types, " + strconv.Itoa(len(s.errors)) + " remaining: " + strings.Join(s.errors, ", ")})
	}
	live, _ := s.c.Host.Latest().Get("Namespace", "", s.ns.Name).(*api.Namespace)
	if live == nil {
		return
	}
	list, changed := merge(live.Status.Conditions, found, s.c.Time())
	if !changed {
		return
	}
	ns := live.Copy().(*api.Namespace)
	ns.Status.Conditions = list
	s.record(found)
	s.c.UpdateStatus(ns)
}

// record leaves in the trace what the conditions say.
func (s *sweep) record(found []api.NamespaceCondition) {
	r := trace.Record{Ref: actor.RefOf(s.ns), Verdict: trace.Waiting, Reason: "DeletingContent", Message: "the content of the namespace is being deleted, pods first"}
	if len(found) > 0 {
		r.Reason, r.Message = found[0].Reason, found[0].Message
		for _, f := range found[1:] {
			r.Detail = append(r.Detail, trace.Detail{Name: f.Reason, Value: f.Message})
		}
	}
	s.c.Record(r)
}

func merge(old, found []api.NamespaceCondition, now api.Time) (list []api.NamespaceCondition, changed bool) {
	list = append(list, old...)
	for _, c := range conditions {
		c.Status = "False"
		for _, f := range found {
			if f.Type == c.Type {
				c = f
			}
		}
		c.LastTransitionTime = now
		at := -1
		for i := range list {
			if list[i].Type == c.Type {
				at = i
			}
		}
		switch {
		case at < 0:
			list, changed = append(list, c), true
		case list[at].Status != c.Status || list[at].Reason != c.Reason || list[at].Message != c.Message:
			if list[at].Status == c.Status {
				c.LastTransitionTime = list[at].LastTransitionTime
			}
			list[at], changed = c, true
		}
	}
	return list, changed
}
