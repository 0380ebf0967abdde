package sim

import "maps"

// Item means "actor, look at key": it never says what to do there.
type Item struct {
	At       Time
	Seq      uint64 // order of insertion; makes ties first-in first-out
	Actor    string
	Key      Key
	Cause    Cause
	Periodic bool // its outcome cannot change unless something else does
	Timer    bool // set by the actor for itself; its next timer replaces it
}

type slot struct {
	actor string
	key   Key
}

type mark struct {
	at       Time
	seq      uint64
	periodic bool
}

// Queue is a heap of items ordered by (At, Seq). Its zero value is empty and
// ready. A Queue is data: Clone copies it whole.
//
// A replaced timer stays in the heap and is skipped when it surfaces; equal
// notices (same actor, key and instant) are merged, since an item only means
// "look".
type Queue struct {
	heap   []Item
	seq    uint64
	active int // live items that are not periodic
	live   int // live items
	timers map[slot]mark
	notes  map[slot]Time // latest pending notice of a slot
}

// Len returns the number of live items.
func (q *Queue) Len() int { return q.live }

// Active returns the number of live items that are not periodic. At zero the
// run is quiescent.
func (q *Queue) Active() int { return q.active }

// Push adds a notice. A notice for the same actor, key and instant that is
// still waiting absorbs it.
func (q *Queue) Push(it Item) {
	s := slot{it.Actor, it.Key}
	if at, ok := q.notes[s]; ok && at == it.At && !it.Periodic {
		return
	}
	if q.notes == nil {
		q.notes = map[slot]Time{}
	}
	it.Timer = false
	q.notes[s] = it.At
	q.insert(it)
}

// SetTimer replaces the timer of the item's actor and key. At == Never only
// removes it.
func (q *Queue) SetTimer(it Item) {
	s := slot{it.Actor, it.Key}
	if old, ok := q.timers[s]; ok {
		if old.at == it.At && old.periodic == it.Periodic {
			return
		}
		delete(q.timers, s)
		q.count(old.periodic, -1)
	}
	if it.At == Never {
		return
	}
	if q.timers == nil {
		q.timers = map[slot]mark{}
	}
	it.Timer = true
	seq := q.insert(it)
	q.timers[s] = mark{it.At, seq, it.Periodic}
}

// Next returns the instant of the first live item, or Never.
func (q *Queue) Next() Time {
	q.dropStale()
	if len(q.heap) == 0 {
		return Never
	}
	return q.heap[0].At
}

// Pop removes and returns the first live item.
func (q *Queue) Pop() (Item, bool) {
	q.dropStale()
	if len(q.heap) == 0 {
		return Item{}, false
	}
	it := q.removeTop()
	s := slot{it.Actor, it.Key}
	if it.Timer {
		delete(q.timers, s)
	} else if q.notes[s] == it.At {
		delete(q.notes, s)
	}
	q.count(it.Periodic, -1)
	return it, true
}

// Clone returns an independent copy.
func (q *Queue) Clone() Queue {
	c := *q
	c.heap = append([]Item(nil), q.heap...)
	c.timers = maps.Clone(q.timers)
	c.notes = maps.Clone(q.notes)
	return c
}

func (q *Queue) insert(it Item) uint64 {
	q.seq++
	it.Seq = q.seq
	q.count(it.Periodic, 1)
	q.heap = append(q.heap, it)
	for i := len(q.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !before(&q.heap[i], &q.heap[parent]) {
			break
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
	return it.Seq
}

func (q *Queue) count(periodic bool, n int) {
	q.live += n
	if !periodic {
		q.active += n
	}
}

func (q *Queue) dropStale() {
	for len(q.heap) > 0 && q.heap[0].Timer {
		top := &q.heap[0]
		if q.timers[slot{top.Actor, top.Key}].seq == top.Seq {
			return
		}
		q.removeTop()
	}
}

func (q *Queue) removeTop() Item {
	top := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap[last] = Item{}
	q.heap = q.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && before(&q.heap[child+1], &q.heap[child]) {
			child++
		}
		if !before(&q.heap[child], &q.heap[i]) {
			break
		}
		q.heap[i], q.heap[child] = q.heap[child], q.heap[i]
		i = child
	}
	return top
}

func before(a, b *Item) bool {
	return a.At < b.At || a.At == b.At && a.Seq < b.Seq
}
