package field

import (
	"encoding/json"
	"strconv"
	"strings"
)

// ErrorType is the kind of an error, as in the causes of a Status.
type ErrorType string

// The kinds of errors.
const (
	TypeNotFound     ErrorType = "FieldValueNotFound"
	TypeRequired     ErrorType = "FieldValueRequired"
	TypeDuplicate    ErrorType = "FieldValueDuplicate"
	TypeInvalidValue ErrorType = "FieldValueInvalid"
	TypeNotSupported ErrorType = "FieldValueNotSupported"
	TypeForbidden    ErrorType = "FieldValueForbidden"
	TypeTooLong      ErrorType = "FieldValueTooLong"
	TypeTooMany      ErrorType = "FieldValueTooMany"
	TypeTooFew       ErrorType = "FieldValueTooFew"
	TypeTooShort     ErrorType = "FieldValueTooShort"
	TypeInternal     ErrorType = "InternalError"
	TypeTypeInvalid  ErrorType = "FieldValueTypeInvalid"
)

// String prints the words that begin an error of that kind.
func (t ErrorType) String() string {
	switch t {
	case TypeNotFound:
		return "Not found"
	case TypeRequired:
		return "Required value"
	case TypeDuplicate:
		return "Duplicate value"
	case TypeInvalidValue, TypeTypeInvalid:
		return "Invalid value"
	case TypeNotSupported:
		return "Unsupported value"
	case TypeForbidden:
		return "Forbidden"
	case TypeTooLong:
		return "Too long"
	case TypeTooMany:
		return "Too many"
	case TypeTooFew:
		return "Too few"
	case TypeTooShort:
		return "Too short"
	}
	return "Internal error"
}

// printsValue reports whether errors of that kind show the value.
func (t ErrorType) printsValue() bool {
	switch t {
	case TypeRequired, TypeForbidden, TypeTooLong, TypeTooShort, TypeInternal:
		return false
	}
	return true
}

// JSON is a value that is already printed, such as an internal struct of the real
// server, whose field names are Go's.
type JSON string

// MarshalJSON returns the text.
func (j JSON) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// omitted is the value of an error that shows none.
type omitted struct{}

// Error is one thing that is wrong with a field.
type Error struct {
	Type     ErrorType
	Field    string
	BadValue any
	Detail   string
}

// Error prints the field and what is wrong.
func (e *Error) Error() string { return e.Field + ": " + e.ErrorBody() }

// ErrorBody prints what is wrong, without the field.
func (e *Error) ErrorBody() string {
	s := e.Type.String()
	if _, none := e.BadValue.(omitted); !none && e.Type.printsValue() {
		s += ": " + render(e.BadValue)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// render prints a plain string as Go does and anything else as JSON.
func render(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TypeInvalid says that a value has the wrong type.
func TypeInvalid(p *Path, value any, detail string) *Error {
	return &Error{TypeTypeInvalid, p.String(), value, detail}
}

// NotFound says that what the value names does not exist.
func NotFound(p *Path, value any) *Error { return &Error{TypeNotFound, p.String(), value, ""} }

// Required says that a value is missing.
func Required(p *Path, detail string) *Error { return &Error{TypeRequired, p.String(), "", detail} }

// Duplicate says that a value that must be unique is there twice.
func Duplicate(p *Path, value any) *Error { return &Error{TypeDuplicate, p.String(), value, ""} }

// Invalid says that a value is malformed. A value of type string is printed as Go
// does, any other (a named string type too) as JSON.
func Invalid(p *Path, value any, detail string) *Error {
	return &Error{TypeInvalidValue, p.String(), value, detail}
}

// NotSupported says that a value is none of those that are valid.
func NotSupported[T ~string](p *Path, value any, valid []T) *Error {
	quoted := make([]string, len(valid))
	for i, v := range valid {
		quoted[i] = strconv.Quote(string(v))
	}
	detail := ""
	if len(valid) > 0 {
		detail = "supported values: " + strings.Join(quoted, ", ")
	}
	return &Error{TypeNotSupported, p.String(), value, detail}
}

// Forbidden says that a value is not allowed here.
func Forbidden(p *Path, detail string) *Error { return &Error{TypeForbidden, p.String(), "", detail} }

// TooLong says that a text has more than limit bytes; the value is not shown.
func TooLong(p *Path, _ any, limit int) *Error {
	return &Error{TypeTooLong, p.String(), "<value omitted>", atMost(limit, "may not be more than ", "byte", "value is too long")}
}

// TooLongCharacters says that a text has more than limit characters.
func TooLongCharacters[T ~string](p *Path, _ T, limit int) *Error {
	return &Error{TypeTooLong, p.String(), "<value omitted>", atMost(limit, "may not be more than ", "character", "value is too long")}
}

// TooShort says that a text has less than limit characters.
func TooShort[T ~string](p *Path, value T, limit int) *Error {
	return &Error{TypeTooShort, p.String(), value, atMost(limit, "must be at least ", "character", "value is too short")}
}

// TooMany says that a list has more than limit items; a negative number of items
// is not shown.
func TooMany(p *Path, actual, limit int) *Error {
	var value any = actual
	if actual < 0 {
		value = omitted{}
	}
	return &Error{TypeTooMany, p.String(), value, atMost(limit, "must have at most ", "item", "has too many items")}
}

// InternalError reports an error that the user did not make.
func InternalError(p *Path, err error) *Error {
	return &Error{TypeInternal, p.String(), err, err.Error()}
}

// atMost prints a limit in units, or other where it is negative.
func atMost(limit int, words, unit, other string) string {
	if limit < 0 {
		return other
	}
	if limit != 1 {
		unit += "s"
	}
	return words + strconv.Itoa(limit) + " " + unit
}

// ErrorList is the result of validation.
type ErrorList []*Error

// PrefixDetail puts a text before the detail of each error and returns the list.
func (l ErrorList) PrefixDetail(prefix string) ErrorList {
	for _, e := range l {
		e.Detail = prefix + e.Detail
	}
	return l
}

// Filter returns the errors that keep holds for.
func (l ErrorList) Filter(keep func(*Error) bool) ErrorList {
	var out ErrorList
	for _, e := range l {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// ToAggregate returns nil for no errors, or one error that prints one message as
// it is and several as [a, b], each once.
func (l ErrorList) ToAggregate() error {
	if len(l) == 0 {
		return nil
	}
	return aggregate(l.messages())
}

func (l ErrorList) messages() []string {
	seen := make(map[string]bool, len(l))
	var out []string
	for _, e := range l {
		if m := e.Error(); !seen[m] {
			seen[m] = true
			out = append(out, m)
		}
	}
	return out
}

type aggregate []string

func (a aggregate) Error() string {
	if len(a) == 1 {
		return a[0]
	}
	return "[" + strings.Join(a, ", ") + "]"
}
