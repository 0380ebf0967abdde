package codec

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"podwalk/core/api"
)

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
func (r *Report) Error() string {
	if r.Type != nil {
		return r.Type.Message
	}
	parts := make([]string, len(r.Strict))
	for i, s := range r.Strict {
		parts[i] = s.Message
	}
	return "strict decoding error: " + strings.Join(parts, ", ")
}

// maxStrictIssues is how many unknown and duplicate fields are listed.
const maxStrictIssues = 100

// Decode fills into (a pointer to an object or another struct of package api)
// from a value, as the server decodes a request strictly (sigs.k8s.io/json). It
// returns nil when nothing is wrong. Fields that do fit are set in any case.
func Decode(n *Node, into any) *Report {
	v := reflect.ValueOf(into).Elem()
	d := decoder{}
	if o, ok := into.(*api.Custom); ok {
		d.customObject(n, o)
	} else {
		d.value(n, infoOf(v.Type()), v)
	}
	if d.hard != nil {
		d.saved = d.hard
	}
	if d.saved != nil {
		return &Report{Type: d.saved}
	}
	if len(d.strict) > 0 {
		return &Report{Strict: d.strict}
	}
	return nil
}

// DecodeObject makes the object that apiVersion and kind name. It returns nil and
// no report where the API has no such kind.
func DecodeObject(n *Node) (api.Object, *Report) {
	k := api.KindFor(n.Str("apiVersion"), n.Str("kind"))
	if k == nil {
		return nil, nil
	}
	o := k.New()
	return o, Decode(n, o)
}

// metaOnly is what kubectl decodes before it sends anything
// (cli-runtime/pkg/resource/metadata_decoder.go).
type metaOnly struct {
	api.TypeMeta
	api.ObjectMeta `json:"metadata"`
}

// DecodeMeta is kubectl's own look at the metadata before anything is sent; its
// report is what stands behind `unable to decode "FILE": `. Unknown fields are
// none of its business.
func DecodeMeta(n *Node) (api.ObjectMeta, *Report) {
	var m metaOnly
	r := Decode(n, &m)
	if r != nil && r.Type == nil {
		r = nil
	}
	return m.ObjectMeta, r
}

// step is one part of the way from the root to the value being decoded.
type step struct {
	owner *typeInfo // with field: the struct
	field *fieldInfo
	key   string // of a map
	index int    // of a list
}

type decoder struct {
	path   []step
	saved  *Issue // the first value that does not fit
	hard   *Issue // an error that ends decoding
	strict []Issue
	seen   map[string]bool
}

func (d *decoder) push(s step) { d.path = append(d.path, s) }
func (d *decoder) pop()        { d.path = d.path[:len(d.path)-1] }

// where prints the path as strict decoding does.
func (d *decoder) where() string {
	var b strings.Builder
	for _, s := range d.path {
		name := s.key
		if s.field != nil {
			name = s.field.name
		}
		if s.index >= 0 {
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.index))
			b.WriteByte(']')
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

// mismatch notes a value of the wrong type.
func (d *decoder) mismatch(n *Node, what string, t *typeInfo) {
	if d.saved == nil {
		d.saved = d.typeError(n, what, t)
	}
}

func (d *decoder) typeError(n *Node, what string, t *typeInfo) *Issue {
	return &Issue{d.where(), typeErrorText(d.path, what, t), n.Mark}
}

// fatal notes the error of a type that reads itself; decoding ends.
func (d *decoder) fatal(n *Node, err error) {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		d.hard = &Issue{d.where(), typeErrorIn(d.path, te.Value, te.Type.String()), n.Mark}
		return
	}
	d.hard = &Issue{d.where(), err.Error(), n.Mark}
}

func (d *decoder) strictIssue(kind, key string, m Mark) {
	path := d.where()
	if path != "" {
		path += "."
	}
	path += key
	text := kind + " field " + strconv.Quote(path)
	if len(d.strict) >= maxStrictIssues || d.seen[text] {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[text] = true
	d.strict = append(d.strict, Issue{path, text, m})
}

// kindWord names the type of a JSON value as encoding/json does.
func kindWord(n *Node) string {
	return [...]string{Null: "null", Bool: "bool", Number: "number", String: "string", List: "array", Map: "object"}[n.Kind]
}

func (d *decoder) value(n *Node, t *typeInfo, v reflect.Value) {
	if d.hard != nil {
		return
	}
	if n.Kind == Null {
		d.null(t, v)
		return
	}
	switch t.shape {
	case shapePointer:
		if v.IsNil() {
			v.Set(reflect.New(t.elem.rtype))
		}
		d.value(n, t.elem, v.Elem())
	case shapeStruct:
		d.structValue(n, t, v)
	case shapeList:
		d.list(n, t, v)
	case shapeMap:
		d.mapValue(n, t, v)
	case shapeQuantity, shapeTime, shapeMicroTime, shapeIntOrString, shapeRaw:
		if err := v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(appendNode(nil, n)); err != nil {
			d.fatal(n, err)
		}
	default:
		d.scalar(n, t, v)
	}
}

// null clears what can be nil; other values stay as they are.
func (d *decoder) null(t *typeInfo, v reflect.Value) {
	switch t.shape {
	case shapePointer, shapeList, shapeMap, shapeBytes, shapeRaw, shapeTime, shapeMicroTime:
		v.SetZero()
	}
}

func (d *decoder) scalar(n *Node, t *typeInfo, v reflect.Value) {
	switch {
	case t.shape == shapeString && n.Kind == String:
		v.SetString(n.Text)
	case t.shape == shapeBool && n.Kind == Bool:
		v.SetBool(n.Text == "true")
	case t.shape == shapeInt && n.Kind == Number:
		i, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || v.OverflowInt(i) {
			d.mismatch(n, "number "+n.Text, t)
			return
		}
		v.SetInt(i)
	case t.shape == shapeFloat && n.Kind == Number:
		f, err := strconv.ParseFloat(n.Text, 64)
		if err != nil {
			d.mismatch(n, "number "+n.Text, t)
			return
		}
		v.SetFloat(f)
	case t.shape == shapeBytes && n.Kind == String:
		b, err := base64.StdEncoding.DecodeString(n.Text)
		if err == nil {
			v.SetBytes(b)
		} else if d.saved == nil {
			d.saved = &Issue{d.where(), err.Error(), n.Mark}
		}
	default:
		d.mismatch(n, kindWord(n), t)
	}
}

func (d *decoder) list(n *Node, t *typeInfo, v reflect.Value) {
	if n.Kind != List {
		d.mismatch(n, kindWord(n), t)
		return
	}
	s := reflect.MakeSlice(t.rtype, len(n.Items), len(n.Items))
	v.Set(s)
	for i := range n.Items {
		d.push(step{index: i})
		d.value(&n.Items[i], t.elem, s.Index(i))
		d.pop()
	}
}

func (d *decoder) mapValue(n *Node, t *typeInfo, v reflect.Value) {
	if n.Kind != Map {
		d.mismatch(n, kindWord(n), t)
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMapWithSize(t.rtype, len(n.Fields)))
	}
	elem := reflect.New(t.elem.rtype).Elem()
	repeats := n.repeats()
	for i := range n.Fields {
		f := &n.Fields[i]
		if repeats != nil && repeats(f.Key) {
			d.strictIssue("duplicate", f.Key, f.Mark)
		}
		d.push(step{key: f.Key, index: -1})
		elem.SetZero()
		d.value(&f.Value, t.elem, elem)
		v.SetMapIndex(reflect.ValueOf(f.Key), elem)
		d.pop()
	}
}

func (d *decoder) structValue(n *Node, t *typeInfo, v reflect.Value) {
	if n.Kind != Map {
		d.mismatch(n, kindWord(n), t)
		return
	}
	repeats := n.repeats()
	for i := range n.Fields {
		f := &n.Fields[i]
		info := t.field(f.Key)
		if info == nil {
			d.strictIssue("unknown", f.Key, f.Mark)
			continue
		}
		if repeats != nil && repeats(f.Key) {
			d.strictIssue("duplicate", f.Key, f.Mark)
		}
		d.push(step{owner: t, field: info, index: -1})
		d.value(&f.Value, info.typ, info.in(v))
		d.pop()
		if d.hard != nil {
			return
		}
	}
}

// repeats returns a test for keys that were there before, or nil where the order
// of the keys shows that there are none.
func (n *Node) repeats() func(key string) bool {
	sorted := true
	for i := 1; i < len(n.Fields) && sorted; i++ {
		sorted = n.Fields[i-1].Key < n.Fields[i].Key
	}
	if sorted {
		return nil
	}
	seen := make(map[string]bool, len(n.Fields))
	return func(key string) bool {
		was := seen[key]
		seen[key] = true
		return was
	}
}
