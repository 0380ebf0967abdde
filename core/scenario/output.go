package scenario

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Output collects everything that podwalk run prints.
func (s *Session) Output(lines []SessionLine) Output {
	out := Output{Get: map[string]string{}, Describe: map[string]string{}, Apply: []Entry{},
		Events: s.eventsInOrder(), Objects: []api.Object{}, Records: s.c.Records(0),
		Session: lines, Now: s.c.Now().Seconds(), Quiescent: s.c.Quiescent(), Limit: s.c.Limit()}
	if out.Session == nil {
		out.Session = []SessionLine{}
	}
	if out.Records == nil {
		out.Records = []trace.Record{}
	}
	for _, a := range s.Applied {
		out.Apply = append(out.Apply, Entry{EntryKey(a.Ref), a.Exit, a.Stdout, a.Stderr})
	}
	kinds := map[string]bool{}
	s.c.Latest().All(func(o api.Object) bool {
		if o.ObjectType().Kind == "Event" {
			return true
		}
		kinds[o.ObjectType().Kind] = true
		out.Objects = append(out.Objects, withoutManagedFields(o))
		out.Describe[describeKey(o)] = s.describe(o)
		return true
	})
	for k := range kinds {
		if kind := s.kindNamed(k); kind != nil {
			out.Get[kind.Resource()] = s.Read([]string{"get", kind.Resource(), "-A", "-o", "wide"}).Stdout
		}
	}
	return out
}

// eventsInOrder returns the Events that exist in the order of their creation.
func (s *Session) eventsInOrder() []api.Object {
	changes, err := s.c.Changes(store.FirstRev)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	list, now := []api.Object{}, s.c.Latest()
	for _, ch := range changes {
		if ch.Type != store.Added || ch.New.ObjectType().Kind != "Event" {
			continue
		}
		m := ch.New.Meta()
		if e := now.Get("Event", m.Namespace, m.Name); e != nil && e.Meta().UID == m.UID {
			list = append(list, e)
		}
	}
	return list
}

// kindNamed returns the kind of that name, of custom ones with the group behind it.
func (s *Session) kindNamed(name string) *api.Kind {
	for _, k := range s.c.Latest().CustomKinds() {
		if k.Kind == name {
			return k
		}
	}
	return api.KindNamed(name)
}

func withoutManagedFields(o api.Object) api.Object {
	if o.Meta().ManagedFields == nil {
		return o
	}
	c := o.Copy()
	c.Meta().ManagedFields = nil
	return c
}

func describeKey(o api.Object) string {
	m := o.Meta()
	return strings.ToLower(api.KindName(o.ObjectType().Kind)) + "/" + m.Namespace + "/" + m.Name
}

func (s *Session) describe(o api.Object) string {
	m, k := o.Meta(), s.kindNamed(o.ObjectType().Kind)
	if k == nil {
		return ""
	}
	argv := []string{"describe", k.Resource(), m.Name}
	if m.Namespace != "" {
		argv = append(argv, "-n", m.Namespace)
	}
	return s.Read(argv).Stdout
}

// JSON prints the output as one object.
func (o Output) JSON() []byte {
	b, err := json.Marshal(o)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return append(b, '\n')
}

// Text prints the output for a reader.
func (o Output) Text() string {
	var b strings.Builder
	for _, a := range o.Apply {
		b.WriteString(a.Stdout + a.Stderr)
	}
	section := func(title, text string) { b.WriteString("\n== " + title + "\n" + strings.TrimRight(text, "\n") + "\n") }
	for _, k := range sortedKeys(o.Get) {
		section("kubectl get "+k+" -A -o wide", o.Get[k])
	}
	for _, k := range sortedKeys(o.Describe) {
		section("kubectl describe "+k, o.Describe[k])
	}
	if len(o.Objects) > 0 {
		var text strings.Builder
		for _, ob := range o.Objects {
			text.WriteString("---\n" + codec.ToYAML(ob))
		}
		section("objects", text.String())
	}
	if len(o.Events) > 0 {
		var text strings.Builder
		for _, e := range o.Events {
			ev := e.(*api.Event)
			text.WriteString(ev.Type + " " + ev.Reason + " " + ev.InvolvedObject.Kind + "/" + ev.InvolvedObject.Name + " x" +
				strconv.Itoa(max(1, int(ev.Count))) + ": " + ev.Message + "\n")
		}
		section("events", text.String())
	}
	var rec strings.Builder
	for _, r := range o.Records {
		rec.WriteString(r.String() + "\n")
	}
	section("records", rec.String())
	for _, l := range o.Session {
		section(l.Cmd, l.Stdout+l.Stderr+"[exit "+strconv.Itoa(l.Exit)+"]")
	}
	state := "running"
	if o.Quiescent {
		state = "quiescent"
	}
	b.WriteString("\n" + state + " at " + strconv.FormatFloat(o.Now, 'f', 3, 64) + "s")
	if o.Limit != "" {
		b.WriteString(", stopped by the limit on " + o.Limit)
	}
	return b.String() + "\n"
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// EntryKey is kind/namespace/name, or empty for an error of the file.
func EntryKey(r api.Ref) string {
	if r == (api.Ref{}) {
		return ""
	}
	return strings.ToLower(r.Kind) + "/" + r.Namespace + "/" + r.Name
}
