package field

import (
	"strconv"
	"strings"
)

// The patterns are printed in messages only; the checks below are by hand, which
// is a hundredth of package regexp in the binary.
const (
	labelKeyFmt   = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
	dnsLabelFmt   = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	labelKeyRule  = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
	subdomainRule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
	dnsLabelRule  = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
	mustBeFilled  = "must be non-empty"
)

// IsLabelKey returns what is wrong with a label key or another qualified name
// (apimachinery/pkg/api/validate/content).
func IsLabelKey(s string) []string {
	prefix, name, slash := strings.Cut(s, "/")
	if !slash {
		prefix, name = "", s
	}
	if strings.Contains(name, "/") {
		return []string{"a valid label key " + RegexError(labelKeyRule, labelKeyFmt, "MyName", "my.name", "123-abc") +
			" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	}
	var errs []string
	if slash && prefix == "" {
		errs = append(errs, "prefix part "+mustBeFilled)
	} else if slash {
		for _, e := range IsDNS1123Subdomain(prefix) {
			errs = append(errs, "prefix part "+e)
		}
	}
	if name == "" {
		errs = append(errs, "name part "+mustBeFilled)
	} else if len(name) > 63 {
		errs = append(errs, "name part "+MaxLenError(63))
	}
	if !isLabelName(name) {
		errs = append(errs, "name part "+RegexError(labelKeyRule, labelKeyFmt, "MyName", "my.name", "123-abc"))
	}
	return errs
}

// IsLabelValue returns what is wrong with the value of a label.
func IsLabelValue(s string) []string {
	var errs []string
	if len(s) > 63 {
		errs = append(errs, MaxLenError(63))
	}
	if s != "" && !isLabelName(s) {
		errs = append(errs, RegexError("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "+
			"and must start and end with an alphanumeric character", "("+labelKeyFmt+")?", "MyValue", "my_value", "12345"))
	}
	return errs
}

// IsDNS1123Label returns what is wrong with a name of up to 63 characters.
func IsDNS1123Label(s string) []string {
	var errs []string
	if len(s) > 63 {
		errs = append(errs, MaxLenError(63))
	}
	switch {
	case isDNSLabel(s):
	case isSubdomain(s):
		errs = append(errs, "must not contain dots")
	default:
		errs = append(errs, RegexError(dnsLabelRule, dnsLabelFmt, "my-name", "123-abc"))
	}
	return errs
}

// IsDNS1123Subdomain returns what is wrong with a name of up to 253 characters
// that may have dots.
func IsDNS1123Subdomain(s string) []string {
	var errs []string
	if len(s) > 253 {
		errs = append(errs, MaxLenError(253))
	}
	if !isSubdomain(s) {
		errs = append(errs, RegexError(subdomainRule, dnsLabelFmt+`(\.`+dnsLabelFmt+`)*`, "example.com"))
	}
	return errs
}

// MaxLenError is the message of a text with more than n bytes.
func MaxLenError(n int) string { return "must be no more than " + strconv.Itoa(n) + " bytes" }

// RegexError is the message of a text that does not match a pattern.
func RegexError(rule, pattern string, examples ...string) string {
	if len(examples) == 0 {
		return rule + " (regex used for validation is '" + pattern + "')"
	}
	return rule + " (e.g. '" + strings.Join(examples, "',  or '") + "', regex used for validation is '" + pattern + "')"
}

func isLabelName(s string) bool {
	return s != "" && isAlnum(s[0]) && isAlnum(s[len(s)-1]) && only(s, func(c byte) bool { return isAlnum(c) || c == '-' || c == '_' || c == '.' })
}

func isDNSLabel(s string) bool {
	return s != "" && s[0] != '-' && s[len(s)-1] != '-' && only(s, func(c byte) bool { return isLowerAlnum(c) || c == '-' })
}

func isSubdomain(s string) bool {
	for {
		label, rest, dot := strings.Cut(s, ".")
		if !isDNSLabel(label) {
			return false
		}
		if !dot {
			return true
		}
		s = rest
	}
}

func only(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

func isLowerAlnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
func isAlnum(c byte) bool      { return isLowerAlnum(c) || c >= 'A' && c <= 'Z' }
