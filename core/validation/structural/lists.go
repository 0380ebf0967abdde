package structural

import (
	"podwalk/core/api/field"
)

// UniqueLists checks that the items of sets, and the keys of lists with keys, are
// unique (pkg/apiserver/schema/listtype).
func UniqueLists(s *Schema, v any) field.ErrorList { return uniqueLists(nil, s, v) }

func uniqueLists(at *field.Path, s *Schema, v any) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	switch x := v.(type) {
	case map[string]any:
		for _, k := range sortedKeys(x) {
			if f := s.Properties[k]; f != nil {
				errs = append(errs, uniqueLists(at.Child(k), f, x[k])...)
			} else if s.Additional != nil {
				errs = append(errs, uniqueLists(at.Key(k), s.Additional, x[k])...)
			}
		}
	case []any:
		switch s.ListType {
		case "set":
			errs = append(errs, repeated(at, x)...)
		case "map":
			errs = append(errs, uniqueKeys(at, s.ListKeys, x)...)
		}
		for i := range x {
			errs = append(errs, uniqueLists(at.Index(i), s.Items, x[i])...)
		}
	}
	return errs
}

// repeated reports the second appearance of each value.
func repeated(at *field.Path, list []any) (errs field.ErrorList) {
	seen := map[string]int{}
	for i, v := range list {
		key, _ := typeOf(v)
		key += plainText(v)
		if seen[key]++; seen[key] == 2 {
			errs = append(errs, field.Duplicate(at.Index(i), v))
		}
	}
	return errs
}

func uniqueKeys(at *field.Path, names []string, list []any) field.ErrorList {
	keys := make([]any, len(list))
	for i, v := range list {
		m, ok := v.(map[string]any)
		if v != nil && !ok {
			return field.ErrorList{field.Invalid(at.Index(i), v, "must be an object for an array of list-type map")}
		}
		key := map[string]any{}
		for _, n := range names {
			if k, ok := m[n]; ok {
				key[n] = k
			}
		}
		keys[i] = key
	}
	return repeated(at, keys)
}
