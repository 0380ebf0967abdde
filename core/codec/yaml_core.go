package codec

import (
	"strconv"
	"strings"
	"time"
)

type scalarKind uint8

const (
	scalarString scalarKind = iota
	scalarNull
	scalarBool
	scalarInt
	scalarFloat
	scalarTime // printed as it is written
	scalarUint // beyond 63 bits; the value is in float
)

var scalarTags = [...]string{strTag, nullTag, boolTag, intTag, floatTag, timestampTag, intTag}

// scalar is a resolved scalar.
type scalar struct {
	kind    scalarKind
	text    string
	bool    bool
	int     int64
	float   float64
	problem string
}

// resolveScalar reads a scalar that is plain or has a tag by the rules of YAML 1.1
// (go.yaml.in/yaml/v2 resolve.go).
func resolveScalar(tag, text string) scalar {
	switch tag {
	case "", boolTag, intTag, floatTag, nullTag, timestampTag:
	default:
		return scalar{text: text}
	}
	s := plainScalar(tag, text)
	if tag == "" || scalarTags[s.kind] == tag {
		return s
	}
	if tag == floatTag && s.kind == scalarInt {
		return scalar{kind: scalarFloat, float: float64(s.int)}
	}
	s.problem = "cannot decode " + shortTag(scalarTags[s.kind]) + " `" + text + "` as a " + shortTag(tag)
	return s
}

func shortTag(tag string) string { return "!!" + strings.TrimPrefix(tag, longTag) }

func plainScalar(tag, text string) scalar {
	str := scalar{text: text}
	if text == "" {
		return scalar{kind: scalarNull}
	}
	switch c := text[0]; {
	case strings.IndexByte("yYnNtTfFoO~", c) >= 0:
		return namedScalar(text)
	case c == '.':
		if s := namedScalar(text); s.kind != scalarString {
			return s
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return scalar{kind: scalarFloat, float: f}
		}
	case c == '+' || c == '-' || c >= '0' && c <= '9':
		if s := namedScalar(text); s.kind != scalarString {
			return s
		}
		if (tag == "" || tag == timestampTag) && isTimestamp(text) {
			return scalar{kind: scalarTime, text: text}
		}
		if s, ok := numberScalar(strings.ReplaceAll(text, "_", "")); ok {
			return s
		}
	}
	return str
}

// namedScalar looks a text up among those that stand for a value.
func namedScalar(text string) scalar {
	switch text {
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return scalar{kind: scalarBool, bool: true}
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return scalar{kind: scalarBool}
	case "~", "null", "Null", "NULL":
		return scalar{kind: scalarNull}
	case ".nan", ".NaN", ".NAN":
		return scalar{kind: scalarFloat, float: parseFloat("nan")}
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return scalar{kind: scalarFloat, float: parseFloat("inf")}
	case "-.inf", "-.Inf", "-.INF":
		return scalar{kind: scalarFloat, float: parseFloat("-inf")}
	}
	return scalar{text: text}
}

func parseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

func numberScalar(plain string) (scalar, bool) {
	if n, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return scalar{kind: scalarInt, int: n}, true
	}
	if n, err := strconv.ParseUint(plain, 0, 64); err == nil {
		return scalar{kind: scalarUint, float: float64(n), text: "0x" + strconv.FormatUint(n, 16)}, true
	}
	if isYAMLFloat(plain) {
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return scalar{kind: scalarFloat, float: f}, true
		}
	}
	if after, found := strings.CutPrefix(plain, "0b"); found { // as in 0b-11
		n, err := strconv.ParseInt(after, 2, 64)
		return scalar{kind: scalarInt, int: n}, err == nil
	}
	return scalar{}, false
}

// isYAMLFloat reports whether s looks like [-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?
func isYAMLFloat(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	whole, rest := cutDigits(s)
	frac := ""
	if strings.HasPrefix(rest, ".") {
		frac, rest = cutDigits(rest[1:])
	}
	if whole == "" && frac == "" {
		return false
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	exp, rest := cutDigits(rest)
	return exp != "" && rest == ""
}

func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

var timestampForms = [...]string{"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2"}

func isTimestamp(s string) bool {
	year, rest := cutDigits(s)
	if len(year) != 4 || !strings.HasPrefix(rest, "-") {
		return false
	}
	for _, form := range timestampForms {
		if _, err := time.Parse(form, s); err == nil {
			return true
		}
	}
	return false
}

// formatNumber prints a number as JSON, a whole one as an integer where it fits.
func formatNumber(f float64) string {
	s := string(appendFloat(nil, f))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return s
}
