package difftest

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// versions returns three related forms of a document: what was applied last, what
// is applied now, and what the server has.
func versions(r *rand.Rand, doc *codec.Node) (original, modified, current map[string]any) {
	at := func(changes int) map[string]any {
		v := doc.Value()
		for range changes {
			v = reshape(r, v)
		}
		return v.(map[string]any)
	}
	return at(r.Intn(3)), at(r.Intn(4)), at(r.Intn(4))
}

// reshape removes, doubles, renames and moves things at random, and keeps types.
func reshape(r *rand.Rand, v any) any {
	switch x := v.(type) {
	case map[string]any:
		keys := sortedAnyKeys(x)
		if len(keys) == 0 {
			return x
		}
		k := keys[r.Intn(len(keys))]
		switch r.Intn(10) {
		case 0:
			delete(x, k)
		case 1:
			if k == "labels" || k == "annotations" {
				x[k].(map[string]any)["extra"] = "x"
			}
		default:
			x[k] = reshape(r, x[k])
		}
	case []any:
		if len(x) == 0 {
			return x
		}
		i := r.Intn(len(x))
		switch r.Intn(6) {
		case 0:
			return append(x[:i:i], x[i+1:]...)
		case 1:
			var c any
			b, _ := json.Marshal(x[i])
			_ = json.Unmarshal(b, &c)
			return append(x, renamed(r, x[i]))
		case 2:
			j := r.Intn(len(x))
			x[i], x[j] = x[j], x[i]
		default:
			x[i] = reshape(r, x[i])
		}
	case string:
		if r.Intn(2) == 0 {
			return x + "-2"
		}
	case int64:
		return x + int64(r.Intn(3))
	case bool:
		return !x
	}
	return v
}

// renamed is a copy of a list's element with another name or port.
func renamed(r *rand.Rand, v any) any {
	n := codec.ToNode(v)
	c := n.Value()
	m, ok := c.(map[string]any)
	if !ok {
		return reshape(r, c)
	}
	for _, k := range []string{"name", "containerPort", "port", "mountPath", "type", "ip", "key"} {
		if x, ok := m[k]; ok {
			m[k] = reshape(r, reshape(r, x))
			break
		}
	}
	return m
}

func realType(t testing.TB, k *api.Kind) any {
	o, err := scheme.Scheme.New(schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func jsonOf(v any) []byte { return codec.ToJSON(v) }

func compareJSON(t *testing.T, what string, input string, got any, gotErr error, want []byte, wantErr error) bool {
	t.Helper()
	if (gotErr != nil) != (wantErr != nil) {
		t.Errorf("%s: error %v, want %v\n%.2500s", what, gotErr, wantErr, input)
		return false
	}
	if wantErr != nil {
		return true
	}
	var w any
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	var g any
	if err := json.Unmarshal(jsonOf(got), &g); err != nil {
		t.Fatal(err)
	}
	gb, _ := json.Marshal(g)
	wb, _ := json.Marshal(w)
	if string(gb) != string(wb) {
		t.Errorf("%s\n%.3000s\ngot  %s\nwant %s", what, input, gb, wb)
		return false
	}
	return true
}

func TestThreeWayPatchesEqualTheRealOnes(t *testing.T) {
	docs := typedDocuments(t)
	r := rand.New(rand.NewSource(10))
	bad := 0
	for range rounds(20000) {
		doc := &docs[r.Intn(len(docs))]
		k := api.KindNamed(doc.Str("kind"))
		o, m, c := versions(r, doc)
		input := fmt.Sprintf("original %s\nmodified %s\ncurrent  %s", jsonOf(o), jsonOf(m), jsonOf(c))
		meta, err := strategicpatch.NewPatchMetaFromStruct(realType(t, k))
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := strategicpatch.CreateThreeWayMergePatch(jsonOf(o), jsonOf(m), jsonOf(c), meta, true)
		got, gotErr := codec.PatchThreeWay(o, m, c, k)
		ok := compareJSON(t, "three-way patch", input, got, gotErr, want, wantErr)
		if ok && wantErr == nil {
			want, wantErr = strategicpatch.StrategicMergePatch(jsonOf(c), want, realType(t, k))
			got, gotErr = codec.PatchStrategic(c, got, k)
			ok = compareJSON(t, "patched", input, got, gotErr, want, wantErr)
		}
		want, wantErr = jsonmergepatch.CreateThreeWayJSONMergePatch(jsonOf(o), jsonOf(m), jsonOf(c))
		got, gotErr = codec.PatchThreeWayMerge(o, m, c)
		ok = compareJSON(t, "three-way merge patch", input, got, gotErr, want, wantErr) && ok
		if wantErr == nil {
			want, wantErr = jsonpatch.MergePatch(jsonOf(c), want)
			ok = compareJSON(t, "merged", input, codec.PatchMerge(c, got), nil, want, wantErr) && ok
		}
		want, wantErr = strategicpatch.CreateTwoWayMergePatch(jsonOf(c), jsonOf(m), realType(t, k))
		got, gotErr = codec.PatchTwoWay(c, m, k)
		ok = compareJSON(t, "two-way patch", input, got, gotErr, want, wantErr) && ok
		if !ok {
			if bad++; bad > 5 {
				t.Fatal("too many differences")
			}
		}
	}
}

// directives puts strategic merge directives into a patch.
func directives(r *rand.Rand, v any) any {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range sortedAnyKeys(x) {
			x[k] = directives(r, x[k])
			l, isList := x[k].([]any)
			switch n := r.Intn(40); {
			case n == 0:
				x[k] = nil
			case n == 1:
				x["$patch"] = []any{"replace", "delete", "merge", "x"}[r.Intn(4)]
			case n == 2:
				x["$retainKeys"] = []any{k}
			case n < 8 && isList:
				x["$setElementOrder/"+k] = append([]any{}, l...)
			case n < 10 && isList:
				x["$deleteFromPrimitiveList/"+k] = append([]any{}, l...)
				delete(x, k)
			}
		}
	case []any:
		for i := range x {
			x[i] = directives(r, x[i])
			if m, ok := x[i].(map[string]any); ok && r.Intn(8) == 0 {
				m["$patch"] = []any{"replace", "delete", "delete", "merge"}[r.Intn(4)]
			}
		}
	}
	return v
}

func TestStrategicPatchesEqualTheRealOnes(t *testing.T) {
	docs := typedDocuments(t)
	r := rand.New(rand.NewSource(11))
	bad, failed := 0, 0
	n := rounds(30000)
	for range n {
		doc := &docs[r.Intn(len(docs))]
		k := api.KindNamed(doc.Str("kind"))
		_, p, c := versions(r, doc)
		p = directives(r, p).(map[string]any)
		want, wantErr := realStrategic(t, c, p, k)
		if wantErr != nil && strings.HasPrefix(wantErr.Error(), "panic") {
			continue
		}
		got, gotErr := codec.PatchStrategic(c, p, k)
		if wantErr != nil {
			failed++
		}
		if !compareJSON(t, "strategic patch", fmt.Sprintf("doc %s\npatch %s", jsonOf(c), jsonOf(p)), got, gotErr, want, wantErr) {
			if bad++; bad > 5 {
				t.Fatal("too many differences")
			}
		}
	}
	t.Logf("%d patches compared, %d of them fail", n, failed)
}

// realStrategic turns a panic of the real library into an error.
func realStrategic(t testing.TB, doc, patch map[string]any, k *api.Kind) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return strategicpatch.StrategicMergePatch(jsonOf(doc), jsonOf(patch), realType(t, k))
}

func TestJSONPatchesEqualTheRealOnes(t *testing.T) {
	r := rand.New(rand.NewSource(12))
	paths := []string{"", "/", "/a", "/a/b", "/l", "/l/0", "/l/1", "/l/-", "/l/-1", "/l/9", "/l/0/x", "/a~1b", "/m~0n", "/l/1/0", "a", "/n", "/n/x", "/a/b/c", "/l/x"}
	values := []any{"x", int64(1), nil, true, map[string]any{"x": int64(1)}, []any{int64(1), "y"}, 1.5}
	ops := []string{"add", "remove", "replace", "move", "copy", "test", "x"}
	const doc = `{"a":{"b":1,"c":[1,2]},"l":[{"x":1},["y"],3],"a/b":"s","m~n":null,"n":null}`
	good := 0
	for range rounds(60000) {
		var patch []any
		for range 1 + r.Intn(4) {
			op := map[string]any{"op": ops[r.Intn(len(ops))], "path": paths[r.Intn(len(paths))]}
			if r.Intn(5) > 0 || op["op"] == "test" {
				op["value"] = values[r.Intn(len(values))]
			}
			if r.Intn(3) > 0 {
				op["from"] = paths[r.Intn(len(paths))]
			}
			patch = append(patch, op)
		}
		want, wantErr := realJSONPatch([]byte(doc), jsonOf(patch))
		if wantErr != nil && strings.HasPrefix(wantErr.Error(), "panic") {
			continue
		}
		n := codec.ToNode(patch)
		d, _ := codec.ParseJSON([]byte(doc))
		got, gotErr := codec.PatchJSON(d.Value(), &n)
		if wantErr == nil {
			good++
		}
		compareJSON(t, "JSON patch", string(jsonOf(patch)), got, gotErr, want, wantErr)
	}
	t.Log(good, "patches apply")
}

func realJSONPatch(doc, patch []byte) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	p, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return p.Apply(doc)
}
