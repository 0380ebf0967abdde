package validation

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
)

// CustomMeta returns what is wrong with the metadata of a new custom object; the rest
// is its schema's to judge.
func CustomMeta(o *api.Custom, namespaced bool) field.ErrorList {
	var c check
	c.meta(&o.ObjectMeta, namespaced, isSubdomain)
	return c.result()
}
