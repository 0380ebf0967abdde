package podsecurity

import (
	"strconv"
	"strings"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// level is how strict a standard is.
type level int

const (
	privileged level = iota
	baseline
	restricted
)

var levels = []string{"privileged", "baseline", "restricted"}

// newest is the version of the standards that "latest" means.
const newest = 37

// levelVersion is a level as of a minor version; 0 is the latest.
type levelVersion struct {
	level   level
	version int
}

// String prints it as restricted:latest or restricted:v1.25.
func (l levelVersion) String() string {
	if l.version == 0 {
		return levels[l.level] + ":latest"
	}
	return levels[l.level] + ":v1." + strconv.Itoa(l.version-1)
}

// policy is what a namespace asks for.
type policy struct{ enforce, audit, warn levelVersion }

const prefix = "pod-security.kubernetes.io/"

// policyOf reads the labels of a namespace (PolicyToEvaluate).
func policyOf(labels map[string]string) (p policy, errs []api.StatusCause) {
	if len(labels) == 0 {
		return p, nil
	}
	read := reader{labels: labels}
	p.enforce, _ = read.mode("enforce", restricted)
	p.audit, _ = read.mode("audit", privileged)
	var given bool
	p.warn, given = read.mode("warn", privileged)
	if !given && read.enforced && p.enforce.level > p.warn.level {
		p.warn.level = p.enforce.level
		if _, ok := labels[prefix+"warn-version"]; !ok {
			p.warn.version = p.enforce.version
		}
	}
	return p, read.errs
}

type reader struct {
	labels   map[string]string
	errs     []api.StatusCause
	enforced bool // the enforced level is given and right
}

// mode reads the two labels of one mode; fallback is the level where the label is
// wrong.
func (r *reader) mode(name string, fallback level) (lv levelVersion, given bool) {
	text, given := r.labels[prefix+name]
	if given {
		ok := false
		if lv.level, ok = parseLevel(text); !ok {
			lv.level = fallback
			r.wrong(name, text, "must be one of privileged, baseline, restricted")
		}
		r.enforced = r.enforced || ok && name == "enforce"
	}
	if text, ok := r.labels[prefix+name+"-version"]; ok {
		if lv.version, ok = parseVersion(text); !ok {
			r.wrong(name+"-version", text, `must be "latest" or "v1.x"`)
		}
	}
	return lv, given
}

func (r *reader) wrong(label, value, text string) {
	r.errs = append(r.errs, api.StatusCause{Type: "FieldValueInvalid", Field: "metadata.labels[" + prefix + label + "]",
		Message: "Invalid value: " + strconv.Quote(value) + ": " + text})
}

func parseLevel(s string) (level, bool) {
	for i, name := range levels {
		if s == name {
			return level(i), true
		}
	}
	return 0, false
}

// parseVersion returns the minor version plus one, 0 for the latest.
func parseVersion(s string) (int, bool) {
	if s == "latest" {
		return 0, true
	}
	digits, ok := strings.CutPrefix(s, "v1.")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || strconv.Itoa(n) != digits {
		return 0, false
	}
	return n + 1, true
}

// minor is the minor version whose checks apply.
func (l levelVersion) minor() int {
	if l.version == 0 || l.version-1 > newest {
		return newest
	}
	return l.version - 1
}

func invalid(a *admission.Attributes, errs []api.StatusCause) *api.Status {
	if len(errs) == 0 {
		return nil
	}
	texts := make([]string, len(errs))
	for i, e := range errs {
		texts[i] = e.Field + ": " + e.Message
	}
	text := texts[0]
	if len(texts) > 1 {
		text = "[" + strings.Join(texts, ", ") + "]"
	}
	return api.NewInvalid(a.Kind, a.Object.Meta().Name, errs, text)
}
