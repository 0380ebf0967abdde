package codec

// yamlNode is a value as it is written, before tags, aliases and merge keys are
// resolved.
type yamlNode struct {
	kind        yamlKind
	implicit    bool // a scalar that is plain or tagged "!"
	start, end  yamlPlace
	tag, text   string // the text of a scalar, the name of an alias
	alias       *yamlNode
	first, last *yamlNode // children, by next; of a map keys and values in turn
	next        *yamlNode
	count       int  // of children
	busy        bool // its aliases are being followed
}

func (n *yamlNode) append(child *yamlNode) {
	if n.last == nil {
		n.first = child
	} else {
		n.last.next = child
	}
	n.last = child
	n.count++
}

type yamlKind uint8

const (
	yamlScalar yamlKind = iota
	yamlList
	yamlMap
	yamlAlias
)

// yamlParser makes the tree of a document out of tokens, as
// go.yaml.in/yaml/v2 parserc.go does through events.
type yamlParser struct {
	*yamlScanner
	anchors map[string]*yamlNode
	tags    map[string]string // by handle
	slab    []yamlNode
}

// parseYAML returns the tree of the first document, or nil when there is none.
func parseYAML(b []byte) (*yamlNode, *yamlError) {
	p := &yamlParser{yamlScanner: newYAMLScanner(b)}
	n := p.document()
	if p.err != nil {
		return nil, p.err
	}
	return n, nil
}

// reject records a parser's error, which names the line before the place; where
// that would be 0 it names the context's.
func (p *yamlParser) reject(context, at yamlMark, problem string) *yamlNode {
	line := at.line
	if line == 0 {
		line = context.line
	}
	p.err = &yamlError{problem: problem, line: line, mark: at.place()}
	return nil
}

func (p *yamlParser) newNode(kind yamlKind, start yamlMark) *yamlNode {
	if len(p.slab) == 0 {
		p.slab = make([]yamlNode, 64)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.kind, n.start, n.end = kind, start.place(), start.place()
	return n
}

func (p *yamlParser) empty(at yamlMark) *yamlNode {
	n := p.newNode(yamlScalar, at)
	n.implicit = true
	return n
}

func (p *yamlParser) document() *yamlNode {
	t := p.peek()
	if t == nil || t.kind == tokenStreamEnd {
		return nil
	}
	var n *yamlNode
	if t.kind == tokenVersion || t.kind == tokenTagDirective || t.kind == tokenDocumentStart {
		n = p.explicitDocument()
	} else {
		p.defaultTags()
		n = p.node(true, false)
	}
	if n != nil {
		p.peek()
	}
	return n
}

func (p *yamlParser) explicitDocument() *yamlNode {
	if !p.directives() {
		return nil
	}
	t := p.peek()
	if t == nil {
		return nil
	}
	if t.kind != tokenDocumentStart {
		return p.reject(yamlMark{}, t.start, "did not find expected <document start>")
	}
	p.skipToken()
	if t = p.peek(); t == nil {
		return nil
	}
	switch t.kind {
	case tokenVersion, tokenTagDirective, tokenDocumentStart, tokenDocumentEnd, tokenStreamEnd:
		return p.empty(t.start)
	}
	return p.node(true, false)
}

func (p *yamlParser) defaultTags() {
	if p.tags == nil {
		p.tags = map[string]string{}
	}
	for handle, prefix := range map[string]string{"!": "!", "!!": longTag} {
		if _, has := p.tags[handle]; !has {
			p.tags[handle] = prefix
		}
	}
}

func (p *yamlParser) directives() bool {
	versions := 0
	p.tags = map[string]string{}
	for {
		t := p.peek()
		switch {
		case t == nil:
			return false
		case t.kind == tokenVersion:
			versions++
			if versions > 1 {
				return p.reject(yamlMark{}, t.start, "found duplicate %YAML directive") != nil
			}
			if t.text != "1.1" {
				return p.reject(yamlMark{}, t.start, "found incompatible YAML document") != nil
			}
		case t.kind == tokenTagDirective:
			if _, has := p.tags[t.text]; has {
				return p.reject(yamlMark{}, t.start, "found duplicate %TAG directive") != nil
			}
			p.tags[t.text] = t.suffix
		default:
			p.defaultTags()
			return true
		}
		p.skipToken()
	}
}

// node parses a value. Block collections are allowed where block is set, and a
// sequence at the indentation of its key where indentless is.
func (p *yamlParser) node(block, indentless bool) *yamlNode {
	t := p.peek()
	if t == nil {
		return nil
	}
	if t.kind == tokenAlias {
		return p.aliasNode(t)
	}
	start := t.start
	anchor, tag, ok := p.properties(start)
	if !ok {
		return nil
	}
	if t = p.peek(); t == nil {
		return nil
	}
	n := p.newNode(yamlScalar, start)
	n.tag = tag
	if anchor != "" {
		if p.anchors == nil {
			p.anchors = map[string]*yamlNode{}
		}
		p.anchors[anchor] = n
	}
	switch {
	case indentless && t.kind == tokenBlockEntry:
		n.kind = yamlList
		return p.indentlessList(n)
	case t.kind == tokenScalar:
		n.text, n.end = t.text, t.end.place()
		n.implicit = tag == "" && t.plain || tag == "!"
		p.skipToken()
		return n
	case t.kind == tokenFlowSequence:
		n.kind = yamlList
		return p.flowList(n)
	case t.kind == tokenFlowMapping:
		n.kind = yamlMap
		return p.flowMap(n)
	case block && t.kind == tokenBlockSequence:
		n.kind = yamlList
		return p.blockList(n)
	case block && t.kind == tokenBlockMapping:
		n.kind = yamlMap
		return p.blockMap(n)
	case anchor != "" || tag != "":
		n.implicit = tag == ""
		return n
	}
	return p.reject(start, t.start, "did not find expected node content")
}

func (p *yamlParser) aliasNode(t *yamlToken) *yamlNode {
	n := p.newNode(yamlAlias, t.start)
	n.end, n.text = t.end.place(), t.text
	if n.alias = p.anchors[t.text]; n.alias == nil {
		p.err = &yamlError{problem: "unknown anchor '" + t.text + "' referenced", mark: t.start.place()}
		return nil
	}
	p.skipToken()
	return n
}

// properties parses an anchor and a tag, in any order.
func (p *yamlParser) properties(start yamlMark) (anchor, tag string, ok bool) {
	var handle, suffix string
	var tagged bool
	at := start
	for {
		t := p.peek()
		switch {
		case t == nil:
			return "", "", false
		case t.kind == tokenAnchor && anchor == "":
			anchor = t.text
		case t.kind == tokenTag && !tagged:
			tagged, handle, suffix, at = true, t.text, t.suffix, t.start
		default:
			if handle == "" {
				return anchor, suffix, true
			}
			prefix, has := p.tags[handle]
			if !has || prefix+suffix == "" {
				p.reject(start, at, "found undefined tag handle")
				return "", "", false
			}
			return anchor, prefix + suffix, true
		}
		p.skipToken()
	}
}
