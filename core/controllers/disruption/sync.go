package disruption

import (
	"errors"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/apiserver/budget"
	"podwalk/core/sim"
)

// sync counts a budget's pods and writes its status. next is when an evicted pod
// is no longer awaited.
func (k *Controller) sync(c *actor.Ctx, b *api.PodDisruptionBudget) (next sim.Time, failed *api.Status) {
	pods, err := pods(c, b)
	if err != nil {
		k.event(c, b, "Warning", "NoPods", "Failed to get pods: "+err.Error())
		return 0, k.failSafe(c, b, err)
	}
	k.counted[b.Namespace+"/"+b.Name] = count{c.Now(), len(pods)}
	if len(pods) == 0 {
		k.event(c, b, "Normal", "NoPods", "No matching pods found")
	}
	expected, desired, unmanaged, err := expect(c, b, pods)
	if err != nil {
		k.event(c, b, "Warning", "CalculateExpectedPodCountFailed", "Failed to calculate the number of expected pods: "+err.Error())
		return 0, k.failSafe(c, b, err)
	}
	if unmanaged {
		k.event(c, b, "Warning", "UnmanagedPods", "Pods selected by this PodDisruptionBudget (selector: "+printed(b.Spec.Selector)+
			") were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. "+
			`To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`)
	}
	awaited, recheck := k.awaited(c, b, pods)
	s := b.Status
	s.CurrentHealthy, s.DesiredHealthy, s.ExpectedPods = healthy(pods, awaited), desired, expected
	s.DisruptionsAllowed = s.CurrentHealthy - desired
	if expected <= 0 || s.DisruptionsAllowed <= 0 {
		s.DisruptionsAllowed = 0
	}
	s.DisruptedPods, s.ObservedGeneration = awaited, b.Generation
	if api.Equal(&s, &b.Status) && budget.Current(b) {
		return recheck, nil
	}
	budget.Show(&s, c.Time())
	now := *b
	now.Status = s
	return recheck, c.UpdateStatus(&now).Status
}

// pods returns the pods that a budget covers, by name.
func pods(c *actor.Ctx, b *api.PodDisruptionBudget) ([]*api.Pod, error) {
	sel, err := b.Spec.Selector.AsSelector()
	if err != nil {
		return nil, err
	}
	var list []*api.Pod
	c.Read.Each("Pod", b.Namespace, func(o api.Object) bool {
		if p := o.(*api.Pod); sel.Matches(p.Labels) {
			list = append(list, p)
		}
		return true
	})
	return list, nil
}

// failSafe allows nothing where the counting fails.
func (k *Controller) failSafe(c *actor.Ctx, b *api.PodDisruptionBudget, err error) *api.Status {
	now := *b
	now.Status.DisruptionsAllowed = 0
	budget.Set(&now.Status, api.Condition{Status: "False", Reason: budget.SyncFailed, Message: err.Error()}, c.Time())
	if api.Equal(&now.Status, &b.Status) {
		return nil
	}
	return c.UpdateStatus(&now).Status
}

// expect returns how many pods there should be, and how many of them healthy
// (getExpectedPodCount).
func expect(c *actor.Ctx, b *api.PodDisruptionBudget, pods []*api.Pod) (expected, desired int32, unmanaged bool, err error) {
	least, most := b.Spec.MinAvailable, b.Spec.MaxUnavailable
	switch {
	case most != nil:
		if expected, unmanaged, err = scale(c, pods); err != nil {
			return 0, 0, false, err
		}
		n, err := scaled(most, expected)
		return expected, max(expected-n, 0), unmanaged, err
	case least != nil && !least.IsString:
		return int32(len(pods)), least.Int, false, nil
	case least != nil:
		if expected, unmanaged, err = scale(c, pods); err != nil {
			return 0, 0, false, err
		}
		desired, err = scaled(least, expected)
		return expected, desired, unmanaged, err
	}
	return 0, 0, false, nil
}

// scaled is a number, or a share of total rounded up
// (apimachinery/pkg/util/intstr).
func scaled(v *api.IntOrString, total int32) (int32, error) {
	if !v.IsString {
		return v.Int, nil
	}
	text, ok := strings.CutSuffix(v.Str, "%")
	n, err := strconv.Atoi(text)
	switch {
	case !ok:
		return 0, errors.New("invalid value for IntOrString: invalid type: string is not a percentage")
	case err != nil:
		return 0, errors.New("invalid value for IntOrString: invalid value " + strconv.Quote(v.Str) + ": " + err.Error())
	}
	return int32((n*int(total) + 99) / 100), nil
}

// scale adds up the replicas of the controllers of pods (getExpectedScale).
func scale(c *actor.Ctx, pods []*api.Pod) (sum int32, unmanaged bool, err error) {
	seen := map[string]bool{}
	for _, p := range pods {
		r := controller(p)
		if r == nil {
			unmanaged = true
			continue
		}
		if seen[r.UID] {
			continue
		}
		uid, n, err := replicas(c, p.Namespace, r)
		switch {
		case err != nil:
			return 0, unmanaged, err
		case uid == "":
			return 0, unmanaged, errors.New("found no controllers for pod " + strconv.Quote(p.Name))
		case !seen[uid]:
			sum += n
		}
		seen[r.UID], seen[uid] = true, true
	}
	return sum, unmanaged, nil
}

func controller(o api.Object) *api.OwnerReference {
	refs := o.Meta().OwnerReferences
	for i := range refs {
		if refs[i].Controller != nil && *refs[i].Controller {
			return &refs[i]
		}
	}
	return nil
}

// replicas returns the UID and the wanted size of what a reference leads to: of a
// ReplicaSet's Deployment where it has one. The UID is "" where there is nothing.
func replicas(c *actor.Ctx, namespace string, r *api.OwnerReference) (string, int32, error) {
	k := api.KindFor(r.APIVersion, r.Kind)
	if k == nil {
		group, version, _ := strings.Cut(r.APIVersion, "/")
		return "", 0, errors.New("no matches for kind " + strconv.Quote(r.Kind) + " in version " + strconv.Quote(group+"/"+version))
	}
	o := c.Read.Get(k.Kind, namespace, r.Name)
	if o != nil && o.Meta().UID != r.UID {
		o = nil
	}
	switch x := o.(type) {
	case *api.ReplicaSet:
		if up := controller(x); up != nil && up.Kind == "Deployment" {
			return replicas(c, namespace, up)
		}
		return x.UID, size(x.Spec.Replicas), nil
	case *api.Deployment:
		return x.UID, size(x.Spec.Replicas), nil
	case *api.StatefulSet:
		return x.UID, size(x.Spec.Replicas), nil
	case *api.ReplicationController:
		return x.UID, size(x.Spec.Replicas), nil
	}
	switch k.Kind {
	case "ReplicaSet", "Deployment", "StatefulSet", "ReplicationController":
		return "", 0, nil
	}
	return "", 0, errors.New(k.Resource() + " does not implement the scale subresource")
}

func size(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// awaited returns the evicted pods that have not gone yet, and when the next of
// them is given up (buildDisruptedPodMap).
func (k *Controller) awaited(c *actor.Ctx, b *api.PodDisruptionBudget, pods []*api.Pod) (map[string]api.Time, sim.Time) {
	left := map[string]api.Time{}
	recheck := sim.Time(0)
	for _, p := range pods {
		at, ok := b.Status.DisruptedPods[p.Name]
		if !ok || p.DeletionTimestamp != nil {
			continue
		}
		due := actor.SimTime(c.Host.Start(), at+deletionTimeout)
		if due < c.Now() {
			k.event(c, p, "Warning", "NotDeleted", "Pod was expected by PDB "+b.Namespace+"/"+b.Namespace+" to be deleted but it wasn't")
			continue
		}
		left[p.Name] = at
		if next := due + sim.Millisecond; recheck == 0 || next < recheck {
			recheck = next
		}
	}
	if len(left) == 0 {
		return nil, 0
	}
	return left, recheck
}

// healthy counts the pods that are ready and stay (countHealthyPods).
func healthy(pods []*api.Pod, leaving map[string]api.Time) (n int32) {
	for _, p := range pods {
		if _, goes := leaving[p.Name]; goes || p.DeletionTimestamp != nil {
			continue
		}
		if r := condition(p, "Ready"); r != nil && r.Status == "True" {
			n++
		}
	}
	return n
}

// printed is a selector as Go prints the real type.
func printed(s *api.LabelSelector) string {
	if s == nil {
		return "nil"
	}
	keys := make([]string, 0, len(s.MatchLabels))
	for k := range s.MatchLabels {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	b.WriteString("&LabelSelector{MatchLabels:map[string]string{")
	for _, k := range keys {
		b.WriteString(k + ": " + s.MatchLabels[k] + ",")
	}
	b.WriteString("},MatchExpressions:[]LabelSelectorRequirement{")
	for _, e := range s.MatchExpressions {
		b.WriteString("LabelSelectorRequirement{Key:" + e.Key + ",Operator:" + e.Operator + ",Values:[" + strings.Join(e.Values, " ") + "],},")
	}
	b.WriteString("},}")
	return b.String()
}
