package codec

import (
	"errors"
	"reflect"
)

// PatchMerge applies a JSON merge patch (RFC 7386) to a generic value; both stay
// as they are.
func PatchMerge(doc, patch map[string]any) map[string]any {
	return mergeJSON(copyMap(doc), copyMap(patch))
}

func mergeJSON(doc, patch map[string]any) map[string]any {
	for k, v := range patch {
		if v == nil {
			delete(doc, k)
			continue
		}
		sub, isMap := v.(map[string]any)
		if have, ok := doc[k].(map[string]any); ok && isMap {
			doc[k] = mergeJSON(have, sub)
			continue
		}
		if have, ok := doc[k]; !ok || have == nil || !isMapValue(have) {
			pruneNulls(v)
		}
		doc[k] = v
	}
	return doc
}

func isMapValue(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// pruneNulls removes the null fields of maps at any depth.
func pruneNulls(v any) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if e == nil {
				delete(x, k)
			} else {
				pruneNulls(e)
			}
		}
	case []any:
		for _, e := range x {
			pruneNulls(e)
		}
	}
}

// diffJSON returns the JSON merge patch that makes b of a.
func diffJSON(a, b map[string]any) map[string]any {
	patch := map[string]any{}
	for k, v := range b {
		have, ok := a[k]
		x, xMap := have.(map[string]any)
		y, yMap := v.(map[string]any)
		switch {
		case !ok:
			patch[k] = deepCopyValue(v)
		case xMap && yMap:
			if d := diffJSON(x, y); len(d) > 0 {
				patch[k] = d
			}
		case !reflect.DeepEqual(have, v):
			patch[k] = deepCopyValue(v)
		}
	}
	for k := range a {
		if _, ok := b[k]; !ok {
			patch[k] = nil
		}
	}
	return patch
}

// filterNulls keeps only the nulls of a patch, or all but them.
func filterNulls(m map[string]any, keep bool) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		sub, isMap := v.(map[string]any)
		switch {
		case v == nil:
			if keep {
				out[k] = nil
			}
		case isMap && len(sub) > 0:
			if f := filterNulls(sub, keep); len(f) > 0 {
				out[k] = f
			}
		case !keep:
			out[k] = v
		}
	}
	return out
}

// PatchThreeWayMerge makes a JSON merge patch that changes current into modified
// and deletes what original had and modified lacks, as kubectl does for kinds
// without a struct (apimachinery/pkg/util/jsonmergepatch).
func PatchThreeWayMerge(original, modified, current map[string]any) (map[string]any, error) {
	change := filterNulls(diffJSON(current, modified), false)
	remove := filterNulls(diffJSON(original, modified), true)
	if mergeConflicts(change, remove) {
		return nil, errors.New("patch:\n" + ToYAML(change) + "\nconflicts with changes made from original to current:\n" + ToYAML(remove) + "\n")
	}
	return mergeJSON(remove, change), nil
}

// mergeConflicts reports whether two patches want different things of one field.
func mergeConflicts(a, b map[string]any) bool {
	for k, x := range a {
		y, ok := b[k]
		if !ok {
			continue
		}
		p, pMap := x.(map[string]any)
		q, qMap := y.(map[string]any)
		if pMap != qMap || pMap && mergeConflicts(p, q) || !pMap && !reflect.DeepEqual(x, y) {
			return true
		}
	}
	return false
}
