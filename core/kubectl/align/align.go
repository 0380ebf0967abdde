// Package align lays out tab-separated cells in columns of blanks, as the
// tabwriters of kubectl do. A cell ends with a tab; what follows the last tab of
// a line belongs to no column. Start at Text.
package align

import (
	"strings"
	"unicode/utf8"
)

// Text aligns lines of cells: every column is at least min runes wide and pad
// runes wider than its widest cell. Lines that follow each other and have a cell
// in a column share its width (text/tabwriter).
func Text(s string, min, pad int) string {
	a := aligner{min: min, pad: pad}
	for _, line := range strings.Split(breaks.Replace(s), "\n") {
		a.lines = append(a.lines, strings.Split(line, "\t"))
	}
	a.format(0, len(a.lines))
	return strings.TrimSuffix(a.out.String(), "\n")
}

var breaks = strings.NewReplacer("\f", "\n", "\v", "\t")

type aligner struct {
	min, pad int
	lines    [][]string
	widths   []int
	out      strings.Builder
}

// format writes the lines from..to, whose first len(widths) columns are known.
func (a *aligner) format(from, to int) {
	column := len(a.widths)
	for i := from; i < to; i++ {
		if column >= len(a.lines[i])-1 {
			continue
		}
		a.write(from, i)
		end, width := i, a.min
		for ; end < to && column < len(a.lines[end])-1; end++ {
			width = max(width, utf8.RuneCountInString(a.lines[end][column])+a.pad)
		}
		a.widths = append(a.widths, width)
		a.format(i, end)
		a.widths = a.widths[:column]
		from, i = end, end-1
	}
	a.write(from, to)
}

func (a *aligner) write(from, to int) {
	for _, line := range a.lines[from:to] {
		for j, cell := range line {
			a.out.WriteString(cell)
			if j < len(a.widths) && j < len(line)-1 {
				for n := a.widths[j] - utf8.RuneCountInString(cell); n > 0; n-- {
					a.out.WriteByte(' ')
				}
			}
		}
		a.out.WriteByte('\n')
	}
}
