package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"podwalk/wasm/boundary"
)

// hints are the marks of one file, each as "line:column severity message".
func hints(t testing.TB, text string) []string {
	t.Helper()
	args, err := json.Marshal(LintArgs{Files: []boundary.File{{Name: "pod.yaml", Text: text}}})
	if err != nil {
		t.Fatal(err)
	}
	ok, err := lint.lint(args)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range ok.(LintOK).Marks {
		if m.File != "pod.yaml" {
			t.Errorf("mark in file %q", m.File)
		}
		out = append(out, fmt.Sprintf("%d:%d %s %s", m.Line, m.Column, m.Severity, m.Message))
	}
	return out
}

var lint = newLinter()

const head = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n"

// The expectations are read off the text: the line and column at which a person
// would look, and what the API's types say.
func TestHintsStandAtTheirLine(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing to say":       {head + "  containers:\n  - name: app\n    image: nginx\n", ""},
		"nothing there":        {"", ""},
		"a comment only":       {"# later\n---\n", ""},
		"an unknown field":     {head + "  containers:\n  - name: app\n    imgae: nginx\n", `8:5 error unknown field "imgae"; did you mean "image"?`},
		"a field of nowhere":   {head + "  containers:\n  - name: app\n    zzzzzzzz: nginx\n", `8:5 error unknown field "zzzzzzzz"`},
		"a wrong type":         {head + "  containers:\n  - name: app\n    ports:\n    - containerPort: eighty\n", `9:22 error containerPort must be an integer, not the string "eighty"`},
		"a number as string":   {head + "  containers:\n  - name: app\n    env:\n    - name: A\n      value: 1\n", `10:14 error value must be a string, not the number 1`},
		"a YAML 1.1 boolean":   {head + "  containers:\n  - name: app\n    env:\n    - name: A\n      value: yes\n", "10:14 warning kubectl reads yes as the boolean true: quote it to keep it a text\n10:14 error value must be a string, not the boolean true"},
		"a boolean meant":      {head + "  hostNetwork: true\n  containers:\n  - name: app\n", ""},
		"a quoted word":        {head + "  nodeSelector: {a: \"no\"}\n  containers:\n  - name: app\n", ""},
		"a closed set":         {head + "  restartPolicy: always\n  containers:\n  - name: app\n", `6:18 error restartPolicy must be one of Always, OnFailure, Never; did you mean "Always"?`},
		"a required field":     {head + "  containers:\n  - image: nginx\n", `7:5 error field name is required`},
		"no spec":              {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n", "1:1 error field spec is required"},
		"a list for a map":     {head + "  containers:\n  - name: app\n    resources: []\n", "8:16 error resources must be a map, not a list"},
		"a map for a list":     {head + "  containers:\n    name: app\n", "7:5 error containers must be a list, not a map"},
		"an item of a list":    {head + "  containers:\n  - name: app\n    args: [1]\n", "8:12 error an item of args must be a string, not the number 1"},
		"a bad quantity":       {head + "  containers:\n  - name: app\n    resources:\n      limits:\n        memory: 1 GB\n", `10:17 error memory must be a quantity such as 500m, 2 or 128Mi, not the string "1 GB"`},
		"a number as quantity": {head + "  containers:\n  - name: app\n    resources:\n      limits:\n        cpu: 0.5\n", ""},
		"an int or a string":   {head + "  containers:\n  - name: app\n    livenessProbe:\n      httpGet:\n        port: http\n", ""},
		"neither":              {head + "  containers:\n  - name: app\n    livenessProbe:\n      httpGet:\n        port: true\n", "10:15 error port must be an integer or a string, not the boolean true"},
		"null is absent":       {head + "  volumes:\n  containers:\n  - name: app\n", ""},
		"an empty word":        {head + "  restartPolicy: \"\"\n  containers:\n  - name: app\n", ""},
		"a duplicate key":      {head + "  containers:\n  - name: app\n    image: a\n    image: b\n", `8:5 warning key "image" is written again below: this value is ignored`},
		"an unknown kind":      {"apiVersion: v1\nkind: Pos\n", `2:7 warning no schema for kind "Pos"; did you mean "Pod"?`},
		"a wrong version":      {"apiVersion: apps/v1beta1\nkind: Deployment\n", `1:13 error Deployment has apiVersion apps/v1, not "apps/v1beta1"`},
		"no kind":              {"apiVersion: v1\n", "1:1 error kind is missing"},
		"the second document":  {head + "  containers:\n  - name: app\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  size: 5\n", "14:9 error size must be a string, not the number 5"},
		"an item of a List":    {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: a\n  sepc: {}\n", `8:3 error unknown field "sepc"; did you mean "spec"?`},
		"broken YAML":          {"apiVersion: v1\nkind: Pod\nmetadata:\n\tname: web\n", "4:1 error "},
	} {
		got := strings.Join(hints(t, c.text), "\n")
		if got != c.want && !strings.HasSuffix(c.want, " ") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestFieldsOfAPathAreListedRequiredFirst(t *testing.T) {
	for path, want := range map[string]string{
		"":                                  "apiVersion* kind* metadata* spec* status",
		"spec.containers[0].ports[1]":       "containerPort* hostIP hostPort name protocol",
		"spec.containers.ports":             "containerPort* hostIP hostPort name protocol",
		"spec.containers[0].env[0]":         "name* value valueFrom",
		"spec.restartPolicy":                "=Always,OnFailure,Never",
		"spec.nowhere":                      "",
		"spec.containers":                   "name* args command env envFrom image imagePullPolicy",
		"spec.containers[0].ports.protocol": "=TCP,UDP,SCTP",
	} {
		args, _ := json.Marshal(SchemaArgs{APIVersion: "v1", Kind: "Pod", Path: path})
		ok, err := lint.fields(args)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, f := range ok.(SchemaOK).Fields {
			switch {
			case f.Name == "":
				words = append(words, "="+strings.Join(f.Enum, ","))
			case f.Required:
				words = append(words, f.Name+"*")
			default:
				words = append(words, f.Name)
			}
		}
		got := strings.Join(words, " ")
		if got != want && !(path == "spec.containers" && strings.HasPrefix(got, want)) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestBadRequestsAreAnswered(t *testing.T) {
	for request, want := range map[string]string{
		`{"id":1,"op":"lint","args":{"files":[{"name":"a","text":"a: b"}]}}`: `"message":"apiVersion is missing"`,
		`{"id":1,"op":"lint","args":{"filez":[]}}`:                           `"code":"badRequest"`,
		`{"id":1,"op":"play"}`:                                               `no operation`,
		`{"id":1,"op":"lint"}`:                                               `{"id":1,"ok":{"marks":[]}}`,
		`{"id":1,"op":"schema","args":{"apiVersion":"v9","kind":"Pod"}}`:     `{"id":1,"ok":{"fields":[]}}`,
	} {
		if got := string(lint.handle([]byte(request))); !strings.Contains(got, want) {
			t.Errorf("%s is answered with %s, want %s in it", request, got, want)
		}
	}
}

func FuzzLint(f *testing.F) {
	f.Add(head + "  containers:\n  - name: app\n")
	f.Add("a: &a [*a]")
	f.Add("apiVersion: v1\nkind: List\nitems: [1, {kind: List}]")
	f.Fuzz(func(t *testing.T, text string) { hints(t, text) })
}
