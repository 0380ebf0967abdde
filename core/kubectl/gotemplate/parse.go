// Package gotemplate executes templates in Go's language (text/template) on decoded
// JSON, as kubectl does with -o go-template. It has the functions of that package but
// call, and kubectl's exists and base64decode. It reads no files. Start at Parse.
package gotemplate

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Template is a template that has been understood.
type Template struct {
	name, text string
	list       []node
	defined    map[string][]node
	turns      int // of loops, in the present execution
	// MissingKeyIsError makes a look-up of an absent key fail.
	MissingKeyIsError bool
}

type nodeKind uint8

const (
	textNode nodeKind = iota
	actionNode
	ifNode
	rangeNode
	withNode
	templateNode
	breakNode
	continueNode
)

// node is one piece of a template: text, or an action with what it encloses.
type node struct {
	kind      nodeKind
	text      string // of text; the name of a template
	pipe      *pipe
	list, alt []node
}

// pipe is a pipeline, whose value may be given to variables.
type pipe struct {
	variables []string
	declares  bool // := in place of =
	commands  [][]operand
}

type operandKind uint8

const (
	dotOperand operandKind = iota
	fieldOperand
	variableOperand
	functionOperand
	pipeOperand
	literalOperand
	nilOperand
)

// operand is a word of a command. Fields follow it.
type operand struct {
	kind   operandKind
	name   string
	fields []string
	pipe   *pipe
	value  any
	pos    int
	source string // as written
}

// Parse understands a template. Errors are worded as text/template words them.
func Parse(name, text string) (*Template, error) {
	t := &Template{name: name, text: text, defined: map[string][]node{}}
	p := &parser{t: t, variables: []string{"$"}}
	list, end, err := p.list()
	if err == nil && end != "" {
		err = p.fail("unexpected {{" + end + "}}")
	}
	if err != nil {
		return nil, err
	}
	t.list = list
	return t, nil
}

type parser struct {
	t         *Template
	at        int
	variables []string
	loops     int
	tokens    []token // of the present action
	next      int
}

func (p *parser) fail(message string) error {
	line := 1 + strings.Count(p.t.text[:min(p.at, len(p.t.text))], "\n")
	return errors.New("template: " + p.t.name + ":" + strconv.Itoa(line) + ": " + message)
}

// list reads pieces up to {{end}} or {{else}}, which it returns.
func (p *parser) list() (out []node, end string, err error) {
	for p.at < len(p.t.text) {
		text := p.literal()
		if text != "" {
			out = append(out, node{kind: textNode, text: text})
		}
		if p.at >= len(p.t.text) {
			break
		}
		if err := p.action(); err != nil {
			return nil, "", err
		}
		if len(p.tokens) == 0 {
			continue
		}
		switch word := p.tokens[0].text; {
		case p.tokens[0].kind != wordToken:
		case word == "end" || word == "else":
			p.next++
			return out, word, nil
		}
		n, err := p.statement()
		if err != nil {
			return nil, "", err
		}
		out = append(out, n...)
	}
	return out, "", nil
}

// literal takes the text before the next action, trimmed where the action asks.
func (p *parser) literal() string {
	rest := p.t.text[p.at:]
	open := strings.Index(rest, "{{")
	if open < 0 {
		p.at = len(p.t.text)
		return rest
	}
	p.at += open
	text := rest[:open]
	if trims(rest[open+2:]) {
		text = strings.TrimRight(text, " \t\r\n")
	}
	return text
}

func trims(s string) bool {
	return len(s) > 1 && s[0] == '-' && strings.IndexByte(" \t\r\n", s[1]) >= 0
}

// action reads the words between the brackets.
func (p *parser) action() error {
	p.at += 2
	if trims(p.t.text[p.at:]) {
		p.at += 2
	}
	p.tokens, p.next = nil, 0
	if rest := p.t.text[p.at:]; strings.HasPrefix(rest, "/*") {
		end := strings.Index(rest, "*/")
		if end < 0 {
			return p.fail("unclosed comment")
		}
		p.at += end + 2
		if !p.closed() {
			return p.fail("comment ends before closing delimiter")
		}
		return nil
	}
	for !p.closed() {
		tok, err := p.token()
		if err != nil {
			return err
		}
		p.tokens = append(p.tokens, tok)
		if err := p.known(tok); err != nil {
			return err
		}
	}
	if len(p.tokens) == 0 {
		return p.fail("missing value for command")
	}
	return nil
}

// known refuses a function that does not exist as soon as it is read.
func (p *parser) known(tok token) error {
	if tok.kind == wordToken && !slices.Contains(keywords, tok.text) && !isFunction(tok.text) {
		return p.fail("function " + strconv.Quote(tok.text) + " not defined")
	}
	return nil
}

var keywords = []string{"end", "else", "if", "range", "with", "template", "define", "block", "break", "continue", "nil", "true", "false"}

// closed takes the closing brackets, and the blanks behind them that they trim.
func (p *parser) closed() bool {
	rest := strings.TrimLeft(p.t.text[p.at:], " \t\r\n")
	blank := len(p.t.text) - p.at - len(rest)
	if blank > 0 && strings.HasPrefix(rest, "-}}") {
		after := strings.TrimLeft(rest[3:], " \t\r\n")
		p.at = len(p.t.text) - len(after)
		return true
	}
	if strings.HasPrefix(rest, "}}") {
		p.at = len(p.t.text) - len(rest) + 2
		return true
	}
	p.at += blank
	return false
}

// statement makes the pieces of an action.
func (p *parser) statement() ([]node, error) {
	first := p.tokens[0]
	if first.kind == wordToken {
		p.next = 1
		switch first.text {
		case "if":
			return p.branch(ifNode)
		case "with":
			return p.branch(withNode)
		case "range":
			p.loops++
			defer func() { p.loops-- }()
			return p.branch(rangeNode)
		case "break", "continue":
			if p.loops == 0 {
				return nil, p.fail("{{" + first.text + "}} outside {{range}}")
			}
			return []node{{kind: map[string]nodeKind{"break": breakNode, "continue": continueNode}[first.text]}}, nil
		case "define":
			return nil, p.define()
		case "template", "block":
			return p.call(first.text == "block")
		}
		p.next = 0
	}
	pl, err := p.pipeline("command", false)
	if err != nil {
		return nil, err
	}
	return []node{{kind: actionNode, pipe: pl}}, nil
}

func (p *parser) branch(kind nodeKind) ([]node, error) {
	defer func(n int) { p.variables = p.variables[:n] }(len(p.variables))
	word := map[nodeKind]string{ifNode: "if", withNode: "with", rangeNode: "range"}[kind]
	n := node{kind: kind}
	var err error
	if n.pipe, err = p.pipeline(word, kind == rangeNode); err != nil {
		return nil, err
	}
	var end string
	if n.list, end, err = p.list(); err != nil {
		return nil, err
	}
	if end == "else" && p.next < len(p.tokens) && p.tokens[p.next].kind == wordToken {
		next := p.tokens[p.next].text
		p.next++
		switch next {
		case "if":
			n.alt, err = p.branch(ifNode)
		case "with":
			n.alt, err = p.branch(withNode)
		default:
			err = p.fail("unexpected <" + next + "> in else")
		}
		return []node{n}, err
	}
	if end == "else" {
		if n.alt, end, err = p.list(); err != nil {
			return nil, err
		}
	}
	if end != "end" {
		return nil, p.unfinished(end)
	}
	return []node{n}, nil
}

func (p *parser) unfinished(end string) error {
	if end == "" {
		return p.fail("unexpected EOF")
	}
	return p.fail("expected end; found {{" + end + "}}")
}

// define reads {{define "name"}}...{{end}}.
func (p *parser) define() error {
	name, err := p.templateName("define clause")
	if err != nil {
		return err
	}
	before := p.variables
	p.variables = []string{"$"}
	list, end, err := p.list()
	p.variables = before
	if err == nil && end != "end" {
		err = p.unfinished(end)
	}
	p.t.defined[name] = list
	return err
}

func (p *parser) templateName(where string) (string, error) {
	if p.next >= len(p.tokens) || p.tokens[p.next].kind != stringToken {
		return "", p.fail("unexpected token in " + where)
	}
	p.next++
	return p.tokens[p.next-1].value.(string), nil
}

// call reads {{template "name" pipeline}}, and {{block}}, which also defines it.
func (p *parser) call(block bool) ([]node, error) {
	name, err := p.templateName("template clause")
	if err != nil {
		return nil, err
	}
	n := node{kind: templateNode, text: name}
	if p.next < len(p.tokens) {
		if n.pipe, err = p.pipeline("template clause", false); err != nil {
			return nil, err
		}
	}
	if block {
		list, end, err := p.list()
		if err == nil && end != "end" {
			err = p.unfinished(end)
		}
		if err != nil {
			return nil, err
		}
		p.t.defined[name] = list
	}
	return []node{n}, nil
}
