package codec

import (
	"strings"
	"testing"
	"time"
)

// The values are those of sigs.k8s.io/yaml, which core/difftest compares on many
// more texts.
func TestScalarsAreThoseOfYAML11(t *testing.T) {
	for in, want := range map[string]string{
		"yes": "true", "NO": "false", "on": "true", "y": "true", "N": "false", "True": "true",
		"~": "null", "Null": "null", "": "null", "0777": "511", "0o17": "15", "0x1F": "31", "0b11": "3", "1_000": "1000", "+5": "5",
		"08": "8", "1e3": "1000", "1.0": "1", ".5": "0.5", "1.5e-7": "1.5e-7", "1e21": "1e+21", "-0": "0",
		"2001-01-01": `"2001-01-01"`, "12:30:45": `"12:30:45"`, "1.2.3": `"1.2.3"`, "'yes'": `"yes"`, `"5"`: `"5"`,
		"18446744073709551615": "18446744073709552000", "!!str 5": `"5"`, "!!float 5": "5", "!!int 0x10": "16", "! yes": `"yes"`,
		"=": `"="`, "a: b": `{"a":"b"}`, "{1: a, true: b, 1.5: c, 2: [x]}": `{"1":"a","1.5":"c","2":["x"],"true":"b"}`,
		"!!binary aGk=": `"hi"`, `"\x41\u00e9\n"`: `"Aé\n"`, "'it''s'": `"it's"`, "a\n b\n\n c": `"a b\nc"`,
	} {
		docs, err := Read([]byte("k: " + in + "\n"))
		if strings.HasPrefix(in, "a: b") {
			docs, err = Read([]byte(in))
			docs = []Node{{Kind: Map, Fields: []Field{{Key: "k", Value: docs[0]}}}}
		}
		if err != nil || len(docs) != 1 {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got := string(ToJSON(docs[0].Get("k"))); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

func TestBlockScalarsAnchorsAndMergeKeys(t *testing.T) {
	const text = `literal: |
  one
    two

folded: >-
  one
  two

  three
keep: |+
  x

base: &base {a: 1, b: 2}
merged:
  b: 0
  <<: *base
  c: 3
list: [*base, &x z, *x]
again: 1
again: 2
`
	const want = `{"again":2,"base":{"a":1,"b":2},"folded":"one two\nthree","keep":"x\n\n","list":[{"a":1,"b":2},"z","z"],` +
		`"literal":"one\n  two\n","merged":{"a":1,"b":2,"c":3}}`
	docs, err := Read([]byte(text))
	if err != nil || len(docs) != 1 || string(ToJSON(&docs[0])) != want {
		t.Errorf("%s (%v)\nwant %s", ToJSON(&docs[0]), err, want)
	}
	hints := Duplicates(Split([]byte(text))[0])
	if len(hints) != 2 || hints[1].Path != "again" || hints[1].Mark != (Mark{19, 1, 6}) {
		t.Errorf("duplicates: %+v", hints)
	}
}

// The messages are kubectl's ("error: error parsing FILE: " goes before); lines in
// them count within the document, the marks in the file.
func TestMistakesHaveKubectlsWordsAndAPlaceInTheFile(t *testing.T) {
	const first = "a: 1\n---\n"
	for in, want := range map[string]struct {
		message string
		mark    Mark
	}{
		first + "kind: Pod\nname: a: b\n":      {"error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context", Mark{4, 8, 9}},
		first + "a:\n\t- b\n":                  {"error converting YAML to JSON: yaml: line 2: found character that cannot start any token", Mark{4, 1, 2}},
		first + "a: b\n  c: d\n":               {"error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context", Mark{4, 4, 5}},
		first + "a: [1, 2\nb: c\n":             {"error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'", Mark{}},
		first + "a: \"x\n":                     {"error converting YAML to JSON: yaml: line 2: found unexpected end of stream", Mark{4, 1, 2}},
		first + "- a\nb: c\n":                  {"error converting YAML to JSON: yaml: line 1: did not find expected '-' indicator", Mark{4, 1, 2}},
		first + "a: *b\n":                      {"error converting YAML to JSON: yaml: unknown anchor 'b' referenced", Mark{3, 4, 5}},
		first + "a: &x [*x]\n":                 {"error converting YAML to JSON: yaml: anchor 'x' value contains itself", Mark{3, 8, 9}},
		first + "<<: 1\n":                      {"error converting YAML to JSON: yaml: map merge requires map or sequence of maps as the value", Mark{3, 5, 6}},
		first + "a: {{ .Values.x }}\n":         {`error converting YAML to JSON: yaml: invalid map key: map[interface {}]interface {}{".Values.x":interface {}(nil)}`, Mark{3, 5, 6}},
		first + "a: .inf\n":                    {"error converting YAML to JSON: json: unsupported value: +Inf", Mark{3, 4, 5}},
		first + "a: !!int x\n":                 {"error converting YAML to JSON: yaml: cannot decode !!str `x` as a !!int", Mark{3, 4, 5}},
		first + "a: \x00\n":                    {"error converting YAML to JSON: yaml: control characters are not allowed", Mark{}},
		first + "a: \xff\n":                    {"error converting YAML to JSON: yaml: invalid leading UTF-8 octet", Mark{}},
		first + "a: \xc3":                      {"error converting YAML to JSON: yaml: invalid trailing UTF-8 octet", Mark{}},
		first + "--- {a: 1}\n":                 {"invalid Yaml document separator: {a: 1}", Mark{3, 1, 4}},
		"{\"a\": 1]":                           {"json: offset 8: invalid character ']' after object key:value pair", Mark{1, 8, 9}},
		"{\"a\": 1}\n{\"b\": 2}\n{\"c\": x}\n": {"invalid character 'x' looking for beginning of value", Mark{3, 7, 8}},
	} {
		_, err := Read([]byte(in))
		e, ok := err.(*SyntaxError)
		if !ok {
			t.Errorf("%q is read", in)
			continue
		}
		if e.Message != want.message {
			t.Errorf("%q: %s\nwant %s", in, e.Message, want.message)
		}
		if want.mark != (Mark{}) && e.Mark != want.mark {
			t.Errorf("%q: at %v, want %v", in, e.Mark, want.mark)
		}
	}
}

func TestFilesAreSplitAsKubectlSplitsThem(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "",
		"# nothing\n":                      "",
		"---\n---\n# x\n---\n":             "",
		"a: 1\n---\nb: 2\n":                `{"a":1} {"b":2}`,
		"a: 1\r\n---\r\nb: |\r\n  x\r\n":   `{"a":1} {"b":"x\n"}`,
		"\xef\xbb\xbfa: 1\n":               `{"a":1}`,
		"--- # first\na: 1\n...\nb: 2\n":   `{"a":1}`,
		"{\"b\":1,\"a\":2}{\"c\":3}\n":     `{"a":2,"b":1} {"c":3}`,
		"{\"a\":1,}\n---\n{\"b\":1}":       `{"a":1} {"b":1}`,
		"{\"a\":1.0,\"a\":1e2,\"b\":null}": `{"a":100,"b":null}`,
		"null\n---\na: null":               `{"a":null}`,
	} {
		docs, err := Read([]byte(in))
		parts := make([]string, len(docs))
		for i := range docs {
			parts[i] = string(ToJSON(&docs[i]))
		}
		if got := strings.Join(parts, " "); err != nil || got != want {
			t.Errorf("%q: %s (%v), want %s", in, got, err, want)
		}
	}
}

func TestPlacesOfKeysAndValuesCountInTheFile(t *testing.T) {
	docs, err := Read([]byte("a: 1\n---\nkind: Pod\nspec:\n  é: [one, \"two\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	spec := docs[1].Get("spec")
	if m := spec.Fields[0].Mark; m != (Mark{5, 3, 4}) {
		t.Error("key at", m)
	}
	list := spec.Fields[0].Value
	if list.Items[0].Mark != (Mark{5, 7, 10}) || list.Items[1].Mark != (Mark{5, 12, 17}) {
		t.Error("items at", list.Items[0].Mark, list.Items[1].Mark)
	}
	n, err := ParseJSON([]byte("{\n \"é\": [10, \"x\"]}"))
	if err != nil || n.Fields[0].Mark != (Mark{2, 2, 5}) || n.Fields[0].Value.Items[1].Mark != (Mark{2, 12, 15}) {
		t.Errorf("%+v (%v)", n, err)
	}
}

func TestHostileDocumentsAreBounded(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'z'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "]\n"
	}
	for name, c := range map[string]struct{ text, message string }{
		"alias bomb":    {bomb, "document contains excessive aliasing"},
		"deep lists":    {strings.Repeat("[", 20000), "exceeded max depth of 10000"},
		"deep maps":     {"k: " + strings.Repeat("{a: ", 20000), "exceeded max depth of 10000"},
		"deep indents":  {strings.Repeat("- ", 20000), "exceeded max depth of 10000"},
		"deep JSON":     {"{\"a\":" + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", "exceeded max depth"},
		"long aliases":  {"a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 100000) + "]", "document contains excessive aliasing"},
		"many values":   {strings.Repeat("{}", 100000), ""},
		"many keys":     {strings.Repeat("? ", 9000), "invalid map key"},
		"long line":     {"a: " + strings.Repeat("x ", 200000), ""},
		"many lines":    {strings.Repeat("a: 1\n", 100000), ""},
		"many comments": {strings.Repeat("# c\n", 100000) + "a: 1\n", ""},
	} {
		start := time.Now()
		_, err := Read([]byte(c.text))
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if c.message == "" && err != nil || c.message != "" && (err == nil || !strings.Contains(err.Error(), c.message)) {
			t.Errorf("%s: %.200v, want %q", name, err, c.message)
		}
	}
}
