package statefulset

import (
	"maps"
	"strings"

	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
)

const (
	retain = "Retain"
	remove = "Delete"
)

// policy says what becomes of the claims of a set.
func policy(s *api.StatefulSet) api.StatefulSetPersistentVolumeClaimRetentionPolicy {
	if p := s.Spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		return *p
	}
	return api.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: retain, WhenScaled: retain}
}

// claim returns a claim, as this look has left it: a request takes longer than the
// news of it takes to the cache.
func (u *update) claim(name string) *api.PersistentVolumeClaim {
	if c := u.written[name]; c != nil {
		return c
	}
	c, _ := u.ctx.Read.Get("PersistentVolumeClaim", u.set.Namespace, name).(*api.PersistentVolumeClaim)
	return c
}

func (u *update) noteClaim(o api.Object) {
	if u.written == nil {
		u.written = map[string]*api.PersistentVolumeClaim{}
	}
	u.written[o.Meta().Name] = o.(*api.PersistentVolumeClaim)
	u.noteWrite()
}

// newClaim makes the claim of a pod; it carries the labels that the set selects.
func newClaim(s *api.StatefulSet, t *api.PersistentVolumeClaim, ordinal int) *api.PersistentVolumeClaim {
	c := t.Copy().(*api.PersistentVolumeClaim)
	c.APIVersion, c.Kind = "v1", "PersistentVolumeClaim"
	c.Name, c.Namespace = claimName(s, t, ordinal), s.Namespace
	labels := map[string]string{}
	maps.Copy(labels, t.Labels)
	maps.Copy(labels, s.Spec.Selector.MatchLabels)
	c.Labels = labels
	return c
}

// createClaims makes the claims of a pod that are not there. It returns what went
// wrong, in words.
func (u *update) createClaims(p *api.Pod) string {
	var failures []string
	for i := range u.set.Spec.VolumeClaimTemplates {
		c := newClaim(u.set, &u.set.Spec.VolumeClaimTemplates[i], ordinalOf(p))
		if old := u.claim(c.Name); old != nil {
			if old.DeletionTimestamp != nil {
				failures = append(failures, "pvc "+c.Name+" is being deleted")
			}
			continue
		}
		res := u.ctx.Create(c)
		what := "Create Claim " + c.Name
		switch {
		case !res.Failed():
			u.noteClaim(res.Object)
			u.event("Normal", "SuccessfulCreate", what+" Pod "+p.Name+" in StatefulSet "+u.set.Name+" success")
			continue
		case res.Status.Reason != api.ReasonAlreadyExists:
			u.event("Warning", "FailedCreate", what+" for Pod "+p.Name+" in StatefulSet "+u.set.Name+" failed error: "+res.Status.Message)
		}
		failures = append(failures, "failed to create PVC "+c.Name+": "+res.Status.Message)
	}
	return aggregate(failures)
}

// aggregate joins errors as apimachinery's Aggregate prints them.
func aggregate(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	seen, out := map[string]bool{}, []string{}
	for _, s := range list {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	if len(out) == 1 {
		return out[0]
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// staleClaim reports whether a claim belongs to a former pod of that name, with
// which it will go: the new pod has to wait.
func (u *update) staleClaim(p *api.Pod) bool {
	if policy(u.set).WhenScaled == retain {
		return false
	}
	for i := range u.set.Spec.VolumeClaimTemplates {
		c := u.claim(claimName(u.set, &u.set.Spec.VolumeClaimTemplates[i], ordinalOf(p)))
		if c != nil && refersToFormer(c, p) {
			return true
		}
	}
	return false
}

// refersTo reports whether a reference names the object, whatever its uid.
func refersTo(r *api.OwnerReference, o api.Object) bool {
	t := o.ObjectType()
	return r.APIVersion == t.APIVersion && r.Kind == t.Kind && r.Name == o.Meta().Name
}

// refersToFormer reports whether a claim is owned by a former object of that name.
func refersToFormer(c *api.PersistentVolumeClaim, o api.Object) bool {
	for i := range c.OwnerReferences {
		if r := &c.OwnerReferences[i]; refersTo(r, o) {
			return r.UID != o.Meta().UID
		}
	}
	return false
}

func ownedBy(c *api.PersistentVolumeClaim, o api.Object) bool {
	for i := range c.OwnerReferences {
		if c.OwnerReferences[i].UID == o.Meta().UID {
			return true
		}
	}
	return false
}

// strange reports whether something else manages a claim that the policy of the
// set may delete (hasUnexpectedController).
func strange(c *api.PersistentVolumeClaim, s *api.StatefulSet, p *api.Pod) bool {
	if w := policy(s); w.WhenScaled == retain && w.WhenDeleted == retain {
		return false
	}
	for i := range c.OwnerReferences {
		r := &c.OwnerReferences[i]
		switch {
		case refersTo(r, s):
			if r.UID != s.UID {
				return true
			}
		case refersTo(r, p):
			if r.UID != p.UID {
				return true
			}
		case r.Controller != nil && *r.Controller:
			return true
		}
	}
	return false
}

// wantedOwners says which of set and pod shall own the claims of the pod.
func wantedOwners(s *api.StatefulSet, p *api.Pod) (set, pod bool) {
	w, scaled := policy(s), !inRange(p, s)
	switch {
	case w.WhenScaled == remove && w.WhenDeleted == remove:
		return !scaled, scaled
	case w.WhenScaled == remove:
		return false, scaled
	}
	return w.WhenDeleted == remove, false
}

// ownersRight reports whether the owners of a claim are as the policy wants them,
// or none of the controller's business (isClaimOwnerUpToDate).
func ownersRight(c *api.PersistentVolumeClaim, s *api.StatefulSet, p *api.Pod) bool {
	if refersToFormer(c, s) || refersToFormer(c, p) {
		return true
	}
	if strange(c, s, p) {
		return !ownedBy(c, s) && !ownedBy(c, p)
	}
	for i := range c.OwnerReferences {
		r := &c.OwnerReferences[i]
		if (r.UID == s.UID || r.UID == p.UID) && (r.Controller == nil || !*r.Controller) {
			return false
		}
	}
	set, pod := wantedOwners(s, p)
	return ownedBy(c, s) == set && ownedBy(c, p) == pod
}

// claimsRight is ownersRight for all claims of a pod that are there.
func (u *update) claimsRight(p *api.Pod) bool {
	for i := range u.set.Spec.VolumeClaimTemplates {
		c := u.claim(claimName(u.set, &u.set.Spec.VolumeClaimTemplates[i], ordinalOf(p)))
		if c != nil && !ownersRight(c, u.set, p) {
			return false
		}
	}
	return true
}

// fixClaims makes the owners of a pod's claims right. It returns what went wrong.
func (u *update) fixClaims(p *api.Pod) string {
	for i := range u.set.Spec.VolumeClaimTemplates {
		c := u.claim(claimName(u.set, &u.set.Spec.VolumeClaimTemplates[i], ordinalOf(p)))
		if c == nil {
			continue
		}
		conflict := strange(c, u.set, p)
		if conflict {
			u.event("Warning", "ConflictingController", "PersistentVolumeClaim "+c.Name+
				" has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim")
		}
		if ownersRight(c, u.set, p) {
			continue
		}
		res := u.ctx.Update(owned(c, u.set, p, conflict))
		if res.Failed() {
			return "could not update claim " + c.Name + " for delete policy ownerRefs: " + res.Status.Message
		}
		u.noteClaim(res.Object)
	}
	return ""
}

// owned is a claim whose references to set and pod are as the policy wants them.
func owned(c *api.PersistentVolumeClaim, s *api.StatefulSet, p *api.Pod, conflict bool) *api.PersistentVolumeClaim {
	out := c.Copy().(*api.PersistentVolumeClaim)
	var refs []api.OwnerReference
	for i := range c.OwnerReferences {
		if r := c.OwnerReferences[i]; !refersTo(&r, s) && !refersTo(&r, p) {
			refs = append(refs, r)
		}
	}
	set, pod := wantedOwners(s, p)
	if set && !conflict {
		refs = append(refs, podcontrol.OwnerRef(s))
	}
	if pod && !conflict {
		refs = append(refs, podcontrol.OwnerRef(p))
	}
	out.OwnerReferences = refs
	return out
}
