package validation

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
)

// Update returns what is wrong with a new state of an object. sub is the
// subresource through which it comes, such as status.
func Update(o, old api.Object, sub string) field.ErrorList {
	var c check
	c.metaUpdate(o.Meta(), old.Meta())
	return c.errs
}
