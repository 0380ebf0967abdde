// Package schemas holds the JSON Schemas of the kinds that Podwalk knows, as one
// bundle a source: "kinds" maps apiVersion and kind to one of "definitions".
// kubernetes.json is generated from the API server's OpenAPI by gen; podwalk.json,
// of the documents that describe the simulation itself, is written by hand. They
// serve the editor's hints; the API server's answer never depends on them.
package schemas

import "embed"

// Files holds the bundles.
//
//go:embed *.json
var Files embed.FS
