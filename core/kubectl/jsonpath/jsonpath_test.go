package jsonpath

import (
	"encoding/json"
	"strings"
	"testing"
)

const doc = `{"kind":"List","items":[
 {"metadata":{"name":"a","labels":{"tier":"front","x.y/z":"q"}},"n":2,"spec":{"c":[{"image":"i1"},{"image":"i2"}]}},
 {"metadata":{"name":"b","labels":{"tier":"back"}},"n":10,"spec":{"c":[{"image":"i3"}]}}]}`

func generic(t testing.TB) any {
	var v any
	d := json.NewDecoder(strings.NewReader(doc))
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func format(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// The expectations follow the reference of JSONPath in kubectl's documentation and
// the captured outputs of a real one.
func TestTemplatesPrintWhatKubectlPrints(t *testing.T) {
	for in, want := range map[string]string{
		`{.items[*].metadata.name}`:                                                   "a b",
		`{.items[0].metadata.name}{"\t"}end`:                                          "a\tend",
		`{range .items[*]}{.metadata.name}={.n}{"\n"}{end}`:                           "a=2\nb=10\n",
		`{.items[-1:].metadata.name}`:                                                 "b",
		`{.items[0:2].metadata.name}`:                                                 "a b",
		`{.items[0,1].metadata.name}`:                                                 "a b",
		`{.items[?(@.metadata.labels.tier=="back")].metadata.name}`:                   "b",
		`{.items[?(@.n>3)].metadata.name}`:                                            "b",
		`{..image}`:                                                                   "i1 i2 i3",
		`{.items[0].metadata.labels.x\.y/z}{","}{.items[0].metadata.labels['x.y/z']}`: "q,q",
		`{.items[0].metadata.labels}`:                                                 `{"tier":"front","x.y/z":"q"}`,
		`{.nosuch}`:                                                                   "",
		`{$.kind}`:                                                                    "List",
		`{.items[0]['metadata.name']}`:                                                "",
	} {
		tpl, err := Parse(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		got, err := tpl.Execute(generic(t), format)
		if err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", in, got, err, want)
		}
	}
}

func TestErrorsAreThoseOfTheRealLibrary(t *testing.T) {
	if _, err := Parse("{.metadata.name"); err == nil || err.Error() != "unclosed action" {
		t.Errorf("%v", err)
	}
	tpl, err := Parse("{.items[9].n}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tpl.Execute(generic(t), format); err == nil || err.Error() != "array index out of bounds: index 9, length 2" {
		t.Errorf("%v", err)
	}
}

func FuzzTemplatesNeitherPanicNorHang(f *testing.F) {
	for _, s := range []string{`{.a[?(@.b=="c")]}`, `{range .x}{end}`, `{['a','b']}`, `{..}`, `{"`, `{.a[1:2:3]}`, `{[?(}`, `{.a\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if tpl, err := Parse(s); err == nil {
			_, _ = tpl.Execute(generic(t), format)
		}
	})
}
