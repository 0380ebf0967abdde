package codec

import "strings"

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
}

// word reads letters, digits, "_" and "-".
func (s *yamlScanner) word() string {
	from := s.at.pos
	for wordByte(s.text[s.at.pos]) {
		s.skip()
	}
	return s.text[from:s.at.pos]
}

// scanAnchor reads an alias or an anchor.
func (s *yamlScanner) scanAnchor(t *yamlToken) bool {
	s.skip()
	t.text = s.word()
	if t.text == "" || !s.blankz(0) && !strings.ContainsRune("?:,]}%@`", rune(s.text[s.at.pos])) {
		return s.fail(t.start, "did not find expected alphabetic or numeric character")
	}
	return true
}

func (s *yamlScanner) scanTag(t *yamlToken) bool {
	var ok bool
	if s.text[s.at.pos+1] == '<' {
		s.skip()
		s.skip()
		if t.suffix, ok = s.uri("", t.start); !ok {
			return false
		}
		if s.text[s.at.pos] != '>' {
			return s.fail(t.start, "did not find the expected '>'")
		}
		s.skip()
	} else {
		handle, _ := s.handle(t.start, false)
		head := handle
		if len(handle) > 1 && strings.HasSuffix(handle, "!") {
			head = ""
		} else {
			handle = "!"
		}
		if t.suffix, ok = s.uri(head, t.start); !ok {
			return false
		}
		t.text = handle
		if t.suffix == "" && head != "" {
			t.text, t.suffix = "", "!"
		}
	}
	if !s.blankz(0) {
		return s.fail(t.start, "did not find expected whitespace or line break")
	}
	return true
}

// handle reads "!", "!!" or "!word!".
func (s *yamlScanner) handle(start yamlMark, directive bool) (string, bool) {
	if s.text[s.at.pos] != '!' {
		return "", s.fail(start, "did not find expected '!'")
	}
	from := s.at.pos
	s.skip()
	s.word()
	if s.text[s.at.pos] == '!' {
		s.skip()
	} else if directive && s.at.pos-from > 1 {
		return "", s.fail(start, "did not find expected '!'")
	}
	return s.text[from:s.at.pos], true
}

// uri reads the rest of a tag, whose first part (with its "!") is head.
func (s *yamlScanner) uri(head string, start yamlMark) (string, bool) {
	var out []byte
	if head != "" {
		out = append(out, head[1:]...)
	}
	from := s.at.pos
	for {
		c := s.text[s.at.pos]
		if c == '%' {
			var ok bool
			if out, ok = s.uriEscape(out, start); !ok {
				return "", false
			}
			continue
		}
		if !wordByte(c) && (c == 0 || !strings.ContainsRune(";/?:@&=+$,.!~*'()[]", rune(c))) {
			break
		}
		out = append(out, c)
		s.skip()
	}
	if s.at.pos == from && head == "" {
		return "", s.fail(start, "did not find expected tag URI")
	}
	return string(out), true
}

// uriEscape reads the escaped bytes of one character.
func (s *yamlScanner) uriEscape(out []byte, start yamlMark) ([]byte, bool) {
	for left := -1; left != 0; left-- {
		high, ok1 := hexDigit(s.text[s.at.pos+1])
		low, ok2 := hexDigit(s.text[s.at.pos+2])
		if s.text[s.at.pos] != '%' || !ok1 || !ok2 {
			return nil, s.fail(start, "did not find URI escaped octet")
		}
		octet := high<<4 | low
		if left < 0 {
			if left = utf8Width(octet); left == 0 {
				return nil, s.fail(start, "found an incorrect leading UTF-8 octet")
			}
		} else if octet&0xC0 != 0x80 {
			return nil, s.fail(start, "found an incorrect trailing UTF-8 octet")
		}
		out = append(out, octet)
		s.skip()
		s.skip()
		s.skip()
	}
	return out, true
}

// fetchDirective reads a %YAML or %TAG line. The version is in the token's text,
// the prefix in its suffix.
func (s *yamlScanner) fetchDirective() bool {
	s.unroll(-1)
	if !s.dropKey() {
		return false
	}
	s.keyMay = false
	t := yamlToken{start: s.at}
	s.skip()
	name := s.word()
	if name == "" {
		return s.fail(t.start, "could not find expected directive name")
	}
	if !s.blankz(0) {
		return s.fail(t.start, "found unexpected non-alphabetical character")
	}
	ok := false
	switch name {
	case "YAML":
		t.kind = tokenVersion
		ok = s.version(&t)
	case "TAG":
		t.kind = tokenTagDirective
		ok = s.tagDirective(&t)
	default:
		s.fail(t.start, "found unknown directive name")
	}
	if !ok {
		return false
	}
	t.end = s.at
	s.skipBlanks()
	s.skipComment()
	if !s.breakz(0) {
		return s.fail(t.start, "did not find expected comment or line break")
	}
	if s.breakAt(0) {
		s.skipBreak()
	}
	return s.push(t)
}

func (s *yamlScanner) version(t *yamlToken) bool {
	s.skipBlanks()
	major, ok := s.versionNumber(t.start)
	if !ok {
		return false
	}
	if s.text[s.at.pos] != '.' {
		return s.fail(t.start, "did not find expected digit or '.' character")
	}
	s.skip()
	minor, ok := s.versionNumber(t.start)
	t.text = major + "." + minor
	return ok
}

func (s *yamlScanner) versionNumber(start yamlMark) (string, bool) {
	from := s.at.pos
	for c := s.text[s.at.pos]; c >= '0' && c <= '9'; c = s.text[s.at.pos] {
		if s.at.pos-from == 2 {
			return "", s.fail(start, "found extremely long version number")
		}
		s.skip()
	}
	if s.at.pos == from {
		return "", s.fail(start, "did not find expected version number")
	}
	return strings.TrimLeft(s.text[from:s.at.pos], "0"), true
}

func (s *yamlScanner) tagDirective(t *yamlToken) bool {
	s.skipBlanks()
	var ok bool
	if t.text, ok = s.handle(t.start, true); !ok {
		return false
	}
	if !blank(s.text[s.at.pos]) {
		return s.fail(t.start, "did not find expected whitespace")
	}
	s.skipBlanks()
	if t.suffix, ok = s.uri("", t.start); !ok {
		return false
	}
	if !s.blankz(0) {
		return s.fail(t.start, "did not find expected whitespace or line break")
	}
	return true
}
