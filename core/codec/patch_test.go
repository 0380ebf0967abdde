package codec

import (
	"testing"

	"podwalk/core/api"
)

var kindPod = api.KindNamed("Pod")

func generic(t *testing.T, text string) map[string]any {
	t.Helper()
	n, err := ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n.Value().(map[string]any)
}

// The results were read off strategicpatch's rules; core/difftest compares many
// more with that library.
func TestStrategicPatchesMergeListsByKey(t *testing.T) {
	const pod = `{"metadata":{"finalizers":["a","b"]},"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}],"tolerations":[{"key":"x"}]}}`
	for patch, want := range map[string]string{
		`{"spec":{"containers":[{"name":"b","image":"2"}]}}`:                     `{"metadata":{"finalizers":["a","b"]},"spec":{"containers":[{"image":"1","name":"a"},{"image":"2","name":"b"}],"tolerations":[{"key":"x"}]}}`,
		`{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}`:               `{"metadata":{"finalizers":["a","b"]},"spec":{"containers":[{"image":"1","name":"b"}],"tolerations":[{"key":"x"}]}}`,
		`{"spec":{"tolerations":[{"key":"y"}]}}`:                                 `{"metadata":{"finalizers":["a","b"]},"spec":{"containers":[{"image":"1","name":"a"},{"image":"1","name":"b"}],"tolerations":[{"key":"y"}]}}`,
		`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]},"spec":null}`: `{"metadata":{"finalizers":["b"]}}`,
		`{"spec":{"$retainKeys":["hostNetwork"],"hostNetwork":true}}`:            `{"metadata":{"finalizers":["a","b"]},"spec":{"hostNetwork":true}}`,
		`{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}`:   `{"metadata":{"finalizers":["a","b"]},"spec":{"containers":[{"image":"1","name":"b"},{"image":"1","name":"a"}],"tolerations":[{"key":"x"}]}}`,
	} {
		got, err := PatchStrategic(generic(t, pod), generic(t, patch), kindPod)
		if err != nil || string(ToJSON(got)) != want {
			t.Errorf("%s\ngives %s (%v)\nwant  %s", patch, ToJSON(got), err, want)
		}
	}
	if _, err := PatchStrategic(generic(t, pod), generic(t, `{"spec":{"containers":[{"image":"2"}]}}`), kindPod); err == nil ||
		err.Error() != `map: {"image":"2"} does not contain declared merge key: name` {
		t.Error(err)
	}
}

func TestApplySendsWhatChangedAndDeletesWhatItOwned(t *testing.T) {
	original := generic(t, `{"metadata":{"labels":{"a":"1","b":"2"}},"spec":{"containers":[{"name":"app","image":"1"},{"name":"old","image":"1"}]}}`)
	modified := generic(t, `{"metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"name":"app","image":"2"}]}}`)
	current := generic(t, `{"metadata":{"labels":{"a":"1","b":"2","c":"3"}},"spec":{"containers":[{"name":"app","image":"1","imagePullPolicy":"Always"},{"name":"old","image":"1"}]}}`)
	patch, err := PatchThreeWay(original, modified, current, kindPod)
	const want = `{"metadata":{"labels":{"b":null}},"spec":{"$setElementOrder/containers":[{"name":"app"}],"containers":[{"image":"2","name":"app"},{"$patch":"delete","name":"old"}]}}`
	if err != nil || string(ToJSON(patch)) != want {
		t.Errorf("%s (%v)\nwant %s", ToJSON(patch), err, want)
	}
	done, err := PatchStrategic(current, patch, kindPod)
	const after = `{"metadata":{"labels":{"a":"1","c":"3"}},"spec":{"containers":[{"image":"2","imagePullPolicy":"Always","name":"app"}]}}`
	if err != nil || string(ToJSON(done)) != after {
		t.Errorf("%s (%v)", ToJSON(done), err)
	}
	merge, err := PatchThreeWayMerge(original, modified, current)
	if err != nil || string(ToJSON(merge)) != `{"metadata":{"labels":{"b":null}},"spec":{"containers":[{"image":"2","name":"app"}]}}` {
		t.Errorf("%s (%v)", ToJSON(merge), err)
	}
}

func TestJSONPatchesApplyInOrderOrNotAtAll(t *testing.T) {
	doc := generic(t, `{"a":{"b":[1,2]}}`)
	n, _ := ParseJSON([]byte(`[{"op":"add","path":"/a/b/1","value":9},{"op":"move","from":"/a/b/0","path":"/c"},{"op":"test","path":"/c","value":1},{"op":"copy","from":"/a/b","path":"/d~1e"},{"op":"remove","path":"/a/b/-1"}]`))
	got, err := PatchJSON(doc, &n)
	if err != nil || string(ToJSON(got)) != `{"a":{"b":[9]},"c":1,"d/e":[9,2]}` || string(ToJSON(doc)) != `{"a":{"b":[1,2]}}` {
		t.Errorf("%s (%v), document %s", ToJSON(got), err, ToJSON(doc))
	}
	n, _ = ParseJSON([]byte(`[{"op":"test","path":"/a","value":1}]`))
	if _, err := PatchJSON(doc, &n); err == nil {
		t.Error("a failing test is no error")
	}
}
