package codec

import (
	"testing"
)

func FuzzReadNeverFailsOnWhatItPrints(f *testing.F) {
	for _, s := range []string{benchPod, "a: |\n  x\n", "{\"a\": [1, 2.5]}", "- *x", "? a\n: b", "a: \"\\u00e9\"\r\n---\nb: &c d", "\xef\xbb\xbf%YAML 1.1\n---\n!!str x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		docs, err := Read(text)
		if err != nil && err.Error() == "" {
			t.Error("an empty error")
		}
		for i := range docs {
			js := ToJSON(&docs[i])
			n, err := ParseJSON(js)
			if err != nil || string(ToJSON(&n)) != string(js) {
				t.Errorf("%q is not read again: %v", js, err)
			}
			again, err := Read([]byte(ToYAML(&docs[i])))
			if err != nil || len(again) != 1 || string(ToJSON(&again[0])) != string(js) {
				t.Errorf("%q is not read again from\n%s%v", js, ToYAML(&docs[i]), err)
			}
			DecodeMeta(&docs[i])
		}
	})
}

func FuzzDecodedObjectsStayTheSame(f *testing.F) {
	docs, err := Read([]byte(benchPod))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(ToJSON(&docs[0]))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80,"targetPort":"http"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := ParseJSON(text)
		if err != nil {
			return
		}
		o, r := DecodeObject(&n)
		if o == nil || r != nil && r.Type != nil {
			return
		}
		first := ToJSON(o)
		again, err := ParseJSON(first)
		if err != nil {
			t.Fatal(err)
		}
		p, r := DecodeObject(&again)
		if r != nil {
			t.Fatalf("%s\n%s", first, r.Error())
		}
		if second := ToJSON(p); string(second) != string(first) {
			t.Errorf("%s\nthen %s", first, second)
		}
	})
}

func FuzzPatchesDoNotPanic(f *testing.F) {
	f.Add([]byte(benchPod), []byte(`{"spec":{"containers":[{"name":"app","$patch":"delete"}]}}`))
	f.Add([]byte(benchPod), []byte(`[{"op":"add","path":"/spec/containers/-","value":{}}]`))
	f.Fuzz(func(t *testing.T, text, patch []byte) {
		docs, err := Read(text)
		p, perr := ParseJSON(patch)
		if err != nil || perr != nil || len(docs) == 0 {
			return
		}
		_, _ = PatchJSON(docs[0].Value(), &p)
		doc, ok1 := docs[0].Value().(map[string]any)
		m, ok2 := p.Value().(map[string]any)
		if !ok1 || !ok2 {
			return
		}
		PatchMerge(doc, m)
		_, _ = PatchThreeWayMerge(m, doc, m)
		_, _ = PatchStrategic(doc, m, kindPod)
		_, _ = PatchThreeWay(m, doc, m, kindPod)
	})
}
