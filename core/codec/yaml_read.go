package codec

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// yamlSource is the text of a document made ready for the scanner: UTF-8 behind
// the byte order mark, with NUL bytes at its end. Where a byte is not allowed,
// limit is how far the real reader gets before it meets it (it reads pieces of
// 512 bytes, go.yaml.in/yaml/v2 readerc.go), and problem is what it says then.
type yamlSource struct {
	text    string
	limit   int // the text ends here
	problem string
}

const (
	rawPiece = 512
	yamlTail = "\x00\x00\x00\x00"
)

func newYAMLSource(b []byte) yamlSource {
	if len(b) == 0 {
		b = []byte{'\n'}
	}
	problem := ""
	start := 0
	switch {
	case len(b) >= 2 && (b[0] == 0xFF && b[1] == 0xFE || b[0] == 0xFE && b[1] == 0xFF):
		b, problem = fromUTF16(b[2:], b[0] == 0xFE)
	case len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF:
		start = 3
	}
	src := yamlSource{limit: len(b), problem: problem}
	for from := start; from < len(b); {
		next, bad := decodePiece(b, from, start)
		if bad != "" {
			src.limit, src.problem = next, bad
			break
		}
		from = next
	}
	src.text = string(b[start:src.limit]) + yamlTail
	src.limit -= start
	return src
}

// decodePiece checks the characters that the reader decodes at once and returns
// where the next piece begins, or how far the reader got and what is wrong.
func decodePiece(b []byte, from, start int) (int, string) {
	end := min(from+rawPiece, len(b))
	if from == start {
		end = min(rawPiece, len(b))
	}
	for i := from; i < end; {
		if c := b[i]; c < 0x80 {
			if c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7F {
				return from, "control characters are not allowed"
			}
			i++
			continue
		}
		width := utf8Width(b[i])
		if width == 0 {
			return from, "invalid leading UTF-8 octet"
		}
		if i+width > end {
			if end == len(b) {
				return i, "incomplete UTF-8 octet sequence"
			}
			return i, ""
		}
		if bad := checkRune(b[i : i+width]); bad != "" {
			return from, bad
		}
		i += width
	}
	return end, ""
}

func checkRune(b []byte) string {
	for _, c := range b[1:] {
		if c&0xC0 != 0x80 {
			return "invalid trailing UTF-8 octet"
		}
	}
	r, size := utf8.DecodeRune(b)
	switch {
	case size == len(b) && (r == 0x85 || r >= 0xA0 && r != 0xFFFE && r != 0xFFFF):
		return ""
	case size == len(b):
		return "control characters are not allowed"
	case len(b) == 3 && b[0] == 0xED || len(b) == 4 && (b[0] > 0xF4 || b[0] == 0xF4 && b[1] > 0x8F):
		return "invalid Unicode character"
	}
	return "invalid length of a UTF-8 sequence"
}

// utf8Width is the length that the first byte of a character states, or 0.
func utf8Width(c byte) int {
	switch {
	case c < 0x80:
		return 1
	case c&0xE0 == 0xC0:
		return 2
	case c&0xF0 == 0xE0:
		return 3
	case c&0xF8 == 0xF0:
		return 4
	}
	return 0
}

func fromUTF16(b []byte, bigEndian bool) ([]byte, string) {
	var out strings.Builder
	unit := func(i int) rune {
		if bigEndian {
			return rune(b[i])<<8 | rune(b[i+1])
		}
		return rune(b[i+1])<<8 | rune(b[i])
	}
	for i := 0; i < len(b); i += 2 {
		if i+1 == len(b) {
			return []byte(out.String()), "incomplete UTF-16 character"
		}
		r := unit(i)
		switch {
		case r&0xFC00 == 0xDC00:
			return []byte(out.String()), "unexpected low surrogate area"
		case r&0xFC00 != 0xD800:
		case i+3 >= len(b):
			return []byte(out.String()), "incomplete UTF-16 surrogate pair"
		case unit(i+2)&0xFC00 != 0xDC00:
			return []byte(out.String()), "expected low surrogate area"
		default:
			r = utf16.DecodeRune(r, unit(i+2))
			i += 2
		}
		out.WriteRune(r)
	}
	return []byte(out.String()), ""
}
