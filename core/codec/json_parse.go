package codec

import (
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// jsonReader makes the tree of a JSON text that is known to be well-formed.
type jsonReader struct {
	text      []byte
	pos       int
	line      int32
	lineStart int
	wide      int // bytes beyond one a character since the line's start
}

// ParseJSON reads JSON as the server gets it: number literals, the order of keys
// and duplicate keys stay as written. The error has encoding/json's words.
func ParseJSON(text []byte) (Node, error) {
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		var syntax *json.SyntaxError
		if !errors.As(err, &syntax) {
			return Node{}, &SyntaxError{Message: err.Error()}
		}
		return Node{}, &SyntaxError{err.Error(), markAt(text, int(syntax.Offset))}
	}
	r := jsonReader{text: text, line: 1}
	return r.value(), nil
}

// parseJSONDocument reads a JSON document of a file as kubectl does, which prints
// it again before it sends it.
func parseJSONDocument(d Document) (Node, []Issue, error) {
	r := jsonReader{text: d.Text, line: int32(d.Line)}
	n := r.value()
	res := resolver{}
	normalise(&n, &res)
	return n, res.duplicates, nil
}

// normalise sorts keys and brings numbers into the form in which they are sent.
func normalise(n *Node, r *resolver) {
	switch n.Kind {
	case Number:
		if v, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			n.Text = strconv.FormatInt(v, 10)
		} else {
			n.Text = formatNumber(parseFloat(n.Text))
		}
	case List:
		for i := range n.Items {
			normalise(&n.Items[i], r)
		}
	case Map:
		for i := range n.Fields {
			normalise(&n.Fields[i].Value, r)
		}
		r.settle(n)
	}
}

func (r *jsonReader) mark(from int) Mark {
	col := int32(from - r.lineStart - r.wide + 1)
	return Mark{r.line, col, col + int32(utf8.RuneCount(r.text[from:r.pos]))}
}

// space goes to the next byte that is no white space, and returns it.
func (r *jsonReader) space() byte {
	for ; r.pos < len(r.text); r.pos++ {
		switch r.text[r.pos] {
		case '\n':
			r.line++
			r.lineStart, r.wide = r.pos+1, 0
		case ' ', '\t', '\r':
		default:
			return r.text[r.pos]
		}
	}
	return 0
}

func (r *jsonReader) value() Node {
	c := r.space()
	from := r.pos
	switch c {
	case '{', '[':
		r.pos++
		n := Node{Kind: List, Mark: r.mark(from)}
		if c == '{' {
			n.Kind = Map
		}
		r.entries(&n)
		return n
	case '"':
		text, mark := r.str()
		return Node{Kind: String, Text: text, Mark: mark}
	case 't', 'f', 'n':
		for r.pos < len(r.text) && r.text[r.pos] >= 'a' && r.text[r.pos] <= 'z' {
			r.pos++
		}
		if c == 'n' {
			return Node{Mark: r.mark(from)}
		}
		return Node{Kind: Bool, Text: string(r.text[from:r.pos]), Mark: r.mark(from)}
	}
	for r.pos < len(r.text) && numberByte(r.text[r.pos]) {
		r.pos++
	}
	return Node{Kind: Number, Text: string(r.text[from:r.pos]), Mark: r.mark(from)}
}

func numberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// entries reads the inside of a list or a map and what closes it.
func (r *jsonReader) entries(n *Node) {
	for {
		switch r.space() {
		case '}', ']', 0:
			r.pos++
			return
		case ',', ':':
			r.pos++
			continue
		}
		if n.Kind == List {
			n.Items = append(n.Items, r.value())
			continue
		}
		var f Field
		f.Key, f.Mark = r.str()
		r.space()
		r.pos++
		f.Value = r.value()
		n.Fields = append(n.Fields, f)
	}
}

// str reads a string.
func (r *jsonReader) str() (string, Mark) {
	from := r.pos
	plain, wide := true, 0
	for r.pos++; r.text[r.pos] != '"'; r.pos++ {
		switch c := r.text[r.pos]; {
		case c == '\\':
			plain = false
			r.pos++
		case c >= 0x80:
			plain = false
			if c < 0xC0 {
				wide++
			}
		}
	}
	r.pos++
	m := r.mark(from)
	r.wide += wide
	if plain {
		return string(r.text[from+1 : r.pos-1]), m
	}
	var s string
	if json.Unmarshal(r.text[from:r.pos], &s) != nil {
		return "", m
	}
	return s, m
}
