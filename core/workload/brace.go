package workload

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// braces expands {a,b} and {1..9} of a word into words.
func (e *expander) braces(w *syntax.Word) []*syntax.Word {
	copied := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	syntax.SplitBraces(copied)
	words := []*syntax.Word{{}}
	for _, part := range copied.Parts {
		b, ok := part.(*syntax.BraceExp)
		if !ok {
			for _, x := range words {
				x.Parts = append(x.Parts[:len(x.Parts):len(x.Parts)], part)
			}
			continue
		}
		var next []*syntax.Word
		for _, x := range words {
			for _, choice := range e.choices(b) {
				parts := append(x.Parts[:len(x.Parts):len(x.Parts)], choice.Parts...)
				next = append(next, &syntax.Word{Parts: parts})
			}
			if len(next) > maxFields/10 {
				e.fail("more than 10000 words from braces: not simulated")
				return nil
			}
		}
		words = next
	}
	return words
}

func (e *expander) choices(b *syntax.BraceExp) []*syntax.Word {
	if !b.Sequence {
		var out []*syntax.Word
		for _, elem := range b.Elems {
			out = append(out, e.braces(elem)...)
		}
		return out
	}
	var ends [3]int64
	letters := false
	for i, elem := range b.Elems {
		text := elem.Lit()
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil && len(text) == 1 {
			letters, n = true, int64(text[0])
		}
		ends[i] = n
	}
	step := max(ends[2], -ends[2], 1)
	if ends[0] > ends[1] {
		step = -step
	}
	width := 0
	for _, elem := range b.Elems[:2] {
		if t := strings.TrimPrefix(elem.Lit(), "-"); len(t) > 1 && t[0] == '0' {
			width = max(width, len(elem.Lit()))
		}
	}
	var out []*syntax.Word
	for n := ends[0]; (step > 0) == (n <= ends[1]) || n == ends[1]; n += step {
		text := strconv.FormatInt(n, 10)
		if letters {
			text = string(rune(n))
		}
		for len(text) < width {
			text = "0" + text
		}
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}})
		if len(out) > maxFields/10 {
			e.fail("more than 10000 words from braces: not simulated")
			return nil
		}
	}
	return out
}
