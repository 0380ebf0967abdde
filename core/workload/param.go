package workload

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// spread returns the fields of "$@" and "${x[@]}", which stay apart in quotes.
func (e *expander) spread(p *syntax.ParamExp) ([]string, bool) {
	if p.Param == nil || p.Length || p.Excl && p.Index == nil {
		return nil, false
	}
	if p.Param.Value != "@" && !wholeIndex(p.Index, "@") {
		return nil, false
	}
	if p.Excl {
		return e.keys(p.Param.Value), true
	}
	items := e.items(p)
	switch {
	case p.Slice != nil:
		return e.sliceItems(p, items), true
	case p.Exp != nil && len(items) == 0 && isDefault(p.Exp.Op):
		return []string{e.text(p.Exp.Word)}, true
	case p.Exp != nil && isAlternate(p.Exp.Op):
		if len(items) == 0 {
			return nil, true
		}
		return []string{e.text(p.Exp.Word)}, true
	}
	if p.Exp != nil || p.Repl != nil {
		items = slices.Clone(items)
		for i := range items {
			items[i] = e.transform(p, items[i])
		}
	}
	return items, true
}

func isDefault(op syntax.ParExpOperator) bool {
	return op == syntax.DefaultUnset || op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull
}

func isAlternate(op syntax.ParExpOperator) bool {
	return op == syntax.AlternateUnset || op == syntax.AlternateUnsetOrNull
}

func wholeIndex(x syntax.ArithmExpr, want string) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == want || want == "" && (w.Lit() == "@" || w.Lit() == "*"))
}

// items returns the elements of $@ or of an array.
func (e *expander) items(p *syntax.ParamExp) []string {
	if p.Param.Value == "@" || p.Param.Value == "*" {
		return e.s.args
	}
	v, ok := e.s.get(p.Param.Value)
	switch {
	case p.Param.Value == "PIPESTATUS" && !ok:
		var out []string
		for _, n := range e.s.pipes {
			out = append(out, strconv.Itoa(n))
		}
		return out
	case v.isList:
		return v.list
	case v.table != nil:
		var out []string
		for _, k := range sortedKeys(v.table) {
			out = append(out, v.table[k])
		}
		return out
	case ok:
		return []string{v.text}
	}
	return nil
}

func (e *expander) keys(name string) []string {
	v, ok := e.s.get(name)
	switch {
	case v.table != nil:
		return sortedKeys(v.table)
	case v.isList:
		var out []string
		for i := range v.list {
			out = append(out, strconv.Itoa(i))
		}
		return out
	case ok:
		return []string{"0"}
	}
	return nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (e *expander) sliceItems(p *syntax.ParamExp, items []string) []string {
	off := e.arith(p.Slice.Offset)
	if p.Param.Value == "@" || p.Param.Value == "*" {
		if off > 0 {
			off--
		} else if off == 0 {
			items = append([]string{e.s.name}, items...)
		}
	}
	n := int64(len(items))
	if off < 0 {
		off += n
	}
	if off < 0 || off > n {
		return nil
	}
	end := n
	if p.Slice.Length != nil {
		if l := e.arith(p.Slice.Length); l >= 0 {
			end = min(off+l, n)
		}
	}
	return items[off:max(end, off)]
}

// param adds an unquoted parameter expansion.
func (e *expander) param(l *fieldList, p *syntax.ParamExp) {
	if items, ok := e.spread(p); ok {
		for i, item := range items {
			if i > 0 {
				l.close()
			}
			e.split(l, item)
		}
		return
	}
	if p.Param != nil && p.Param.Value == "*" && !p.Length && p.Exp == nil {
		for i, item := range e.s.args {
			if i > 0 {
				l.close()
			}
			e.split(l, item)
		}
		return
	}
	if w := e.chosenWord(p); w != nil {
		e.wordParts(l, w)
		return
	}
	e.split(l, e.paramText(p, false))
}

// wordParts adds the word of ${x:-word}: its literal text is split as well.
func (e *expander) wordParts(l *fieldList, w *syntax.Word) {
	for i, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, `\~`) {
			e.split(l, lit.Value)
			continue
		}
		e.parts(l, w.Parts[i:i+1])
	}
}

// chosenWord returns the word that a default or alternative expansion yields, or
// nil if it yields something else. Assigning forms are not among them.
func (e *expander) chosenWord(p *syntax.ParamExp) *syntax.Word {
	if p.Exp == nil || p.Exp.Word == nil || p.Excl || p.Length {
		return nil
	}
	value, set := e.lookup(p)
	switch p.Exp.Op {
	case syntax.DefaultUnset:
		if !set {
			return p.Exp.Word
		}
	case syntax.DefaultUnsetOrNull:
		if value == "" {
			return p.Exp.Word
		}
	case syntax.AlternateUnset:
		if set {
			return p.Exp.Word
		}
	case syntax.AlternateUnsetOrNull:
		if value != "" {
			return p.Exp.Word
		}
	}
	return nil
}

// lookup returns the plain value of the parameter.
func (e *expander) lookup(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil {
		e.fail("Bad substitution")
		return "", false
	}
	name := p.Param.Value
	switch name {
	case "@", "*":
		return e.join(e.s.args), len(e.s.args) > 0
	}
	if p.Index != nil {
		return e.element(name, p.Index)
	}
	if v, ok := e.s.vars[name]; ok && !v.isList && v.table == nil {
		return v.text, v.set
	}
	return e.r.special(name)
}

func (e *expander) join(items []string) string {
	ifs, set := e.r.dynamic("IFS")
	sep := " "
	if set {
		sep = ifs[:min(1, len(ifs))]
	}
	return strings.Join(items, sep)
}

func (e *expander) element(name string, index syntax.ArithmExpr) (string, bool) {
	v, ok := e.s.get(name)
	if wholeIndex(index, "") {
		items := e.items(&syntax.ParamExp{Param: &syntax.Lit{Value: name}})
		return e.join(items), len(items) > 0
	}
	if name == "FUNCNAME" {
		return e.r.special(name)
	}
	if v.table != nil {
		w, isWord := index.(*syntax.Word)
		if !isWord {
			return "", false
		}
		text, ok := v.table[e.text(w)]
		return text, ok
	}
	i := e.arith(index)
	list := v.list
	if !v.isList {
		list = nil
		if ok {
			list = []string{v.text}
		}
		if name == "PIPESTATUS" {
			list = e.items(&syntax.ParamExp{Param: &syntax.Lit{Value: name}})
		}
	}
	if i < 0 {
		i += int64(len(list))
	}
	if i < 0 || i >= int64(len(list)) {
		return "", false
	}
	return list[i], true
}

// paramText expands a parameter to one string.
func (e *expander) paramText(p *syntax.ParamExp, quoted bool) string {
	value, set := e.lookup(p)
	if !e.ok() {
		return ""
	}
	switch {
	case p.Excl:
		return e.indirect(p, value)
	case p.Length:
		return e.length(p, value, set)
	case p.Exp != nil && p.Exp.Op <= syntax.AssignUnsetOrNull:
		return e.conditional(p, value, set, quoted)
	}
	if !set && e.s.has(optUnset) && p.Param.Value != "@" && p.Param.Value != "*" {
		e.unset(p.Param.Value)
		return ""
	}
	if p.Slice != nil {
		return e.substring(p, value)
	}
	out := e.transform(p, value)
	e.grow(len(out))
	return out
}

func (e *expander) unset(name string) {
	if e.s.dialect == bash {
		e.fail(name + ": unbound variable")
		e.code = 127
		return
	}
	e.fail(name + ": parameter not set")
}

func (e *expander) indirect(p *syntax.ParamExp, value string) string {
	name := p.Param.Value
	switch {
	case p.Names != 0:
		var names []string
		for _, n := range e.s.names() {
			if strings.HasPrefix(n, name) {
				names = append(names, n)
			}
		}
		return strings.Join(names, " ")
	case p.Index != nil:
		return strings.Join(e.keys(name), " ")
	case !isName(value) && value != "@":
		e.fail(value + ": invalid variable name")
		return ""
	}
	q := *p
	q.Excl = false
	q.Param = &syntax.Lit{Value: value}
	return e.paramText(&q, true)
}

func (e *expander) length(p *syntax.ParamExp, value string, set bool) string {
	n := utf8.RuneCountInString(value)
	switch {
	case p.Param.Value == "@" || p.Param.Value == "*":
		n = len(e.s.args)
	case wholeIndex(p.Index, ""):
		n = len(e.items(p))
	case !set && e.s.has(optUnset):
		e.unset(p.Param.Value)
	}
	return strconv.Itoa(n)
}

// conditional handles :- := :? :+ and the forms without a colon.
func (e *expander) conditional(p *syntax.ParamExp, value string, set, quoted bool) string {
	word := func() string {
		if p.Exp.Word == nil {
			return ""
		}
		if quoted {
			var b strings.Builder
			e.quoted(&b, p.Exp.Word.Parts, quoteDouble)
			return b.String()
		}
		return e.text(p.Exp.Word)
	}
	empty := value == ""
	switch p.Exp.Op {
	case syntax.AlternateUnset:
		empty = set
		value, set = "", false
	case syntax.AlternateUnsetOrNull:
		empty = value != ""
		value = ""
	case syntax.DefaultUnset, syntax.ErrorUnset, syntax.AssignUnset:
		empty = !set
	}
	if !empty {
		return value
	}
	switch p.Exp.Op {
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		text := word()
		if p.Exp.Word == nil || text == "" {
			text = "parameter null or not set"
			if p.Exp.Op == syntax.ErrorUnset {
				text = "parameter not set"
			}
			if e.s.dialect != bash {
				text = "parameter not set or null"
			}
		}
		e.fail(p.Param.Value + ": " + text)
		e.code = 127
		return ""
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		text := word()
		e.set(p.Param.Value, text)
		return text
	}
	return word()
}

// names returns the names of all variables in order.
func (s *shell) names() []string {
	var names []string
	for n, v := range s.vars {
		if v.set {
			names = append(names, n)
		}
	}
	for _, e := range s.base {
		n, _, _ := strings.Cut(e, "=")
		if _, ok := s.vars[n]; !ok {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
