package apiserver

import (
	"maps"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/apiserver/budget"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// evicted is the answer to an eviction, as a client gets it.
const evicted = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`

// maxDisrupted is how many evictions of a budget may be unconfirmed.
const maxDisrupted = 2000

// evict deletes a pod if its disruption budget has room, and takes the room
// (pkg/registry/core/pod/storage/eviction.go).
func (c *call) evict() api.Response {
	if st := c.readEviction(); st != nil {
		return c.refuse("apiserver", st)
	}
	pod, ok := c.current().(*api.Pod)
	if !ok {
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	if !ignoresBudgets(pod) {
		if st := c.disruption(pod); st != nil {
			return c.refuse("apiserver", st)
		}
	}
	if st := c.preconditions(&pod.ObjectMeta); st != nil {
		return c.refuse("etcd", st)
	}
	c.req.Verb, c.req.Subresource = api.Delete, ""
	if !c.req.DryRun {
		pod = c.target(pod)
		c.req.PreconditionRev = ""
	}
	res := c.deleteObject(pod)
	if !res.Failed() {
		res.Text = evicted
	}
	return res
}

// readEviction takes the options of an Eviction's body into the request.
func (c *call) readEviction() *api.Status {
	if len(c.req.Body) == 0 {
		return nil
	}
	n, st := parse(c.req.Body)
	if st != nil {
		return st
	}
	if name := n.Str("metadata", "name"); name != c.req.Name {
		return api.NewBadRequest("name in URL does not match name in Eviction object")
	}
	o := n.Get("deleteOptions")
	if o == nil {
		return nil
	}
	if g := o.Get("gracePeriodSeconds"); g != nil {
		if v, err := strconv.ParseInt(g.Text, 10, 64); err == nil {
			c.req.GracePeriodSeconds = &v
		}
	}
	if d := o.Get("dryRun"); d != nil && len(d.Items) > 0 {
		c.req.DryRun = true
	}
	if uid := o.Str("preconditions", "uid"); uid != "" {
		c.req.PreconditionUID = uid
	}
	if rev := o.Str("preconditions", "resourceVersion"); rev != "" {
		c.req.PreconditionRev = rev
	}
	return nil
}

// ignoresBudgets holds for pods whose end disrupts nothing (canIgnorePDB).
func ignoresBudgets(p *api.Pod) bool {
	return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" || p.Status.Phase == "Pending" || p.DeletionTimestamp != nil
}

// target marks a pod as the target of a disruption.
func (c *call) target(old *api.Pod) *api.Pod {
	pod := *old
	was := condition(&old.Status, "DisruptionTarget")
	next := api.PodCondition{Type: "DisruptionTarget", Status: "True", Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting"}
	if was != nil && was.Status == next.Status && was.Reason == next.Reason && was.Message == next.Message {
		return old
	}
	pod.Status.Conditions = setCondition(old.Status.Conditions, next, c.time())
	c.put(&pod, store.RevOf(old))
	return &pod
}

// budgets returns the disruption budgets that cover a pod, by name.
func (c *call) budgets(pod *api.Pod) (list []*api.PodDisruptionBudget) {
	c.read.Each("PodDisruptionBudget", pod.Namespace, func(o api.Object) bool {
		b := o.(*api.PodDisruptionBudget)
		if b.Spec.Selector == nil {
			return true
		}
		if sel, err := b.Spec.Selector.AsSelector(); err == nil && sel.Matches(pod.Labels) {
			list = append(list, b)
		}
		return true
	})
	return list
}

// disruption refuses an eviction that the pod's budget does not allow.
func (c *call) disruption(pod *api.Pod) *api.Status {
	list := c.budgets(pod)
	switch {
	case len(list) > 1:
		return &api.Status{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: 500,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}
	case len(list) == 0:
		return nil
	}
	b := list[0]
	if ready := condition(&pod.Status, "Ready"); ready == nil || ready.Status != "True" {
		policy := b.Spec.UnhealthyPodEvictionPolicy
		if policy != nil && *policy == "AlwaysAllow" || b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0 {
			c.pass("apiserver", trace.Ended, "the pod is not ready: the disruption budget "+b.Name+" does not protect it")
			return nil
		}
	}
	return c.decrement(b, pod.Name)
}

// decrement takes one disruption from a budget (checkAndDecrement).
func (c *call) decrement(b *api.PodDisruptionBudget, pod string) *api.Status {
	s := b.Status
	switch {
	case s.ObservedGeneration < b.Generation:
		return refuseEviction(10, "The disruption budget "+b.Name+" is still being processed by the server.")
	case s.DisruptionsAllowed < 0:
		return forbidEviction(b, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
	case len(s.DisruptedPods) > maxDisrupted:
		return forbidEviction(b, "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
			"too many pending evictions not confirmed by PDB controller")
	case s.DisruptionsAllowed == 0:
		return refuseEviction(0, whyNoRoom(b))
	}
	if c.req.DryRun {
		return nil
	}
	if s.DisruptionsAllowed--; s.DisruptionsAllowed == 0 {
		budget.Show(&s, c.time())
	}
	s.DisruptedPods = maps.Clone(s.DisruptedPods)
	if s.DisruptedPods == nil {
		s.DisruptedPods = map[string]api.Time{}
	}
	s.DisruptedPods[pod] = c.time()
	now := *b
	now.Status = s
	c.put(&now, store.RevOf(b))
	return nil
}

func whyNoRoom(b *api.PodDisruptionBudget) string {
	cond := budget.Condition(&b.Status)
	says := cond != nil && cond.Status == "False" && cond.Message != ""
	text := "The disruption budget " + b.Name
	switch {
	case says && cond.Reason == budget.SyncFailed:
		return text + " does not allow evicting pods currently because it failed sync: " + cond.Message
	case b.Status.CurrentHealthy <= b.Status.DesiredHealthy:
		return text + " needs " + strconv.Itoa(int(b.Status.DesiredHealthy)) + " healthy pods and has " +
			strconv.Itoa(int(b.Status.CurrentHealthy)) + " currently"
	case says:
		return text + " does not allow evicting pods currently (" + cond.Reason + "): " + cond.Message
	}
	return text + " does not allow evicting pods currently"
}

func refuseEviction(retry int32, cause string) *api.Status {
	return &api.Status{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: 429, Reason: api.ReasonTooManyRequests,
		Message: "Cannot evict pod as it would violate the pod's disruption budget.",
		Details: &api.StatusDetails{RetryAfterSeconds: retry, Causes: []api.StatusCause{{Type: "DisruptionBudget", Message: cause}}}}
}

func forbidEviction(b *api.PodDisruptionBudget, why, cause string) *api.Status {
	st := api.NewForbidden(&api.Kind{Group: "policy", Plural: "poddisruptionbudget"}, b.Name, why)
	st.Details.Causes = []api.StatusCause{{Type: "DisruptionBudget",
		Message: "The disruption budget " + b.Name + " does not allow evicting pods currently: " + cause}}
	return st
}
