package validation

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// CustomMeta returns what is wrong with the metadata of a new custom object; the rest
// is its schema's to judge.
func CustomMeta(o *api.Custom, namespaced bool) field.ErrorList {
	var c check
	list := o.Finalizers
	c.meta(&api.ObjectMeta{Name: o.Name, GenerateName: o.GenerateName, Namespace: o.Namespace, Generation: o.Generation, Labels: o.Labels,
		Annotations: o.Annotations, OwnerReferences: o.OwnerReferences}, namespaced, isSubdomain)
	c.finalizers(list)
	return c.result()
}

// finalizers notes those of a custom object that are named without a domain, which
// other kinds may not have (pkg/registry/customresource/strategy.go).
func (n *notes) finalizers(o, old api.Object) {
	for _, f := range slices.Sorted(slices.Values(o.Meta().Finalizers)) {
		if strings.Contains(f, "/") || contains(standardFinalizers, f) || old != nil && contains(old.Meta().Finalizers, f) {
			continue
		}
		text := "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
		if strings.Contains(f, ".") {
			text = "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"
		}
		n.add("metadata.finalizers: " + strconv.Quote(f) + ": " + text)
	}
}

var standardFinalizers = []string{"kubernetes", "orphan", "foregroundDeletion"}
