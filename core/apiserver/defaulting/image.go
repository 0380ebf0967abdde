package defaulting

import "strings"

// pullPolicy is Always for the tag latest, given or implied, and IfNotPresent for
// other tags, for digests and for names that are no image references
// (pkg/util/parsers and github.com/distribution/reference).
func pullPolicy(image string) string {
	if image == "" || strings.Contains(image, "@") {
		return "IfNotPresent"
	}
	path, tag := image, "latest"
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		path, tag = image[:i], image[i+1:]
	}
	if tag == "latest" && isRepository(path) {
		return "Always"
	}
	return "IfNotPresent"
}

// longestName is how long a repository's name may be, with its host.
const longestName = 255

// isRepository checks host and path as far as the parser would refuse them.
func isRepository(s string) bool {
	parts := strings.Split(s, "/")
	hosted := len(parts) > 1 && isHost(parts[0])
	switch {
	case hosted:
		parts = parts[1:]
	case len(parts) == 1:
		s = "docker.io/library/" + s
	default:
		s = "docker.io/" + s
	}
	if len(s) > longestName {
		return false
	}
	for _, p := range parts {
		if p == "" || !isLowerAlnum(p[0]) || !isLowerAlnum(p[len(p)-1]) {
			return false
		}
		for i := range len(p) {
			if !isLowerAlnum(p[i]) && !strings.ContainsRune("._-", rune(p[i])) {
				return false
			}
		}
	}
	return true
}

// isHost tells a registry from the first part of a path on Docker Hub.
func isHost(s string) bool {
	return strings.ContainsAny(s, ".:") || s == "localhost" || strings.ToLower(s) != s
}

func isLowerAlnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
