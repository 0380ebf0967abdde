package api

import "strconv"

// failure makes a Status that reports a failed call
// (apimachinery/pkg/api/errors/errors.go).
func failure(code int32, reason, message string, d *StatusDetails) *Status {
	return &Status{TypeMeta: TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure",
		Message: message, Reason: reason, Details: d, Code: code}
}

func (k *Kind) details(name string) *StatusDetails {
	return &StatusDetails{Name: name, Group: k.Group, Kind: k.Plural}
}

func (k *Kind) quoted(name string) string { return k.Resource() + " " + strconv.Quote(name) }

// NewNotFound says that there is no object of that name.
func NewNotFound(k *Kind, name string) *Status {
	return failure(404, ReasonNotFound, k.quoted(name)+" not found", k.details(name))
}

// NewAlreadyExists says that the name is taken.
func NewAlreadyExists(k *Kind, name string) *Status {
	return failure(409, ReasonAlreadyExists, k.quoted(name)+" already exists", k.details(name))
}

// NewConflict says that a write was based on an outdated object, or on another one.
func NewConflict(k *Kind, name, why string) *Status {
	return failure(409, ReasonConflict, "Operation cannot be fulfilled on "+k.quoted(name)+": "+why, k.details(name))
}

// NewForbidden says that policy forbids the call. name may be empty.
func NewForbidden(k *Kind, name, why string) *Status {
	who := k.Resource()
	if name != "" {
		who = k.quoted(name)
	}
	return failure(403, ReasonForbidden, who+" is forbidden: "+why, k.details(name))
}

// NewBadRequest says that the call makes no sense.
func NewBadRequest(why string) *Status { return failure(400, ReasonBadRequest, why, nil) }

// NewUnauthorized says that the server does not know who is calling.
func NewUnauthorized() *Status { return failure(401, ReasonUnauthorized, "Unauthorized", nil) }

// NewMethodNotSupported says that objects of this kind cannot be asked that.
func NewMethodNotSupported(k *Kind, action string) *Status {
	return failure(405, ReasonMethodNotAllowed, action+" is not supported on resources of kind "+
		strconv.Quote(k.Resource()), &StatusDetails{Group: k.Group, Kind: k.Plural})
}

// NewInternalError says that the server, or something it calls, is broken.
func NewInternalError(why string) *Status {
	return failure(500, ReasonInternalError, "Internal error occurred: "+why,
		&StatusDetails{Causes: []StatusCause{{Message: why}}})
}

// NewInvalid says that the object breaks the rules of its kind. message is the
// aggregate of the causes, "" if there are none.
func NewInvalid(k *Kind, name string, causes []StatusCause, message string) *Status {
	kind := k.Name()
	if k.Group != "" {
		kind += "." + k.Group
	}
	text := kind + " " + strconv.Quote(name) + " is invalid"
	if message != "" {
		text += ": " + message
	}
	return failure(422, ReasonInvalid, text, &StatusDetails{Name: name, Group: k.Group, Kind: k.Name(), Causes: causes})
}
