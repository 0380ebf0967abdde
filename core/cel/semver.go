package cel

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// version is a semantic version (github.com/blang/semver/v4).
type version struct {
	major, minor, patch uint64
	pre                 []string
}

// refusal is what is wrong with a version, in the words of the library that the real
// server reads it with.
type refusal string

func (r refusal) Error() string { return string(r) }

var semverType = cel.ObjectType("kubernetes.Semver")

func newSemver(v version) ref.Val {
	return &opaque[version]{typ: semverType, is: v, equal: func(a, b version) bool { return a.compare(b) == 0 }}
}

// parseVersion reads a version strictly.
func parseVersion(s string) (v version, err error) {
	if s == "" {
		return v, refusal("Version string empty")
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) != 3 {
		return v, refusal("No Major.Minor.Patch elements found")
	}
	if v.major, err = versionNumber("major", "Major", parts[0]); err != nil {
		return v, err
	}
	if v.minor, err = versionNumber("minor", "Minor", parts[1]); err != nil {
		return v, err
	}
	rest, build, hasBuild := strings.Cut(parts[2], "+")
	rest, pre, hasPre := strings.Cut(rest, "-")
	if v.patch, err = versionNumber("patch", "Patch", rest); err != nil {
		return v, err
	}
	if hasPre {
		v.pre = strings.Split(pre, ".")
	}
	for _, p := range v.pre {
		if err := badPrerelease(p); err != nil {
			return v, err
		}
	}
	if hasBuild {
		return v, badBuild(strings.Split(build, "."))
	}
	return v, nil
}

func versionNumber(word, title, s string) (uint64, error) {
	switch {
	case !digits(s):
		return 0, refusal("Invalid character(s) found in " + word + " number " + strconv.Quote(s))
	case len(s) > 1 && s[0] == '0':
		return 0, refusal(title + " number must not contain leading zeroes " + strconv.Quote(s))
	}
	return strconv.ParseUint(s, 10, 64)
}

func badPrerelease(s string) error {
	switch {
	case s == "":
		return refusal("Prerelease is empty")
	case digits(s) && len(s) > 1 && s[0] == '0':
		return refusal("Numeric PreRelease version must not contain leading zeroes " + strconv.Quote(s))
	case !identifier(s):
		return refusal("Invalid character(s) found in prerelease " + strconv.Quote(s))
	}
	return nil
}

func badBuild(parts []string) error {
	for _, s := range parts {
		if s == "" {
			return refusal("Build meta data is empty")
		}
		if !identifier(s) {
			return refusal("Invalid character(s) found in build meta data " + strconv.Quote(s))
		}
	}
	return nil
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func identifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-') {
			return false
		}
	}
	return true
}

// normalized reads a version that may begin with a v, lack parts or have leading
// zeroes.
func normalized(s string) (version, error) {
	parts := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i, p := range parts {
		if len(p) > 1 {
			p = strings.TrimLeft(p, "0")
			if p == "" || !digits(p[:1]) {
				p = "0" + p
			}
			parts[i] = p
		}
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return version{}, refusal("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return parseVersion(strings.Join(parts, "."))
}

func (v version) compare(o version) int {
	for _, p := range [][2]uint64{{v.major, o.major}, {v.minor, o.minor}, {v.patch, o.patch}} {
		if p[0] != p[1] {
			return sign(p[0] > p[1])
		}
	}
	switch {
	case len(v.pre) == 0 && len(o.pre) == 0:
		return 0
	case len(v.pre) == 0 || len(o.pre) == 0:
		return sign(len(v.pre) == 0)
	}
	for i := 0; i < len(v.pre) && i < len(o.pre); i++ {
		if c := comparePrerelease(v.pre[i], o.pre[i]); c != 0 {
			return c
		}
	}
	if len(v.pre) == len(o.pre) {
		return 0
	}
	return sign(len(v.pre) > len(o.pre))
}

func sign(greater bool) int {
	if greater {
		return 1
	}
	return -1
}

func comparePrerelease(a, b string) int {
	switch {
	case digits(a) != digits(b):
		return sign(digits(b))
	case a == b:
		return 0
	case digits(a) && len(a) != len(b):
		return sign(len(a) > len(b))
	}
	return sign(a > b)
}

func readVersion(s string, normalize bool) (version, error) {
	if normalize {
		return normalized(s)
	}
	return parseVersion(s)
}

func toVersion(s string, normalize bool) ref.Val {
	v, err := readVersion(s, normalize)
	if err != nil {
		return types.WrapErr(err)
	}
	return newSemver(v)
}

func isVersion(s string, normalize bool) ref.Val {
	_, err := readVersion(s, normalize)
	return types.Bool(err == nil)
}

// semverFunctions is the library semver (apiserver/pkg/cel/library/semverlib.go).
func semverFunctions() map[string][]cel.FunctionOpt {
	one, two, options := args(cel.StringType), args(semverType, semverType), args(cel.StringType, cel.BoolType)
	with := func(f func(string, bool) ref.Val) cel.OverloadOpt {
		return cel.BinaryBinding(func(s, normalize ref.Val) ref.Val {
			text, ok := s.(types.String)
			n, fits := normalize.(types.Bool)
			if !ok || !fits {
				return types.MaybeNoSuchOverloadErr(s)
			}
			return f(string(text), bool(n))
		})
	}
	strict := func(f func(string, bool) ref.Val) cel.OverloadOpt {
		return fromText(func(s string) ref.Val { return f(s, false) })
	}
	part := func(id string, f func(version) uint64) []cel.FunctionOpt {
		return member(id, args(semverType), cel.IntType, unary(func(v version) ref.Val { return types.Int(f(v)) }))
	}
	return map[string][]cel.FunctionOpt{
		"semver": {cel.Overload("string_to_semver", one, semverType, strict(toVersion)),
			cel.Overload("string_bool_to_semver", options, semverType, with(toVersion))},
		"isSemver": {cel.Overload("is_semver_string", one, cel.BoolType, strict(isVersion)),
			cel.Overload("is_semver_string_bool", options, cel.BoolType, with(isVersion))},
		"isGreaterThan": member("semver_is_greater_than", two, cel.BoolType, binary(func(a, b version) ref.Val { return types.Bool(a.compare(b) == 1) })),
		"isLessThan":    member("semver_is_less_than", two, cel.BoolType, binary(func(a, b version) ref.Val { return types.Bool(a.compare(b) == -1) })),
		"compareTo":     member("semver_compare_to", two, cel.IntType, binary(func(a, b version) ref.Val { return types.Int(a.compare(b)) })),
		"major":         part("semver_major", func(v version) uint64 { return v.major }),
		"minor":         part("semver_minor", func(v version) uint64 { return v.minor }),
		"patch":         part("semver_patch", func(v version) uint64 { return v.patch }),
	}
}
