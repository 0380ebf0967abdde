package codec

import (
	"reflect"
	"slices"
	"strings"

	"podwalk/core/api"
)

var customType = reflect.TypeFor[api.Custom]()

// appendCustom prints a custom object: its content, and its type and metadata between.
func appendCustom(b []byte, o *api.Custom) []byte {
	content := o.Content
	if len(content) == 0 {
		content = api.RawJSON("{}")
	}
	r := jsonReader{text: content, line: 1}
	n := r.value()
	n.Fields = append(n.Fields, Field{Key: "apiVersion", Value: Node{Kind: String, Text: o.APIVersion}},
		Field{Key: "kind", Value: Node{Kind: String, Text: api.KindName(o.Kind)}})
	meta := jsonReader{text: ToJSON(&o.ObjectMeta), line: 1}
	n.Fields = append(n.Fields, Field{Key: "metadata", Value: meta.value()})
	slices.SortFunc(n.Fields, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })
	return appendNode(b, &n)
}

// customObject reads a custom object: type and metadata by their types, the rest as it
// stands.
func (d *decoder) customObject(n *Node, o *api.Custom) {
	if n.Kind != Map {
		d.mismatch(n, kindWord(n), infoOf(customType))
		return
	}
	known, rest := Node{Kind: Map, Mark: n.Mark}, map[string]any{}
	for i := range n.Fields {
		switch f := &n.Fields[i]; f.Key {
		case "apiVersion", "kind", "metadata":
			known.Fields = append(known.Fields, *f)
		default:
			rest[f.Key] = f.Value.Value()
		}
	}
	d.repeated(n)
	var m metaOnly
	d.value(&known, infoOf(reflect.TypeOf(m)), reflect.ValueOf(&m).Elem())
	o.TypeMeta, o.ObjectMeta, o.Content = m.TypeMeta, m.ObjectMeta, ToJSON(rest)
}

// repeated notes the keys that stand twice in what is not read by a type.
func (d *decoder) repeated(n *Node) {
	repeats := n.repeats()
	for i := range n.Items {
		d.push(step{index: i})
		d.repeated(&n.Items[i])
		d.pop()
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		if repeats != nil && repeats(f.Key) {
			d.strictIssue("duplicate", f.Key, f.Mark)
		}
		if len(d.path) == 0 && f.Key == "metadata" {
			continue
		}
		d.push(step{key: f.Key, index: -1})
		d.repeated(&f.Value)
		d.pop()
	}
}
