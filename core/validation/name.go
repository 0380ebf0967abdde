package validation

import (
	"math"
	"net/netip"
	"strconv"
	"strings"

	"podwalk/core/api/field"
)

// between is the message of a number out of its range.
func between(lo, hi int) string {
	return "must be between " + strconv.Itoa(lo) + " and " + strconv.Itoa(hi) + ", inclusive"
}

func inRange(n, lo, hi int64) []string {
	if n >= lo && n <= hi {
		return nil
	}
	return []string{between(int(lo), int(hi))}
}

func isPort(n int32) []string { return inRange(int64(n), 1, 65535) }

// isID checks the number of a user or group.
func isID(n int64) []string { return inRange(n, 0, math.MaxInt32) }

// isPortName checks an IANA service name.
func isPortName(s string) (errs []string) {
	if len(s) > 15 {
		errs = append(errs, "must be no more than 15 characters")
	}
	if s == "" || !every(s, func(c byte) bool { return lowerAlnum(c) || c == '-' }) {
		errs = append(errs, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
	}
	if !strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz") {
		errs = append(errs, "must contain at least one letter (a-z)")
	}
	if strings.Contains(s, "--") {
		errs = append(errs, "must not contain consecutive hyphens")
	}
	if s != "" && (s[0] == '-' || s[len(s)-1] == '-') {
		errs = append(errs, "must not begin or end with a hyphen")
	}
	return errs
}

func every(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

func lowerAlnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
func alnum(c byte) bool      { return lowerAlnum(c) || c >= 'A' && c <= 'Z' }

// isEnvName allows any printable ASCII but "=".
func isEnvName(s string) []string {
	if s == "" {
		return []string{"environment variable name must be non-empty"}
	}
	if !every(s, func(c byte) bool { return c >= ' ' && c <= '~' && c != '=' }) {
		return []string{"a valid environment variable name must consist only of printable ASCII characters other than '='"}
	}
	return nil
}

// isConfigKey checks a key of a ConfigMap or Secret.
func isConfigKey(s string) (errs []string) {
	if len(s) > 253 {
		errs = append(errs, "must be no more than 253 characters")
	}
	if s == "" || !every(s, func(c byte) bool { return alnum(c) || c == '-' || c == '_' || c == '.' }) {
		errs = append(errs, field.RegexError("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
			"[-._a-zA-Z0-9]+", "key.name", "KEY_NAME", "key-name"))
	}
	switch {
	case s == ".":
		errs = append(errs, "must not be '.'")
	case s == "..":
		errs = append(errs, "must not be '..'")
	case strings.HasPrefix(s, ".."):
		errs = append(errs, "must not start with '..'")
	}
	return errs
}

func isHeaderName(s string) []string {
	if s != "" && every(s, func(c byte) bool { return alnum(c) || c == '-' }) {
		return nil
	}
	return []string{field.RegexError("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+", "X-Header-Name")}
}

// isDNSLabel and isSubdomain are the rules of names, which count characters where
// those of labels count bytes (apimachinery/pkg/util/validation).
func isDNSLabel(s string) []string { return characters(field.IsDNS1123Label(s)) }

func isSubdomain(s string) []string { return characters(field.IsDNS1123Subdomain(s)) }

func characters(messages []string) []string {
	for i, m := range messages {
		if n, ok := strings.CutSuffix(m, " bytes"); ok {
			messages[i] = n + " characters"
		}
	}
	return messages
}

const underscoreLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"

// isSearchDomain is a subdomain that may have underscores.
func isSearchDomain(s string) (errs []string) {
	if len(s) > 253 {
		errs = append(errs, "must be no more than 253 characters")
	}
	for _, label := range strings.Split(s, ".") {
		if len(field.IsDNS1123Subdomain(strings.ReplaceAll(strings.TrimPrefix(label, "_"), "_", "-"))) > 0 {
			return append(errs, field.RegexError("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
				underscoreLabel+`(\.`+underscoreLabel+`)*`, "example.com"))
		}
	}
	return errs
}

// isWildcard checks "*." before a subdomain.
func isWildcard(s string) (errs []string) {
	if len(s) > 253 {
		errs = append(errs, "must be no more than 253 characters")
	}
	rest, ok := strings.CutPrefix(s, "*.")
	if !ok || len(field.IsDNS1123Subdomain(rest)) > 0 {
		const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
		errs = append(errs, field.RegexError("a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
			`\*\.`+label+`(\.`+label+`)*`, "*.example.com"))
	}
	return errs
}

// isIP checks an address of a field as old as the API: strictly, as v1.37 does
// for new objects.
func isIP(s string) []string {
	a, err := netip.ParseAddr(s)
	switch {
	case err == nil && a.Zone() != "":
	case err == nil && a.Is4In6():
		return []string{"must not be an IPv4-mapped IPv6 address"}
	case err == nil:
		return nil
	case isSloppyIP(s):
		return []string{"must not have leading 0s"}
	}
	return []string{"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"}
}

// isSloppyIP holds for IPv4 with leading zeros, which older servers read.
func isSloppyIP(s string) bool {
	parts := strings.Split(s, ".")
	for i, p := range parts {
		if n, err := strconv.Atoi(p); err != nil || n > 255 || len(p) > 3 {
			return false
		}
		parts[i] = strings.TrimLeft(p, "0")
		if parts[i] == "" {
			parts[i] = "0"
		}
	}
	_, err := netip.ParseAddr(strings.Join(parts, "."))
	return err == nil
}

// isCIDR checks a range of addresses in the same way.
func isCIDR(s string) []string {
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return []string{"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"}
	case p.Addr().Is4In6():
		return []string{"must not have an IPv4-mapped IPv6 address"}
	case p.Addr() != p.Masked().Addr():
		return []string{"must not have bits set beyond the prefix length"}
	}
	return nil
}

// notSpecial refuses addresses that mean the host itself or everybody
// (ValidateEndpointIP).
func notSpecial(s string) (errs []string) {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return []string{"must be a valid IP address"}
	}
	if a.IsUnspecified() {
		errs = append(errs, "may not be unspecified ("+s+")")
	}
	if a.IsLoopback() {
		errs = append(errs, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
	}
	if a.IsLinkLocalUnicast() {
		errs = append(errs, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
	}
	if a.IsLinkLocalMulticast() {
		errs = append(errs, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
	}
	return errs
}

// isSegment checks a name that is one part of a URL path.
func isSegment(s string) (errs []string) {
	if s == "." || s == ".." {
		return []string{"may not be '" + s + "'"}
	}
	for _, bad := range []string{"/", "%"} {
		if strings.Contains(s, bad) {
			errs = append(errs, "may not contain '"+bad+"'")
		}
	}
	return errs
}

// domainPath checks a path below a domain, such as example.com/controller.
func (c *check) domainPath(s string, p *field.Path) {
	host, path, ok := strings.Cut(s, "/")
	switch {
	case s == "":
		c.required(p, "")
	case !ok || host == "" || path == "":
		c.invalid(p, s, `must be a domain-prefixed path (such as "acme.io/foo")`)
	default:
		c.each(p, host, isSubdomain(host))
		const chars = `/-._~%!$&'()*+,;=:`
		if !every(path, func(b byte) bool { return alnum(b) || strings.IndexByte(chars, b) >= 0 }) {
			c.invalid(p, path, field.RegexError("Invalid path", `[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`))
		}
	}
}

// isDNS1035Label returns what is wrong with a name that begins with a letter.
func isDNS1035Label(s string) (errs []string) {
	if len(s) > 63 {
		errs = append(errs, field.MaxLenError(63))
	}
	if s == "" || s[0] < 'a' || s[0] > 'z' || s[len(s)-1] == '-' || !every(s, func(c byte) bool { return lowerAlnum(c) || c == '-' }) {
		errs = append(errs, field.RegexError("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
			"[a-z]([-a-z0-9]*[a-z0-9])?", "my-name", "abc-123"))
	}
	return errs
}
