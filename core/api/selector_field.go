package api

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// FieldRequirement is one condition of a field selector.
type FieldRequirement struct {
	Field, Value string
	NotEqual     bool
}

// FieldSelector selects by the values of fields; all requirements must hold. The
// zero value selects everything (apimachinery/pkg/fields/selector.go).
type FieldSelector []FieldRequirement

// ParseFieldSelector reads a field selector such as "metadata.name=web". Which
// fields a kind has is the server's affair. The errors are the real ones.
func ParseFieldSelector(s string) (FieldSelector, error) {
	terms := splitFieldTerms(s)
	slices.Sort(terms)
	var out FieldSelector
	for _, term := range terms {
		if term == "" {
			continue
		}
		i := strings.Index(term, "=")
		if j := strings.Index(term, "!="); j >= 0 && j < i {
			i = j
		}
		if i < 0 {
			return nil, errors.New("invalid selector: '" + s + "'; can't understand '" + term + "'")
		}
		r := FieldRequirement{Field: term[:i], NotEqual: term[i] == '!'}
		rest := strings.TrimPrefix(term[i+1:], "=")
		var err error
		if r.Value, err = unescapeField(rest); err != nil {
			return nil, err
		}
		if r.Field != "" || r.Value != "" {
			out = append(out, r)
		}
	}
	return out, nil
}

// Matches reports whether the fields, which get returns by name, are as required.
func (s FieldSelector) Matches(get func(field string) string) bool {
	for _, r := range s {
		if (get(r.Field) == r.Value) == r.NotEqual {
			return false
		}
	}
	return true
}

// String prints the selector as it is written.
func (s FieldSelector) String() string {
	parts := make([]string, len(s))
	for i, r := range s {
		op := "="
		if r.NotEqual {
			op = "!="
		}
		parts[i] = r.Field + op + EscapeFieldValue(r.Value)
	}
	return strings.Join(parts, ",")
}

// EscapeFieldValue makes any text usable as the value in a field selector.
func EscapeFieldValue(s string) string { return fieldEscaper.Replace(s) }

var fieldEscaper = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)

// splitFieldTerms splits at commas that no backslash precedes.
func splitFieldTerms(s string) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ',':
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

func unescapeField(s string) (string, error) {
	var b strings.Builder
	escaped := false
	for _, c := range s {
		switch {
		case escaped && c != '\\' && c != ',' && c != '=':
			return "", errors.New(`invalid field selector: invalid escape sequence: \` + string(c))
		case !escaped && c == '\\':
			escaped = true
			continue
		case !escaped && (c == ',' || c == '='):
			return "", errors.New("invalid field selector: unescaped character in value: " + strconv.Itoa(int(c)))
		}
		escaped = false
		b.WriteRune(c)
	}
	if escaped {
		return "", errors.New(`invalid field selector: invalid escape sequence: \`)
	}
	return b.String(), nil
}
