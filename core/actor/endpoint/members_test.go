package endpoint

import (
	"math/rand"
	"slices"
	"strconv"
	"testing"

	"podwalk/core/api"
	"podwalk/core/store"
)

func service(name string, selector map[string]string) *api.Service {
	s := &api.Service{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Service"}}
	s.Namespace, s.Name, s.Spec.Selector = "default", name, selector
	return s
}

func labelled(name string, labels map[string]string) *api.Pod {
	p := &api.Pod{TypeMeta: api.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	p.Namespace, p.Name, p.Labels = "default", name, labels
	return p
}

// What is remembered must be what a look at every pod finds, in any clone, after
// any changes in any order.
func TestMembersAreThoseThatASearchFinds(t *testing.T) {
	for seed := range int64(30) {
		r := rand.New(rand.NewSource(seed))
		st := store.New(serviceIndex())
		m, cursor := Members{}, st.Rev()
		type past struct {
			m    Members
			read store.Snapshot
		}
		var pasts []past
		for range 200 {
			change(st, r)
			if r.Intn(4) > 0 {
				continue
			}
			changes, _ := st.Since(cursor)
			cursor = st.Rev()
			m.Observe(st.Latest(), changes)
			if r.Intn(5) == 0 {
				old := m
				m = old.Clone()
				pasts = append(pasts, past{old, st.Latest()})
			}
			check(t, &m, st.Latest())
		}
		for i := range pasts {
			check(t, &pasts[i].m, pasts[i].read)
		}
	}
}

// serviceIndex is the index that Members needs.
func serviceIndex() store.Index {
	return store.Index{Name: Index, Kind: "Service", Values: IndexValues}
}

func change(st *store.Store, r *rand.Rand) {
	n := strconv.Itoa(r.Intn(8))
	labels := map[string]string{}
	for _, k := range []string{"app", "tier"} {
		if r.Intn(3) > 0 {
			labels[k] = string(rune('a' + r.Intn(2)))
		}
	}
	switch r.Intn(8) {
	case 0:
		st.Delete(api.Ref{Kind: "Pod", Namespace: "default", Name: "p" + n}, store.AnyRev, 0, 0)
	case 1:
		st.Delete(api.Ref{Kind: "Service", Namespace: "default", Name: "s" + n}, store.AnyRev, 0, 0)
	case 2, 3:
		st.Put(service("s"+n, labels), store.AnyRev, 0, 0)
	default:
		st.Put(labelled("p"+n, labels), store.AnyRev, 0, 0)
	}
}

func check(t *testing.T, m *Members, read store.Snapshot) {
	t.Helper()
	for _, o := range read.List("Service", "default") {
		s := o.(*api.Service)
		var want, got []string
		for _, p := range read.List("Pod", "default") {
			if Selects(s, p.Meta().Labels) {
				want = append(want, p.Meta().Name)
			}
		}
		for _, p := range m.Pods(read, s) {
			got = append(got, p.Name)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s %v selects %v, remembered %v", s.Name, s.Spec.Selector, want, got)
		}
	}
}

// A map of at most eight entries gives the oldest first most of the time: of three,
// 6 of 8 starts lead to the first, 7 of 8 then to the second.
func TestASmallMapMostlyGivesItsEntriesInTheirOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	natural := 0
	for range 10000 {
		if slices.Equal(PopOrder(nil, 3, func(int) uint64 { return r.Uint64() }), []int{0, 1, 2}) {
			natural++
		}
	}
	if natural < 6200 || natural > 6900 {
		t.Errorf("%d of 10000 in order, want about 6562", natural)
	}
	order := PopOrder([]bool{false, true}, 40, func(int) uint64 { return r.Uint64() })
	slices.Sort(order)
	if len(order) != 39 || order[1] != 2 {
		t.Errorf("order %v", order)
	}
}
