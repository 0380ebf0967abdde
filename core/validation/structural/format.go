package structural

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"podwalk/core/api/field"
)

// format is the format of a schema as far as the server knows it for the type
// (apiextensions-apiserver/pkg/apiserver/validation/formats.go).
func (s *Schema) format() string {
	known := false
	switch {
	case s.IntOrString:
	case s.Type == "" || s.Type == "string":
		known = knownFormat(s.Format)
	case s.Type == "integer":
		known = s.Format == "int32" || s.Format == "int64"
	case s.Type == "number":
		known = s.Format == "float" || s.Format == "double"
	}
	if known {
		return s.Format
	}
	return ""
}

var formats = strings.Fields("bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor" +
	" byte password date duration datetime k8sshortname k8slongname")

func knownFormat(f string) bool {
	return f != "" && slices.Contains(formats, strings.ReplaceAll(f, "-", ""))
}

// patterns of the formats that are no more than one
// (kube-openapi/pkg/validation/strfmt/default.go).
var patterns = map[string]string{
	"bsonobjectid": `^[0-9a-fA-F]{24}$`,
	"hostname":     `^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`,
	"mac":          `^([0-9a-fA-F]{2}[:-]){5}([0-9a-fA-F]{2}[:-]){0,2}[0-9a-fA-F]{0,2}$|^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$`,
	"uuid":         `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`,
	"uuid3":        `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`,
	"uuid4":        `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`,
	"uuid5":        `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`,
	"isbn":         `^((97[89][- ]?)?([0-9][- ]?){9}[0-9X])$`,
	"isbn10":       `^([0-9][- ]?){9}[0-9X]$`,
	"isbn13":       `^97[89][- ]?([0-9][- ]?){9}[0-9]$`,
	"creditcard":   `^([0-9][- ]?){13,16}$`,
	"ssn":          `^\d{3}[- ]?\d{2}[- ]?\d{4}$`,
	"hexcolor":     `^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`,
	"rgbcolor":     `^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$`,
	"email":        `^[^@\s<>,;]+@[^@\s<>,;]+$`,
	"datetime":     `^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?([Zz]|([+-][0-9]{2}):?([0-9]{2}))$`,
	"duration":     `^([+-]?([0-9]*(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+|0|[0-9]+\s*(nanoseconds?|nanos?|ns|microseconds?|micros?|us|µs|milliseconds?|millis?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d|weeks?|w))$`,
}

// validFormat reports whether a text has a format.
func validFormat(format, s string) bool {
	format = strings.ReplaceAll(format, "-", "")
	switch format {
	case "uri":
		_, err := url.ParseRequestURI(s)
		return err == nil
	case "ipv4":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4()
	case "ipv6":
		a, err := netip.ParseAddr(s)
		return err == nil && strings.Contains(s, ":") && a.Zone() == ""
	case "cidr":
		_, err := netip.ParsePrefix(s)
		return err == nil
	case "byte":
		_, err := base64.StdEncoding.DecodeString(s)
		return err == nil && s != ""
	case "date":
		_, err := time.Parse("2006-01-02", s)
		return err == nil
	case "hostname":
		return len(s) <= 255 && matches(format, s)
	case "datetime":
		if len(s) < 10 {
			return false
		}
		_, err := time.Parse("2006-01-02", s[:10])
		return err == nil && matches(format, s)
	case "k8sshortname":
		return len(field.IsDNS1123Label(s)) == 0
	case "k8slongname":
		return len(field.IsDNS1123Subdomain(s)) == 0
	}
	return matches(format, s)
}

func matches(format, s string) bool {
	p, ok := patterns[format]
	if !ok {
		return true
	}
	re, err := regexp.Compile(p)
	return err == nil && re.MatchString(s)
}
