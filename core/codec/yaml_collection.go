package codec

// add parses a child, unless the next token is one of those that mean an empty
// value; then the child stands at at.
func (p *yamlParser) add(n *yamlNode, at yamlMark, block, indentless bool, empty ...tokenKind) bool {
	t := p.peek()
	if t == nil {
		return false
	}
	var child *yamlNode
	if t.is(empty...) {
		child = p.empty(at)
	} else {
		child = p.node(block, indentless)
	}
	if child == nil {
		return false
	}
	n.append(child)
	return true
}

func (t *yamlToken) is(kinds ...tokenKind) bool {
	for _, k := range kinds {
		if t.kind == k {
			return true
		}
	}
	return false
}

// finish ends a collection at the token that closes it.
func (p *yamlParser) finish(n *yamlNode, t *yamlToken) *yamlNode {
	n.end = t.end.place()
	p.skipToken()
	return n
}

func (p *yamlParser) blockList(n *yamlNode) *yamlNode {
	context := p.peek().start
	p.skipToken()
	for {
		t := p.peek()
		switch {
		case t == nil:
			return nil
		case t.kind == tokenBlockEnd:
			return p.finish(n, t)
		case t.kind != tokenBlockEntry:
			return p.reject(context, t.start, "did not find expected '-' indicator")
		}
		at := t.end
		p.skipToken()
		if !p.add(n, at, true, false, tokenBlockEntry, tokenBlockEnd) {
			return nil
		}
	}
}

func (p *yamlParser) indentlessList(n *yamlNode) *yamlNode {
	for {
		t := p.peek()
		switch {
		case t == nil:
			return nil
		case t.kind != tokenBlockEntry:
			n.end = t.start.place()
			return n
		}
		at := t.end
		p.skipToken()
		if !p.add(n, at, true, false, tokenBlockEntry, tokenKey, tokenValue, tokenBlockEnd) {
			return nil
		}
	}
}

func (p *yamlParser) blockMap(n *yamlNode) *yamlNode {
	context := p.peek().start
	p.skipToken()
	for {
		t := p.peek()
		switch {
		case t == nil:
			return nil
		case t.kind == tokenBlockEnd:
			return p.finish(n, t)
		case t.kind != tokenKey:
			return p.reject(context, t.start, "did not find expected key")
		}
		at := t.end
		p.skipToken()
		if !p.add(n, at, true, true, tokenKey, tokenValue, tokenBlockEnd) || !p.blockValue(n) {
			return nil
		}
	}
}

func (p *yamlParser) blockValue(n *yamlNode) bool {
	t := p.peek()
	if t == nil {
		return false
	}
	if t.kind != tokenValue {
		n.append(p.empty(t.start))
		return true
	}
	at := t.end
	p.skipToken()
	return p.add(n, at, true, true, tokenKey, tokenValue, tokenBlockEnd)
}

func (p *yamlParser) flowList(n *yamlNode) *yamlNode {
	context := p.peek().start
	p.skipToken()
	for first := true; ; first = false {
		t := p.flowEntry(context, first, tokenFlowSequenceEnd, "did not find expected ',' or ']'")
		switch {
		case t == nil:
			return nil
		case t.kind == tokenFlowSequenceEnd:
			return p.finish(n, t)
		case t.kind == tokenKey:
			if !p.flowPair(n, t) {
				return nil
			}
		default:
			if !p.add(n, t.start, false, false) {
				return nil
			}
		}
	}
}

// flowEntry goes over the comma before an entry and returns the entry's first
// token, or the one that closes the collection.
func (p *yamlParser) flowEntry(context yamlMark, first bool, end tokenKind, problem string) *yamlToken {
	t := p.peek()
	if t == nil || t.kind == end || first {
		return t
	}
	if t.kind != tokenFlowEntry {
		p.reject(context, t.start, problem)
		return nil
	}
	p.skipToken()
	return p.peek()
}

// flowPair parses "key: value" in a flow sequence, which is a map of one entry.
func (p *yamlParser) flowPair(list *yamlNode, key *yamlToken) bool {
	n := p.newNode(yamlMap, key.start)
	list.append(n)
	p.skipToken()
	t := p.peek()
	if t == nil {
		return false
	}
	if t.is(tokenValue, tokenFlowEntry, tokenFlowSequenceEnd) {
		n.append(p.empty(t.end))
		p.skipToken()
	} else if !p.add(n, t.start, false, false) {
		return false
	}
	return p.flowValue(n, tokenFlowSequenceEnd)
}

func (p *yamlParser) flowMap(n *yamlNode) *yamlNode {
	context := p.peek().start
	p.skipToken()
	for first := true; ; first = false {
		t := p.flowEntry(context, first, tokenFlowMappingEnd, "did not find expected ',' or '}'")
		switch {
		case t == nil:
			return nil
		case t.kind == tokenFlowMappingEnd:
			return p.finish(n, t)
		case t.kind == tokenKey:
			p.skipToken()
			if t = p.peek(); t == nil || !p.add(n, t.start, false, false, tokenValue, tokenFlowEntry, tokenFlowMappingEnd) {
				return nil
			}
			if !p.flowValue(n, tokenFlowMappingEnd) {
				return nil
			}
		default:
			if !p.add(n, t.start, false, false) {
				return nil
			}
			if t = p.peek(); t == nil {
				return nil
			}
			n.append(p.empty(t.start))
		}
	}
}

// flowValue parses what follows a key in a flow collection.
func (p *yamlParser) flowValue(n *yamlNode, end tokenKind) bool {
	t := p.peek()
	if t == nil {
		return false
	}
	if t.kind != tokenValue {
		n.append(p.empty(t.start))
		return true
	}
	p.skipToken()
	if t = p.peek(); t == nil {
		return false
	}
	return p.add(n, t.start, false, false, tokenFlowEntry, end)
}
