package codec

import (
	"errors"
	"reflect"
	"strings"

	"podwalk/core/api"
)

// merger applies strategic merge patches to an object, or (with final unset) to
// another patch, whose directives it then keeps.
type merger struct{ final bool }

// PatchStrategic applies a strategic merge patch; kind's struct tells how its
// lists merge (apimachinery/pkg/util/strategicpatch). Both stay as they are.
func PatchStrategic(doc, patch map[string]any, kind *api.Kind) (map[string]any, error) {
	return merger{final: true}.maps(copyMap(doc), copyMap(patch), kindInfo(kind))
}

func (g merger) maps(doc, patch map[string]any, t *typeInfo) (map[string]any, error) {
	if directive, ok := patch[directiveKey]; ok {
		switch directive {
		case directiveRepl:
			delete(patch, directiveKey)
			return patch, nil
		case directiveDelete:
			return map[string]any{}, nil
		}
		return nil, errors.New("unknown patch type: " + scalarText(directive) + " in map: " + string(ToJSON(patch)))
	}
	if doc == nil {
		doc = map[string]any{}
	}
	if err := g.retain(doc, patch); err != nil {
		return nil, err
	}
	if err := g.orders(doc, patch, t); err != nil {
		return nil, err
	}
	for _, k := range sortedKeys(patch) {
		if err := g.field(doc, k, patch[k], t); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// retain drops the fields that $retainKeys does not name.
func (g merger) retain(doc, patch map[string]any) error {
	keep, ok := patch[retainKeys]
	if !ok {
		return nil
	}
	delete(patch, retainKeys)
	if !g.final {
		if have, ok := doc[retainKeys]; ok && !reflect.DeepEqual(have, keep) {
			return errors.New(scalarText(have) + " and " + scalarText(keep) + " are not deep equal: this may happen when calculating the 3-way diff patch")
		}
		doc[retainKeys] = keep
		return nil
	}
	list, ok := keep.([]any)
	if !ok {
		return errRetainFormat
	}
	for k, v := range patch {
		if v != nil && !strings.HasPrefix(k, deletePrefix) && !strings.HasPrefix(k, orderPrefix) && place(list, k, "") < 0 {
			return errRetainFormat
		}
	}
	for k := range doc {
		if place(list, k, "") < 0 {
			delete(doc, k)
		}
	}
	return nil
}

// orders merges the lists for which the patch states an order.
func (g merger) orders(doc, patch map[string]any, t *typeInfo) error {
	for _, k := range sortedKeys(patch) {
		if !strings.HasPrefix(k, orderPrefix) {
			continue
		}
		order := patch[k]
		if !g.final {
			if have, ok := doc[k]; ok && !reflect.DeepEqual(have, order) {
				return errOrderFormat
			}
			doc[k] = order
		}
		delete(patch, k)
		list, ok := order.([]any)
		if !ok {
			return errBadType("[]interface {}", order)
		}
		_, name, ok := strings.Cut(k, "/")
		if !ok || k != orderPrefix+"/"+name {
			return errOrderFormat
		}
		if err := g.ordered(doc, patch, name, list, t); err != nil {
			return err
		}
	}
	return nil
}

// ordered merges one list and brings it into the stated order.
func (g merger) ordered(doc, patch map[string]any, name string, order []any, t *typeInfo) error {
	have, inDoc := doc[name]
	want, inPatch := patch[name]
	docList, ok := have.([]any)
	if inDoc && !ok {
		return errBadType("[]interface {}", have)
	}
	patchList, ok := want.([]any)
	if inPatch && !ok {
		return errBadType("[]interface {}", want)
	}
	sub, m, err := t.lookupList(name)
	if err != nil {
		return err
	}
	if err := checkOrder(patchList, order, m.key); err != nil {
		return err
	}
	merged := docList
	switch {
	case !inDoc && !inPatch:
		return nil
	case !inDoc:
		v, keep := withoutDirectives(patchList)
		if !keep {
			return nil
		}
		merged = v.([]any)
	case inPatch:
		if merged, err = g.listOrReplace(docList, patchList, sub, m, false); err != nil {
			return err
		}
	}
	patchItems, serverItems, err := partition(merged, order, m.key)
	if err != nil {
		return err
	}
	typ, err := elementType(docList, patchList)
	if err != nil {
		return err
	}
	doc[name], err = normalOrder(patchItems, serverItems, order, docList, m.key, typ == mapType)
	delete(patch, name)
	return err
}

// checkOrder reports a patch list that is not in the order it states.
func checkOrder(patch, order []any, key string) error {
	if len(patch) == 0 || len(order) == 0 {
		return nil
	}
	list := patch
	if key != "" {
		var err error
		if list, _, err = splitDeletes(patch); err != nil {
			return err
		}
	}
	at, next := 0, 0
	for at < len(list) && next < len(order) {
		if hasDirective(list[at]) {
			at++
			continue
		}
		if key != "" {
			if err := keyed(key, list[at:at+1], order[next:next+1]); err != nil {
				return err
			}
		}
		if place(order[next:next+1], list[at], key) == 0 {
			at++
		}
		next++
	}
	if at < len(list) {
		return errors.New("The order in patch list:\n" + string(ToJSON(patch)) + "\n doesn't match " + orderPrefix + " list:\n" + string(ToJSON(order)) + "\n")
	}
	return nil
}

func hasDirective(v any) bool {
	m, _ := v.(map[string]any)
	_, has := m[directiveKey]
	return has
}

// withoutDirectives removes what carries a $patch directive.
func withoutDirectives(v any) (any, bool) {
	switch x := v.(type) {
	case map[string]any:
		if hasDirective(x) {
			return nil, false
		}
		for k, e := range x {
			clean, keep := withoutDirectives(e)
			if keep {
				x[k] = clean
			} else {
				delete(x, k)
			}
		}
	case []any:
		if x == nil {
			return x, true
		}
		out := []any{}
		for _, e := range x {
			if clean, keep := withoutDirectives(e); keep {
				out = append(out, clean)
			}
		}
		return out, true
	}
	return v, true
}

// field merges one field of a patch.
func (g merger) field(doc map[string]any, k string, v any, t *typeInfo) error {
	deleting := false
	if strings.HasPrefix(k, deletePrefix) {
		if !g.final {
			doc[k] = v
			return nil
		}
		_, name, ok := strings.Cut(k, "/")
		if !ok || k != deletePrefix+"/"+name {
			return errDeleteFormat
		}
		k, deleting = name, true
	}
	if v == nil {
		delete(doc, k)
		if g.final {
			return nil
		}
	}
	have, ok := doc[k]
	if !ok || valueType(have) != valueType(v) {
		if !deleting {
			g.set(doc, k, v)
		}
		return nil
	}
	switch x := have.(type) {
	case map[string]any:
		sub, m, err := t.lookup(k)
		if err != nil {
			return err
		}
		if m.strategy == directiveRepl {
			doc[k] = v
			return nil
		}
		merged, err := g.maps(x, v.(map[string]any), sub)
		doc[k] = merged
		return err
	case []any:
		sub, m, err := t.lookupList(k)
		if err != nil {
			return err
		}
		merged, err := g.listOrReplace(x, v.([]any), sub, m, deleting)
		doc[k] = merged
		return err
	}
	doc[k] = v
	return nil
}

// set puts a new value, without its nulls (in an object) and directives.
func (g merger) set(doc map[string]any, k string, v any) {
	if g.final {
		pruneNulls(v)
	}
	clean, keep := withoutDirectives(v)
	if keep {
		doc[k] = clean
	} else {
		delete(doc, k)
	}
}

func (g merger) listOrReplace(doc, patch []any, t *typeInfo, m patchMeta, deleting bool) ([]any, error) {
	if m.strategy == directiveMerge || deleting {
		return g.list(doc, patch, t, m, deleting)
	}
	return patch, nil
}

func (g merger) list(doc, patch []any, t *typeInfo, m patchMeta, deleting bool) ([]any, error) {
	if len(doc) == 0 && len(patch) == 0 {
		return doc, nil
	}
	typ, err := elementType(doc, patch)
	if err != nil {
		return nil, err
	}
	var merged []any
	if typ != mapType {
		if g.final && deleting {
			_, kept, err := partition(doc, patch, "")
			return kept, err
		}
		merged = dedupe(append(append([]any{}, doc...), patch...))
	} else {
		if m.key == "" {
			return nil, errors.New("cannot merge lists without merge key for " + t.rtype.Kind().String())
		}
		if doc, patch, err = listDirectives(doc, patch, m.key); err == nil {
			merged, err = g.elements(doc, patch, t, m.key)
		}
		if err != nil {
			return nil, err
		}
	}
	in, out, err := partition(merged, patch, m.key)
	if err != nil {
		return nil, err
	}
	return normalOrder(in, out, patch, doc, m.key, typ == mapType)
}

// listDirectives carries out the elements of a patch that are directives. As
// upstream it deletes in place: the order of what the server had, which decides
// over the order of the result, changes with it.
func listDirectives(doc, patch []any, key string) ([]any, []any, error) {
	rest := []any{}
	replace := false
	for _, v := range patch {
		m := v.(map[string]any)
		directive, ok := m[directiveKey]
		switch {
		case !ok:
			rest = append(rest, v)
		case directive == directiveDelete:
			if _, ok := m[key]; !ok {
				return nil, nil, errNoMergeKey(m, key)
			}
			for i := place(doc, m, key); i >= 0; i = place(doc, m, key) {
				doc = append(doc[:i], doc[i+1:]...)
			}
		case directive == directiveRepl:
			replace = true
		case directive == directiveMerge:
			return nil, nil, errors.New("merging lists cannot yet be specified in the patch")
		default:
			return nil, nil, errors.New("unknown patch type: " + scalarText(directive) + " in map: " + string(ToJSON(m)))
		}
	}
	if replace {
		return rest, nil, nil
	}
	return doc, rest, nil
}

// elements merges the elements of a patch into those with the same key.
func (g merger) elements(doc, patch []any, t *typeInfo, key string) ([]any, error) {
	for _, v := range patch {
		m := v.(map[string]any)
		if _, ok := m[key]; !ok {
			return nil, errNoMergeKey(m, key)
		}
		i := place(doc, m, key)
		if i < 0 {
			doc = append(doc, v)
			continue
		}
		merged, err := g.maps(doc[i].(map[string]any), m, t)
		if err != nil {
			return nil, err
		}
		doc[i] = merged
	}
	return doc, nil
}
