package gotemplate

import "testing"

// The expectations are what Go's text/template prints of the same data.
func TestTemplatesPrintWhatTextTemplatePrints(t *testing.T) {
	data := map[string]any{
		"metadata": map[string]any{"name": "web", "labels": map[string]any{"b": "2", "a": "1"}, "x": nil},
		"spec": map[string]any{"replicas": float64(3), "big": 1e6, "on": true,
			"list": []any{map[string]any{"n": "a"}, map[string]any{"n": "b"}, map[string]any{"n": "c"}}},
	}
	for text, want := range map[string]string{
		`{{.metadata.name}} {{.nosuch}} {{.nosuch.x}} {{.metadata.x}}`:                           "web <no value> <no value> <no value>",
		`{{range $i, $e := .spec.list}}{{if $i}}, {{end}}{{$e.n}}{{end}}`:                        "a, b, c",
		`{{range .spec.list}}{{if eq .n "b"}}{{break}}{{end}}{{.n}}{{else}}none{{end}}`:          "a",
		`{{.spec.big}} {{len .spec.list}} {{index .spec.list 0 "n"}} {{.metadata.labels}}`:       "1e+06 3 a map[a:1 b:2]",
		`{{- 1 -}}  x {{- /* c */ -}} y`:                                                         "1xy",
		`{{$x := .spec}}{{$x.replicas}}{{$x = .metadata}}{{$x.name | printf "-%5s|"}}`:           "3-  web|",
		`{{define "t"}}[{{.}}]{{end}}{{template "t" .metadata.name}}`:                            "[web]",
		`{{if and .spec.on (gt (len .spec.list) 2)}}ok{{else if .x}}no{{end}}`:                   "ok",
		`{{range $k, $v := .metadata.labels}}{{$k}}{{$v}}{{end}}{{print 1 2 "a" 3}}`:             "a1b21 2a3",
		`{{html "<a>"}} {{urlquery "a b"}} {{slice "abc" 1 2}} {{range 3}}{{.}}{{end}}`:          "&lt;a&gt; a+b b 012",
		`{{with .spec}}{{.replicas}}{{end}}{{not .spec.on}}{{or "" "z"}}{{base64decode "aGk="}}`: "3falsezhi",
	} {
		tmpl, err := Parse("output", text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := tmpl.Execute(data); err != nil || got != want {
			t.Errorf("%s\n got %q %v\nwant %q", text, got, err, want)
		}
	}
}

func TestTemplateErrorsAreThoseOfTextTemplate(t *testing.T) {
	data := map[string]any{"m": map[string]any{"x": nil, "s": "a"}, "n": float64(3)}
	for text, want := range map[string]string{
		`{{bad`:              `template: output:1: function "bad" not defined`,
		`{{.a`:               `template: output:1: unclosed action`,
		`{{if .x}}`:          `template: output:1: unexpected EOF`,
		`{{end}}`:            `template: output:1: unexpected {{end}}`,
		`{{$y}}`:             `template: output:1: undefined variable "$y"`,
		"a\nb{{.m.x.y}}":     `template: output:2:5: executing "output" at <.m.x.y>: nil pointer evaluating interface {}.y`,
		`{{.m.s.t}}`:         `template: output:1:4: executing "output" at <.m.s.t>: can't evaluate field t in type interface {}`,
		`{{eq .n 3}}`:        `template: output:1:2: executing "output" at <eq .n 3>: error calling eq: incompatible types for comparison: float64 and int`,
		`{{.m.s 1}}`:         `template: output:1:4: executing "output" at <.m.s>: s is not a method but has arguments`,
		`{{break}}`:          `template: output:1: {{break}} outside {{range}}`,
		`{{}}`:               `template: output:1: missing value for command`,
		`{{index .m.s 9 "a"`: `template: output:1: unclosed action`,
	} {
		tmpl, err := Parse("output", text)
		if err == nil {
			_, err = tmpl.Execute(data)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

func FuzzTemplatesEndAndDoNotPanic(f *testing.F) {
	f.Add(`{{range $i, $e := .l}}{{$e.n}}{{end}}{{printf "%5.2f" 1.5}}`)
	f.Add(`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if tmpl, err := Parse("output", text); err == nil {
			tmpl.Execute(map[string]any{"l": []any{map[string]any{"n": "x"}}}) //nolint:errcheck // only its end matters
		}
	})
}
