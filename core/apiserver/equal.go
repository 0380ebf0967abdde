package apiserver

import (
	"reflect"

	"podwalk/core/api"
)

// part returns a field of the struct behind an object, or an invalid value.
func part(o api.Object, name string) reflect.Value {
	return reflect.ValueOf(o).Elem().FieldByName(name)
}

// samePart reports whether a field of two objects is the same.
func samePart(a, b api.Object, name string) bool {
	x := part(a, name)
	return !x.IsValid() || api.Equal(x.Addr().Interface(), part(b, name).Addr().Interface())
}
