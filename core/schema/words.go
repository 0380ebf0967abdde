package schema

import (
	"sort"
	"strconv"
	"strings"

	"podwalk/core/codec"
)

// described says what a definition takes: "a string", "a list", "an integer or a
// string".
func described(d *definition) string {
	var out []string
	for _, t := range d.Type {
		switch t {
		case "integer", "object":
			out = append(out, map[string]string{"integer": "an integer", "object": "a map"}[t])
		case "array":
			out = append(out, "a list")
		default:
			out = append(out, "a "+t)
		}
	}
	if out == nil {
		return "something else"
	}
	return strings.Join(out, " or ")
}

// shown is a value as the user wrote it, with what kind of value it is where
// that is the surprise.
func shown(n *codec.Node) string {
	switch n.Kind {
	case codec.Map:
		return "a map"
	case codec.List:
		return "a list"
	case codec.String:
		return "the string " + strconv.Quote(clip(n.Text))
	case codec.Number:
		return "the number " + clip(n.Text)
	case codec.Bool:
		return "the boolean " + n.Text
	}
	return "nothing"
}

func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	var shown []string
	for _, w := range words {
		if w != "" {
			shown = append(shown, w)
		}
	}
	const most = 12
	if len(shown) > most {
		return "one of " + strings.Join(shown[:most], ", ") + ", …"
	}
	return "one of " + strings.Join(shown, ", ")
}

func names(d *definition) []string {
	out := make([]string, 0, len(d.Properties))
	for name := range d.Properties {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// suggest returns `; did you mean "X"?` for the nearest of the words, or "" if
// none is near: at most a third of the letters differ.
func suggest(word string, words []string) string {
	if len(word) > 64 {
		return ""
	}
	best, found := len(word)/3+1, ""
	if len(word) < 3 {
		best = 1
	}
	for _, w := range words {
		if d := distance(strings.ToLower(word), strings.ToLower(w)); d < best && w != word {
			best, found = d, w
		}
	}
	if found == "" {
		return ""
	}
	return "; did you mean " + strconv.Quote(found) + "?"
}

// distance counts the insertions, deletions, changes and swaps of neighbours that
// turn a into b.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
