package volumebinding

import (
	"errors"

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
		if taken[v.Name] || reserved && !mine || !suits(c, v) {
			continue
		}
		reaches := f.VolumeReaches(v, n)
		if mine {
			if !reaches {
				return nil, nil
			}
			return v, nil
		}
		if v.Status.Phase != "Available" || !selector.Matches(v.Labels) || !reaches || !modesIn(c.Spec.AccessModes, v.Spec.AccessModes) {
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

// suits compares what does not depend on the node.
func suits(c *api.PersistentVolumeClaim, v *api.PersistentVolume) bool {
	return v.Spec.Capacity["storage"].Cmp(size(c)) >= 0 && mode(c.Spec.VolumeMode) == mode(v.Spec.VolumeMode) &&
		text(c.Spec.VolumeAttributesClassName) == text(v.Spec.VolumeAttributesClassName) && v.DeletionTimestamp == nil
}

func mode(m *string) string {
	if m == nil {
		return "Filesystem"
	}
	return *m
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func modesIn(wanted, offered []string) bool {
	for _, w := range wanted {
		ok := false
		for _, o := range offered {
			ok = ok || o == w
		}
		if !ok {
			return false
		}
	}
	return true
}
