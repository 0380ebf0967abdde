package api

import (
	"math"
	"strconv"
	"strings"
)

const minInt64 = math.MinInt64

// maxDigits bounds the length of a sum: adding to 1e1000000 something that would
// need more digits leaves the larger amount as it is.
const maxDigits = 1 << 14

// digits is an amount of any size: text x 10^scale, text without leading zeros
// and empty for zero. Amounts beyond 64 bits are rare, so it is simple, not fast.
type digits struct {
	negative bool
	text     string
	scale    int32
}

// digits returns the amount without trailing zeros.
func (q Quantity) digits() digits {
	d := digits{negative: q.value < 0, text: q.text, scale: q.scale}
	if q.form != wide {
		d.text = strings.TrimLeft(strconv.FormatInt(q.value, 10), "-0")
	}
	return d.trim()
}

func (d digits) trim() digits {
	t := strings.TrimRight(d.text, "0")
	d.scale = addScale(d.scale, int32(len(d.text)-len(t)))
	d.text = t
	return d
}

// quantity returns the amount, held as upstream's decimal.
func (d digits) quantity(f QuantityFormat) Quantity {
	d = d.trim()
	if d.text == "" {
		return Quantity{format: f, form: decimal}
	}
	q := Quantity{value: 1, scale: d.scale, format: f, form: wide, text: d.text}
	if v, err := strconv.ParseInt(d.text, 10, 64); err == nil {
		q.value, q.form, q.text = v, decimal, ""
	}
	if d.negative {
		q.value = -q.value
	}
	return q
}

func (q Quantity) wideSum(o Quantity, minus bool) Quantity {
	a, b := q.digits(), o.digits()
	if minus {
		b.negative = !b.negative
	}
	return a.add(b).quantity(q.format)
}

// magnitude is the place of the first digit: 10^magnitude > amount.
func (d digits) magnitude() int64 { return int64(len(d.text)) + int64(d.scale) }

func (d digits) sign() int {
	switch {
	case d.text == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d digits) cmp(o digits) int {
	s, t := d.sign(), o.sign()
	if s != t || s == 0 {
		return compare(int64(s), int64(t))
	}
	return s * d.cmpAbs(o)
}

func (d digits) cmpAbs(o digits) int {
	if m, n := d.magnitude(), o.magnitude(); m != n {
		return compare(m, n)
	}
	return strings.Compare(strings.TrimRight(d.text, "0"), strings.TrimRight(o.text, "0"))
}

func (d digits) add(o digits) digits {
	if d.text == "" || o.text == "" {
		if d.text == "" {
			return o
		}
		return d
	}
	if d.cmpAbs(o) < 0 {
		d, o = o, d
	}
	scale := min(d.scale, o.scale)
	if d.magnitude()-int64(scale) > maxDigits {
		return d
	}
	x := d.text + strings.Repeat("0", int(d.scale-scale))
	y := o.text + strings.Repeat("0", int(o.scale-scale))
	return digits{d.negative, addText(x, y, d.negative != o.negative), scale}
}

// addText returns x+y, or x-y where x is not below y.
func addText(x, y string, minus bool) string {
	out := make([]byte, len(x)+1)
	carry := 0
	for i := range len(x) {
		b := carry
		if i < len(y) {
			b += int(y[len(y)-1-i] - '0')
		}
		if minus {
			b = -b
		}
		v := int(x[len(x)-1-i]-'0') + b
		carry = 0
		if v > 9 || v < 0 {
			carry = 1
		}
		out[len(x)-i] = byte('0' + (v+10)%10)
	}
	out[0] = '0'
	if !minus {
		out[0] += byte(carry)
	}
	return strings.TrimLeft(string(out), "0")
}

// timesSmall multiplies by a factor below a million.
func timesSmall(text string, factor int) string {
	out := make([]byte, len(text)+6)
	carry := 0
	for i := len(out) - 1; i >= 0; i-- {
		if j := i - 6; j >= 0 {
			carry += int(text[j]-'0') * factor
		}
		out[i] = byte('0' + carry%10)
		carry /= 10
	}
	return strings.TrimLeft(string(out), "0")
}

// divideSmall divides by a number below a million and returns the remainder.
func divideSmall(text string, by int) (string, int) {
	out := make([]byte, len(text))
	rem := 0
	for i := range len(text) {
		rem = rem*10 + int(text[i]-'0')
		out[i] = byte('0' + rem/by)
		rem %= by
	}
	return strings.TrimLeft(string(out), "0"), rem
}

// roundUp drops the digits below 10^scale, away from zero.
func (d digits) roundUp(scale int32) digits {
	drop := int64(scale) - int64(d.scale)
	if d.text == "" || drop <= 0 {
		return d
	}
	kept := ""
	if drop < int64(len(d.text)) {
		kept = d.text[:int64(len(d.text))-drop]
	}
	if strings.Trim(d.text[len(kept):], "0") != "" {
		kept = addText("0"+kept, "1", false)
	}
	return digits{d.negative, kept, scale}
}

// scaledTo returns the low 64 bits of the amount in units of 10^scale, rounded
// towards zero and then one more (api/resource/scale_int.go).
func (d digits) scaledTo(scale int32) int64 {
	text, shift := d.text, int64(d.scale)-int64(scale)
	inexact := false
	if shift < 0 {
		n := max(int64(len(text))+shift, 0)
		inexact = strings.Trim(text[n:], "0") != ""
		text = text[:n]
	}
	var v uint64
	for i := range len(text) {
		v = v*10 + uint64(text[i]-'0')
	}
	for ; shift > 0 && v != 0; shift-- {
		v *= 10
	}
	r := int64(v)
	if d.negative {
		r = -r
	}
	if inexact {
		r++
	}
	return r
}

// appendCanonical prints an amount that is not zero.
func (d digits) appendCanonical(out []byte, f QuantityFormat) []byte {
	d = d.trim()
	if d.negative {
		out = append(out, '-')
	}
	if f != BinarySI {
		for d.scale%3 != 0 {
			d.text, d.scale = d.text+"0", d.scale-1
		}
		return appendDecimalSuffix(append(out, d.text...), d.scale, f)
	}
	if d.magnitude() > maxDigits {
		return appendDecimalSuffix(append(out, d.text...), d.scale, DecimalExponent)
	}
	text, n := d.text+strings.Repeat("0", int(d.scale)), 0
	for {
		t, rem := divideSmall(text, 1024)
		if rem != 0 {
			break
		}
		text, n = t, n+1
	}
	out = append(out, text...)
	if n < len(binarySuffixes) {
		out = append(out, binarySuffixes[n]...)
	}
	return out
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

var powersOf10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// timesPow10 returns 0 and false when the product does not fit in 64 bits.
func timesPow10(v int64, n int32) (int64, bool) {
	if v == 0 || n == 0 {
		return v, true
	}
	if n < 0 || int(n) >= len(powersOf10) || v == minInt64 {
		return 0, false
	}
	p := powersOf10[n]
	w := v * p
	if w/p != v {
		return 0, false
	}
	return w, true
}

// dividePow10 rounds towards zero and reports whether nothing was lost.
func dividePow10(v int64, n int32) (int64, bool) {
	if n < 0 || int(n) >= len(powersOf10) {
		return 0, v == 0
	}
	p := powersOf10[n]
	return v / p, v%p == 0
}
