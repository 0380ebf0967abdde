package sim

import (
	"math/rand"
	"sort"
	"testing"
)

func key(n string) Key { return Key{Kind: "Pod", Namespace: "default", Name: n} }

func TestItemsLeaveInOrderOfTimeThenInsertion(t *testing.T) {
	var q Queue
	rng := rand.New(rand.NewSource(1))
	type want struct {
		at Time
		n  int
	}
	var all []want
	for n := range 2000 {
		at := Time(rng.Intn(50))
		q.Push(Item{At: at, Actor: "a", Key: Key{Name: string(rune(n))}})
		all = append(all, want{at, n})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at < all[j].at })
	for i, w := range all {
		it, ok := q.Pop()
		if !ok || it.At != w.at || it.Key.Name != string(rune(w.n)) {
			t.Fatalf("item %d is %v at %d, want number %d at %d", i, it.Key, it.At, w.n, w.at)
		}
	}
	if _, ok := q.Pop(); ok || q.Active() != 0 || q.Len() != 0 {
		t.Fatal("the queue should be empty")
	}
}

func TestEqualNoticesAreMerged(t *testing.T) {
	var q Queue
	q.Push(Item{At: 5, Actor: "a", Key: key("x")})
	q.Push(Item{At: 5, Actor: "a", Key: key("x")})
	q.Push(Item{At: 6, Actor: "a", Key: key("x")})
	q.Push(Item{At: 5, Actor: "b", Key: key("x")})
	if q.Len() != 3 {
		t.Fatalf("%d items, want 3", q.Len())
	}
	q.Pop()
	q.Push(Item{At: 5, Actor: "a", Key: key("x")})
	if q.Len() != 3 {
		t.Fatal("a notice that has been handed out must not absorb a later one")
	}
}

func TestATimerReplacesTheEarlierOneOfItsKey(t *testing.T) {
	var q Queue
	q.SetTimer(Item{At: 10, Actor: "a", Key: key("x")})
	q.SetTimer(Item{At: 20, Actor: "a", Key: key("x"), Periodic: true})
	q.SetTimer(Item{At: 15, Actor: "a", Key: key("y")})
	if q.Len() != 2 || q.Active() != 1 {
		t.Fatalf("len %d active %d, want 2 and 1", q.Len(), q.Active())
	}
	if q.Next() != 15 {
		t.Fatalf("next at %d, want 15", q.Next())
	}
	q.SetTimer(Item{At: Never, Actor: "a", Key: key("y")})
	it, _ := q.Pop()
	if it.At != 20 || !it.Timer || !it.Periodic {
		t.Fatalf("got %+v, want the timer at 20", it)
	}
	if q.Len() != 0 || q.Next() != Never {
		t.Fatal("nothing should be left")
	}
}

func TestACloneOfAQueueIsIndependent(t *testing.T) {
	var q Queue
	q.Push(Item{At: 1, Actor: "a", Key: key("x")})
	q.SetTimer(Item{At: 2, Actor: "a", Key: key("x")})
	c := q.Clone()
	c.Pop()
	c.SetTimer(Item{At: 9, Actor: "a", Key: key("x")})
	if q.Len() != 2 || q.Next() != 1 {
		t.Fatal("the original changed")
	}
	if c.Len() != 1 || c.Next() != 9 {
		t.Fatalf("the clone has %d items, next %d", c.Len(), c.Next())
	}
}

func TestARandomValueDependsOnlyOnItsOwnKeys(t *testing.T) {
	r := Random{Seed: 7}
	a := r.Uint64("uid", "default/web", 0)
	if a != r.Uint64("uid", "default/web", 0) {
		t.Fatal("the same keys gave two values")
	}
	for _, b := range []uint64{r.Uint64("uid", "default/web", 1), r.Uint64("uid", "default/we", 0),
		r.Uint64("ip", "default/web", 0), Random{Seed: 8}.Uint64("uid", "default/web", 0)} {
		if a == b {
			t.Fatal("different keys gave one value")
		}
	}
}

func TestRandomValuesAreSpreadEvenly(t *testing.T) {
	r := Random{Seed: 1}
	var count [10]int
	for n := range uint64(10000) {
		count[r.Intn("dice", "x", n, 10)]++
		if f := r.Float64("f", "x", n); f < 0 || f >= 1 {
			t.Fatalf("%v is outside [0,1)", f)
		}
	}
	for face, n := range count {
		// 1000 expected, standard deviation 30: six of them either way.
		if n < 820 || n > 1180 {
			t.Errorf("face %d came %d times of 10000", face, n)
		}
	}
}

func TestTimeSaturatesAtNever(t *testing.T) {
	if Never.Add(1) != Never || Time(5).Add(-3) != 2 {
		t.Fatal("Add is wrong")
	}
	if s := (12*Second + 400*Millisecond).String(); s != "12.400s" {
		t.Fatal(s)
	}
}

func BenchmarkQueue(b *testing.B) {
	var q Queue
	for n := range 10000 {
		q.SetTimer(Item{At: Time(n), Actor: "a", Key: Key{Name: string(rune(n))}})
	}
	for b.Loop() {
		it, _ := q.Pop()
		it.At += 10000
		q.SetTimer(it)
	}
}
