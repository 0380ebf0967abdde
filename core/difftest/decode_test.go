package difftest

import (
	"encoding/json"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// realDecode decodes a request's body as the server does and returns the object
// printed again, and the error.
func realDecode(t testing.TB, k *api.Kind, body []byte) (string, string) {
	o, err := scheme.Scheme.New(schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
	if err != nil {
		t.Fatal(err)
	}
	strict, err := kjson.UnmarshalStrict(body, o)
	if err != nil {
		return "", err.Error()
	}
	failure := ""
	if len(strict) > 0 {
		failure = runtime.NewStrictDecodingError(strict).Error()
	}
	out, err := json.Marshal(o)
	if err != nil {
		return "", "marshal: " + err.Error()
	}
	var v any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(out, &v); err != nil {
		t.Fatal(err)
	}
	out, _ = json.Marshal(v)
	return string(out), failure
}

func ourDecode(k *api.Kind, body []byte) (string, string) {
	n, err := codec.ParseJSON(body)
	if err != nil {
		return "", err.Error()
	}
	o := k.New()
	failure := ""
	if r := codec.Decode(&n, o); r != nil {
		failure = r.Error()
		if r.Type != nil {
			return "", failure
		}
	}
	return string(codec.ToJSON(o)), failure
}

// typedDocuments returns the documents of the manifests whose kind we have.
func typedDocuments(t testing.TB) []codec.Node {
	files := manifests(t)
	var list []codec.Node
	for _, name := range sortedNames(files) {
		docs, _ := codec.Read(files[name])
		for i := range docs {
			if k := api.KindFor(docs[i].Str("apiVersion"), docs[i].Str("kind")); k != nil && k.Kind != "CustomResourceDefinition" {
				list = append(list, docs[i])
			}
		}
	}
	return list
}

func compareDecode(t *testing.T, k *api.Kind, body []byte) bool {
	t.Helper()
	want, wantErr := realDecode(t, k, body)
	got, gotErr := ourDecode(k, body)
	if got == want && gotErr == wantErr {
		return true
	}
	t.Errorf("%s\n%.1500s\ngot  %.1500s\n     %q\nwant %.1500s\n     %q", k.Kind, body, got, gotErr, want, wantErr)
	return false
}

func TestObjectsAreDecodedAndPrintedAsTheServerDoes(t *testing.T) {
	docs := typedDocuments(t)
	bad := 0
	for i := range docs {
		if !compareDecode(t, api.KindNamed(docs[i].Str("kind")), codec.ToJSON(&docs[i])) {
			if bad++; bad > 10 {
				t.Fatal("too many differences")
			}
		}
	}
	t.Log(len(docs), "objects compared")
}

// spoil changes one or two values or keys of a document at random.
func spoil(r *rand.Rand, v any, depth int) any {
	others := []any{"x", "", "5", "yes", int64(3), int64(-1), int64(99999999999), 1.5, true, nil, []any{}, []any{"a", int64(1)}, map[string]any{}, map[string]any{"a": "b"},
		"1Gi", "2030-01-01T00:00:00Z", "YWJj", "not base64", []any{map[string]any{"name": int64(1)}}, "100%", "<&>", "é\u2028"}
	if depth > 0 && r.Intn(6) == 0 {
		return others[r.Intn(len(others))]
	}
	switch x := v.(type) {
	case map[string]any:
		keys := sortedAnyKeys(x)
		if len(keys) == 0 {
			return x
		}
		key := keys[r.Intn(len(keys))]
		switch r.Intn(8) {
		case 0:
			x[key+"s"] = x[key]
		case 1:
			x[strings.ToUpper(key)] = "x"
		default:
			x[key] = spoil(r, x[key], depth+1)
		}
	case []any:
		if len(x) > 0 {
			i := r.Intn(len(x))
			x[i] = spoil(r, x[i], depth+1)
		}
	}
	return v
}

func sortedAnyKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestSpoiledObjectsAreRefusedInTheServersWords(t *testing.T) {
	docs := typedDocuments(t)
	r := rand.New(rand.NewSource(9))
	bad, wrong := 0, 0
	n := rounds(40000)
	for range n {
		doc := docs[r.Intn(len(docs))]
		v := doc.Value()
		for range 1 + r.Intn(2) {
			v = spoil(r, v, 0)
		}
		body := codec.ToJSON(v)
		if r.Intn(4) == 0 { // the same key twice
			body = []byte(strings.Replace(string(body), `"kind":`, `"kind":"x","kind":`, 1))
		}
		k := api.KindNamed(doc.Str("kind"))
		if _, e := ourDecode(k, body); e != "" {
			wrong++
		}
		if !compareDecode(t, k, body) {
			if bad++; bad > 8 {
				t.Fatal("too many differences")
			}
		}
	}
	t.Logf("%d bodies compared, %d of them refused", n, wrong)
}
