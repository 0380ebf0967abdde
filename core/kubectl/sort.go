package kubectl

import (
	"sort"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/jsonpath"
)

// sortSections sorts the rows of each table by --sort-by; a field that none of them
// has empties the table, as in kubectl, which then says that there are none.
func (s *session) sortSections(g *gathered) error {
	by := s.flags.text("sort-by")
	if by == "" {
		return nil
	}
	for n := range g.sections {
		if err := sortItems(s, g.sections[n].items, by); err != nil {
			if _, ok := err.(missingField); !ok {
				return err
			}
			g.sections[n].items = nil
		}
	}
	return nil
}

type missingField string

func (e missingField) Error() string {
	return "couldn't find any field with path " + quoted(string(e)) + " in the list of objects"
}

// sortItems sorts objects by a field (kubectl/pkg/cmd/get/sorter.go). Objects
// without it come first.
func sortItems(s *session, items []item, by string) error {
	expr, err := jsonpath.Relaxed(by)
	if err != nil {
		expr = by
	}
	t, err := jsonpath.Parse(expr)
	if err != nil {
		return plain("sorting error: " + err.Error())
	}
	r := rows{items: items, keys: make([]any, len(items)), has: make([]bool, len(items))}
	found := len(items) == 0
	for i := range items {
		values, err := t.Find(s.generic(items[i].object))
		if err != nil {
			return plain(err.Error())
		}
		if len(values) > 0 && len(values[0]) > 0 {
			r.keys[i], r.has[i], found = values[0][0], true, true
		}
	}
	if !found {
		return missingField(expr)
	}
	sort.Sort(r)
	return nil
}

type rows struct {
	items []item
	keys  []any
	has   []bool
}

func (r rows) Len() int { return len(r.items) }

func (r rows) Swap(i, j int) {
	r.items[i], r.items[j] = r.items[j], r.items[i]
	r.keys[i], r.keys[j] = r.keys[j], r.keys[i]
	r.has[i], r.has[j] = r.has[j], r.has[i]
}

func (r rows) Less(i, j int) bool {
	switch {
	case !r.has[i]:
		return true
	case !r.has[j]:
		return false
	}
	return less(r.keys[i], r.keys[j])
}

// less compares two values of one type; texts that are both quantities compare as
// such.
func less(a, b any) bool {
	switch x := a.(type) {
	case string:
		y, _ := b.(string)
		q, err := api.ParseQuantity(x)
		r, err2 := api.ParseQuantity(y)
		if err == nil && err2 == nil {
			return q.Cmp(r) < 0
		}
		return strings.Compare(x, y) < 0
	case int64:
		y, ok := b.(int64)
		return ok && x < y
	case float64:
		y, ok := b.(float64)
		return ok && x < y
	}
	return false
}
