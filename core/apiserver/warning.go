package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/validation"
)

// warningsFor lists what the server says about a new object that it accepts.
func warningsFor(obj api.Object) []string { return validation.Warnings(obj) }
