package codec

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
)

const (
	longTag      = "tag:yaml.org,2002:"
	strTag       = longTag + "str"
	boolTag      = longTag + "bool"
	intTag       = longTag + "int"
	floatTag     = longTag + "float"
	nullTag      = longTag + "null"
	timestampTag = longTag + "timestamp"
	binaryTag    = longTag + "binary"
	mergeTag     = longTag + "merge"
)

// resolver turns the tree of a document into values, as go.yaml.in/yaml/v2
// decode.go does for an untyped target and sigs.k8s.io/yaml then for JSON.
type resolver struct {
	line       int // of the document's first line in the file
	decoded    int // values resolved, those of aliases again each time
	aliased    int // of them, those below an alias
	aliasDepth int
	copied     int  // bytes of the scalars among them
	words      bool // y, on and the like are strings
	err        *yamlError
	late       *yamlError // a value that JSON cannot hold: the rest is resolved first
	lateKey    bool       // it is a key, which goes before other values
	duplicates []Issue
}

func (r *resolver) mark(start, end yamlPlace) Mark {
	m := Mark{start.line + int32(r.line), start.col + 1, start.col + 2}
	if end.line == start.line && end.col > start.col {
		m.EndColumn = end.col + 1
	}
	return m
}

func (r *resolver) fail(n *yamlNode, problem string) bool {
	if r.err == nil {
		r.err = &yamlError{problem: problem, mark: n.start}
	}
	return false
}

// value resolves n into out.
func (r *resolver) value(n *yamlNode, out *Node) bool {
	if !r.count(n) {
		return false
	}
	switch n.kind {
	case yamlAlias:
		return r.alias(n, func() bool { return r.value(n.alias, out) })
	case yamlScalar:
		return r.scalar(n, out)
	case yamlList:
		out.Kind, out.Mark = List, r.mark(n.start, n.end)
		out.Items = make([]Node, n.count)
		for i, c := 0, n.first; c != nil; i, c = i+1, c.next {
			if !r.value(c, &out.Items[i]) {
				return false
			}
		}
		return true
	}
	out.Kind, out.Mark = Map, r.mark(n.start, n.end)
	out.Fields = make([]Field, 0, n.count/2)
	if !r.fields(n, out) {
		return false
	}
	r.settle(out)
	return true
}

// maxCopiedText bounds what aliases may repeat of long texts; the real tools have
// no such bound and run out of memory.
const maxCopiedText = 32 << 20

// count stops documents whose aliases multiply.
func (r *resolver) count(n *yamlNode) bool {
	r.decoded++
	if r.aliasDepth > 0 {
		r.aliased++
		r.copied += len(n.text)
	}
	if r.copied > maxCopiedText || r.aliased > 100 && r.decoded > 1000 && float64(r.aliased)/float64(r.decoded) > allowedAliases(r.decoded) {
		return r.fail(n, "document contains excessive aliasing")
	}
	return true
}

// allowedAliases is 99% for small documents and falls to 10% for very large ones.
func allowedAliases(decoded int) float64 {
	const low, high = 400000, 4000000
	switch {
	case decoded <= low:
		return 0.99
	case decoded >= high:
		return 0.10
	}
	return 0.99 - 0.89*(float64(decoded-low)/(high-low))
}

func (r *resolver) alias(n *yamlNode, follow func() bool) bool {
	if n.busy {
		return r.fail(n, "anchor '"+n.text+"' value contains itself")
	}
	n.busy = true
	r.aliasDepth++
	ok := follow()
	r.aliasDepth--
	n.busy = false
	return ok
}

// fields appends the entries of a map in the order in which they take effect.
func (r *resolver) fields(n *yamlNode, out *Node) bool {
	for key := n.first; key != nil; key = key.next.next {
		val := key.next
		if key.kind == yamlScalar && key.text == "<<" && (key.implicit || key.tag == mergeTag) {
			if !r.merge(val, out) {
				return false
			}
			continue
		}
		out.Fields = append(out.Fields, Field{Mark: r.mark(key.start, key.end)})
		at := len(out.Fields) - 1
		if !r.key(key, val, &out.Fields[at]) || !r.value(val, &out.Fields[at].Value) {
			return false
		}
	}
	return true
}

// merge appends the entries that a "<<" key brings in; of a list the first map
// wins, so it comes last.
func (r *resolver) merge(n *yamlNode, out *Node) bool {
	list := []*yamlNode{n}
	if n.kind == yamlList {
		list = list[:0]
		for c := n.first; c != nil; c = c.next {
			list = append(list, c)
		}
		slices.Reverse(list)
	}
	for _, m := range list {
		if m.kind != yamlMap && (m.kind != yamlAlias || m.alias.kind != yamlMap) {
			return r.fail(m, "map merge requires map or sequence of maps as the value")
		}
		if !r.mergeMap(m, out) {
			return false
		}
	}
	return true
}

func (r *resolver) mergeMap(m *yamlNode, out *Node) bool {
	if !r.count(m) {
		return false
	}
	if m.kind == yamlAlias {
		return r.alias(m, func() bool { return r.mergeMap(m.alias, out) })
	}
	return r.fields(m, out)
}

// settle sorts the entries; of those with one key the last one stays.
func (r *resolver) settle(n *Node) {
	slices.SortStableFunc(n.Fields, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })
	kept := n.Fields[:0]
	for i, f := range n.Fields {
		if i+1 < len(n.Fields) && n.Fields[i+1].Key == f.Key {
			r.duplicates = append(r.duplicates, Issue{Path: f.Key, Mark: f.Mark,
				Message: "key " + strconv.Quote(f.Key) + " is written again below: this value is ignored"})
			continue
		}
		kept = append(kept, f)
	}
	n.Fields = kept
}

// key resolves the key of a map to the string it has in JSON.
func (r *resolver) key(n, val *yamlNode, f *Field) bool {
	var k Node
	if !r.value(n, &k) {
		return false
	}
	switch k.Kind {
	case List, Map:
		return r.fail(n, "invalid map key: "+goSyntax(n, false))
	case Null:
		r.postpone(n, "unsupported map key of type: %!s(<nil>), key: <nil>, value: ", val)
	case Number:
		return r.numberKey(n, val, f, k.Text)
	default:
		f.Key = k.Text
	}
	return true
}

// numberKey prints a number as a key: floats in the short form of 32 bits.
func (r *resolver) numberKey(n, val *yamlNode, f *Field, text string) bool {
	for n.kind == yamlAlias {
		n = n.alias
	}
	f.Key = text
	switch s := resolveScalar(n.tag, n.text); s.kind {
	case scalarUint:
		r.postpone(n, "unsupported map key of type: uint64, key: "+s.text+", value: ", val)
	case scalarFloat:
		switch f.Key = strconv.FormatFloat(s.float, 'g', -1, 32); f.Key {
		case "+Inf":
			f.Key = ".inf"
		case "-Inf":
			f.Key = "-.inf"
		case "NaN":
			f.Key = ".nan"
		}
	}
	return true
}

// postpone notes a value that JSON cannot hold; the real tools meet it only when
// the document is read.
func (r *resolver) postpone(n *yamlNode, problem string, val *yamlNode) {
	if r.late != nil && (val == nil || r.lateKey) {
		return
	}
	r.lateKey = val != nil
	if val != nil {
		problem += goSyntax(val, true)
	}
	r.late = &yamlError{problem: problem, mark: n.start, isJSON: true}
}

// isWord holds for the booleans of YAML 1.1 that are words in YAML 1.2.
func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}

// scalar resolves a scalar.
func (r *resolver) scalar(n *yamlNode, out *Node) bool {
	out.Mark = r.mark(n.start, n.end)
	if n.tag == "" && !n.implicit || r.words && n.tag == "" && isWord(n.text) {
		out.Kind, out.Text = String, n.text
		return true
	}
	s := resolveScalar(n.tag, n.text)
	if s.problem != "" {
		return r.fail(n, s.problem)
	}
	if n.tag == binaryTag {
		b, err := base64.StdEncoding.DecodeString(n.text)
		if err != nil {
			return r.fail(n, "!!binary value contains invalid base64 data")
		}
		s.text = string([]rune(string(b)))
	}
	switch s.kind {
	case scalarNull:
		out.Kind = Null
	case scalarBool:
		out.Kind, out.Text = Bool, strconv.FormatBool(s.bool)
	case scalarInt:
		out.Kind, out.Text = Number, strconv.FormatInt(s.int, 10)
	case scalarUint, scalarFloat:
		out.Kind, out.Text = Number, formatNumber(s.float)
		if s.float != s.float || s.float-s.float != 0 {
			r.postpone(n, "json: unsupported value: "+strconv.FormatFloat(s.float, 'g', -1, 64), nil)
		}
	default:
		out.Kind, out.Text = String, s.text
	}
	return true
}
