package store

import (
	"errors"
	"fmt"
	"math/rand"
	"sort"
	"testing"

	"podwalk/core/api"
	"podwalk/core/sim"
)

func pod(ns, name, node string) *api.Pod {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Namespace, p.Name, p.Spec.NodeName = ns, name, node
	return p
}

func byNode() Index {
	return Index{Name: "pod.node", Kind: "Pod", Values: func(o api.Object) []string {
		return []string{o.(*api.Pod).Spec.NodeName}
	}}
}

func TestAWriteNeedsTheRevisionItReplaces(t *testing.T) {
	s := New()
	rev, err := s.Put(pod("a", "x", ""), 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(pod("a", "x", ""), 0, 0, 0); !errors.Is(err, ErrExists) {
		t.Fatalf("create over an object: %v", err)
	}
	rev2, err := s.Put(pod("a", "x", "n1"), rev, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(pod("a", "x", "n2"), rev, 0, 0); !errors.Is(err, ErrConflict) {
		t.Fatalf("write over a newer revision: %v", err)
	}
	if _, err := s.Put(pod("a", "y", ""), rev, 0, 0); !errors.Is(err, ErrNotFound) {
		t.Fatalf("update of nothing: %v", err)
	}
	if _, err := s.Delete(api.Ref{Kind: "Pod", Namespace: "a", Name: "x"}, rev, 0, 0); !errors.Is(err, ErrConflict) {
		t.Fatalf("delete of an older revision: %v", err)
	}
	if _, err := s.Delete(api.Ref{Kind: "Pod", Namespace: "a", Name: "x"}, rev2, 0, 0); err != nil {
		t.Fatal(err)
	}
}

// model is a plain copy of what the store should hold at each revision.
type model []map[string]string

func (m model) check(t *testing.T, s *Store, rev uint64) {
	t.Helper()
	v, err := s.At(rev)
	if err != nil {
		t.Fatal(err)
	}
	want := m[rev-FirstRev]
	var names []string
	for k := range want {
		names = append(names, k)
	}
	sort.Strings(names)
	var got []string
	for _, o := range v.List("Pod", "") {
		p := o.(*api.Pod)
		got = append(got, p.Namespace+"/"+p.Name)
		if want[p.Namespace+"/"+p.Name] != p.Spec.NodeName {
			t.Fatalf("rev %d: %s is on %q", rev, p.Name, p.Spec.NodeName)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(names) {
		t.Fatalf("rev %d: %v, want %v", rev, got, names)
	}
	onN1 := 0
	for _, n := range want {
		if n == "n1" {
			onN1++
		}
	}
	if l := v.ByIndex("pod.node", "n1"); len(l) != onN1 {
		t.Fatalf("rev %d: the index finds %d pods on n1, want %d", rev, len(l), onN1)
	}
}

func TestEveryRevisionStaysReadableAsItWas(t *testing.T) {
	s := New(byNode())
	rng := rand.New(rand.NewSource(3))
	now := map[string]string{}
	m := model{map[string]string{}}
	for range 3 * fresh {
		ns, name := fmt.Sprintf("ns%d", rng.Intn(3)), fmt.Sprintf("p%02d", rng.Intn(40))
		if rng.Intn(4) == 0 {
			if _, ok := now[ns+"/"+name]; !ok {
				continue
			}
			s.Delete(api.Ref{Kind: "Pod", Namespace: ns, Name: name}, AnyRev, sim.Time(len(m)), 0)
			delete(now, ns+"/"+name)
		} else {
			node := fmt.Sprintf("n%d", rng.Intn(3))
			s.Put(pod(ns, name, node), AnyRev, sim.Time(len(m)), 0)
			now[ns+"/"+name] = node
		}
		c := map[string]string{}
		for k, v := range now {
			c[k] = v
		}
		m = append(m, c)
	}
	if s.Rev() != FirstRev+uint64(len(m))-1 {
		t.Fatalf("rev %d after %d writes", s.Rev(), len(m)-1)
	}
	for rev := uint64(FirstRev); rev <= s.Rev(); rev += 7 {
		m.check(t, s, rev)
	}
	m.check(t, s, s.Rev())
	if got := s.RevAt(sim.Time(100)); got != FirstRev+100 {
		t.Fatalf("RevAt(100) = %d", got)
	}
	if err := s.Compact(FirstRev + 500); err != nil {
		t.Fatal(err)
	}
	m.check(t, s, FirstRev+501)
	if _, err := s.At(FirstRev + 499); !errors.Is(err, ErrGone) {
		t.Fatalf("a compacted revision: %v", err)
	}
	if _, err := s.Since(FirstRev + 10); !errors.Is(err, ErrGone) {
		t.Fatalf("a compacted log: %v", err)
	}
	ch, err := s.Since(FirstRev + 600)
	if err != nil || ch[0].Rev != FirstRev+601 {
		t.Fatalf("the log after compaction: %v %v", err, ch[0].Rev)
	}
}

func TestAClonedStoreGrowsAlone(t *testing.T) {
	s := New()
	s.Put(pod("a", "x", ""), 0, 1, 0)
	c := s.Clone()
	s.Put(pod("a", "y", ""), 0, 2, 0)
	c.Put(pod("a", "z", ""), 0, 2, 0)
	names := func(s *Store) (l []string) {
		for _, o := range s.Latest().List("Pod", "a") {
			l = append(l, o.Meta().Name)
		}
		return l
	}
	if fmt.Sprint(names(s), names(c)) != "[x y] [x z]" {
		t.Fatal(names(s), names(c))
	}
	cs, _ := c.Since(2)
	if len(cs) != 1 || cs[0].New.Meta().Name != "z" {
		t.Fatalf("the clone's log: %v", cs)
	}
}

func TestNamespacesAreListedApart(t *testing.T) {
	s := New()
	for _, p := range []*api.Pod{pod("a", "x", ""), pod("ab", "x", ""), pod("b", "x", "")} {
		s.Put(p, 0, 0, 0)
	}
	if n := len(s.Latest().List("Pod", "a")); n != 1 {
		t.Fatalf("%d pods in namespace a, want 1", n)
	}
	if s.Latest().Get("Pod", "ab", "x") == nil || s.Latest().Get("Node", "", "x") != nil {
		t.Fatal("Get is wrong")
	}
}

func TestTheDetectorNamesAnObjectThatWasChangedAfterItWasStored(t *testing.T) {
	s := New()
	s.DetectMutations()
	p := pod("a", "x", "")
	s.Put(p, 0, 0, 0)
	if err := s.CheckMutations(); err != nil {
		t.Fatal(err)
	}
	p.Spec.NodeName = "elsewhere"
	if err := s.CheckMutations(); err == nil || err.Error() != "Pod/a/x was changed after it was stored" {
		t.Fatalf("got %v", err)
	}
}

func TestAnIndexOfAllKindsKeepsNamesakesApart(t *testing.T) {
	s := New(Index{Name: "all", Values: func(o api.Object) []string { return []string{o.Meta().Namespace} }})
	s.Put(pod("a", "x", ""), 0, 0, 0)
	c := &api.ConfigMap{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}}
	c.Namespace, c.Name = "a", "x"
	s.Put(c, 0, 0, 0)
	if l := s.Latest().ByIndex("all", "a"); len(l) != 2 {
		t.Fatalf("%d objects, want the pod and the configmap", len(l))
	}
	s.Delete(api.Ref{Kind: "Pod", Namespace: "a", Name: "x"}, AnyRev, 0, 0)
	if l := s.Latest().ByIndex("all", "a"); len(l) != 1 || l[0] != c {
		t.Fatalf("%v, want the configmap", l)
	}
}

func BenchmarkPut(b *testing.B) {
	s := New(byNode())
	for n := range 10000 {
		s.Put(pod("a", fmt.Sprint(n), "n"), 0, 0, 0)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		s.Put(pod("a", fmt.Sprint(n%10000), "n"), AnyRev, 0, 0)
		n++
	}
}
