package workload

import (
	"regexp"
	"strings"
)

const maxRegex = 4096

// compileRegex compiles a POSIX regular expression: extended, or basic with GNU's
// \+ \? \|. Matches are leftmost-longest. Back references are refused.
func compileRegex(expr string, extended, fold bool) (*regexp.Regexp, error) {
	if len(expr) > maxRegex {
		return nil, textError("regular expression too long")
	}
	text, ok := translateRegex(expr, extended)
	if !ok {
		return nil, textError("back references are not simulated")
	}
	if fold {
		text = "(?i)" + text
	}
	re, err := regexp.Compile("(?s)" + text)
	if err == nil {
		re.Longest()
	}
	return re, err
}

func translateRegex(expr string, extended bool) (string, bool) {
	var b strings.Builder
	start := true // of an expression: a star is literal there
	for i := 0; i < len(expr); i++ {
		c := expr[i]
		if c == '[' {
			n := bracket(&b, expr[i:])
			if n == 0 {
				b.WriteString(`\[`)
				continue
			}
			i += n - 1
			start = false
			continue
		}
		if c == '\\' && i+1 < len(expr) {
			i++
			if isDigit(expr[i]) && expr[i] != '0' {
				return "", false
			}
			start = escapeRegex(&b, expr[i], extended)
			continue
		}
		switch {
		case !extended && strings.IndexByte("+?(){}|", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '*' && start && !extended:
			b.WriteString(`\*`)
		case c == '^' && !extended && !start, c == '$' && !extended && !endsHere(expr[i+1:]):
			b.WriteByte('\\')
			b.WriteByte(c)
		case extended && c == '{' && (i+1 == len(expr) || !isDigit(expr[i+1])):
			b.WriteString(`\{`)
		case extended && (c == '*' || c == '+' || c == '?') && start:
		default:
			b.WriteByte(c)
			start = c == '^' || extended && (c == '(' || c == '|')
			continue
		}
		start = false
	}
	return b.String(), true
}

func endsHere(rest string) bool {
	return rest == "" || strings.HasPrefix(rest, `\)`) || strings.HasPrefix(rest, `\|`)
}

// escapeRegex writes \c and reports whether an expression begins behind it.
func escapeRegex(b *strings.Builder, c byte, extended bool) bool {
	switch {
	case !extended && strings.IndexByte("(){}|+?", c) >= 0:
		b.WriteByte(c)
		return c == '(' || c == '|'
	case c == '<' || c == '>':
		b.WriteString(`\b`)
	case c == 'n':
		b.WriteByte('\n')
	case c == 't':
		b.WriteByte('\t')
	case strings.IndexByte("bBwWsS", c) >= 0:
		b.WriteByte('\\')
		b.WriteByte(c)
	case isAlnum(c):
		b.WriteByte(c)
	default:
		b.WriteString(regexp.QuoteMeta(string(rune(c))))
	}
	return false
}

// bracket copies a bracket expression, in which a backslash stands for itself. It
// returns its length, 0 if it has no end.
func bracket(b *strings.Builder, s string) int {
	i := 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	first := i
	for ; i < len(s); i++ {
		if strings.HasPrefix(s[i:], "[:") {
			if e := strings.Index(s[i:], ":]"); e > 1 {
				i += e + 1
				continue
			}
		}
		if s[i] == ']' && i > first {
			break
		}
	}
	if i >= len(s) {
		return 0
	}
	body := s[first:i]
	b.WriteString(s[:first])
	for j := 0; j < len(body); j++ {
		switch c := body[j]; {
		case strings.HasPrefix(body[j:], "[:"):
			e := strings.Index(body[j:], ":]")
			if e < 2 {
				b.WriteString(`\[`)
				continue
			}
			b.WriteString(body[j : j+e+2])
			j += e + 1
		case c == '\\' && j+1 < len(body) && strings.IndexByte("nt", body[j+1]) >= 0:
			b.WriteString(body[j : j+2])
			j++
		case c == '\\' || c == '[' || c == ']' || c == '&' || c == '~':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte(']')
	return i + 1
}
