package kubectl

import (
	"sort"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/align"
	"podwalk/core/kubectl/describe"
)

const eventsFlags = ` all-namespaces,A for= types= watch,w no-headers output,o= chunk-size= show-managed-fields`

// events is `kubectl events` (kubectl/pkg/cmd/events).
func (s *session) events() error {
	if s.flags.bool("watch") {
		return errNotSimulated("kubectl events --watch")
	}
	fields, err := s.eventFields()
	if err != nil {
		return err
	}
	types := s.flags.list("types")
	for _, t := range types {
		if !strings.EqualFold(t, "Normal") && !strings.EqualFold(t, "Warning") {
			return plain("valid --types are Normal or Warning")
		}
	}
	items, err := s.list(api.KindNamed("Event"), "", fields)
	if err != nil {
		return err
	}
	var list eventRows
	for _, i := range items {
		if e := i.object.(*api.Event); anyFold(types, e.Type) {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		if s.flags.bool("all-namespaces") {
			s.printErr("No events found.\n")
		} else {
			s.printErr("No events found in ", s.namespace, " namespace.\n")
		}
		return nil
	}
	sort.Sort(list)
	return s.printEvents(list)
}

func (s *session) eventFields() (string, error) {
	object := s.flags.text("for")
	if object == "" {
		return "", nil
	}
	word, name, ok := strings.Cut(object, "/")
	switch {
	case !ok:
		return "", plain("--for must be in resource/name form")
	case strings.Contains(name, "/"):
		return "", plain("arguments in resource/name form may not have more than one slash")
	}
	k, err := s.kindFor(word)
	if err != nil {
		return "", err
	}
	return "involvedObject.kind=" + k.Name() + ",involvedObject.apiVersion=" + k.APIVersion() + ",involvedObject.name=" + name, nil
}

func anyFold(list []string, s string) bool {
	for _, t := range list {
		if strings.EqualFold(t, s) {
			return true
		}
	}
	return len(list) == 0
}

func (s *session) printEvents(list eventRows) error {
	if o := s.output(); o.form != "" {
		if err := o.check(formats); err != nil {
			return err
		}
		var items []item
		for _, e := range list {
			items = append(items, item{kind: api.KindNamed("Event"), name: e.Name, object: e})
		}
		if o.form == "name" {
			for i := range items {
				s.print(items[i].shown(), "\n")
			}
			return nil
		}
		v := s.listOf(items)
		v["kind"] = "EventList"
		return s.printWhole(o, v)
	}
	all := s.flags.bool("all-namespaces")
	var b strings.Builder
	row := func(namespace string, cells ...string) {
		if all {
			cells = append([]string{namespace}, cells...)
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	if !s.flags.bool("no-headers") {
		row("NAMESPACE", "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")
	}
	for _, e := range list {
		row(e.Namespace, describe.Interval(e, s.client.Now()), e.Type, e.Reason, e.InvolvedObject.Kind+"/"+e.InvolvedObject.Name,
			strings.TrimSpace(e.Message))
	}
	s.print(align.Text(b.String(), 6, 3))
	return nil
}

// eventRows are sorted by when an event was last seen, in microseconds.
type eventRows []*api.Event

func (l eventRows) Len() int           { return len(l) }
func (l eventRows) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l eventRows) Less(i, j int) bool { return lastSeen(l[i]) < lastSeen(l[j]) }

func lastSeen(e *api.Event) int64 {
	switch {
	case e.Series != nil:
		return int64(e.Series.LastObservedTime)
	case e.LastTimestamp != 0:
		return int64(e.LastTimestamp) * 1e6
	}
	return int64(e.EventTime)
}
