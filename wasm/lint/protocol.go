package main

import "podwalk/wasm/boundary"

// LintArgs are the files to check.
type LintArgs struct {
	Files []boundary.File `json:"files"`
}

// LintOK are the hints, in the order of the files and of their text.
type LintOK struct {
	Marks []boundary.Mark `json:"marks"`
}

// SchemaArgs ask for the fields at a path of a kind, such as spec.containers[0].
type SchemaArgs struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Path       string `json:"path"`
}

// SchemaOK are those fields. At a scalar with a closed set of values it is one
// field without a name that holds the set.
type SchemaOK struct {
	Fields []SchemaField `json:"fields"`
}

// SchemaField is one field that may stand at a place.
type SchemaField struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // string, integer, number, boolean, object, list, map, or several with " | "
	Required bool     `json:"required"`
	Enum     []string `json:"enum,omitempty"`
}
