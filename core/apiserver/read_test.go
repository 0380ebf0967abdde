package apiserver

import (
	"slices"
	"testing"

	"podwalk/core/api"
	"podwalk/core/store"
)

// A store's index must change how objects are found, never which.
func TestAListByAnIndexedFieldIsTheListWithoutTheIndex(t *testing.T) {
	lists := func(indexes ...store.Index) (out [][]string) {
		st := store.New(indexes...)
		w := &world{st: st, Server: New(Config{Start: start, ServiceCIDR: "10.96.0.0/16"}, st)}
		w.Bootstrap(0, &w.log)
		for _, name := range []string{"c", "a", "b"} {
			w.createPod(t, simplePod(name))
		}
		w.bindPod(t, "c", "n1")
		w.bindPod(t, "a", "n1")
		w.bindPod(t, "b", "n2")
		for _, fields := range []string{"spec.nodeName=n1", "spec.nodeName=n1,metadata.name!=a", "spec.nodeName!=n1", "spec.nodeName=", "spec.nodeName=n3"} {
			for _, ns := range []string{"default", "", "other"} {
				res := w.request(t, api.Request{Verb: api.List, Kind: podKind(), Namespace: ns, FieldSelector: fields})
				names := []string{}
				for _, o := range res.Items {
					names = append(names, o.Meta().Name)
				}
				out = append(out, names)
			}
		}
		return out
	}
	plain := lists()
	indexed := lists(store.Index{Name: "pod.node", Kind: "Pod", Values: func(o api.Object) []string {
		if n := o.(*api.Pod).Spec.NodeName; n != "" {
			return []string{n}
		}
		return nil
	}})
	for i := range plain {
		if !slices.Equal(plain[i], indexed[i]) {
			t.Errorf("list %d: %v, with the index %v", i, plain[i], indexed[i])
		}
	}
	if want := []string{"a", "c"}; !slices.Equal(plain[0], want) {
		t.Errorf("the first list is %v, want %v", plain[0], want)
	}
}
