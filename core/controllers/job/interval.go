package job

import (
	"strconv"
	"strings"
)

// interval is a run of completion indexes, both ends included.
type interval struct{ first, last int }

// intervals are ascending and do not touch each other
// (pkg/controller/job/indexed_job_utils.go orderedIntervals).
type intervals []interval

// parseIntervals reads a list such as "1,3-5,7" up to completions; parts that are
// no numbers are left out.
func parseIntervals(text string, completions int) intervals {
	if text == "" {
		return nil
	}
	var out intervals
	for _, part := range strings.Split(text, ",") {
		from, to, ranged := strings.Cut(part, "-")
		var iv interval
		var err error
		if iv.first, err = strconv.Atoi(from); err != nil {
			continue
		}
		if iv.first >= completions {
			break
		}
		iv.last = iv.first
		if ranged {
			if iv.last, err = strconv.Atoi(to); err != nil {
				continue
			}
			iv.last = min(iv.last, completions-1)
		}
		if n := len(out); n > 0 && out[n-1].last == iv.first-1 {
			out[n-1].last = iv.last
		} else {
			out = append(out, iv)
		}
	}
	return out
}

// with returns the intervals that also contain these indexes, given in ascending
// order.
func (v intervals) with(indexes []int) intervals {
	more := make(intervals, len(indexes))
	for i, n := range indexes {
		more[i] = interval{n, n}
	}
	return v.merge(more)
}

// merge returns what either list contains.
func (v intervals) merge(w intervals) intervals {
	var out intervals
	add := func(iv interval) {
		n := len(out)
		switch {
		case n == 0 || iv.first > out[n-1].last+1:
			out = append(out, iv)
		case out[n-1].last < iv.last:
			out[n-1].last = iv.last
		}
	}
	for len(v) > 0 && len(w) > 0 {
		if v[0].first < w[0].first {
			add(v[0])
			v = v[1:]
		} else {
			add(w[0])
			w = w[1:]
		}
	}
	for _, iv := range v {
		add(iv)
	}
	for _, iv := range w {
		add(iv)
	}
	return out
}

func (v intervals) total() int {
	n := 0
	for _, iv := range v {
		n += iv.last - iv.first + 1
	}
	return n
}

func (v intervals) has(index int) bool {
	for _, iv := range v {
		if iv.first <= index && index <= iv.last {
			return true
		}
	}
	return false
}

// String prints two neighbours as "1,2" and longer runs as "1-3".
func (v intervals) String() string {
	var b strings.Builder
	for i, iv := range v {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(iv.first))
		switch {
		case iv.last == iv.first+1:
			b.WriteByte(',')
		case iv.last > iv.first:
			b.WriteByte('-')
		default:
			continue
		}
		b.WriteString(strconv.Itoa(iv.last))
	}
	return b.String()
}

// overlap counts the indexes that both contain.
func (v intervals) overlap(w intervals) int {
	n := 0
	for len(v) > 0 && len(w) > 0 {
		n += max(0, min(v[0].last, w[0].last)-max(v[0].first, w[0].first)+1)
		switch a, b := v[0].last, w[0].last; {
		case a < b:
			v = v[1:]
		case a > b:
			w = w[1:]
		default:
			v, w = v[1:], w[1:]
		}
	}
	return n
}

// free returns the first count indexes below completions that v does not contain.
func (v intervals) free(count, completions int) []int {
	var out []int
	next := 0
	take := func(until int) {
		for ; next < until && next < completions && len(out) < count; next++ {
			out = append(out, next)
		}
	}
	for _, iv := range v {
		take(iv.first)
		next = max(next, iv.last+1)
	}
	take(completions)
	return out
}
