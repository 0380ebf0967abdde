package workload

import (
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (e *expander) substring(p *syntax.ParamExp, value string) string {
	runes := []rune(value)
	n := int64(len(runes))
	off := e.arith(p.Slice.Offset)
	if off < 0 {
		off += n
	}
	if off < 0 || off > n {
		return ""
	}
	end := n
	if p.Slice.Length != nil {
		if l := e.arith(p.Slice.Length); l >= 0 {
			end = min(off+l, n)
		} else if end = n + l; end < off {
			e.fail(strconv.FormatInt(l, 10) + ": substring expression < 0")
			return ""
		}
	}
	return string(runes[off:end])
}

// transform removes affixes, replaces and changes case.
func (e *expander) transform(p *syntax.ParamExp, value string) string {
	switch {
	case p.Repl != nil:
		return e.replace(p.Repl, value)
	case p.Exp == nil:
		return value
	}
	switch p.Exp.Op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return trimPattern(p.Exp.Op, e.pattern(p.Exp.Word), value)
	case syntax.UpperAll:
		return strings.ToUpper(value)
	case syntax.LowerAll:
		return strings.ToLower(value)
	case syntax.UpperFirst, syntax.LowerFirst:
		n := runeLen(value)
		if p.Exp.Op == syntax.UpperFirst {
			return strings.ToUpper(value[:n]) + value[n:]
		}
		return strings.ToLower(value[:n]) + value[n:]
	case syntax.OtherParamOps:
		return e.operator(e.text(p.Exp.Word), value)
	}
	return value
}

func (e *expander) operator(op, value string) string {
	switch op {
	case "Q":
		if value == "" {
			return ""
		}
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	case "U":
		return strings.ToUpper(value)
	case "L":
		return strings.ToLower(value)
	case "u":
		n := runeLen(value)
		return strings.ToUpper(value[:n]) + value[n:]
	case "E":
		return ansiC(value)
	}
	e.r.w.NotSimulated("shell: ${x@" + op + "}")
	return value
}

func trimPattern(op syntax.ParExpOperator, pattern, value string) string {
	if pattern == "" {
		return value
	}
	lazy := op == syntax.RemSmallPrefix
	expr := globRegex(pattern, lazy)
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		expr = "^(" + expr + ")"
	case syntax.RemLargeSuffix:
		expr = "(" + expr + ")$"
	default:
		expr = "^.*(" + expr + ")$"
	}
	re, err := regexp.Compile("(?s)" + expr)
	if err != nil || len(pattern) > maxRegex {
		return value
	}
	hit := re.FindStringSubmatchIndex(value)
	switch {
	case hit == nil:
		return value
	case hit[2] == 0 && (op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix):
		return value[hit[3]:]
	}
	return value[:hit[2]]
}

// globRegex turns a shell pattern into a regular expression.
func globRegex(pattern string, lazy bool) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*':
			b.WriteString(".*")
			if lazy {
				b.WriteByte('?')
			}
		case c == '?':
			b.WriteByte('.')
		case c == '[':
			end, _, ok := matchClass(pattern, i, 0)
			if !ok {
				b.WriteString(`\[`)
				continue
			}
			class := pattern[i:end]
			if strings.HasPrefix(class, "[!") {
				class = "[^" + class[2:]
			}
			b.WriteString(class)
			i = end - 1
		case c == '\\' && i+1 < len(pattern):
			i++
			fallthrough
		default:
			n := runeLen(pattern[i:])
			b.WriteString(regexp.QuoteMeta(pattern[i : i+n]))
			i += n - 1
		}
	}
	return b.String()
}

func (e *expander) replace(repl *syntax.Replace, value string) string {
	pattern, with := e.pattern(repl.Orig), e.text(repl.With)
	expr := ""
	switch {
	case pattern == "":
		return value
	case !repl.All && pattern[0] == '#':
		expr = "^(?:" + globRegex(pattern[1:], false) + ")"
	case !repl.All && pattern[0] == '%':
		expr = "(?:" + globRegex(pattern[1:], false) + ")$"
	default:
		expr = globRegex(pattern, false)
	}
	re, err := regexp.Compile("(?s)" + expr)
	if err != nil || len(pattern) > maxRegex {
		return value
	}
	limit := 1
	if repl.All {
		limit = -1
	}
	var b strings.Builder
	at := 0
	for _, hit := range re.FindAllStringIndex(value, limit) {
		if hit[0] == hit[1] && len(pattern) > 1 && expr[0] != '^' && !strings.HasSuffix(expr, "$") {
			continue
		}
		b.WriteString(value[at:hit[0]] + with)
		if at = hit[1]; b.Len() > maxVariable {
			e.fail(string(errTooLong))
			return ""
		}
	}
	return b.String() + value[at:]
}
