package validation

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// contextLines is how many equal lines stand around a change.
const contextLines = 3

// changedSpec shows how two values of the server's internal types differ
// (apimachinery/pkg/util/diff).
func changedSpec(old, now any) string {
	return unified(indented(old), indented(now))
}

func indented(v any) []string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(internal(v)), "", " "); err != nil {
		return []string{err.Error()}
	}
	return strings.Split(b.String(), "\n")
}

// unified prints the difference of two texts as diff -u does, without names.
func unified(a, b []string) string {
	var out strings.Builder
	for _, group := range grouped(steps(a, b)) {
		first, last := group[0], group[len(group)-1]
		out.WriteString("@@ -" + lineRange(first.a1, last.a2) + " +" + lineRange(first.b1, last.b2) + " @@\n")
		for _, s := range group {
			if s.same {
				writeLines(&out, " ", a[s.a1:s.a2])
				continue
			}
			writeLines(&out, "-", a[s.a1:s.a2])
			writeLines(&out, "+", b[s.b1:s.b2])
		}
	}
	return out.String()
}

func writeLines(out *strings.Builder, mark string, lines []string) {
	for _, l := range lines {
		out.WriteString(mark + l + "\n")
	}
}

func lineRange(start, stop int) string {
	switch n := stop - start; n {
	case 1:
		return strconv.Itoa(start + 1)
	case 0:
		return strconv.Itoa(start) + ",0"
	default:
		return strconv.Itoa(start+1) + "," + strconv.Itoa(n)
	}
}

// step turns lines a1 to a2 of one text into lines b1 to b2 of the other.
type step struct {
	same           bool
	a1, a2, b1, b2 int
}

// steps lists what turns a into b.
func steps(a, b []string) []step {
	m := &matcher{a: a, b: b, at: positions(b)}
	m.match(0, len(a), 0, len(b))
	var out []step
	i, j := 0, 0
	for _, k := range append(m.blocks, block{len(a), len(b), 0}) {
		if i < k.a || j < k.b {
			out = append(out, step{false, i, k.a, j, k.b})
		}
		i, j = k.a+k.n, k.b+k.n
		if k.n > 0 {
			out = append(out, step{true, k.a, i, k.b, j})
		}
	}
	return joined(out)
}

// joined makes one step of equal ones that follow each other.
func joined(list []step) []step {
	var out []step
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].same && s.same {
			out[n-1].a2, out[n-1].b2 = s.a2, s.b2
			continue
		}
		out = append(out, s)
	}
	return out
}

// grouped cuts the steps into groups with a few equal lines around them.
func grouped(list []step) [][]step {
	if len(list) == 0 || len(list) == 1 && list[0].same {
		return nil
	}
	if f := &list[0]; f.same {
		f.a1, f.b1 = max(f.a1, f.a2-contextLines), max(f.b1, f.b2-contextLines)
	}
	if l := &list[len(list)-1]; l.same {
		l.a2, l.b2 = min(l.a2, l.a1+contextLines), min(l.b2, l.b1+contextLines)
	}
	var out [][]step
	var group []step
	for _, s := range list {
		if s.same && s.a2-s.a1 > 2*contextLines {
			group = append(group, step{true, s.a1, min(s.a2, s.a1+contextLines), s.b1, min(s.b2, s.b1+contextLines)})
			out, group = append(out, group), nil
			s.a1, s.b1 = max(s.a1, s.a2-contextLines), max(s.b1, s.b2-contextLines)
		}
		group = append(group, s)
	}
	if len(group) == 1 && group[0].same {
		return out
	}
	return append(out, group)
}

// block is n equal lines, from line a of one text and b of the other.
type block struct{ a, b, n int }

// matcher finds the longest common blocks, as Python's difflib does: lines that
// are frequent in a long text begin no block.
type matcher struct {
	a, b   []string
	at     map[string][]int
	blocks []block
}

func positions(b []string) map[string][]int {
	at := map[string][]int{}
	for i, l := range b {
		at[l] = append(at[l], i)
	}
	if n := len(b); n >= 200 {
		for l, list := range at {
			if len(list) > n/100+1 {
				delete(at, l)
			}
		}
	}
	return at
}

// match collects the blocks between the bounds, in order.
func (m *matcher) match(a1, a2, b1, b2 int) {
	k := m.longest(a1, a2, b1, b2)
	if k.n == 0 {
		return
	}
	if a1 < k.a && b1 < k.b {
		m.match(a1, k.a, b1, k.b)
	}
	m.blocks = append(m.blocks, k)
	if k.a+k.n < a2 && k.b+k.n < b2 {
		m.match(k.a+k.n, a2, k.b+k.n, b2)
	}
}

func (m *matcher) longest(a1, a2, b1, b2 int) block {
	best := block{a1, b1, 0}
	lengths := map[int]int{}
	for i := a1; i < a2; i++ {
		next := map[int]int{}
		for _, j := range m.at[m.a[i]] {
			if j < b1 || j >= b2 {
				continue
			}
			n := lengths[j-1] + 1
			next[j] = n
			if n > best.n {
				best = block{i - n + 1, j - n + 1, n}
			}
		}
		lengths = next
	}
	for best.a > a1 && best.b > b1 && m.a[best.a-1] == m.b[best.b-1] {
		best = block{best.a - 1, best.b - 1, best.n + 1}
	}
	for best.a+best.n < a2 && best.b+best.n < b2 && m.a[best.a+best.n] == m.b[best.b+best.n] {
		best.n++
	}
	return best
}
