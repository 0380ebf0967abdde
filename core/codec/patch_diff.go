package codec

import (
	"errors"
	"reflect"
	"strconv"

	"podwalk/core/api"
)

// patchMeta says how a field merges, from its struct's patch tag.
type patchMeta struct {
	strategy string // merge, replace or ""
	retain   bool
	key      string // of the elements of a list
}

// lookup returns the type of a field for patching. For lists it is the element's.
func (t *typeInfo) lookup(key string) (*typeInfo, patchMeta, error) {
	for t.shape == shapePointer {
		t = t.elem
	}
	if t.shape != shapeStruct {
		return nil, patchMeta{}, errors.New("merging an object in json but data type is not struct, instead is: " + t.rtype.Kind().String())
	}
	f := t.field(key)
	if f == nil {
		return nil, patchMeta{}, errors.New("unable to find api field in struct " + structName(t) + " for the json field " + strconv.Quote(key))
	}
	return f.typ, f.patch, nil
}

// lookupList is lookup for a list: it returns the type of the elements.
func (t *typeInfo) lookupList(key string) (*typeInfo, patchMeta, error) {
	f, m, err := t.lookup(key)
	if err != nil {
		return nil, m, err
	}
	if f.shape == shapePointer {
		f = f.elem
	}
	if f.shape == shapeList {
		return f.elem, m, nil
	}
	return nil, m, errors.New("expected slice or array type, but got: " + t.rtype.Kind().String())
}

// kindInfo returns the description of a kind's struct.
func kindInfo(k *api.Kind) *typeInfo { return infoOf(reflect.TypeOf(k.New()).Elem()) }

// differ makes strategic merge patches.
type differ struct {
	onlyDeletions bool
	onlyChanges   bool
}

// maps returns the patch that makes b of a; retain adds the list of fields to keep.
func (d differ) maps(a, b map[string]any, t *typeInfo, retain bool) (map[string]any, error) {
	patch := map[string]any{}
	var kept []any
	for _, k := range sortedKeys(b) {
		v := b[k]
		if retain && v != nil {
			kept = append(kept, k)
		}
		have, ok := a[k]
		if !ok || valueType(have) != valueType(v) {
			if !d.onlyDeletions {
				patch[k] = v
			}
			continue
		}
		if err := d.field(k, have, v, patch, t); err != nil {
			return nil, err
		}
	}
	dropped := false
	for k, v := range a {
		if _, ok := b[k]; !ok {
			dropped = dropped || v != nil
			if !d.onlyChanges {
				patch[k] = nil
			}
		}
	}
	if len(kept) > 0 && (len(patch) > 0 || dropped) {
		patch[retainKeys] = sortScalars(kept)
	}
	return patch, nil
}

func (d differ) field(k string, have, v any, patch map[string]any, t *typeInfo) error {
	x, isMap := have.(map[string]any)
	y, _ := v.(map[string]any)
	l, isList := have.([]any)
	switch {
	case k == directiveKey:
		if have != v {
			patch[k] = v
		}
	case isMap:
		sub, m, err := t.lookup(k)
		if err != nil {
			return unlessEqual(err, have, v)
		}
		if m.strategy == directiveRepl {
			if !d.onlyDeletions {
				patch[k] = v
			}
			return nil
		}
		diff, err := d.maps(x, y, sub, m.retain)
		if len(diff) > 0 {
			patch[k] = diff
		}
		return err
	case isList:
		sub, m, err := t.lookupList(k)
		if err != nil {
			return unlessEqual(err, have, v)
		}
		if m.strategy == directiveMerge {
			return d.list(k, l, v.([]any), patch, sub, m)
		}
		fallthrough
	default:
		if !d.onlyDeletions && !reflect.DeepEqual(have, v) {
			patch[k] = v
		}
	}
	return nil
}

func unlessEqual(err error, a, b any) error {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return err
}

// list adds the patch of a list that merges.
func (d differ) list(k string, a, b []any, patch map[string]any, t *typeInfo, m patchMeta) error {
	if len(a) == 0 {
		if len(b) > 0 && !d.onlyDeletions {
			patch[k] = b
		}
		return nil
	}
	typ, err := elementType(a, b)
	if err != nil {
		return err
	}
	var add, remove, order []any
	if typ == mapType {
		add, order, err = d.listOfMaps(a, b, t, m)
	} else {
		add, remove, order, err = d.listOfScalars(a, b)
	}
	if err != nil {
		return err
	}
	if len(add) > 0 {
		patch[k] = add
	}
	if len(remove) > 0 {
		patch[deletePrefix+"/"+k] = remove
	}
	if len(order) > 0 {
		patch[orderPrefix+"/"+k] = order
	}
	return nil
}

func (d differ) listOfScalars(a, b []any) (add, remove, order []any, err error) {
	x, y := sortScalars(append([]any{}, a...)), sortScalars(append([]any{}, b...))
	differ := !reflect.DeepEqual(x, b) // upstream has sorted a by now
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && scalarText(x[0]) < scalarText(y[0]):
			if !d.onlyChanges {
				remove = append(remove, x[0])
			}
			x = x[1:]
		case len(x) == 0 || scalarText(x[0]) > scalarText(y[0]):
			if !d.onlyDeletions {
				add = append(add, y[0])
			}
			y = y[1:]
		default:
			x, y = x[1:], y[1:]
		}
	}
	remove = dedupe(remove)
	add, err = inOrder(add, b, "", false)
	if !d.onlyChanges && len(remove) > 0 || !d.onlyDeletions && differ {
		order = b
	}
	return add, remove, order, err
}

func (d differ) listOfMaps(a, b []any, t *typeInfo, m patchMeta) (patch, order []any, err error) {
	if err := keyed(m.key, a, b); err != nil {
		return nil, nil, err
	}
	var deletes []any
	x, y := sortMaps(a, m.key), sortMaps(b, m.key)
	for len(x) > 0 || len(y) > 0 {
		kx, ky := "", ""
		if len(x) > 0 {
			kx = scalarText(x[0].(map[string]any)[m.key])
		}
		if len(y) > 0 {
			ky = scalarText(y[0].(map[string]any)[m.key])
		}
		switch {
		case len(x) > 0 && len(y) > 0 && kx == ky:
			diff, err := d.maps(x[0].(map[string]any), y[0].(map[string]any), t, m.retain)
			if err != nil {
				return nil, nil, err
			}
			if len(diff) > 0 {
				diff[m.key] = y[0].(map[string]any)[m.key]
				patch = append(patch, diff)
			}
			x, y = x[1:], y[1:]
		case len(x) == 0 || len(y) > 0 && kx > ky:
			if !d.onlyDeletions {
				patch = append(patch, y[0])
			}
			y = y[1:]
		default:
			if !d.onlyChanges {
				deletes = append(deletes, map[string]any{m.key: x[0].(map[string]any)[m.key], directiveKey: directiveDelete})
			}
			x = x[1:]
		}
	}
	if patch, err = inOrder(patch, b, m.key, true); err != nil {
		return nil, nil, err
	}
	patch = append(patch, deletes...)
	if !d.onlyDeletions && (len(patch) > 0 || !sameOrder(a, b, m.key)) || !d.onlyChanges && len(patch) > 0 {
		for _, v := range b {
			order = append(order, map[string]any{m.key: v.(map[string]any)[m.key]})
		}
	}
	return patch, order, nil
}

func sameOrder(a, b []any, key string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i].(map[string]any)[key], b[i].(map[string]any)[key]) {
			return false
		}
	}
	return true
}

// PatchThreeWay makes the strategic merge patch that client-side apply sends:
// what changes current into modified, with what original had and modified lacks
// deleted (apimachinery/pkg/util/strategicpatch CreateThreeWayMergePatch with
// overwrite). The three stay as they are.
func PatchThreeWay(original, modified, current map[string]any, kind *api.Kind) (map[string]any, error) {
	t := kindInfo(kind)
	change, err := differ{onlyChanges: true}.maps(copyMap(current), copyMap(modified), t, false)
	if err != nil {
		return nil, err
	}
	remove, err := differ{onlyDeletions: true}.maps(copyMap(original), copyMap(modified), t, false)
	if err != nil {
		return nil, err
	}
	return merger{}.maps(copyMap(remove), copyMap(change), t)
}

// PatchTwoWay makes the strategic merge patch that changes original into modified.
func PatchTwoWay(original, modified map[string]any, kind *api.Kind) (map[string]any, error) {
	return differ{}.maps(copyMap(original), copyMap(modified), kindInfo(kind), false)
}
