package workload

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignment carries out x=v, x+=v, x[i]=v and x=(a b).
func (e *expander) assignment(a *syntax.Assign) {
	if !e.ok() || a.Name == nil {
		return
	}
	name := a.Name.Value
	switch {
	case a.Array != nil:
		e.assignArray(name, a)
	case a.Index != nil:
		text := e.text(a.Value)
		if a.Append {
			old, _ := e.element(name, a.Index)
			text = old + text
		}
		e.setElement(name, a.Index, text)
	case a.Append && e.isInteger(name):
		e.set(name, strconv.FormatInt(e.parse(e.s.text(name))+e.parse(e.text(a.Value)), 10))
	case e.isInteger(name):
		e.set(name, strconv.FormatInt(e.parse(e.text(a.Value)), 10))
	default:
		e.set(name, e.value(a))
	}
}

func (e *expander) isInteger(name string) bool {
	v, _ := e.s.get(name)
	return v.integer
}

func (e *expander) assignArray(name string, a *syntax.Assign) {
	if e.s.dialect != bash {
		e.fail("syntax error: unexpected \"(\"")
		e.code = 2
		return
	}
	v, _ := e.s.get(name)
	if v.readonly {
		e.fail(name + ": readonly variable")
		return
	}
	out := variable{set: true, exported: v.exported, isList: v.table == nil, table: nil}
	if v.table != nil {
		out.table = map[string]string{}
		if a.Append {
			out.table = maps.Clone(v.table)
		}
	} else if a.Append {
		out.list = slices.Clone(v.list)
		if !v.isList && v.set {
			out.list = []string{v.text}
		}
	}
	for _, elem := range a.Array.Elems {
		switch {
		case elem.Index == nil:
			out.list = append(out.list, e.fields([]*syntax.Word{elem.Value})...)
		case out.table != nil:
			if w, ok := elem.Index.(*syntax.Word); ok {
				out.table[e.text(w)] = e.text(elem.Value)
			}
		default:
			out.list = setAt(out.list, e.arith(elem.Index), e.text(elem.Value), e)
		}
	}
	if len(out.list) > maxFields {
		e.fail("more than 100000 elements: not simulated")
		return
	}
	e.put(name, out)
}

func setAt(list []string, i int64, text string, e *expander) []string {
	if i < 0 {
		i += int64(len(list))
	}
	if i < 0 || i >= maxFields {
		e.fail("bad array subscript")
		return list
	}
	for int64(len(list)) <= i {
		list = append(list, "")
	}
	list[i] = text
	return list
}

func (e *expander) setElement(name string, index syntax.ArithmExpr, text string) {
	if len(text) > maxVariable {
		e.fail(name + ": " + string(errTooLong))
	}
	v, _ := e.s.get(name)
	if v.table != nil {
		w, ok := index.(*syntax.Word)
		if !ok {
			return
		}
		key := e.text(w)
		v.table = maps.Clone(v.table)
		v.table[key] = text
		e.put(name, v)
		return
	}
	list := slices.Clone(v.list)
	if !v.isList && v.set {
		list = []string{v.text}
	}
	list = setAt(list, e.arith(index), text, e)
	if e.ok() {
		e.put(name, variable{set: true, isList: true, list: list, exported: v.exported})
	}
}

// declare carries out declare, local, export, readonly and typeset of bash.
func (e *expander) declare(c *syntax.DeclClause) {
	kind := c.Variant.Value
	var flags string
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			text := e.text(a.Value)
			if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
				flags += text
				continue
			}
			for _, f := range e.fields([]*syntax.Word{a.Value}) {
				e.declareText(kind, flags, f)
			}
			continue
		}
		e.declareOne(kind, flags, a)
	}
}

func (e *expander) declareText(kind, flags, text string) {
	name, value, has := strings.Cut(text, "=")
	if !isName(name) {
		e.r.complain(kind + ": `" + text + "': not a valid identifier")
		e.s.substed = 1
		return
	}
	e.scope(kind, flags, name)
	if has {
		e.set(name, value)
	}
	e.attributes(kind, flags, name)
}

func (e *expander) declareOne(kind, flags string, a *syntax.Assign) {
	name := a.Name.Value
	e.scope(kind, flags, name)
	v, _ := e.s.get(name)
	switch {
	case strings.Contains(flags, "A") && v.table == nil:
		e.put(name, variable{set: true, table: map[string]string{}, exported: v.exported})
	case strings.Contains(flags, "a") && !v.isList:
		e.put(name, variable{set: true, isList: true, exported: v.exported})
	case strings.Contains(flags, "i"):
		v.integer = true
		e.put(name, v)
	}
	if !a.Naked {
		e.assignment(a)
	}
	e.attributes(kind, flags, name)
}

// scope makes a name local to the running function.
func (e *expander) scope(kind, flags, name string) {
	if kind == "export" || kind == "readonly" || strings.Contains(flags, "g") {
		return
	}
	if !e.s.localName(name) && kind == "local" {
		if e.s.dialect != bash {
			e.fail(e.s.builtinFault("local", "not in a function"))
			return
		}
		e.r.complain("local: can only be used in a function")
		e.s.substed = 1
	}
}

// localName makes a variable local to the innermost function. It reports false
// outside of functions.
func (s *shell) localName(name string) bool {
	for i := len(s.frames) - 1; i >= 0; i-- {
		f := &s.frames[i]
		if f.op != opFunction {
			continue
		}
		if !slices.ContainsFunc(f.locals, func(l savedVar) bool { return l.name == name }) {
			s.keep(f, name)
			if v, _ := s.get(name); s.dialect != dash {
				s.store(name, variable{exported: v.exported})
			}
		}
		return true
	}
	return false
}

func (e *expander) attributes(kind, flags, name string) {
	v, _ := e.s.get(name)
	switch {
	case kind == "export" && strings.Contains(flags, "n"), strings.Contains(flags, "+x"):
		v.exported = false
	case kind == "export", strings.Contains(flags, "x"):
		v.exported = true
	}
	if kind == "readonly" || strings.Contains(flags, "r") {
		v.readonly = true
	}
	e.put(name, v)
}
