package workload

import (
	"errors"
	"strconv"
	"strings"
)

// Reference is a parsed image reference, normalised as Docker does: the default
// registry is docker.io, its one-segment names live in library/, and a reference
// with neither tag nor digest gets the tag latest.
type Reference struct {
	Domain, Path, Tag, Digest string
}

// ParseReference parses an image name as the kubelet does (ParseImageName of
// pkg/util/parsers, ParseNormalizedNamed of github.com/distribution/reference).
// The text of the error is the kubelet's.
func ParseReference(s string) (Reference, error) {
	r, why := parseReference(s)
	if why != "" {
		return Reference{}, errors.New("couldn't parse image name " + strconv.Quote(s) + ": " + why)
	}
	if r.Tag == "" && r.Digest == "" {
		r.Tag = "latest"
	}
	return r, nil
}

// Name returns domain and path.
func (r Reference) Name() string { return r.Domain + "/" + r.Path }

// String returns the full reference, such as docker.io/library/nginx:1.27.
func (r Reference) String() string { return r.Name() + r.suffix() }

// Familiar returns the short form, such as nginx:1.27.
func (r Reference) Familiar() string {
	if r.Domain != "docker.io" {
		return r.String()
	}
	path := r.Path
	if rest, ok := strings.CutPrefix(path, "library/"); ok && !strings.Contains(rest, "/") {
		path = rest
	}
	return path + r.suffix()
}

// Resolved returns the form that containerd names in its messages: with a digest
// the tag is dropped.
func (r Reference) Resolved() string {
	if r.Digest != "" {
		return r.Name() + "@" + r.Digest
	}
	return r.String()
}

func (r Reference) suffix() string {
	s := ""
	if r.Tag != "" {
		s = ":" + r.Tag
	}
	if r.Digest != "" {
		s += "@" + r.Digest
	}
	return s
}

const badFormat = "invalid reference format"

func parseReference(s string) (r Reference, why string) {
	if len(s) == 64 && only(s, isLowerHex) {
		return r, "invalid repository name (" + s + "), cannot specify 64-byte hexadecimal strings"
	}
	domain, rest := splitDomain(s)
	remote, _, _ := strings.Cut(rest, ":")
	if strings.ToLower(remote) != remote {
		return r, badFormat + ": repository name (" + remote + ") must be lowercase"
	}
	path, tag, digest, ok := splitSuffix(rest)
	r = Reference{Domain: domain, Path: path, Tag: tag, Digest: digest}
	if !ok || !validDomain(domain) || !validPath(path) {
		return Reference{}, badFormat
	}
	if len(path) > 255 {
		return Reference{}, "repository name must not be more than 255 characters"
	}
	if digest != "" {
		why = digestFault(digest)
	}
	return r, why
}

func splitDomain(s string) (domain, rest string) {
	first, after, ok := strings.Cut(s, "/")
	switch {
	case !ok:
		return "docker.io", "library/" + s
	case first == "index.docker.io":
		domain, rest = "docker.io", after
	case first == "localhost", strings.ContainsAny(first, ".:"), strings.ToLower(first) != first:
		domain, rest = first, after
	default:
		domain, rest = "docker.io", s
	}
	if domain == "docker.io" && !strings.Contains(rest, "/") {
		rest = "library/" + rest
	}
	return domain, rest
}

func splitSuffix(s string) (path, tag, digest string, ok bool) {
	path, digest, hasDigest := strings.Cut(s, "@")
	if hasDigest && !validDigest(digest) {
		return "", "", "", false
	}
	path, tag, hasTag := strings.Cut(path, ":")
	if hasTag && !validTag(tag) {
		return "", "", "", false
	}
	return path, tag, digest, true
}

func validDomain(s string) bool {
	host := s
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 2 || !only(s[1:end], func(c byte) bool { return isHex(c) || c == ':' }) {
			return false
		}
		return validPort(s[end+1:])
	}
	if i := strings.IndexByte(s, ':'); i >= 0 {
		host = s[:i]
		if !validPort(s[i:]) {
			return false
		}
	}
	for _, label := range strings.Split(host, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' ||
			!only(label, func(c byte) bool { return isAlnum(c) || c == '-' }) {
			return false
		}
	}
	return true
}

func validPort(s string) bool {
	return s == "" || len(s) > 1 && s[0] == ':' && only(s[1:], isDigit)
}

// validPath checks each component: lower-case words joined by one of ".", "_",
// "__" or any number of "-".
func validPath(s string) bool {
	for _, part := range strings.Split(s, "/") {
		if part == "" || !isLowerAlnum(part[0]) || !isLowerAlnum(part[len(part)-1]) {
			return false
		}
		for i := 0; i < len(part); {
			if isLowerAlnum(part[i]) {
				i++
				continue
			}
			j := i
			for !isLowerAlnum(part[j]) {
				j++
			}
			if sep := part[i:j]; sep != "." && sep != "_" && sep != "__" && strings.Trim(sep, "-") != "" {
				return false
			}
			i = j
		}
	}
	return true
}

func validTag(s string) bool {
	if s == "" || len(s) > 128 || !isWordByte(s[0]) {
		return false
	}
	return only(s, func(c byte) bool { return isWordByte(c) || c == '.' || c == '-' })
}

func validDigest(s string) bool {
	algorithm, hex, ok := strings.Cut(s, ":")
	if !ok || len(hex) < 32 || !only(hex, isHex) {
		return false
	}
	start := true
	for i := 0; i < len(algorithm); i++ {
		c := algorithm[i]
		switch {
		case isAlpha(c), isDigit(c) && !start:
			start = false
		case strings.IndexByte("-_+.", c) >= 0 && !start:
			start = true
		default:
			return false
		}
	}
	return !start
}

// digestFault mirrors digest.Parse of github.com/opencontainers/go-digest.
func digestFault(s string) string {
	algorithm, hex, _ := strings.Cut(s, ":")
	want := map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}[algorithm]
	switch {
	case want == 0:
		return "unsupported digest algorithm"
	case len(hex) != want:
		return "invalid checksum digest length"
	case !only(hex, isLowerHex):
		return "invalid checksum digest format"
	}
	return ""
}
