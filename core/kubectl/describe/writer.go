// Package describe writes the texts of kubectl describe, word for word, from
// objects and what is read beside them (events, pods of a controller, endpoints of
// a service). It changes nothing and reads no clock. Start at Object
// (kubectl/pkg/describe/describe.go).
package describe

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
	"podwalk/core/kubectl/align"
)

// page collects the lines of one description. Cells end with a tab.
type page struct {
	b    strings.Builder
	src  Source
	now  int64 // ns since 1970
	base int   // levels of indent added to each put
}

// put writes parts behind two blanks for each level. A line ends where a part
// ends with a newline.
func (p *page) put(level int, parts ...string) {
	for range level + p.base {
		p.b.WriteString("  ")
	}
	for _, s := range parts {
		p.b.WriteString(escape.Replace(s))
	}
}

var escape = strings.NewReplacer("\x1b", "^[", "\r", "\\r")

// field writes one "title: value" line.
func (p *page) field(level int, title, value string) { p.put(level, title, ":\t", value, "\n") }

func (p *page) text() string { return align.Text(p.b.String(), 0, 2) }

// list writes a title and one value in each line below each other.
func (p *page) list(title string, values []string) { p.indented("", title, values) }

func (p *page) indented(indent, title string, values []string) {
	p.put(0, indent, title, ":\t")
	if len(values) == 0 {
		p.put(0, "<none>\n")
	}
	for i, v := range values {
		if i > 0 {
			p.put(0, indent)
			p.put(0, "\t")
		}
		p.put(0, v, "\n")
	}
}

func (p *page) labels(title string, m map[string]string) { p.list(title, pairs(m)) }

func pairs(m map[string]string) []string {
	var out []string
	for _, k := range sortedKeys(m) {
		out = append(out, k+"="+m[k])
	}
	return out
}

const (
	lastApplied   = "kubectl.kubernetes.io/last-applied-configuration"
	maxAnnotation = 140
)

// annotations leaves kubectl's own record of the last apply out and breaks long
// values.
func (p *page) annotations(title string, m map[string]string) {
	p.put(0, title, ":\t")
	first := true
	for _, k := range sortedKeys(m) {
		if k == lastApplied {
			continue
		}
		if !first {
			p.put(0, "\t")
		}
		first = false
		p.annotation(k, strings.TrimSuffix(m[k], "\n"))
	}
	if first {
		p.put(0, "<none>\n")
	}
}

func (p *page) annotation(key, value string) {
	if len(value)+len(key)+2 <= maxAnnotation && !strings.Contains(value, "\n") {
		p.put(0, key, ": ", value, "\n")
		return
	}
	p.put(0, key, ":\n")
	for _, line := range strings.Split(value, "\n") {
		if len(line) > maxAnnotation-2 {
			line = line[:maxAnnotation-2] + "..."
		}
		p.put(0, "\t  ", line, "\n")
	}
}

// events writes the table of events, the oldest last-seen one first.
func (p *page) events(list []*api.Event) {
	if len(list) == 0 {
		p.put(0, "Events:\t<none>\n")
		return
	}
	list = slices.Clone(list)
	sort.Sort(byLastSeen(list))
	p.put(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage\n")
	p.put(1, "----\t------\t----\t----\t-------\n")
	for _, e := range list {
		message := strings.TrimSpace(e.Message)
		if e.InvolvedObject.FieldPath != "" {
			message = e.InvolvedObject.FieldPath + ": " + message
		}
		p.put(1, e.Type, "\t", e.Reason, "\t", Interval(e, p.now), "\t", or(e.Source.Component, e.ReportingController), "\t", message, "\n")
	}
}

// Interval prints when an event was last seen and, of one that came back, how often
// and over how long. now is in ns since 1970.
func Interval(e *api.Event, now int64) string {
	first := age.SinceMicro(now, e.EventTime)
	if e.EventTime == 0 {
		first = age.Since(now, e.FirstTimestamp)
	}
	switch {
	case e.Series != nil:
		return age.SinceMicro(now, e.Series.LastObservedTime) + " (x" + num(e.Series.Count) + " over " + first + ")"
	case e.Count > 1:
		return age.Since(now, e.LastTimestamp) + " (x" + num(e.Count) + " over " + first + ")"
	}
	return first
}

// byLastSeen is sorted with sort.Sort, whose order of equal elements is that of
// the real describer.
type byLastSeen []*api.Event

func (l byLastSeen) Len() int           { return len(l) }
func (l byLastSeen) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l byLastSeen) Less(i, j int) bool { return l[i].LastTimestamp < l[j].LastTimestamp }

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// date prints an instant as RFC 1123 with the zone, the zero one too.
func date(t api.Time) string {
	if t == 0 {
		return "Mon, 01 Jan 0001 00:00:00 +0000"
	}
	return t.Clock().Format(time.RFC1123Z)
}

func microDate(t api.MicroTime) string { return date(api.Time(int64(t) / 1e6)) }

func num[T int | int32 | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func or(s, none string) string {
	if s == "" {
		return none
	}
	return s
}

func deref[T any](v *T, none T) T {
	if v == nil {
		return none
	}
	return *v
}

func isTrue(b *bool) bool { return b != nil && *b }

func truth(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func lower(b bool) string { return strconv.FormatBool(b) }

// goList prints a list as Go's %v does.
func goList(list []string) string { return "[" + strings.Join(list, " ") + "]" }

func controller(m *api.ObjectMeta) *api.OwnerReference {
	for i := range m.OwnerReferences {
		if isTrue(m.OwnerReferences[i].Controller) {
			return &m.OwnerReferences[i]
		}
	}
	return nil
}

func (p *page) controlledBy(m *api.ObjectMeta) {
	if c := controller(m); c != nil {
		p.field(0, "Controlled By", c.Kind+"/"+c.Name)
	}
}
