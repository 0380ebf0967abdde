package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/validation"
)

// validate applies the rules of the kind. Components that replace a whole object
// they have read are held to them too.
func (c *call) validate(obj, old api.Object) *api.Status {
	var errs field.ErrorList
	if o, ok := obj.(*api.Custom); ok {
		was, _ := old.(*api.Custom)
		errs = c.customErrors(o, was)
	} else if old == nil {
		errs = validation.Create(obj)
	} else {
		errs = validation.Update(obj, old, c.req.Subresource)
	}
	errs = append(errs, c.checkAdmission(obj, old)...)
	if len(errs) == 0 {
		return nil
	}
	return invalid(c.req.Kind, obj.Meta().Name, errs)
}

// invalid makes the Status of field errors.
func invalid(k *api.Kind, name string, errs field.ErrorList) *api.Status {
	causes := make([]api.StatusCause, len(errs))
	for i, e := range errs {
		causes[i] = api.StatusCause{Type: string(e.Type), Message: e.ErrorBody(), Field: e.Field}
	}
	return api.NewInvalid(k, name, causes, errs.ToAggregate().Error())
}
