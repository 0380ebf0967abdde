package jsonpath

import (
	"slices"
	"strconv"
	"strings"
)

// children returns the items of a list, or the values of a map in the order of
// their keys.
func children(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		out := make([]any, 0, len(v))
		for _, k := range keys(v) {
			out = append(out, v[k])
		}
		return out
	}
	return nil
}

// everyNode returns a value and all that it holds, in document order.
func everyNode(v any) []any {
	out := []any{v}
	for _, c := range children(v) {
		out = append(out, everyNode(c)...)
	}
	return out
}

func keys(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// compare compares numbers as numbers and all else as text.
func compare(op string, a, b any) bool {
	order := 0
	x, okX := number(a)
	y, okY := number(b)
	if okX && okY {
		switch {
		case x < y:
			order = -1
		case x > y:
			order = 1
		}
	} else {
		order = strings.Compare(text(a), text(b))
	}
	switch op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	return false
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}
