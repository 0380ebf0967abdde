package cel

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"podwalk/core/api/field"
)

// regexFunctions is the library regex (apiserver/pkg/cel/library/regex.go).
func regexFunctions() map[string][]cel.FunctionOpt {
	two := args(cel.StringType, cel.StringType)
	return map[string][]cel.FunctionOpt{
		"find": member("string_find_string", two, cel.StringType, cel.BinaryBinding(func(s, re ref.Val) ref.Val {
			return matching(re, func(r *regexp.Regexp) ref.Val { return find(r, s) })
		})),
		"findAll": {
			cel.MemberOverload("string_find_all_string", two, cel.ListType(cel.StringType), cel.BinaryBinding(func(s, re ref.Val) ref.Val {
				return matching(re, func(r *regexp.Regexp) ref.Val { return findAll(r, s) })
			})),
			cel.MemberOverload("string_find_all_string_int", args(cel.StringType, cel.StringType, cel.IntType), cel.ListType(cel.StringType),
				cel.FunctionBinding(func(a ...ref.Val) ref.Val {
					return matching(a[1], func(r *regexp.Regexp) ref.Val { return findAll(r, a[0], a[2]) })
				})),
		},
	}
}

func matching(pattern ref.Val, f func(*regexp.Regexp) ref.Val) ref.Val {
	text, ok := pattern.Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(pattern)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return types.NewErr("Illegal regex: %v", err.Error())
	}
	return f(re)
}

func find(re *regexp.Regexp, v ref.Val) ref.Val {
	s, ok := v.Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	return types.String(re.FindString(s))
}

func findAll(re *regexp.Regexp, v ref.Val, limit ...ref.Val) ref.Val {
	s, ok := v.Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	n := int64(-1)
	if len(limit) > 0 {
		if n, ok = limit[0].Value().(int64); !ok {
			return types.MaybeNoSuchOverloadErr(limit[0])
		}
	}
	return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(s, int(n)))
}

var (
	findOptimization    = optimized("find", func(re *regexp.Regexp, a []ref.Val) ref.Val { return find(re, a[0]) })
	findAllOptimization = optimized("findAll", func(re *regexp.Regexp, a []ref.Val) ref.Val { return findAll(re, a[0], a[2:]...) })
)

// optimized compiles a constant pattern once.
func optimized(function string, f func(*regexp.Regexp, []ref.Val) ref.Val) *interpreter.RegexOptimization {
	return &interpreter.RegexOptimization{Function: function, RegexIndex: 1,
		Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
			re, err := regexp.Compile(pattern)
			if err != nil {
				return nil, err
			}
			return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(a ...ref.Val) ref.Val {
				return f(re, a)
			}), nil
		}}
}

var urlType = cel.ObjectType("kubernetes.URL")

func newURL(u *url.URL) ref.Val {
	return &opaque[*url.URL]{typ: urlType, is: u, equal: func(a, b *url.URL) bool { return a.String() == b.String() }, text: (*url.URL).String}
}

// urlFunctions is the library urls (apiserver/pkg/cel/library/urls.go).
func urlFunctions() map[string][]cel.FunctionOpt {
	part := func(id string, f func(*url.URL) string) []cel.FunctionOpt {
		return member(id, args(urlType), cel.StringType, unary(func(u *url.URL) ref.Val { return types.String(f(u)) }))
	}
	return map[string][]cel.FunctionOpt{
		"url": global("string_to_url", args(cel.StringType), urlType, fromText(func(s string) ref.Val {
			_, err := url.ParseRequestURI(s)
			if err != nil {
				return types.NewErr("URL parse error during conversion from string: %v", err)
			}
			u, err := url.Parse(s)
			if err != nil {
				return types.NewErr("URL parse error during conversion from string: %v", err)
			}
			return newURL(u)
		})),
		"getScheme":      part("url_get_scheme", func(u *url.URL) string { return u.Scheme }),
		"getHost":        part("url_get_host", func(u *url.URL) string { return u.Host }),
		"getHostname":    part("url_get_hostname", (*url.URL).Hostname),
		"getPort":        part("url_get_port", (*url.URL).Port),
		"getEscapedPath": part("url_get_escaped_path", (*url.URL).EscapedPath),
		"getQuery": member("url_get_query", args(urlType), cel.MapType(cel.StringType, cel.ListType(cel.StringType)), unary(func(u *url.URL) ref.Val {
			out := map[string]any{}
			for k, values := range u.Query() {
				all := make([]any, len(values))
				for i, v := range values {
					all[i] = v
				}
				out[k] = all
			}
			return valueOf(out)
		})),
		"isURL": global("is_url_string", args(cel.StringType), cel.BoolType, fromText(func(s string) ref.Val {
			_, err := url.ParseRequestURI(s)
			return types.Bool(err == nil)
		})),
	}
}

// format is a named format of strings. size is that of the pattern by which the
// cost is counted.
type format struct {
	name     string
	validate func(string) []string
	size     int
}

var formatType = cel.ObjectType("kubernetes.NamedFormat")

func newFormat(f *format) ref.Val {
	return &opaque[*format]{typ: formatType, is: f, equal: func(a, b *format) bool { return a.name == b.name }}
}

const (
	uuidPattern = `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`
	timePattern = `^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`
)

// formats are those of the library format (apiserver/pkg/cel/library/format.go).
var formats = map[string]*format{
	"dns1123Label":           {"DNS1123Label", field.IsDNS1123Label, 30},
	"dns1123Subdomain":       {"DNS1123Subdomain", field.IsDNS1123Subdomain, 60},
	"dns1035Label":           {"DNS1035Label", isDNS1035Label, 30},
	"qualifiedName":          {"QualifiedName", field.IsLabelKey, 60},
	"dns1123LabelPrefix":     {"DNS1123LabelPrefix", prefix(field.IsDNS1123Label), 30},
	"dns1123SubdomainPrefix": {"DNS1123SubdomainPrefix", prefix(field.IsDNS1123Subdomain), 60},
	"dns1035LabelPrefix":     {"DNS1035LabelPrefix", prefix(isDNS1035Label), 30},
	"labelValue":             {"LabelValue", field.IsLabelValue, 40},
	"uri": {"URI", func(s string) []string {
		if _, err := url.ParseRequestURI(s); err != nil {
			return []string{err.Error()}
		}
		return nil
	}, 1103},
	"uuid":     {"uuid", unless(regexp.MustCompile(uuidPattern).MatchString, "does not match the UUID format"), len(uuidPattern)},
	"byte":     {"byte", unless(isBase64, "invalid base64"), 84},
	"date":     {"date", unless(isDate, "invalid date"), len(timePattern)},
	"datetime": {"datetime", unless(isDateTime, "invalid datetime"), len(timePattern)},
}

func unless(ok func(string) bool, message string) func(string) []string {
	return func(s string) []string {
		if ok(s) {
			return nil
		}
		return []string{message}
	}
}

// prefix lets a name end in a dash, as names that are only begun do.
func prefix(rule func(string) []string) func(string) []string {
	return func(s string) []string {
		if len(s) > 1 && strings.HasSuffix(s, "-") {
			s = s[:len(s)-2] + "a"
		}
		return rule(s)
	}
}

var dns1035 = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)

// isDNS1035Label mirrors apimachinery/pkg/util/validation.
func isDNS1035Label(s string) (wrong []string) {
	if len(s) > 63 {
		wrong = append(wrong, "must be no more than 63 bytes")
	}
	if !dns1035.MatchString(s) {
		wrong = append(wrong, "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "+
			"and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')")
	}
	return wrong
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil && s != "" && !strings.ContainsAny(s, "\r\n")
}

func isDate(s string) bool {
	_, err := time.Parse("2006-01-02", s)
	return err == nil
}

func isDateTime(s string) bool {
	if len(s) < 4 {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
	return err == nil
}

// formatFunctions is the library format.
func formatFunctions() map[string][]cel.FunctionOpt {
	out := map[string][]cel.FunctionOpt{
		"validate": member("format-validate", args(formatType, cel.StringType), cel.OptionalType(cel.ListType(cel.StringType)),
			cel.BinaryBinding(func(v, s ref.Val) ref.Val {
				f, ok := v.(*opaque[*format])
				text, fits := s.(types.String)
				if !ok || !fits {
					return types.MaybeNoSuchOverloadErr(v)
				}
				if wrong := f.is.validate(string(text)); len(wrong) > 0 {
					return types.OptionalOf(types.NewStringList(types.DefaultTypeAdapter, wrong))
				}
				return types.OptionalNone
			})),
		"format.named": global("format-named", args(cel.StringType), cel.OptionalType(formatType), fromText(func(name string) ref.Val {
			f, ok := formats[name]
			if !ok {
				return types.OptionalNone
			}
			return types.OptionalOf(newFormat(f))
		})),
	}
	names := make([]string, 0, len(formats))
	for name := range formats {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		f := formats[name]
		out["format."+name] = global("format."+name, nil, formatType, cel.FunctionBinding(func(...ref.Val) ref.Val { return newFormat(f) }))
	}
	return out
}
