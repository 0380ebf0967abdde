package codec

import "strconv"

// The scanner turns the text of a document into tokens. It follows the real one
// (go.yaml.in/yaml/v2 scannerc.go, which is libyaml) in what it looks at before
// it hands a token out, because that decides which of several mistakes is
// reported and at which line; yaml.v3 reports other lines.

type tokenKind uint8

const (
	tokenStreamEnd tokenKind = iota
	tokenVersion
	tokenTagDirective
	tokenDocumentStart
	tokenDocumentEnd
	tokenBlockSequence
	tokenBlockMapping
	tokenBlockEnd
	tokenFlowSequence
	tokenFlowSequenceEnd
	tokenFlowMapping
	tokenFlowMappingEnd
	tokenBlockEntry
	tokenFlowEntry
	tokenKey
	tokenValue
	tokenAlias
	tokenAnchor
	tokenTag
	tokenScalar
)

// yamlMark is a place in a document; all count from 0, col in characters.
type yamlMark struct{ pos, line, col int }

// yamlPlace is a yamlMark that takes less room.
type yamlPlace struct{ line, col int32 }

func (m yamlMark) place() yamlPlace { return yamlPlace{int32(m.line), int32(m.col)} }

type yamlToken struct {
	kind       tokenKind
	plain      bool // a scalar without quotes that is no block scalar
	level      int  // 1 + the flow level at which it may be a simple key
	start, end yamlMark
	text       string // the scalar, the anchor, a tag's handle
	suffix     string // of a tag; the prefix of a tag directive
}

// simpleKey is a token that turns out to be a key when a ":" follows.
type simpleKey struct {
	possible, required bool
	listed             bool // it holds its token back; see fetchFlowEnd
	number             int  // of the token
	mark               yamlMark
}

// yamlError is what is wrong with a document.
type yamlError struct {
	problem string
	line    int // what is printed: 0 is no line
	mark    yamlPlace
	isJSON  bool // it is well-formed YAML that JSON cannot hold
}

func (e *yamlError) text() string {
	if e.isJSON {
		return e.problem
	}
	if e.line > 0 {
		return "yaml: line " + strconv.Itoa(e.line) + ": " + e.problem
	}
	return "yaml: " + e.problem
}

type yamlScanner struct {
	src  yamlSource
	text string
	at   yamlMark
	err  *yamlError

	queue   []yamlToken
	head    int
	parsed  int // tokens handed out
	tokenAt int // where the token being fetched begins
	ready   bool

	indent    int
	indents   []int
	keys      []simpleKey // one for each flow level
	keyMay    bool        // a simple key may start here
	flowLevel int
}

const (
	maxNesting   = 10000
	maxKeyLength = 1024
)

func newYAMLScanner(b []byte) *yamlScanner {
	src := newYAMLSource(b)
	return &yamlScanner{src: src, text: src.text, indent: -1, keys: make([]simpleKey, 1, 8), keyMay: true}
}

// fail records a scanner's error; the line printed is the one after the place, or
// that of the context where the place is on the first line.
func (s *yamlScanner) fail(context yamlMark, problem string) bool {
	line := context.line
	if s.at.line > 0 {
		line = s.at.line + 1
	}
	s.err = &yamlError{problem: problem, line: line, mark: s.at.place()}
	return false
}

// peek returns the next token, or nil after an error.
func (s *yamlScanner) peek() *yamlToken {
	if !s.ready {
		if s.err != nil || !s.fill() {
			return nil
		}
		s.ready = true
	}
	return &s.queue[s.head]
}

func (s *yamlScanner) skipToken() {
	s.ready = false
	s.parsed++
	s.head++
	if s.head == len(s.queue) {
		s.queue, s.head = s.queue[:0], 0
	}
}

// fill fetches tokens until the first one cannot become a simple key any more.
func (s *yamlScanner) fill() bool {
	for {
		if s.head < len(s.queue) {
			level := s.queue[s.head].level
			if level == 0 || level > len(s.keys) || !s.keys[level-1].listed || s.keys[level-1].number != s.parsed {
				return true
			}
			valid, ok := s.keyValid(&s.keys[level-1])
			if !ok {
				return false
			}
			if !valid {
				return true
			}
		}
		if !s.fetchChecked() {
			return false
		}
	}
}

// fetchChecked fetches a token unless the reader meets a bad byte first.
func (s *yamlScanner) fetchChecked() bool {
	ok := s.fetch()
	if s.src.problem != "" && (s.tokenAt+4 > s.src.limit || s.at.pos+1 > s.src.limit) {
		s.err = &yamlError{problem: s.src.problem, mark: s.at.place()}
		return false
	}
	return ok
}

func (s *yamlScanner) push(t yamlToken) bool {
	s.queue = append(s.queue, t)
	return true
}

// insert puts a token before the one with that number, or at the end where that
// one was handed out already.
func (s *yamlScanner) insert(number int, t yamlToken) {
	s.push(t)
	if i := s.head + number - s.parsed; number >= s.parsed {
		copy(s.queue[i+1:], s.queue[i:])
		s.queue[i] = t
	}
}

func (s *yamlScanner) fetch() bool {
	s.toNextToken()
	s.tokenAt = s.at.pos
	s.unroll(s.at.col)
	c, next := s.text[s.at.pos], s.text[s.at.pos+1]
	switch {
	case c == 0:
		return s.fetchStreamEnd()
	case s.at.col == 0 && c == '%':
		return s.fetchDirective()
	case s.documentMarker():
		return s.fetchDocumentMarker()
	case c == '[' || c == '{':
		return s.fetchFlowStart()
	case c == ']' || c == '}':
		return s.fetchFlowEnd()
	case c == ',':
		return s.fetchFlowEntry()
	case c == '-' && s.blankz(1):
		return s.fetchBlockEntry()
	case c == '?' && (s.flowLevel > 0 || s.blankz(1)):
		return s.fetchKey()
	case c == ':' && (s.flowLevel > 0 || s.blankz(1)):
		return s.fetchValue()
	case c == '*' || c == '&' || c == '!':
		return s.fetchProperty(c)
	case (c == '|' || c == '>') && s.flowLevel == 0:
		return s.fetchBlockScalar()
	case c == '\'' || c == '"':
		return s.fetchScalar(c)
	case s.startsPlain(c, next):
		return s.fetchScalar(0)
	}
	return s.fail(s.at, "found character that cannot start any token")
}

func (s *yamlScanner) startsPlain(c, next byte) bool {
	switch c {
	case '-':
		return !blank(next)
	case '?', ':':
		return s.flowLevel == 0 && !s.blankz(1)
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	}
	return !s.blankz(0)
}

// documentMarker reports whether "---" or "..." stands here at the line's start.
func (s *yamlScanner) documentMarker() bool {
	if s.at.col != 0 {
		return false
	}
	three := s.text[s.at.pos : s.at.pos+3]
	return (three == "---" || three == "...") && s.blankz(3)
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// breakAt reports whether a line break stands n bytes on.
func (s *yamlScanner) breakAt(n int) bool {
	i := s.at.pos + n
	switch s.text[i] {
	case '\r', '\n':
		return true
	case 0xC2:
		return s.text[i+1] == 0x85
	case 0xE2:
		return s.text[i+1] == 0x80 && (s.text[i+2] == 0xA8 || s.text[i+2] == 0xA9)
	}
	return false
}

func (s *yamlScanner) breakz(n int) bool { return s.text[s.at.pos+n] == 0 || s.breakAt(n) }
func (s *yamlScanner) blankz(n int) bool { return blank(s.text[s.at.pos+n]) || s.breakz(n) }

// skip goes one character on.
func (s *yamlScanner) skip() {
	s.at.pos += max(utf8Width(s.text[s.at.pos]), 1)
	s.at.col++
}

// skipBreak goes over a line break.
func (s *yamlScanner) skipBreak() {
	switch {
	case s.text[s.at.pos] == '\r' && s.text[s.at.pos+1] == '\n':
		s.at.pos += 2
	default:
		s.at.pos += utf8Width(s.text[s.at.pos])
	}
	s.at.col = 0
	s.at.line++
}

// readBreak goes over a line break and appends it as it counts in a scalar.
func (s *yamlScanner) readBreak(b []byte) []byte {
	if s.text[s.at.pos] == 0xE2 {
		b = append(b, s.text[s.at.pos:s.at.pos+3]...)
	} else {
		b = append(b, '\n')
	}
	s.skipBreak()
	return b
}

func (s *yamlScanner) skipBlanks() {
	for blank(s.text[s.at.pos]) {
		s.skip()
	}
}

func (s *yamlScanner) skipComment() {
	if s.text[s.at.pos] == '#' {
		for !s.breakz(0) {
			s.skip()
		}
	}
}

func (s *yamlScanner) toNextToken() {
	for {
		for c := s.text[s.at.pos]; c == ' ' || c == '\t' && (s.flowLevel > 0 || !s.keyMay); c = s.text[s.at.pos] {
			s.skip()
		}
		s.skipComment()
		if !s.breakAt(0) {
			return
		}
		s.skipBreak()
		if s.flowLevel == 0 {
			s.keyMay = true
		}
	}
}
