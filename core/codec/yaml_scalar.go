package codec

import "unicode/utf8"

// scanBlockScalar reads a scalar behind "|" or ">".
func (s *yamlScanner) scanBlockScalar(t *yamlToken) bool {
	literal := s.text[s.at.pos] == '|'
	s.skip()
	chomp, increment, ok := s.blockHeader(t.start)
	if !ok {
		return false
	}
	indent := 0
	if increment > 0 {
		indent = max(s.indent, 0) + increment
	}
	var out, breaks []byte
	t.end = s.at
	if breaks, ok = s.blockBreaks(&indent, breaks, t); !ok {
		return false
	}
	var lead []byte
	leadingBlank := false
	for s.at.col == indent && s.text[s.at.pos] != 0 {
		startsBlank := blank(s.text[s.at.pos])
		if !literal && !leadingBlank && !startsBlank && len(lead) > 0 && lead[0] == '\n' {
			if len(breaks) == 0 {
				out = append(out, ' ')
			}
		} else {
			out = append(out, lead...)
		}
		out = append(out, breaks...)
		breaks, leadingBlank = breaks[:0], startsBlank
		from := s.at.pos
		for !s.breakz(0) {
			s.skip()
		}
		out = append(out, s.text[from:s.at.pos]...)
		lead = lead[:0]
		if s.breakAt(0) {
			lead = s.readBreak(lead)
		}
		if breaks, ok = s.blockBreaks(&indent, breaks, t); !ok {
			return false
		}
	}
	if chomp != '-' {
		out = append(out, lead...)
	}
	if chomp == '+' {
		out = append(out, breaks...)
	}
	t.text = string(out)
	return true
}

// blockHeader reads the rest of the line of "|" or ">": how the end is chomped
// and the indentation where it is stated.
func (s *yamlScanner) blockHeader(start yamlMark) (chomp byte, increment int, ok bool) {
	for range 2 {
		switch c := s.text[s.at.pos]; {
		case (c == '+' || c == '-') && chomp == 0:
			chomp = c
			s.skip()
		case c == '0' && increment == 0:
			return 0, 0, s.fail(start, "found an indentation indicator equal to 0")
		case c >= '1' && c <= '9' && increment == 0:
			increment = int(c - '0')
			s.skip()
		}
	}
	s.skipBlanks()
	s.skipComment()
	if !s.breakz(0) {
		return 0, 0, s.fail(start, "did not find expected comment or line break")
	}
	if s.breakAt(0) {
		s.skipBreak()
	}
	return chomp, increment, true
}

// blockBreaks goes over indentation and empty lines and finds the indentation
// where it is not known yet (0).
func (s *yamlScanner) blockBreaks(indent *int, breaks []byte, t *yamlToken) ([]byte, bool) {
	deepest := 0
	t.end = s.at
	for {
		for (*indent == 0 || s.at.col < *indent) && s.text[s.at.pos] == ' ' {
			s.skip()
		}
		deepest = max(deepest, s.at.col)
		if (*indent == 0 || s.at.col < *indent) && s.text[s.at.pos] == '\t' {
			return nil, s.fail(t.start, "found a tab character where an indentation space is expected")
		}
		if !s.breakAt(0) {
			break
		}
		breaks = s.readBreak(breaks)
		t.end = s.at
	}
	if *indent == 0 {
		*indent = max(deepest, s.indent+1, 1)
	}
	return breaks, true
}

// folder collects a scalar that may go over several lines. As long as it is one
// piece of the text, nothing is copied.
type folder struct {
	from, to           int // the piece, while out is nil
	out                []byte
	copied             bool
	blanks             bool // the white space since the last character holds a line break
	spaceFrom, spaceTo int  // the blanks in it, while it holds none
	lead               []byte
	breaks             []byte
}

// cut begins copying: what was collected so far is text[from:to].
func (f *folder) cut(text string) {
	if !f.copied {
		f.out, f.copied = append(f.out, text[f.from:f.to]...), true
	}
}

// join appends the white space before the next character, folded.
func (f *folder) join(text string) {
	if f.blanks {
		f.cut(text)
		switch {
		case len(f.lead) > 0 && f.lead[0] != '\n':
			f.out = append(append(f.out, f.lead...), f.breaks...)
		case len(f.lead) > 0 && len(f.breaks) == 0:
			f.out = append(f.out, ' ')
		default:
			f.out = append(f.out, f.breaks...)
		}
		f.lead, f.breaks = f.lead[:0], f.breaks[:0]
	} else if f.copied {
		f.out = append(f.out, text[f.spaceFrom:f.spaceTo]...)
	}
	f.spaceFrom, f.spaceTo = 0, 0
	f.blanks = false
}

func (f *folder) text(text string) string {
	if f.copied {
		return string(f.out)
	}
	return text[f.from:f.to]
}

// white goes over blanks and line breaks. It returns false at a tab that stands
// before column indent of a later line.
func (s *yamlScanner) white(f *folder, indent int) bool {
	for {
		c := s.text[s.at.pos]
		switch {
		case blank(c):
			if f.blanks && s.at.col < indent && c == '\t' {
				return false
			}
			if f.spaceTo == 0 {
				f.spaceFrom = s.at.pos
			}
			s.skip()
			f.spaceTo = s.at.pos
		case !s.breakAt(0):
			return true
		case !f.blanks:
			f.lead = s.readBreak(f.lead)
			f.blanks = true
		default:
			f.breaks = s.readBreak(f.breaks)
		}
	}
}

// scanPlain reads a scalar without quotes.
func (s *yamlScanner) scanPlain(t *yamlToken) bool {
	t.plain = true
	f := folder{from: s.at.pos, to: s.at.pos}
	indent := s.indent + 1
	t.end = s.at
	for !s.documentMarker() && s.text[s.at.pos] != '#' {
		for !s.blankz(0) && !s.endsPlain() {
			if f.blanks || f.spaceTo > 0 {
				f.join(s.text)
			}
			from := s.at.pos
			s.skip()
			if f.copied {
				f.out = append(f.out, s.text[from:s.at.pos]...)
			}
			f.to, t.end = s.at.pos, s.at
		}
		if !blank(s.text[s.at.pos]) && !s.breakAt(0) {
			break
		}
		if !s.white(&f, indent) {
			return s.fail(t.start, "found a tab character that violates indentation")
		}
		if s.flowLevel == 0 && s.at.col < indent {
			break
		}
	}
	t.text = f.text(s.text)
	if f.blanks {
		s.keyMay = true
	}
	return true
}

func (s *yamlScanner) endsPlain() bool {
	switch s.text[s.at.pos] {
	case ':':
		return s.blankz(1)
	case ',', '?', '[', ']', '{', '}':
		return s.flowLevel > 0
	}
	return false
}

// scanQuoted reads a scalar in single or double quotes.
func (s *yamlScanner) scanQuoted(t *yamlToken, quote byte) bool {
	s.skip()
	f := folder{from: s.at.pos, to: s.at.pos}
	for {
		if s.documentMarker() {
			return s.fail(t.start, "found unexpected document indicator")
		}
		if s.text[s.at.pos] == 0 {
			return s.fail(t.start, "found unexpected end of stream")
		}
		for !s.blankz(0) && !f.blanks {
			c := s.text[s.at.pos]
			if c == quote && !(quote == '\'' && s.text[s.at.pos+1] == '\'') {
				break
			}
			if c == quote || c == '\\' && quote == '"' {
				f.cut(s.text)
				if !s.escape(&f, t.start) {
					return false
				}
				continue
			}
			from := s.at.pos
			s.skip()
			f.to = s.at.pos
			if f.copied {
				f.out = append(f.out, s.text[from:f.to]...)
			}
		}
		if s.text[s.at.pos] == quote {
			break
		}
		s.white(&f, 0)
		if !f.blanks {
			f.to = s.at.pos
		}
		f.join(s.text)
	}
	s.skip()
	t.end = s.at
	t.text = f.text(s.text)
	return true
}

var simpleEscapes = map[byte]string{'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r",
	'e': "\x1B", ' ': " ", '"': `"`, '\'': "'", '\\': `\`, 'N': "\u0085", '_': "\u00A0", 'L': "\u2028", 'P': "\u2029"}

var escapeLengths = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escape reads an escape sequence or a doubled quote.
func (s *yamlScanner) escape(f *folder, start yamlMark) bool {
	c := s.text[s.at.pos+1]
	if s.text[s.at.pos] == '\'' {
		f.out = append(f.out, '\'')
		s.skip()
		s.skip()
		return true
	}
	if s.breakAt(1) {
		s.skip()
		s.skipBreak()
		f.blanks = true
		return true
	}
	plain, simple := simpleEscapes[c]
	length := escapeLengths[c]
	if !simple && length == 0 {
		return s.fail(start, "found unknown escape character")
	}
	f.out = append(f.out, plain...)
	s.skip()
	s.skip()
	if length == 0 {
		return true
	}
	value := rune(0)
	for k := range length {
		digit, ok := hexDigit(s.text[min(s.at.pos+k, len(s.text)-1)])
		if !ok {
			return s.fail(start, "did not find expected hexdecimal number")
		}
		value = value<<4 + rune(digit)
	}
	if value < 0 || value > utf8.MaxRune || value >= 0xD800 && value <= 0xDFFF {
		return s.fail(start, "found invalid Unicode character escape code")
	}
	f.out = utf8.AppendRune(f.out, value)
	for range length {
		s.skip()
	}
	return true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
