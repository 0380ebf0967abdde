package api

import (
	"errors"
	"strconv"
	"strings"
)

// QuantityFormat is how a quantity was written and is printed again.
type QuantityFormat uint8

// The formats (apimachinery/pkg/api/resource/quantity.go).
const (
	DecimalExponent QuantityFormat = iota // 12e6
	BinarySI                              // 12Mi
	DecimalSI                             // 12M
)

// The errors of ParseQuantity.
var (
	ErrQuantityFormat  = errors.New("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	ErrQuantityNumeric = errors.New("unable to parse numeric part of quantity")
	ErrQuantitySuffix  = errors.New("unable to parse quantity's suffix")
)

// Quantity is a fixed-point number with a unit suffix, such as 500m or 1Gi. It
// is exact down to 1e-9; smaller parts are rounded away from zero when it is
// read. It is a value: methods return the result. Compare with Cmp or Equal, not
// with ==, because the written text is kept as long as upstream keeps it
// (apimachinery/pkg/api/resource/quantity.go).
type Quantity struct {
	value  int64
	scale  int32 // the amount is value x 10^scale
	format QuantityFormat
	form   amountForm
	text   string // of small: as written, or empty; of wide: the digits
}

// amountForm tells how the amount is held. Only its overflow can be seen from
// outside: see scaledDown.
type amountForm uint8

const (
	small   amountForm = iota // value x 10^scale
	decimal                   // the same, but upstream holds a decimal
	wide                      // text x 10^scale, with the sign of value
)

// NewQuantity makes a quantity of whole units.
func NewQuantity(value int64, f QuantityFormat) Quantity { return Quantity{value: value, format: f} }

// NewMilliQuantity makes a quantity of thousandths.
func NewMilliQuantity(value int64, f QuantityFormat) Quantity {
	return Quantity{value: value, scale: -3, format: f}
}

// MustQuantity is ParseQuantity for constants; it panics on an error.
func MustQuantity(s string) Quantity {
	q, err := ParseQuantity(s)
	if err != nil {
		panic("cannot parse '" + s + "': " + err.Error())
	}
	return q
}

// Format returns how the quantity is printed.
func (q Quantity) Format() QuantityFormat { return q.format }

// Value returns the units, rounded up; it is 0 or wrong when they exceed 64 bits.
func (q Quantity) Value() int64 { return q.scaledTo(0) }

// MilliValue returns the thousandths, rounded up; it is 0 or wrong when they
// exceed 64 bits.
func (q Quantity) MilliValue() int64 { return q.scaledTo(-3) }

// Sign is -1, 0 or 1.
func (q Quantity) Sign() int {
	switch {
	case q.value > 0:
		return 1
	case q.value < 0:
		return -1
	}
	return 0
}

// IsZero reports whether the amount is zero.
func (q Quantity) IsZero() bool { return q.value == 0 }

// Equal reports whether the amounts are equal, however they are written.
func (q Quantity) Equal(o Quantity) bool { return q.Cmp(o) == 0 }

// Cmp is -1, 0 or 1.
func (q Quantity) Cmp(o Quantity) int {
	if q.form != wide && o.form != wide {
		if q.scale == o.scale {
			return compare(q.value, o.value)
		}
		if a, b, ok := alignPair(q, o); ok {
			return compare(a, b)
		}
	}
	return q.digits().cmp(o.digits())
}

// Add returns the sum in q's format, or in o's where q is zero.
func (q Quantity) Add(o Quantity) Quantity { return q.plus(o, false) }

// Sub returns the difference in q's format, or in o's where q is zero.
func (q Quantity) Sub(o Quantity) Quantity { return q.plus(o, true) }

// Neg returns the negative amount.
func (q Quantity) Neg() Quantity {
	if q.form == small {
		q.text = ""
	}
	q.value = -q.value
	return q
}

func (q Quantity) plus(o Quantity, minus bool) Quantity {
	if o.form != wide && o.value != minInt64 && minus {
		o, minus = o.Neg(), false
	}
	if q.value == 0 {
		q.format = o.format
	}
	if q.form == wide || o.form == wide || minus {
		return q.wideSum(o, minus)
	}
	form := max(q.form, o.form)
	a, b, scale := q.value, o.value, q.scale
	switch {
	case b == 0:
	case a == 0:
		a, b, scale = b, 0, o.scale
	case q.scale != o.scale:
		var ok bool
		if a, b, ok = alignPair(q, o); !ok {
			return q.wideSum(o, false)
		}
		scale = min(q.scale, o.scale)
	}
	c := a + b
	if (c > a) != (b > 0) && b != 0 {
		return q.wideSum(o, false)
	}
	return Quantity{value: c, scale: scale, format: q.format, form: form}
}

// alignPair returns the values of two quantities at the smaller of their scales,
// or false when one would overflow.
func alignPair(q, o Quantity) (int64, int64, bool) {
	a, b, ok := q.value, o.value, false
	if q.scale > o.scale {
		a, ok = timesPow10(a, q.scale-o.scale)
	} else {
		b, ok = timesPow10(b, o.scale-q.scale)
	}
	return a, b, ok
}

// scaledTo returns the amount in units of 10^scale, rounded up.
func (q Quantity) scaledTo(scale int32) int64 {
	if q.form == wide {
		return q.digits().scaledTo(scale)
	}
	if q.scale == scale {
		return q.value
	}
	if q.scale > scale {
		return q.scaledDown(q.scale - scale)
	}
	v, exact := dividePow10(q.value, scale-q.scale)
	switch {
	case exact:
		return v
	case q.value < 0 && q.form == small:
		return v - 1
	}
	return v + 1
}

// scaledDown multiplies by 10^n. What comes out when that does not fit in 64 bits
// depends on how upstream multiplies by that power (api/resource/math.go).
func (q Quantity) scaledDown(n int32) int64 {
	v, ok := timesPow10(q.value, n)
	if !ok && (q.form == decimal || n <= 3 || n == 6 || n == 9) {
		return q.digits().scaledTo(q.scale - n)
	}
	return v
}

// String prints the canonical form, or the written text where upstream keeps it.
func (q Quantity) String() string {
	if q.form != wide && q.text != "" {
		return q.text
	}
	if q.value == 0 {
		return "0"
	}
	var buf [32]byte
	return string(q.appendCanonical(buf[:0]))
}

// MarshalJSON prints the quantity as a JSON string.
func (q Quantity) MarshalJSON() ([]byte, error) {
	return []byte(`"` + q.String() + `"`), nil
}

// UnmarshalJSON reads a JSON string or number; null is zero. As upstream it does
// not look at escapes and drops blanks around the text.
func (q *Quantity) UnmarshalJSON(b []byte) error {
	s := string(b)
	if s == "null" {
		*q = Quantity{format: q.format}
		return nil
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	parsed, err := ParseQuantity(strings.TrimSpace(s))
	if err == nil {
		*q = parsed
	}
	return err
}

// appendCanonical prints the largest suffix that leaves no fraction. A binary
// amount below 1024 or with a fraction is printed in the decimal form.
func (q Quantity) appendCanonical(out []byte) []byte {
	format := q.format
	if format == BinarySI {
		if q.Cmp(Quantity{value: 1024}) < 0 && q.Cmp(Quantity{value: -1024}) > 0 || !q.whole() {
			format = DecimalSI
		}
	}
	if q.form == wide {
		return q.digits().appendCanonical(out, format)
	}
	if format == BinarySI {
		if v, ok := timesPow10(q.value, max(q.scale, 0)); ok {
			v, _ = dividePow10(v, max(-q.scale, 0))
			return appendBinary(out, v)
		}
		return q.digits().appendCanonical(out, format)
	}
	v, exp := q.value, q.scale
	for v%10 == 0 {
		v /= 10
		exp++
	}
	for exp%3 != 0 {
		w, ok := timesPow10(v, 1)
		if !ok {
			return q.digits().appendCanonical(out, format)
		}
		v, exp = w, exp-1
	}
	return appendDecimalSuffix(strconv.AppendInt(out, v, 10), exp, format)
}

func (q Quantity) whole() bool {
	if q.form == wide {
		return q.digits().scale >= 0
	}
	_, exact := dividePow10(q.value, max(-q.scale, 0))
	return exact
}

func appendBinary(out []byte, v int64) []byte {
	n := 0
	for v%1024 == 0 && n < 6 {
		v /= 1024
		n++
	}
	out = strconv.AppendInt(out, v, 10)
	return append(out, binarySuffixes[n]...)
}

var binarySuffixes = [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}

// appendDecimalSuffix leaves the suffix out where SI has none, as upstream does.
func appendDecimalSuffix(out []byte, exp int32, format QuantityFormat) []byte {
	if format == DecimalSI {
		if i := exp/3 + 3; i >= 0 && int(i) < len(decimalSuffixes) {
			return append(out, decimalSuffixes[i]...)
		}
		return out
	}
	if exp == 0 {
		return out
	}
	return strconv.AppendInt(append(out, 'e'), int64(exp), 10)
}

var decimalSuffixes = [...]string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
