package gotemplate

import (
	"slices"
	"strconv"
	"strings"
)

type tokenKind uint8

const (
	wordToken tokenKind = iota
	fieldToken
	variableToken
	stringToken
	numberToken
	markToken // | ( ) , = :=
)

// token is one word of an action.
type token struct {
	kind   tokenKind
	text   string
	value  any // of strings and numbers
	pos    int
	joined bool // no blank stands before it
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// token reads the next word; the blanks before it have been taken.
func (p *parser) token() (token, error) {
	text, start := p.t.text, p.at
	if start >= len(text) {
		return token{}, p.fail("unclosed action")
	}
	tok := token{pos: start, joined: start > 0 && strings.IndexByte(" \t\r\n", text[start-1]) < 0}
	word := func(from int) string {
		for from < len(text) && letter(text[from]) {
			from++
		}
		p.at = from
		return text[start:from]
	}
	switch c := text[start]; {
	case c == '.' && (start+1 >= len(text) || text[start+1] < '0' || text[start+1] > '9'):
		tok.kind, tok.text = fieldToken, word(start+1)
	case c == '$':
		tok.kind, tok.text = variableToken, word(start+1)
	case c == '"' || c == '`' || c == '\'':
		return p.quoted(tok)
	case strings.HasPrefix(text[start:], ":="):
		tok.kind, tok.text, p.at = markToken, ":=", start+2
	case strings.IndexByte("|(),=", c) >= 0:
		tok.kind, tok.text, p.at = markToken, text[start:start+1], start+1
	case c >= '0' && c <= '9' || strings.IndexByte("+-.", c) >= 0:
		return p.number(tok)
	case letter(c):
		tok.text = word(start)
	default:
		return tok, p.fail("unexpected bad character U+" + strings.ToUpper(strconv.FormatInt(int64(c)+0x10000, 16)[1:]) + " " + strconv.QuoteRune(rune(c)) + " in action")
	}
	return tok, nil
}

func (p *parser) quoted(tok token) (token, error) {
	text := p.t.text[p.at:]
	end := 1
	for end < len(text) && text[end] != text[0] {
		if text[end] == '\\' && text[0] != '`' {
			end++
		}
		end++
	}
	if end >= len(text) {
		return tok, p.fail("unterminated quoted string")
	}
	p.at += end + 1
	tok.text = text[:end+1]
	value, err := strconv.Unquote(tok.text)
	if err != nil {
		return tok, p.fail(err.Error())
	}
	tok.kind, tok.value = stringToken, value
	if text[0] == '\'' {
		tok.kind, tok.value = numberToken, int64([]rune(value)[0])
	}
	return tok, nil
}

func (p *parser) number(tok token) (token, error) {
	end := p.at + 1
	for end < len(p.t.text) && (letter(p.t.text[end]) || p.t.text[end] == '.') {
		end++
	}
	tok.kind, tok.text = numberToken, p.t.text[p.at:end]
	p.at = end
	if n, err := strconv.ParseInt(tok.text, 0, 64); err == nil {
		tok.value = n
	} else if f, err := strconv.ParseFloat(tok.text, 64); err == nil {
		tok.value = f
	} else {
		return tok, p.fail("bad number syntax: " + strconv.Quote(tok.text))
	}
	return tok, nil
}

func (p *parser) peek() token {
	if p.next < len(p.tokens) {
		return p.tokens[p.next]
	}
	return token{kind: markToken}
}

// pipeline reads a pipeline up to the end of the action or a closing bracket.
func (p *parser) pipeline(where string, isRange bool) (*pipe, error) {
	pl := &pipe{}
	if err := p.declaration(pl, isRange); err != nil {
		return nil, err
	}
	for {
		c, err := p.command()
		if err != nil {
			return nil, err
		}
		if len(c) == 0 {
			return nil, p.fail("missing value for " + where)
		}
		pl.commands = append(pl.commands, c)
		if p.peek().text != "|" || p.peek().kind != markToken {
			break
		}
		p.next++
		where = "command"
	}
	if t := p.peek(); p.next < len(p.tokens) && t.text != ")" {
		return nil, p.fail("unexpected " + strconv.Quote(t.text) + " in " + where)
	}
	return pl, nil
}

// declaration reads "$x :=", "$x =" and, of range, "$i, $x :=".
func (p *parser) declaration(pl *pipe, isRange bool) error {
	start := p.next
	for p.peek().kind == variableToken {
		pl.variables = append(pl.variables, p.peek().text)
		p.next++
		if mark := p.peek(); mark.kind == markToken && (mark.text == ":=" || mark.text == "=") {
			pl.declares = mark.text == ":="
			p.next++
			if pl.declares {
				p.variables = append(p.variables, pl.variables...)
			}
			return nil
		} else if mark.text != "," || !isRange || len(pl.variables) > 1 {
			break
		}
		p.next++
	}
	p.next, pl.variables = start, nil
	return nil
}

func (p *parser) command() ([]operand, error) {
	var out []operand
	for p.next < len(p.tokens) {
		t := p.peek()
		if t.kind == markToken && t.text != "(" {
			break
		}
		o, err := p.operand()
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func (p *parser) operand() (operand, error) {
	t := p.peek()
	p.next++
	o := operand{pos: t.pos, name: t.text, source: t.text}
	switch {
	case t.kind == fieldToken && t.text == ".":
		o.kind = dotOperand
	case t.kind == fieldToken:
		o.kind, o.fields = fieldOperand, []string{t.text[1:]}
	case t.kind == variableToken:
		o.kind = variableOperand
		if !slices.Contains(p.variables, t.text) {
			return o, p.fail("undefined variable " + strconv.Quote(t.text))
		}
	case t.kind == stringToken || t.kind == numberToken:
		o.kind, o.value = literalOperand, t.value
	case t.kind == markToken:
		pl, err := p.pipeline("parenthesized pipeline", false)
		if err != nil {
			return o, err
		}
		if p.peek().text != ")" {
			return o, p.fail("unclosed left paren")
		}
		p.next++
		o.kind, o.pipe = pipeOperand, pl
		o.source = p.t.text[t.pos : p.tokens[p.next-1].pos+1]
	case t.text == "true" || t.text == "false":
		o.kind, o.value = literalOperand, t.text == "true"
	case t.text == "nil":
		o.kind = nilOperand
	case isFunction(t.text):
		o.kind = functionOperand
	default:
		return o, p.fail("unexpected <" + t.text + "> in operand")
	}
	for first := true; p.peek().kind == fieldToken && p.peek().joined && len(p.peek().text) > 1; first = false {
		if first {
			o.pos = p.peek().pos
		}
		o.fields = append(o.fields, p.peek().text[1:])
		o.source += p.peek().text
		p.next++
	}
	return o, nil
}
