// Package unified compares texts line by line and prints the differences as `diff -u`
// does. Start at Diff.
package unified

import (
	"strconv"
	"strings"
)

// context is the number of equal lines around a change.
const context = 3

// maxCells bounds the table of the comparison; longer texts are compared by their
// common beginning and end alone.
const maxCells = 16 << 20

// edit is a line: kept (' '), taken away ('-') or added ('+').
type edit struct {
	op   byte
	line string
}

// Diff returns the hunks that lead from one text to the other, "" if they are equal.
func Diff(from, to string) string {
	if from == to {
		return ""
	}
	return hunks(edits(lines(from), lines(to)))
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")[:strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1]
}

// edits keeps as many lines as it can.
func edits(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, edit{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	out := append(head, middle(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		out = append(out, tail[i])
	}
	return out
}

// middle takes lines away before it adds others in their place.
func middle(a, b []string) []edit {
	var out []edit
	i, j := 0, 0
	if len(a)*len(b) <= maxCells {
		same := common(a, b)
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				out = append(out, edit{' ', a[i]})
				i, j = i+1, j+1
			case same[i+1][j] >= same[i][j+1]:
				out = append(out, edit{'-', a[i]})
				i++
			default:
				out = append(out, edit{'+', b[j]})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		out = append(out, edit{'-', a[i]})
	}
	for ; j < len(b); j++ {
		out = append(out, edit{'+', b[j]})
	}
	return out
}

// common is the length of the longest common part of the ends that begin at i and j.
func common(a, b []string) [][]int32 {
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func hunks(list []edit) string {
	var b strings.Builder
	for i := 0; i < len(list); {
		if list[i].op == ' ' {
			i++
			continue
		}
		start := max(0, i-context)
		end, last := i, i
		for ; end < len(list) && end-last <= 2*context; end++ {
			if list[end].op != ' ' {
				last = end
			}
		}
		end = min(len(list), last+context+1)
		hunk(&b, list, start, end)
		i = end
	}
	return b.String()
}

func hunk(b *strings.Builder, list []edit, start, end int) {
	from, to := place{line: 1}, place{line: 1}
	for i, e := range list[:end] {
		from.count(e.op != '+', i >= start)
		to.count(e.op != '-', i >= start)
	}
	b.WriteString("@@ -" + from.text() + " +" + to.text() + " @@\n")
	for _, e := range list[start:end] {
		b.WriteByte(e.op)
		b.WriteString(e.line)
	}
}

// place is the first line of a hunk and how many it has.
type place struct{ line, lines int }

func (p *place) count(has, inside bool) {
	switch {
	case has && inside:
		p.lines++
	case has:
		p.line++
	}
}

func (p *place) text() string {
	switch p.lines {
	case 0:
		return strconv.Itoa(p.line-1) + ",0"
	case 1:
		return strconv.Itoa(p.line)
	}
	return strconv.Itoa(p.line) + "," + strconv.Itoa(p.lines)
}
