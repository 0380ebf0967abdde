// Package codec reads and prints API objects: YAML and JSON text to a tree of
// values that knows the line and column of each (Split, Parse, ParseJSON), the
// tree to the structs of package api with the real server's words for what is
// wrong (Decode), objects to JSON and YAML as kubectl prints them (ToJSON,
// ToJSONIndent, ToYAML), and patches of all kinds on generic values (patch*.go).
// It validates nothing beyond types and knows no defaults. Any bytes are safe to
// read. Start at Read, then Decode.
//
// # YAML
//
// The reader of YAML is our own (yaml_*.go) and follows libyaml as
// go.yaml.in/yaml/v2 has it, which kubectl uses through sigs.k8s.io/yaml: YAML
// 1.1, so that yes, no, on and off are booleans, dates stay strings, and of
// duplicate keys the last wins. yaml.v3 would not do: it names the line of the
// surrounding collection where kubectl names that of the mistake, and it looks
// further ahead, so that of two mistakes it reports another one. The way of a
// document is newYAMLSource (bytes), yamlScanner (tokens), yamlParser (tree),
// resolver (values). core/difftest holds it to the real libraries.
package codec
