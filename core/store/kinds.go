package store

import "podwalk/core/api"

// CustomKinds lists the kinds that the established definitions in the snapshot make,
// by group and name.
func (v Snapshot) CustomKinds() (kinds []*api.Kind) {
	v.Each("CustomResourceDefinition", "", func(o api.Object) bool {
		if d, ok := o.(*api.CustomResourceDefinition); ok {
			kinds = append(kinds, d.Kinds()...)
		}
		return true
	})
	return kinds
}

// KindFor returns the kind of an apiVersion and kind, one of the API's or one that a
// definition in the snapshot makes, or nil.
func (v Snapshot) KindFor(apiVersion, kind string) *api.Kind {
	if k := api.KindFor(apiVersion, kind); k != nil {
		return k
	}
	for _, k := range v.CustomKinds() {
		if k.APIVersion() == apiVersion && (k.Name() == kind || k.Kind == kind) {
			return k
		}
	}
	return nil
}
