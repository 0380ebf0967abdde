package apiserver

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/internal/shared"
	"podwalk/core/sim"
)

// mutator changes generic values at random places.
type mutator struct {
	random sim.Random
	n      uint64
}

func (m *mutator) pick(n int) int {
	m.n++
	return m.random.Intn("mutate", "", m.n, n)
}

// odd returns values that few fields expect, most of the type of v.
func odd(v any) []any {
	switch v.(type) {
	case string:
		return []any{"", "x", "-1", "a/b", "A_b", strings.Repeat("é", 300), "10Gi", "1e30", "*/5 * * * *", "None", "Always", "Never", "UDP", "10.96.0.9", nil}
	case int64, float64:
		return []any{int64(0), int64(-1), int64(1), int64(65536), int64(1) << 40, nil, "80"}
	case bool:
		return []any{true, false, nil}
	}
	return []any{nil, map[string]any{}, []any{}, []any{nil}, map[string]any{"a": "b"}, true, "x"}
}

// change returns the value with one place in it changed.
func (m *mutator) change(v any) any {
	switch x := v.(type) {
	case map[string]any:
		keys := keysOf(x)
		if len(keys) == 0 || m.pick(12) == 0 {
			break
		}
		k := keys[m.pick(len(keys))]
		if m.pick(10) == 0 {
			delete(x, k)
			return x
		}
		x[k] = m.change(x[k])
		return x
	case []any:
		if len(x) == 0 || m.pick(12) == 0 {
			break
		}
		i := m.pick(len(x))
		if m.pick(10) == 0 {
			return append(x, codec.ToValue(codec.ToNode(x[i])))
		}
		x[i] = m.change(x[i])
		return x
	}
	list := odd(v)
	return list[m.pick(len(list))]
}

// documents are manifests of all kinds, in a fixed order.
func documents(t *testing.T) (docs []codec.Node) {
	for _, dir := range []string{"oracle/cases/defaulting", "oracle/cases/validation", "oracle/cases/network", "oracle/cases/controllers", "corpus/kubernetes-website-newer"} {
		var files []string
		err := filepath.Walk(shared.Dir(t, dir), func(p string, _ os.FileInfo, err error) error {
			if strings.HasSuffix(p, ".yaml") && !strings.Contains(p, "get.") && !strings.Contains(p, "slices") {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(files)
		for _, f := range files {
			for _, n := range objects(t, f) {
				if api.KindFor(n.Str("apiVersion"), n.Str("kind")) != nil {
					docs = append(docs, n)
				}
			}
		}
	}
	return docs
}

// Whatever a manifest holds, the server answers: it accepts or refuses, and it
// does not change what it has stored before.
func TestNoManifestMakesTheServerPanic(t *testing.T) {
	docs := documents(t)
	m := &mutator{}
	w := newWorld(t)
	w.st.DetectMutations()
	accepted := 0
	for range 1500 {
		n := docs[m.pick(len(docs))]
		doc := codec.ToValue(n).(map[string]any)
		for range 1 + m.pick(3) {
			part := []string{"spec", "spec", "spec", "spec", "metadata"}[m.pick(5)]
			if doc[part] != nil {
				doc[part] = m.change(doc[part])
			}
		}
		if w.feed(t, n, codec.ToJSON(doc)) {
			accepted++
		}
	}
	if err := w.st.CheckMutations(); err != nil {
		t.Error(err)
	}
	t.Logf("%d of 1500 mutated manifests were accepted", accepted)
}

// feed creates an object, or updates it where it exists, and reads it back.
func (w *world) feed(t *testing.T, n codec.Node, body []byte) (accepted bool) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%v\n%s", r, body)
		}
	}()
	k := api.KindFor(n.Str("apiVersion"), n.Str("kind"))
	req := api.Request{Verb: api.Create, Kind: k, Namespace: cmp.Or(n.Str("metadata", "namespace"), "default"), Body: body, FieldValidation: "Ignore"}
	res := w.do(req)
	if res.Status != nil && res.Status.Reason == api.ReasonAlreadyExists {
		req.Verb, req.Name = api.Patch, n.Str("metadata", "name")
		res = w.do(req)
	}
	if res.Status != nil {
		return false
	}
	m := res.Object.Meta()
	w.do(api.Request{Verb: api.Get, Kind: k, Namespace: m.Namespace, Name: m.Name})
	return true
}
