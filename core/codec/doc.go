// Package codec reads and prints API objects: YAML and JSON text to a tree of
// values that knows the line and column of each (Split, Parse, ParseJSON), the
// tree to the structs of package api with the real server's words for what is
// wrong (Decode), objects to JSON and YAML as kubectl prints them (ToJSON,
// ToJSONIndent, ToYAML), and patches of all kinds on generic values (patch*.go).
// It validates nothing beyond types and knows no defaults. Any bytes are safe to
// read. Start at Read, then Decode.
//
// YAML is scanned by yaml.v3 but resolved by the rules of sigs.k8s.io/yaml, which
// is YAML 1.1: see resolve.go.
package codec
