package browser

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"podwalk/core/trace"
)

// Records are most of what the page is sent: thousands of them may come with one
// answer. They are written by hand, which takes a fifth of the time of
// encoding/json; the text is the same but for characters that JSON lets stand.

// AppendJSON appends the progress as JSON.
func (p Progress) AppendJSON(b []byte) []byte { return append(p.appendFields(append(b, '{')), '}') }

func (p Progress) appendFields(b []byte) []byte {
	b = append(b, `"now":`...)
	b = appendFloat(b, p.Now)
	b = append(b, `,"rev":`...)
	b = strconv.AppendUint(b, p.Rev, 10)
	b = append(b, `,"records":`...)
	b = appendRecords(b, p.Records)
	b = append(b, `,"nextAt":`...)
	if p.NextAt == nil {
		b = append(b, "null"...)
	} else {
		b = appendFloat(b, *p.NextAt)
	}
	b = append(b, `,"quiescent":`...)
	b = strconv.AppendBool(b, p.Quiescent)
	return appendText(b, "limit", p.Limit)
}

// AppendJSON appends the records as JSON.
func (r RecordsOK) AppendJSON(b []byte) []byte {
	return append(appendRecords(append(b, `{"records":`...), r.Records), '}')
}

// AppendJSON appends the answer as JSON. What the input printed is short, so
// encoding/json writes it.
func (d DoOK) AppendJSON(b []byte) []byte {
	type printed struct {
		Branch string  `json:"branch,omitempty"`
		Apply  []Apply `json:"apply,omitempty"`
		Stdout string  `json:"stdout,omitempty"`
		Stderr string  `json:"stderr,omitempty"`
		Exit   int     `json:"exit,omitempty"`
		Sent   *Sent   `json:"sent,omitempty"`
	}
	b = d.Progress.appendFields(append(b, '{'))
	more, err := json.Marshal(printed{d.Branch, d.Apply, d.Stdout, d.Stderr, d.Exit, d.Sent})
	if err != nil {
		panic("browser: " + err.Error()) // strings and numbers always encode
	}
	if len(more) > len("{}") {
		b = append(append(b, ','), more[1:len(more)-1]...)
	}
	return append(b, '}')
}

func appendRecords(b []byte, records []trace.Record) []byte {
	b = append(slices.Grow(b, sizeOf(records)), '[')
	for i := range records {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendRecord(b, &records[i])
	}
	return append(b, ']')
}

// sizeOf is about how many bytes the records take: growing a text of megabytes
// step by step would copy it many times.
func sizeOf(records []trace.Record) int {
	n := 64
	for i := range records {
		r := &records[i]
		n += 200 + len(r.Source) + len(r.Ref.Namespace) + len(r.Ref.Name) + len(r.Reason) + len(r.Message)
		for _, d := range r.Detail {
			n += 24 + len(d.Name) + len(d.Value) + len(d.Value)/8
		}
	}
	return n
}

func appendRecord(b []byte, r *trace.Record) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, uint64(r.ID), 10)
	if r.Cause != 0 {
		b = append(b, `,"cause":`...)
		b = strconv.AppendUint(b, uint64(r.Cause), 10)
	}
	b = append(b, `,"at":`...)
	b = strconv.AppendInt(b, int64(r.At), 10)
	b = append(b, `,"source":`...)
	b = appendString(b, r.Source)
	b = appendText(b, "stage", string(r.Stage))
	b = append(b, `,"ref":{"kind":`...)
	b = appendString(b, r.Ref.Kind)
	b = appendText(b, "namespace", r.Ref.Namespace)
	b = append(b, `,"name":`...)
	b = append(appendString(b, r.Ref.Name), '}')
	if r.Rev != 0 {
		b = append(b, `,"rev":`...)
		b = strconv.AppendUint(b, r.Rev, 10)
	}
	b = append(b, `,"verdict":`...)
	b = appendString(b, string(r.Verdict))
	b = appendText(b, "reason", r.Reason)
	b = appendText(b, "message", r.Message)
	return append(appendDetail(b, r.Detail), '}')
}

func appendDetail(b []byte, detail []trace.Detail) []byte {
	for i, d := range detail {
		if i == 0 {
			b = append(b, `,"detail":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = appendString(b, d.Name)
		b = append(b, `,"value":`...)
		b = append(appendString(b, d.Value), '}')
	}
	if len(detail) > 0 {
		b = append(b, ']')
	}
	return b
}

// appendText appends a field, unless it is empty.
func appendText(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(append(append(b, ',', '"'), name...), '"', ':')
	return appendString(b, value)
}

func appendFloat(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', -1, 64) }

// appendString appends s in quotes. Bytes that are no UTF-8 become the
// replacement character.
func appendString(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[from:i]...)
		switch {
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= utf8.RuneSelf:
			b = append(b, "\ufffd"...)
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
