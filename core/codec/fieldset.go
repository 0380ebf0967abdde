package codec

import "podwalk/core/api"

// FieldSet lists the fields that a value of a kind holds: their paths, in the form
// .spec.containers[name="app"].image, with their values as JSON. Lists whose elements
// have a key are taken apart, other lists and empty maps are values
// (structured-merge-diff/fieldpath).
func FieldSet(v map[string]any, k *api.Kind) map[string]string {
	out := map[string]string{}
	collectFields(out, "", v, kindInfo(k))
	return out
}

func collectFields(out map[string]string, at string, m map[string]any, t *typeInfo) {
	if len(m) == 0 {
		out[at] = "{}"
		return
	}
	for key, v := range m {
		path := at + "." + key
		ft, meta := fieldType(t, key)
		switch v := v.(type) {
		case map[string]any:
			collectFields(out, path, v, ft)
		case []any:
			if meta.strategy == directiveMerge && len(v) > 0 {
				collectElements(out, path, v, ft, meta)
				continue
			}
			out[path] = string(ToJSON(v))
		default:
			out[path] = string(ToJSON(v))
		}
	}
}

// fieldType is the type of a field, of a list that of its elements; nil where the type
// says nothing.
func fieldType(t *typeInfo, key string) (*typeInfo, patchMeta) {
	for t != nil && t.shape == shapePointer {
		t = t.elem
	}
	if t == nil || t.shape != shapeStruct {
		return nil, patchMeta{}
	}
	f := t.field(key)
	if f == nil {
		return nil, patchMeta{}
	}
	ft := f.typ
	for ft.shape == shapePointer {
		ft = ft.elem
	}
	if ft.shape == shapeList {
		ft = ft.elem
	}
	return ft, f.patch
}

func collectElements(out map[string]string, at string, list []any, t *typeInfo, meta patchMeta) {
	for _, v := range list {
		m, isMap := v.(map[string]any)
		if !isMap || meta.key == "" {
			out[at+"[="+string(ToJSON(v))+"]"] = string(ToJSON(v))
			continue
		}
		path := at + "[" + meta.key + "=" + string(ToJSON(m[meta.key])) + "]"
		collectFields(out, path, m, t)
	}
}

// RemoveFields takes fields out of a value, by the paths of FieldSet, and what is left
// empty by that in keyed lists.
func RemoveFields(v map[string]any, k *api.Kind, paths []string) map[string]any {
	gone := map[string]bool{}
	for _, p := range paths {
		gone[p] = true
	}
	return withoutFields("", v, kindInfo(k), gone)
}

func withoutFields(at string, m map[string]any, t *typeInfo, gone map[string]bool) map[string]any {
	out := map[string]any{}
	for key, v := range m {
		path := at + "." + key
		if gone[path] {
			continue
		}
		ft, meta := fieldType(t, key)
		switch x := v.(type) {
		case map[string]any:
			if next := withoutFields(path, x, ft, gone); len(next) > 0 || len(x) == 0 {
				out[key] = next
			}
			continue
		case []any:
			if meta.strategy == directiveMerge {
				if next := withoutElements(path, x, ft, meta, gone); len(next) > 0 {
					out[key] = next
				}
				continue
			}
		}
		out[key] = v
	}
	return out
}

func withoutElements(at string, list []any, t *typeInfo, meta patchMeta, gone map[string]bool) []any {
	var out []any
	for _, v := range list {
		m, isMap := v.(map[string]any)
		if !isMap || meta.key == "" {
			if !gone[at+"[="+string(ToJSON(v))+"]"] {
				out = append(out, v)
			}
			continue
		}
		path := at + "[" + meta.key + "=" + string(ToJSON(m[meta.key])) + "]"
		if gone[path+"."+meta.key] { // whoever owns a part of the element owns its key
			continue
		}
		if next := withoutFields(path, m, t, gone); len(next) > 0 {
			out = append(out, next)
		}
	}
	return out
}
