package kubectl

import "strings"

// SplitLine splits a command line into words as a shell does: blanks separate,
// quotes keep together, a backslash takes the next character as it is.
// It expands nothing. An open quote ends with the line.
func SplitLine(line string) []string {
	var out []string
	var b strings.Builder
	word := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\n':
			if word {
				out = append(out, b.String())
			}
			b.Reset()
			word = false
			continue
		case c == '\'':
			end := closing(line, i+1, '\'')
			b.WriteString(line[i+1 : end])
			i = end
		case c == '"':
			i = doubleQuoted(&b, line, i+1)
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		default:
			b.WriteByte(c)
		}
		word = true
	}
	if word {
		out = append(out, b.String())
	}
	return out
}

func closing(s string, from int, quote byte) int {
	if n := strings.IndexByte(s[from:], quote); n >= 0 {
		return from + n
	}
	return len(s)
}

// doubleQuoted copies up to the closing quote and returns its place.
func doubleQuoted(b *strings.Builder, s string, i int) int {
	for ; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return i
}

// JoinLine writes words as a command line that SplitLine reads again.
func JoinLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`|&;<>(){}*?#~") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
