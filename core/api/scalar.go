package api

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Time is an instant in seconds since 1970 (UTC), as metav1.Time is stored. Zero
// is "not set" and prints as null.
type Time int64

// Epoch is 1970-01-01T00:00:00Z, which a kubelet tells of what never began. It is a
// value of its own since zero is "not set".
const Epoch Time = -1

// MicroTime is an instant in microseconds since 1970 (UTC). Zero is "not set".
type MicroTime int64

const (
	secondForm = "2006-01-02T15:04:05Z"
	microForm  = "2006-01-02T15:04:05.000000Z"
)

// String prints RFC 3339 in seconds, or "" when not set.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Clock().Format(secondForm)
}

// Clock returns the instant in UTC.
func (t Time) Clock() time.Time {
	if t == Epoch {
		t = 0
	}
	return time.Unix(int64(t), 0).UTC()
}

// MarshalJSON prints the instant, or null when not set.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads RFC 3339 or null. The error is that of time.Parse, as in
// the real server (apimachinery/pkg/apis/meta/v1/time.go).
func (t *Time) UnmarshalJSON(b []byte) error {
	u, ok, err := parseInstant(b, time.RFC3339)
	if err != nil || !ok {
		*t = 0
		return err
	}
	*t = Time(u.Unix())
	if *t == 0 {
		*t = Epoch
	}
	return nil
}

// String prints RFC 3339 in microseconds, or "" when not set.
func (t MicroTime) String() string {
	if t == 0 {
		return ""
	}
	return time.UnixMicro(int64(t)).UTC().Format(microForm)
}

// MarshalJSON prints the instant, or null when not set.
func (t MicroTime) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads RFC 3339 with microseconds or null.
func (t *MicroTime) UnmarshalJSON(b []byte) error {
	u, ok, err := parseInstant(b, "2006-01-02T15:04:05.000000Z07:00")
	if err != nil || !ok {
		*t = 0
		return err
	}
	*t = MicroTime(u.UnixMicro())
	return nil
}

func parseInstant(b []byte, form string) (time.Time, bool, error) {
	if string(b) == "null" {
		return time.Time{}, false, nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return time.Time{}, false, err
	}
	u, err := time.Parse(form, s)
	return u, err == nil, err
}

// IntOrString is a number or a text, such as a named port or "25%".
type IntOrString struct {
	IsString bool
	Int      int32
	Str      string
}

// FromInt makes a number.
func FromInt(n int32) IntOrString { return IntOrString{Int: n} }

// FromString makes a text.
func FromString(s string) IntOrString { return IntOrString{IsString: true, Str: s} }

// String prints the number or the text.
func (v IntOrString) String() string {
	if v.IsString {
		return v.Str
	}
	return strconv.Itoa(int(v.Int))
}

// Scaled is the number, or the percentage of total that the text names, rounded up
// or down (apimachinery/pkg/util/intstr GetScaledValueFromIntOrPercent).
func (v IntOrString) Scaled(total int, up bool) (int, error) {
	if !v.IsString {
		return int(v.Int), nil
	}
	digits, ok := strings.CutSuffix(v.Str, "%")
	percent, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return 0, errors.New("invalid value for IntOrString: invalid type: string is not a percentage")
	}
	n := percent * total
	if up {
		n += 99
	}
	return n / 100, nil
}

// MarshalJSON prints a number or a string.
func (v IntOrString) MarshalJSON() ([]byte, error) {
	if v.IsString {
		return json.Marshal(v.Str)
	}
	return []byte(strconv.Itoa(int(v.Int))), nil
}

// UnmarshalJSON reads a number or a string; the error is encoding/json's, as in
// the real server (apimachinery/pkg/util/intstr).
func (v *IntOrString) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		v.IsString = true
		return json.Unmarshal(b, &v.Str)
	}
	v.IsString = false
	return json.Unmarshal(b, &v.Int)
}

// RawJSON is a value whose fields Podwalk does not look into. It keeps the text.
type RawJSON []byte

// MarshalJSON returns the text, or null when there is none.
func (r RawJSON) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON keeps a copy of the text.
func (r *RawJSON) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0:0], b...)
	return nil
}
