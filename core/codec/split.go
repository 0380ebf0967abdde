package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Document is one document of a file, as kubectl separates them.
type Document struct {
	Text []byte
	Line int  // of the first byte of Text in the file, from 1
	JSON bool // it is part of a stream of JSON values
	// Words says that y, n, yes, no, on and off are words, as in YAML 1.2, and not
	// booleans as in kubectl's YAML 1.1.
	Words bool
	// Err says why the file cannot be read further, a *SyntaxError; then Text is
	// empty and the document is the last.
	Err error
	// other is what kubectl says instead of a mistake in this document: it was
	// read as JSON first, and that error is the one it keeps.
	other *SyntaxError
}

// SyntaxError is text that is no YAML or JSON. Its line in Message counts within
// the document, as kubectl's does; Mark counts in the file.
type SyntaxError struct {
	Message string // "error converting YAML to JSON: yaml: line 3: ..."
	Mark    Mark
}

func (e *SyntaxError) Error() string { return e.Message }

// sniffed is how much of a file kubectl looks at to see whether it is JSON.
const sniffed = 4096

// Split separates a file into documents at lines that begin with "---", or into
// JSON values where the file is a JSON stream (apimachinery/pkg/util/yaml
// YAMLOrJSONDecoder). Blank documents and those of comments only are kept; Read
// skips them.
func Split(text []byte) []Document {
	if looksLikeJSON(text[:min(len(text), sniffed)]) {
		return splitJSON(text)
	}
	return splitYAML(nil, text, 1)
}

func looksLikeJSON(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{"))
}

// splitJSON reads JSON values one after the other. After a mistake in the first or
// second one the rest is read as YAML.
func splitJSON(text []byte) []Document {
	var list []Document
	d := json.NewDecoder(bytes.NewReader(text))
	for read, line := 0, 1; ; {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if err == nil {
			end := int(d.InputOffset())
			start := end - len(raw)
			line += bytes.Count(text[read:start], []byte("\n"))
			list = append(list, Document{Text: raw, Line: line, JSON: true})
			line += bytes.Count(raw, []byte("\n"))
			read = end
			continue
		}
		if errors.Is(err, io.EOF) {
			return list
		}
		syntax := &SyntaxError{Message: err.Error(), Mark: markAt(text, errorOffset(err, len(text)))}
		if len(list) > 1 {
			return append(list, Document{Line: line, Err: syntax})
		}
		if errorOffset(err, -1) >= 0 {
			syntax.Message = "json: offset " + strconv.Itoa(errorOffset(err, 0)) + ": " + err.Error()
		}
		return splitRest(list, text, read, syntax)
	}
}

// splitRest goes on with YAML behind the JSON values and white space up to the next
// line; kubectl looks four bytes ahead there.
func splitRest(list []Document, text []byte, read int, syntax *SyntaxError) []Document {
	for newLine := false; !newLine; {
		r, size := utf8.DecodeRune(text[read:])
		if len(text)-read < 4 || r == utf8.RuneError {
			return append(list, Document{Line: lineAt(text, read), Err: syntax})
		}
		if !unicode.IsSpace(r) {
			break
		}
		read += size
		newLine = r == '\n'
	}
	n := len(list)
	list = splitYAML(list, text[read:], lineAt(text, read))
	if n < len(list) {
		list[n].other = syntax
		if list[n].Err != nil {
			list[n].Err = syntax
		}
	}
	return list
}

func errorOffset(err error, other int) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return int(syntax.Offset)
	}
	return other
}

func lineAt(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte("\n")) }

func markAt(text []byte, offset int) Mark {
	offset = max(min(offset, len(text))-1, 0)
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	col := int32(utf8.RuneCount(text[start:offset]) + 1)
	return Mark{int32(lineAt(text, offset)), col, col + 1}
}

// splitYAML appends the documents of text, whose first line is that of the file.
// As kubectl does, it normalises the ends of lines, and it keeps a separator that
// nothing precedes as part of the document that it begins.
func splitYAML(list []Document, text []byte, line int) []Document {
	start, first := 0, line // of the document
	for at := 0; at < len(text); line++ {
		next := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		if rest, found := bytes.CutPrefix(text[at:next], []byte("---")); found {
			if rest = bytes.TrimSpace(rest); len(rest) > 0 && rest[0] != '#' {
				return append(list, Document{Line: line, Err: &SyntaxError{
					Message: "invalid Yaml document separator: " + string(rest), Mark: Mark{int32(line), 1, 4}}})
			}
			if at > start {
				list = append(list, Document{Text: unixLines(text[start:at]), Line: first})
				start, first = next, line+1
			}
		}
		at = next
	}
	if start < len(text) {
		list = append(list, Document{Text: unixLines(text[start:]), Line: first})
	}
	return list
}

// unixLines ends all lines with a line feed only, the last one too.
func unixLines(doc []byte) []byte {
	if bytes.Contains(doc, []byte("\r\n")) {
		doc = bytes.ReplaceAll(doc, []byte("\r\n"), []byte("\n"))
	}
	if doc[len(doc)-1] != '\n' {
		doc = append(doc[:len(doc):len(doc)], '\n')
	}
	return doc
}

// Read returns the values of a file up to its first error, as kubectl's file
// visitor does; empty documents and null are skipped. The error is a
// *SyntaxError, whose text is what kubectl prints behind "error parsing FILE: ".
func Read(text []byte) ([]Node, error) { return read(text, false) }

// ReadWords is Read for files that kubectl never sees: they are YAML 1.2, where y,
// n, yes, no, on and off are words.
func ReadWords(text []byte) ([]Node, error) { return read(text, true) }

func read(text []byte, words bool) ([]Node, error) {
	var list []Node
	for _, d := range Split(text) {
		d.Words = words
		n, err := Parse(d)
		if err != nil {
			return list, err
		}
		if n.Kind != Null {
			list = append(list, n)
		}
	}
	return list, nil
}

// Parse reads one document. An empty one is a Null. The error is a *SyntaxError.
func Parse(d Document) (Node, error) {
	n, _, err := parse(d)
	return n, err
}

// Duplicates returns an issue for each key of a document that is written again in
// the same map: kubectl takes the last one and says nothing.
func Duplicates(d Document) []Issue {
	_, issues, _ := parse(d)
	return issues
}

func parse(d Document) (Node, []Issue, error) {
	if d.Err != nil {
		return Node{}, nil, d.Err
	}
	if d.JSON {
		return parseJSONDocument(d)
	}
	var n Node
	r := resolver{line: d.Line, words: d.Words}
	tree, err := parseYAML(d.Text)
	if tree != nil {
		r.decoded++
		r.value(tree, &n)
		err = r.err
		if err == nil {
			err = r.late
		}
	}
	if err == nil {
		return n, r.duplicates, nil
	}
	if d.other != nil {
		return Node{}, nil, d.other
	}
	m := r.mark(err.mark, err.mark)
	return Node{}, nil, &SyntaxError{"error converting YAML to JSON: " + err.text(), m}
}
