package volumebinding

import (
	"errors"

	"podwalk/core/actor/claim"
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// match returns the smallest volume that suits the claim on the node, one that is
// already meant for the claim first, or nil
// (component-helpers/storage/volume, FindMatchingVolume).
func match(k *f.Cluster, c *api.PersistentVolumeClaim, volumes []*api.PersistentVolume, n *api.Node, taken map[string]bool) (*api.PersistentVolume, error) {
	selector := api.Selector{}
	if c.Spec.Selector != nil {
		s, err := c.Spec.Selector.AsSelector()
		if err != nil {
			return nil, errors.New("error creating internal label selector for claim: " + f.ClaimKey(c) + ": " + err.Error())
		}
		selector = s
	}
	var best *api.PersistentVolume
	for _, v := range volumes {
		reserved, mine := reservation(k, v, c)
		if taken[v.Name] || reserved && !mine || !claim.Suits(v, c) {
			continue
		}
		reaches := f.VolumeReaches(v, n)
		if mine {
			if !reaches {
				return nil, nil
			}
			return v, nil
		}
		if v.Status.Phase != "Available" || !selector.Matches(v.Labels) || !reaches || !claim.Offers(v, c) {
			continue
		}
		if best == nil || best.Spec.Capacity["storage"].Cmp(v.Spec.Capacity["storage"]) > 0 {
			best = v
		}
	}
	return best, nil
}

// reservation tells whether a volume is meant for a claim, and whether for this one.
func reservation(k *f.Cluster, v *api.PersistentVolume, c *api.PersistentVolumeClaim) (reserved, mine bool) {
	if key := k.Volumes.ClaimOf(v.Name); key != "" {
		return true, key == f.ClaimKey(c)
	}
	r := v.Spec.ClaimRef
	if r == nil {
		return false, false
	}
	return true, r.Name == c.Name && r.Namespace == c.Namespace && (r.UID == "" || r.UID == c.UID)
}
