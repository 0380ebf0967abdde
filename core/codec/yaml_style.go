package codec

import (
	"strings"
	"unicode/utf8"
)

// styles says in which styles a text can be written in a block.
type styles struct{ plain, single, block bool }

// breakLen is the length of the line break at the start of s, or 0.
func breakLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == '\r' || s[0] == '\n':
		return 1
	case strings.HasPrefix(s, "\u0085"):
		return 2
	case strings.HasPrefix(s, "\u2028") || strings.HasPrefix(s, "\u2029"):
		return 3
	}
	return 0
}

func hasBreak(s string) bool { return strings.ContainsAny(s, "\r\n\u0085\u2028\u2029") }

// printable reports whether the character is written as it is.
func printable(r rune) bool {
	return r == '\n' || r >= 0x20 && r <= 0x7E || r >= 0xA0 && r <= 0xFFFF && r != 0xFEFF && r != 0xFFFE && r != 0xFFFF
}

// analyse finds the styles that a text allows (emitterc.go, analyze_scalar).
func analyse(s string) styles {
	if s == "" {
		return styles{plain: true, single: true}
	}
	indicators := strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") || startsIndicator(s)
	var special, breaks, breakSpace, spaceBreak, wasSpace, wasBreak bool
	afterWhite := true
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		if i > 0 && (r == ':' && blankOrEnd(rest) || r == '#' && afterWhite) {
			indicators = true
		}
		special = special || !printable(r)
		isBreak := breakLen(s[i:]) > 0
		breaks = breaks || isBreak
		breakSpace = breakSpace || r == ' ' && wasBreak
		spaceBreak = spaceBreak || isBreak && wasSpace
		wasSpace, wasBreak = r == ' ', isBreak
		afterWhite = r == ' ' || r == '\t' || isBreak
		i += size
	}
	first, last := s[0] == ' ', s[len(s)-1] == ' '
	f := styles{
		plain:  !indicators && !breaks && !special && !first && !last,
		single: !breakSpace && !spaceBreak && !special,
		block:  !last && !spaceBreak && !special,
	}
	return f
}

func blankOrEnd(s string) bool { return s == "" || s[0] == ' ' || s[0] == '\t' }

func startsIndicator(s string) bool {
	switch s[0] {
	case '#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return true
	case '?', ':', '-':
		return blankOrEnd(s[1:])
	}
	return false
}

// folds reports whether the blank at i is replaced by a new line.
func (w *yamlWriter) folds(s string, i int, may, wasSpace bool) bool {
	return may && !wasSpace && w.col > yamlWidth && i+1 < len(s)
}

func (w *yamlWriter) plain(s string, mayFold bool) {
	if !w.white {
		w.put(" ")
	}
	space := false
	for i, r := range s {
		if r == ' ' && w.folds(s, i, mayFold, space) && s[i+1] != ' ' {
			w.newLine()
		} else {
			w.put(string(r))
			w.indention = w.indention && r == ' '
		}
		space = r == ' '
	}
	w.white, w.indention = false, false
}

func (w *yamlWriter) single(s string, mayFold bool) {
	w.indicator("'", true, false, false)
	space, broke := false, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch n := breakLen(s[i:]); {
		case r == ' ':
			if i > 0 && w.folds(s, i, mayFold, space) && s[i+1] != ' ' {
				w.newLine()
			} else {
				w.put(" ")
			}
			space = true
		case n > 0:
			w.out = append(w.out, s[i:i+n]...)
			w.col = 0
			w.indention, broke = true, true
		default:
			if broke {
				w.newLine()
			}
			if r == '\'' {
				w.put("'")
			}
			w.put(s[i : i+size])
			w.indention, space, broke = false, false, false
		}
		i += size
	}
	w.indicator("'", false, false, false)
	w.white, w.indention = false, false
}

func (w *yamlWriter) double(s string, mayFold bool) {
	w.indicator(`"`, true, false, false)
	bom := strings.HasPrefix(s, "\uFEFF")
	space := false
	for i, r := range s {
		switch {
		case bom || !printable(r) || hasBreak(string(r)) || r == '"' || r == '\\':
			w.put(yamlEscape(r))
		case r == ' ' && i > 0 && w.folds(s, i, mayFold, space):
			w.newLine()
			if s[i+1] == ' ' {
				w.put(`\`)
			}
		default:
			w.put(string(r))
		}
		space = r == ' ' && !bom
	}
	w.indicator(`"`, false, false, false)
	w.white, w.indention = false, false
}

func yamlEscape(r rune) string {
	switch r {
	case 0:
		return `\0`
	case '\a':
		return `\a`
	case '\b':
		return `\b`
	case '\t':
		return `\t`
	case '\n':
		return `\n`
	case '\v':
		return `\v`
	case '\f':
		return `\f`
	case '\r':
		return `\r`
	case 0x1B:
		return `\e`
	case '"', '\\':
		return `\` + string(r)
	case 0x85:
		return `\N`
	case 0xA0:
		return `\_`
	case 0x2028:
		return `\L`
	case 0x2029:
		return `\P`
	}
	letter, digits := `\x`, 2
	if r > 0xFF {
		letter, digits = `\u`, 4
	}
	if r > 0xFFFF {
		letter, digits = `\U`, 8
	}
	b := []byte(letter)
	for k := (digits - 1) * 4; k >= 0; k -= 4 {
		b = append(b, "0123456789ABCDEF"[r>>k&0xF])
	}
	return string(b)
}

// literal writes a text of several lines behind "|".
func (w *yamlWriter) literal(s string) {
	w.indicator("|", true, false, false)
	if s[0] == ' ' || breakLen(s) > 0 {
		w.indicator("2", false, false, false)
	}
	if hint := chompHint(s); hint != "" {
		w.indicator(hint, false, false, false)
	}
	w.breakLine()
	w.white, w.indention = true, true
	start := true
	for i := 0; i < len(s); {
		if n := breakLen(s[i:]); n > 0 {
			w.out = append(w.out, s[i:i+n]...)
			w.col = 0
			w.indention, start = true, true
			i += n
			continue
		}
		if start {
			w.newLine()
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		w.put(s[i : i+size])
		w.indention, start = false, false
		i += size
	}
}

// chompHint says how the end of a literal is read: "-" without a line break, "+"
// with more than one.
func chompHint(s string) string {
	last := func(s string) int {
		_, size := utf8.DecodeLastRuneInString(s)
		if breakLen(s[len(s)-size:]) > 0 {
			return size
		}
		return 0
	}
	n := last(s)
	switch {
	case n == 0:
		return "-"
	case n == len(s) || last(s[:len(s)-n]) > 0:
		return "+"
	}
	return ""
}
