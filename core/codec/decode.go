package codec

import "podwalk/core/api"

// Issue is one thing that is wrong with a document.
type Issue struct {
	Path    string // as in "spec.containers[0].image"
	Message string
	Mark    Mark
}

// Report is what Decode found wrong. Type is the one error of a value that does
// not fit, in encoding/json's words; without it Strict lists the unknown and
// duplicate fields in the order of the text.
type Report struct {
	Type   *Issue
	Strict []Issue
}

// Error is the text that the server puts behind `Pod in version "v1" cannot be
// handled as a Pod: `: the type error, or "strict decoding error: " and all
// strict issues.
func (r *Report) Error() string { panic("not yet") }

// Decode fills into (a pointer to an object or another struct of package api)
// from a value, as the server decodes a request strictly. It returns nil when
// nothing is wrong. Fields that do fit are set in any case.
func Decode(n *Node, into any) *Report { panic("not yet") }

// DecodeObject makes the object that apiVersion and kind name. It returns nil and
// no report where the API has no such kind.
func DecodeObject(n *Node) (api.Object, *Report) { panic("not yet") }

// DecodeMeta is kubectl's own look at the metadata before anything is sent; its
// report is what stands behind `unable to decode "FILE": `.
func DecodeMeta(n *Node) (api.ObjectMeta, *Report) { panic("not yet") }
