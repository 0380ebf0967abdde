package workload

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// maxMatch bounds the steps of one match, against long texts with many stars.
const maxMatch = 1 << 22

// match reports whether s matches a shell pattern: * ? [..] and backslashes.
func match(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for steps := 0; i < len(s) || p < len(pattern); steps++ {
		if steps > maxMatch {
			return false
		}
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, i
			p++
			continue
		}
		if p < len(pattern) && i < len(s) {
			if np, ni, ok := matchOne(pattern, p, s, i); ok {
				p, i = np, ni
				continue
			}
		}
		if star < 0 || mark >= len(s) {
			return false
		}
		mark += runeLen(s[mark:])
		p, i = star+1, mark
	}
	return true
}

// matchOne matches one character and returns the positions behind it.
func matchOne(pattern string, p int, s string, i int) (np, ni int, ok bool) {
	c, n := utf8.DecodeRuneInString(s[i:])
	switch pattern[p] {
	case '?':
		return p + 1, i + n, true
	case '[':
		if end, hit, valid := matchClass(pattern, p, c); valid {
			return end, i + n, hit
		}
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, i + 1, pattern[p] == s[i]
}

// matchClass matches c with the bracket expression at p. valid is false if it has
// no end.
func matchClass(pattern string, p int, c rune) (end int, hit, valid bool) {
	q := p + 1
	negate := q < len(pattern) && (pattern[q] == '!' || pattern[q] == '^')
	if negate {
		q++
	}
	for first := true; q < len(pattern); first = false {
		if pattern[q] == ']' && !first {
			return q + 1, hit != negate, true
		}
		if strings.HasPrefix(pattern[q:], "[:") {
			if e := strings.Index(pattern[q:], ":]"); e > 1 {
				hit = hit || inClass(pattern[q+2:q+e], c)
				q += e + 2
				continue
			}
		}
		lo, n := classRune(pattern[q:])
		q += n
		hi := lo
		if q+1 < len(pattern) && pattern[q] == '-' && pattern[q+1] != ']' {
			hi, n = classRune(pattern[q+1:])
			q += 1 + n
		}
		hit = hit || lo <= c && c <= hi
	}
	return 0, false, false
}

func classRune(s string) (rune, int) {
	if s[0] == '\\' && len(s) > 1 {
		c, n := utf8.DecodeRuneInString(s[1:])
		return c, n + 1
	}
	return utf8.DecodeRuneInString(s)
}

func inClass(name string, c rune) bool {
	if c > 127 {
		return name == "alpha" || name == "alnum" || name == "print" || name == "graph"
	}
	b := byte(c)
	switch name {
	case "alpha":
		return isAlpha(b)
	case "digit":
		return isDigit(b)
	case "alnum":
		return isAlnum(b)
	case "upper":
		return isUpper(b)
	case "lower":
		return isLower(b)
	case "space":
		return isSpace(b)
	case "blank":
		return b == ' ' || b == '\t'
	case "punct":
		return isPunct(b)
	case "xdigit":
		return isHex(b)
	case "print":
		return isPrint(b)
	case "graph":
		return isPrint(b) && b != ' '
	case "cntrl":
		return b < ' ' || b == 127
	}
	return false
}

// quotePattern makes a text stand for itself in a pattern.
func quotePattern(s string) string {
	if !strings.ContainsAny(s, `*?[]\!^-`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?[]\!^-`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// glob adds a field, or the path names that it matches.
func (e *expander) glob(out []string, f []piece) []string {
	text := joinPieces(f)
	active := false
	for _, p := range f {
		active = active || !p.quoted && strings.ContainsAny(p.text, "*?[")
	}
	if !active || e.s.has(optNoGlob) {
		return append(out, text)
	}
	var b strings.Builder
	for _, p := range f {
		if p.quoted {
			b.WriteString(quotePattern(p.text))
		} else {
			b.WriteString(p.text)
		}
	}
	found := e.r.globPaths(b.String())
	if len(found) == 0 {
		return append(out, text)
	}
	return append(out, found...)
}

// globPaths lists the paths that match a pattern, in order.
func (r *runner) globPaths(pattern string) []string {
	r.p.idle.read = true
	parts := strings.Split(pattern, "/")
	found := []string{""}
	if parts[0] == "" {
		found = []string{"/"}
	}
	for i, part := range parts {
		if part == "" {
			continue
		}
		var next []string
		for _, base := range found {
			next = append(next, r.globDir(base, part)...)
			if len(next) > maxFields {
				return nil
			}
		}
		if i+1 < len(parts) {
			for j := range next {
				next[j] += "/"
			}
		}
		found = next
	}
	slices.Sort(found)
	return found
}

func (r *runner) globDir(base, part string) []string {
	if !strings.ContainsAny(part, `*?[`) {
		name := unquotePattern(part)
		if _, err := r.w.Lstat(r.abs(base + name)); err != nil {
			return nil
		}
		return []string{base + name}
	}
	list, err := r.w.ReadDir(r.abs(base))
	if err != nil {
		return nil
	}
	var out []string
	for _, i := range list {
		if strings.HasPrefix(i.Name, ".") && !strings.HasPrefix(part, ".") {
			continue
		}
		if match(part, i.Name) {
			out = append(out, base+i.Name)
		}
	}
	return out
}

func unquotePattern(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hasBrace(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, "{")
	})
}

// ansiC decodes the escapes of $'...'.
func ansiC(s string) string {
	out, _ := escapes(s, true)
	return out
}
