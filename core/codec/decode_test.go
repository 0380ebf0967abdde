package codec

import (
	"encoding/base64"
	"testing"

	"podwalk/core/api"
)

const podHead = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: app\n"

// The messages are the real server's: those with a name in the comment were
// captured from it, the others were printed by its decoder.
func TestWhatDoesNotFitIsToldInTheServersWords(t *testing.T) {
	const cannot = "json: cannot unmarshal "
	for text, want := range map[string]struct {
		message, path string
		mark          Mark
	}{
		// validation/type-port-string, type-port-overflow, type-command-string
		podHead + "    ports: [{containerPort: \"80\"}]\n": {cannot + "string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
			"spec.containers[0].ports[0].containerPort", Mark{8, 29, 33}},
		podHead + "    ports: [{containerPort: 99999999999}]\n": {cannot + "number 99999999999 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32", "", Mark{}},
		podHead + "    command: sleep 5\n":                      {cannot + "string into Go struct field Container.spec.containers.command of type []string", "spec.containers[0].command", Mark{8, 14, 21}},
		// kubernetes-examples fc.yaml
		podHead + "  volumes: [{name: a, fc: {lun: \"1\"}}]\n": {cannot + "string into Go struct field FCVolumeSource.spec.volumes.VolumeSource.fc.lun of type int32", "", Mark{}},
		podHead + "    imagePullPolicy: 5\n":                   {cannot + "number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy", "", Mark{}},
		podHead + "    securityContext: no\n":                  {cannot + "bool into Go struct field Container.spec.containers.securityContext of type v1.SecurityContext", "", Mark{}},
		podHead + "    resources: {limits: []}\n":              {cannot + "array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList", "", Mark{}},
		podHead + "    livenessProbe: {httpGet: {port: true}}\n": {cannot + "bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
			"", Mark{}},
		podHead + "    resources: {limits: {cpu: 1 core}}\n": {"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'", "spec.containers[0].resources.limits.cpu", Mark{8, 31, 37}},
		podHead + "    resources: {limits: {cpu: 1K}}\n":     {"unable to parse quantity's suffix", "", Mark{}},
		"apiVersion: v1\nkind: Secret\ndata: {a: aGkh=}\n":   {"illegal base64 data at input byte 4", "data.a", Mark{3, 11, 16}},
		"apiVersion: v1\nkind: Pod\nspec: x\n":               {cannot + "string into Go struct field Pod.spec of type v1.PodSpec", "spec", Mark{3, 7, 8}},
		"apiVersion: v1\nkind: Pod\nmetadata: {creationTimestamp: today}\n": {
			`parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"`, "", Mark{}},
		// validation/unknown-fields-three
		podHead + "    img: x\n  foo: 1\nbar: 2\n": {`strict decoding error: unknown field "bar", unknown field "spec.containers[0].img", unknown field "spec.foo"`, "bar", Mark{10, 1, 4}},
		podHead + "    img: x\n  hostNetwork: 3\n": {cannot + "number into Go struct field PodSpec.spec.hostNetwork of type bool", "", Mark{}},
	} {
		docs, err := Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, r := DecodeObject(&docs[0])
		if r == nil || r.Error() != want.message {
			t.Errorf("%s%v\nwant %s", text, r, want.message)
			continue
		}
		issue := r.Type
		if issue == nil {
			issue = &r.Strict[0]
		}
		if want.path != "" && (issue.Path != want.path || issue.Mark != want.mark) {
			t.Errorf("%s: at %s %v, want %s %v", want.message, issue.Path, issue.Mark, want.path, want.mark)
		}
	}
}

// validation/type-annotation-number
func TestKubectlChecksMetadataBeforeItSends(t *testing.T) {
	docs, _ := Read([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {n: 1}, colour: red}\n"))
	_, r := DecodeMeta(&docs[0])
	if r == nil || r.Error() != "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of type string" {
		t.Error(r)
	}
	docs, _ = Read([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: a, colour: red}\nspec: 5\n"))
	if m, r := DecodeMeta(&docs[0]); r != nil || m.Name != "a" {
		t.Error(m.Name, r)
	}
}

func TestDuplicateFieldsOfARequestAreTold(t *testing.T) {
	n, err := ParseJSON([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"x":"1","x":"2"},"name":"b"},"kind":"Pod"}`))
	if err != nil {
		t.Fatal(err)
	}
	o, r := DecodeObject(&n)
	const want = `strict decoding error: duplicate field "metadata.labels.x", duplicate field "metadata.name", duplicate field "kind"`
	if r == nil || r.Error() != want || o.Meta().Name != "b" {
		t.Errorf("%v, name %s", r, o.Meta().Name)
	}
}

func TestUnknownKindsAreNoObjects(t *testing.T) {
	n := ToNode(map[string]any{"apiVersion": "v2", "kind": "Pod"})
	if o, r := DecodeObject(&n); o != nil || r != nil {
		t.Error(o, r)
	}
}

func TestObjectsArePrintedWithSortedKeysAndEscapes(t *testing.T) {
	pod := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: api.ObjectMeta{Name: "a<b>&\u2028", Labels: map[string]string{"b": "\x01\t\"", "a": "é"}}}
	pod.Spec.Containers = []api.Container{{Name: "c", Resources: api.ResourceRequirements{Limits: map[string]api.Quantity{"cpu": api.MustQuantity("1000m")}}}}
	const want = `{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"é","b":"\u0001\t\""},"name":"a\u003cb\u003e\u0026\u2028"},` +
		`"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1"}}}]},"status":{}}`
	if got := string(ToJSON(pod)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := string(ToJSONIndent(map[string]any{"a": []any{int64(1), 1e-7, nil}, "b": map[string]any{}})); got != "{\n    \"a\": [\n        1,\n        1e-7,\n        null\n    ],\n    \"b\": {}\n}\n" {
		t.Error(got)
	}
	secret := &api.Secret{Data: map[string][]byte{"k": []byte("hi!")}}
	if got := string(ToJSON(secret)); got != `{"data":{"k":"`+base64.StdEncoding.EncodeToString([]byte("hi!"))+`"},"metadata":{}}` {
		t.Error(got)
	}
}

// The forms are those of the captured get.yaml files and of go.yaml.in/yaml/v2.
func TestYAMLIsPrintedAsKubectlPrintsIt(t *testing.T) {
	v := map[string]any{"list": []any{"a", []any{"b", int64(1)}, map[string]any{"k": "v", "l": []any{}}}, "text": "one\ntwo\n", "open": "one\ntwo", "yes": "yes", "num": "5",
		"empty": "", "nothing": nil, "colon": "a: b", "hash": "a #b", "star": "*a", "date": "2001-01-01", "tab": "a\tb", "long": "words that go on and on until the line has more than eighty characters, then fold", "map": map[string]any{}, "x10": true, "x9": 0.5}
	const want = `colon: 'a: b'
date: "2001-01-01"
empty: ""
hash: 'a #b'
list:
- a
- - b
  - 1
- k: v
  l: []
long: words that go on and on until the line has more than eighty characters, then
  fold
map: {}
nothing: null
num: "5"
open: |-
  one
  two
star: '*a'
tab: "a\tb"
text: |
  one
  two
x9: 0.5
x10: true
"yes": "yes"
`
	if got := ToYAML(v); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
