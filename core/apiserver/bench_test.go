package apiserver

import (
	"strconv"
	"testing"

	"podwalk/core/api"
)

// kubeletUser is who writes the status of the pods of a node.
var kubeletUser = api.User{Name: "system:node:n1", Groups: []string{"system:nodes"}}

func BenchmarkStatusUpdateOfAPod(b *testing.B) {
	w := newWorld(b)
	w.createPod(b, simplePod("web"))
	w.bindPod(b, "web", "n1")
	b.ReportAllocs()
	for i := range b.N {
		p := *w.st.Latest().Get("Pod", "default", "web").(*api.Pod)
		p.Status.ObservedGeneration = int64(i + 2)
		if res := w.do(api.Request{Verb: api.Update, Kind: podKind(), Namespace: "default", Name: "web", Subresource: "status", Object: &p, User: kubeletUser}); res.Status != nil {
			b.Fatal(res.Status.Message)
		}
	}
}

// A controller's pods: create, bind.
func BenchmarkCreateAndBindAPod(b *testing.B) {
	w := newWorld(b)
	user := api.User{Name: "system:serviceaccount:kube-system:replicaset-controller"}
	b.ReportAllocs()
	for i := range b.N {
		p := simplePod("web-" + strconv.Itoa(i))
		if res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Object: p, User: user}); res.Status != nil {
			b.Fatal(res.Status.Message)
		}
		w.bindPod(b, p.Name, "n1")
	}
}

func BenchmarkCreateAPodFromJSON(b *testing.B) {
	w := newWorld(b)
	b.ReportAllocs()
	for i := range b.N {
		body := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-` + strconv.Itoa(i) + `"},"spec":{"containers":[{"name":"app","image":"nginx:1.27"}]}}`
		if res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Body: []byte(body), FieldValidation: "Strict"}); res.Status != nil {
			b.Fatal(res.Status.Message)
		}
	}
}
