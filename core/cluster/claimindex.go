package cluster

import (
	"podwalk/core/actor/claim"
	"podwalk/core/api"
	"podwalk/core/controllers/attachdetach"
	"podwalk/core/store"
)

// claimIndexes find what belongs to claims for the volume controllers.
func claimIndexes() []store.Index {
	return []store.Index{
		{Name: claim.PodIndex, Kind: "Pod", Values: func(o api.Object) []string { return claim.Keys(o.(*api.Pod)) }},
		{Name: claim.ClassIndex, Kind: "PersistentVolume", Values: func(o api.Object) []string {
			return []string{"/" + claim.ClassOfVolume(o.(*api.PersistentVolume))}
		}},
		{Name: claim.RefIndex, Kind: "PersistentVolume", Values: func(o api.Object) []string {
			return some(claim.RefKey(o.(*api.PersistentVolume)))
		}},
		{Name: attachdetach.Index, Kind: "VolumeAttachment", Values: func(o api.Object) []string {
			if n := o.(*api.VolumeAttachment).Spec.Source.PersistentVolumeName; n != nil {
				return []string{*n}
			}
			return nil
		}},
	}
}
