package api

import (
	"strconv"
	"strings"
)

// quantityParts is a written quantity taken apart: digits before and behind the
// point, without leading zeros, and the suffix.
type quantityParts struct {
	negative          bool
	num, frac, suffix string
	digits            bool // there is at least one digit
}

// ParseQuantity reads a quantity. The errors are ErrQuantityFormat,
// ErrQuantityNumeric and ErrQuantitySuffix.
func ParseQuantity(s string) (Quantity, error) {
	if s == "0" {
		return Quantity{format: DecimalSI, text: "0"}, nil
	}
	if s == "" {
		return Quantity{}, ErrQuantityFormat
	}
	p, ok := splitQuantity(s)
	if !ok {
		return Quantity{}, ErrQuantityFormat
	}
	exp, format, ok := interpretSuffix(p.suffix)
	if !ok {
		return Quantity{}, ErrQuantitySuffix
	}
	if q, ok := p.fast(s, exp, format); ok {
		return q, nil
	}
	if !p.digits {
		return Quantity{}, ErrQuantityNumeric
	}
	return p.slow(exp, format), nil
}

func splitQuantity(s string) (quantityParts, bool) {
	var p quantityParts
	rest := s
	if rest[0] == '-' || rest[0] == '+' {
		p.negative = rest[0] == '-'
		rest = rest[1:]
	}
	n := len(rest)
	rest = strings.TrimLeft(rest, "0")
	p.digits = len(rest) < n
	if rest == "" {
		return quantityParts{negative: p.negative, num: "0", digits: true}, true
	}
	p.num, rest = cutDigits(rest)
	if strings.HasPrefix(rest, ".") {
		p.frac, rest = cutDigits(rest[1:])
	}
	p.digits = p.digits || p.num != "" || p.frac != ""
	if p.num == "" {
		p.num = "0"
	}
	p.suffix = rest
	rest = strings.TrimLeft(rest, "eEinumkKMGTP")
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	_, rest = cutDigits(rest)
	return p, rest == ""
}

func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// interpretSuffix returns the exponent (of 2 for BinarySI, else of 10).
func interpretSuffix(s string) (exp int32, f QuantityFormat, ok bool) {
	for i, d := range decimalSuffixes {
		if s == d {
			return int32(i-3) * 3, DecimalSI, true
		}
	}
	for i, b := range binarySuffixes[1:] {
		if s == b {
			return int32(i+1) * 10, BinarySI, true
		}
	}
	if len(s) > 1 && (s[0] == 'E' || s[0] == 'e') {
		n, err := strconv.ParseInt(s[1:], 10, 64)
		return int32(n), DecimalExponent, err == nil
	}
	return 0, 0, false
}

// fast reads amounts that surely fit in 64 bits, as upstream's fast path does:
// which amounts keep their written text depends on it.
func (p *quantityParts) fast(s string, exp int32, format QuantityFormat) (Quantity, bool) {
	scale, shift := exp, uint(0)
	precision := 18 - len(p.num) - len(p.frac)
	if format == BinarySI {
		scale, shift = 0, uint(exp)
		precision = 15 - len(p.num) - int(exp)*3/10 - 1
		if p.frac != "" {
			precision = -1
		}
	}
	scale -= int32(len(p.frac))
	if precision < 0 || scale < -9 {
		return Quantity{}, false
	}
	shifted := p.num + p.frac
	written, _ := strconv.ParseInt(shifted, 10, 64)
	q := Quantity{value: written << shift, scale: scale, format: format}
	if p.negative {
		q.value = -q.value
	}
	canonical := written&7 != 0
	if format != BinarySI {
		canonical = scale%3 == 0 && !strings.HasSuffix(shifted, "000") && shifted[0] != '0'
	}
	if canonical {
		q.text = s
	}
	return q, true
}

// slow reads any amount exactly, then rounds it up to 1e-9 and caps binary ones.
func (p *quantityParts) slow(exp int32, format QuantityFormat) Quantity {
	d := digits{text: strings.TrimLeft(p.num+p.frac, "0"), scale: -int32(len(p.frac))}
	if format == BinarySI {
		for ; exp > 0; exp -= 10 {
			d.text = timesSmall(d.text, 1024)
		}
	} else {
		d.scale = addScale(d.scale, exp)
	}
	d = d.roundUp(-9)
	if format == BinarySI {
		if d.cmp(maxInt64Digits) > 0 {
			d = maxInt64Digits
		}
		if d.text != "" && d.cmp(digits{text: "1"}) < 0 {
			format = DecimalSI
		}
	}
	d.negative = p.negative && d.text != ""
	return d.quantity(format)
}

var maxInt64Digits = digits{text: "9223372036854775807"}

// addScale adds without wrapping round.
func addScale(a, b int32) int32 {
	return int32(min(max(int64(a)+int64(b), -1<<31), 1<<31-1))
}
