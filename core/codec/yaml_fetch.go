package codec

const errNoColon = "could not find expected ':'"

// keyValid reports whether the key may still be one; not ok is an error.
func (s *yamlScanner) keyValid(k *simpleKey) (valid, ok bool) {
	if !k.possible {
		return false, true
	}
	if k.mark.line < s.at.line || k.mark.col+maxKeyLength < s.at.col {
		if k.required {
			return false, s.fail(k.mark, errNoColon)
		}
		k.possible = false
		return false, true
	}
	return true, true
}

// saveKey notes that the next token may be a simple key; it returns the level for
// that token.
func (s *yamlScanner) saveKey() (int, bool) {
	if !s.keyMay {
		return 0, true
	}
	k := simpleKey{true, s.flowLevel == 0 && s.indent == s.at.col, true, s.parsed + len(s.queue) - s.head, s.at}
	if !s.dropKey() {
		return 0, false
	}
	s.keys[len(s.keys)-1] = k
	return len(s.keys), true
}

// dropKey forgets the possible key of this level.
func (s *yamlScanner) dropKey() bool {
	k := &s.keys[len(s.keys)-1]
	if k.possible && k.required {
		return s.fail(k.mark, errNoColon)
	}
	if k.possible {
		k.possible, k.listed = false, false
	}
	return true
}

// roll begins a deeper block where the column is beyond the indentation.
func (s *yamlScanner) roll(col, number int, kind tokenKind, at yamlMark) bool {
	if s.flowLevel > 0 || s.indent >= col {
		return true
	}
	s.indents = append(s.indents, s.indent)
	s.indent = col
	if len(s.indents) > maxNesting {
		return s.fail(s.keys[len(s.keys)-1].mark, "exceeded max depth of 10000")
	}
	t := yamlToken{kind: kind, start: at, end: at}
	if number < 0 {
		return s.push(t)
	}
	s.insert(number, t)
	return true
}

// unroll ends the blocks that are indented more than col.
func (s *yamlScanner) unroll(col int) {
	if s.flowLevel > 0 {
		return
	}
	for s.indent > col {
		s.push(yamlToken{kind: tokenBlockEnd, start: s.at, end: s.at})
		s.indent = s.indents[len(s.indents)-1]
		s.indents = s.indents[:len(s.indents)-1]
	}
}

// indicator appends a token of n characters.
func (s *yamlScanner) indicator(kind tokenKind, n, level int) bool {
	start := s.at
	for range n {
		s.skip()
	}
	return s.push(yamlToken{kind: kind, level: level, start: start, end: s.at})
}

func (s *yamlScanner) fetchStreamEnd() bool {
	if s.at.col != 0 {
		s.at.col = 0
		s.at.line++
	}
	s.unroll(-1)
	if !s.dropKey() {
		return false
	}
	s.keyMay = false
	return s.indicator(tokenStreamEnd, 0, 0)
}

func (s *yamlScanner) fetchDocumentMarker() bool {
	kind := tokenDocumentStart
	if s.text[s.at.pos] == '.' {
		kind = tokenDocumentEnd
	}
	s.unroll(-1)
	if !s.dropKey() {
		return false
	}
	s.keyMay = false
	return s.indicator(kind, 3, 0)
}

func (s *yamlScanner) fetchFlowStart() bool {
	level, ok := s.saveKey()
	if !ok {
		return false
	}
	s.keys = append(s.keys, simpleKey{number: s.parsed + len(s.queue) - s.head, mark: s.at})
	s.flowLevel++
	if s.flowLevel > maxNesting {
		return s.fail(s.at, "exceeded max depth of 10000")
	}
	s.keyMay = true
	if s.text[s.at.pos] == '[' {
		return s.indicator(tokenFlowSequence, 1, level)
	}
	return s.indicator(tokenFlowMapping, 1, level)
}

// fetchFlowEnd fetches "]" or "}". After an empty collection upstream forgets to
// hold back its first token, so that "[]: a" is a list and not a map.
func (s *yamlScanner) fetchFlowEnd() bool {
	if !s.dropKey() {
		return false
	}
	if last := len(s.keys) - 1; s.flowLevel > 0 {
		s.flowLevel--
		if s.keys[last].number == s.keys[last-1].number {
			s.keys[last-1].listed = false
		}
		s.keys = s.keys[:last]
	}
	s.keyMay = false
	if s.text[s.at.pos] == ']' {
		return s.indicator(tokenFlowSequenceEnd, 1, 0)
	}
	return s.indicator(tokenFlowMappingEnd, 1, 0)
}

func (s *yamlScanner) fetchFlowEntry() bool {
	if !s.dropKey() {
		return false
	}
	s.keyMay = true
	return s.indicator(tokenFlowEntry, 1, 0)
}

func (s *yamlScanner) fetchBlockEntry() bool {
	if s.flowLevel == 0 {
		if !s.keyMay {
			return s.fail(s.at, "block sequence entries are not allowed in this context")
		}
		if !s.roll(s.at.col, -1, tokenBlockSequence, s.at) {
			return false
		}
	}
	if !s.dropKey() {
		return false
	}
	s.keyMay = true
	return s.indicator(tokenBlockEntry, 1, 0)
}

func (s *yamlScanner) fetchKey() bool {
	if s.flowLevel == 0 {
		if !s.keyMay {
			return s.fail(s.at, "mapping keys are not allowed in this context")
		}
		if !s.roll(s.at.col, -1, tokenBlockMapping, s.at) {
			return false
		}
	}
	if !s.dropKey() {
		return false
	}
	s.keyMay = s.flowLevel == 0
	return s.indicator(tokenKey, 1, 0)
}

func (s *yamlScanner) fetchValue() bool {
	k := &s.keys[len(s.keys)-1]
	valid, ok := s.keyValid(k)
	switch {
	case !ok:
		return false
	case valid:
		s.insert(k.number, yamlToken{kind: tokenKey, start: k.mark, end: k.mark})
		if !s.roll(k.mark.col, k.number, tokenBlockMapping, k.mark) {
			return false
		}
		k.possible, k.listed = false, false
		s.keyMay = false
	default:
		if s.flowLevel == 0 {
			if !s.keyMay {
				return s.fail(s.at, "mapping values are not allowed in this context")
			}
			if !s.roll(s.at.col, -1, tokenBlockMapping, s.at) {
				return false
			}
		}
		s.keyMay = s.flowLevel == 0
	}
	return s.indicator(tokenValue, 1, 0)
}

// fetchProperty fetches an alias, an anchor or a tag.
func (s *yamlScanner) fetchProperty(c byte) bool {
	level, ok := s.saveKey()
	if !ok {
		return false
	}
	s.keyMay = false
	t := yamlToken{kind: tokenTag, level: level, start: s.at}
	if c == '!' {
		ok = s.scanTag(&t)
	} else {
		t.kind = tokenAlias
		if c == '&' {
			t.kind = tokenAnchor
		}
		ok = s.scanAnchor(&t)
	}
	t.end = s.at
	return ok && s.push(t)
}

func (s *yamlScanner) fetchBlockScalar() bool {
	if !s.dropKey() {
		return false
	}
	s.keyMay = true
	t := yamlToken{kind: tokenScalar, start: s.at}
	return s.scanBlockScalar(&t) && s.push(t)
}

// fetchScalar fetches a scalar in quotes, or a plain one where quote is 0.
func (s *yamlScanner) fetchScalar(quote byte) bool {
	level, ok := s.saveKey()
	if !ok {
		return false
	}
	s.keyMay = false
	t := yamlToken{kind: tokenScalar, level: level, start: s.at}
	if quote == 0 {
		ok = s.scanPlain(&t)
	} else {
		ok = s.scanQuoted(&t, quote)
	}
	return ok && s.push(t)
}
