package workload

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script is a parsed text. It is frozen and shared.
type script struct {
	stmts []*syntax.Stmt
	fault string // the syntax error that ends it, "" if none
	line  uint   // of the fault
}

// Cache keeps parsed scripts, so that many containers with one script share one
// tree. It holds what it was given most recently, up to a bound. It is not part
// of the state of a run: with or without it the outcome is the same.
type Cache struct {
	scripts map[scriptKey]*script
	configs map[string][]directive // of nginx, without those that include others
	size    int
}

type scriptKey struct {
	text string
	bash bool
}

const maxCache = 4 << 20

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{scripts: map[scriptKey]*script{}, configs: map[string][]directive{}}
}

// grow makes room for n bytes.
func (c *Cache) grow(n int) {
	if c.size += n + 256; c.size > maxCache {
		clear(c.scripts)
		clear(c.configs)
		c.size = n + 256
	}
}

func (c *Cache) config(key string) ([]directive, bool) {
	if c == nil {
		return nil, false
	}
	list, ok := c.configs[key]
	return list, ok
}

func (c *Cache) keepConfig(key string, list []directive) {
	if c != nil {
		c.grow(len(key))
		c.configs[key] = list
	}
}

// parse parses a script. bash says that its dialect has arrays, [[ ]] and the
// like.
func (c *Cache) parse(text string, d dialect) *script {
	key := scriptKey{text, d != dash}
	if c != nil {
		if s, ok := c.scripts[key]; ok {
			return s
		}
	}
	s := parseScript(text, key.bash)
	if c != nil {
		c.grow(len(text))
		c.scripts[key] = s
	}
	return s
}

func parseScript(text string, bashLike bool) *script {
	s := &script{}
	switch {
	case len(text) > maxScript:
		s.fault = "script of more than 256 KiB: not simulated"
		return s
	case nesting(text) > maxNesting:
		s.fault = "script nested more than 200 deep: not simulated"
		return s
	}
	lang := syntax.LangPOSIX
	if bashLike {
		lang = syntax.LangBash
	}
	p := syntax.NewParser(syntax.Variant(lang))
	// The parser may yield again after an error, so the loop is not left there.
	for stmt, err := range p.StmtsSeq(strings.NewReader(text)) {
		switch {
		case s.fault != "":
		case err != nil:
			s.setFault(err)
		default:
			s.stmts = append(s.stmts, stmt)
		}
	}
	return s
}

func (s *script) setFault(err error) {
	s.fault = err.Error()
	if e, ok := err.(syntax.ParseError); ok {
		s.fault, s.line = e.Text, e.Pos.Line()
	} else if e, ok := err.(syntax.LangError); ok {
		s.fault, s.line = e.Feature+" is not supported", e.Pos.Line()
	}
}

const maxNesting = 200

// nesting is an upper estimate of how deep the parser would recurse: brackets,
// reserved words where a command may begin, and rows of one operator.
func nesting(text string) int {
	brackets, words, deepest := 0, 0, 0
	command := true
	for i := 0; i < len(text); {
		c := text[i]
		if isWordByte(c) {
			j := i
			for j < len(text) && isWordByte(text[j]) {
				j++
			}
			command = command && reserved(text[i:j], &words)
			i = j
			deepest = max(deepest, brackets+words)
			continue
		}
		switch c {
		case '(', '{', '[':
			brackets++
		case ')', '}', ']':
			brackets = max(brackets-1, 0)
		case '!', '~', '-', '+', '`', '?':
			deepest = max(deepest, brackets+words+run(text, i, c))
		}
		command = strings.IndexByte("\n;|&({`!)", c) >= 0 || command && isSpace(c)
		deepest = max(deepest, brackets+words)
		i++
	}
	return deepest
}

// reserved counts a reserved word and reports whether a command may follow it.
func reserved(word string, depth *int) bool {
	switch word {
	case "if", "while", "until", "time":
		*depth++
		return true
	case "case", "for", "select", "function", "coproc":
		*depth++
	case "fi", "done", "esac":
		*depth = max(*depth-1, 0)
		return true
	case "then", "do", "else", "elif":
		return true
	}
	return false
}

// run counts how often c stands in a row from i on, blanks aside.
func run(text string, i int, c byte) int {
	n := 0
	for ; i < len(text) && (text[i] == c || text[i] == ' '); i++ {
		if text[i] == c {
			n++
		}
	}
	return n
}
