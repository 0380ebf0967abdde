package describe

import (
	"podwalk/core/api"
)

// Source is what a describer reads beside the object itself. What may not be read
// or is absent is nil; the error is the text of the API server's refusal.
type Source interface {
	Get(kind, namespace, name string) (api.Object, error)
	List(kind, namespace string, q Query) ([]api.Object, error)
}

// Query narrows a list by selectors in the API's form.
type Query struct{ Labels, Fields string }

// Options say what is shown.
type Options struct {
	Now        int64 // ns since 1970
	HideEvents bool
}

// Object describes o, whose kind must be set.
func Object(src Source, o api.Object, opt Options) string {
	p := &page{src: src, now: opt.Now}
	events := func(list func() []*api.Event) {
		if !opt.HideEvents {
			p.events(list())
		}
	}
	switch o := o.(type) {
	case *api.Pod:
		p.pod(o)
		events(func() []*api.Event { return p.eventsOf(o, "", mirrorUID(o)) })
	}
	return p.text()
}

// eventsOf lists the events about an object. kind and uid narrow the search when
// they are not empty.
func (p *page) eventsOf(o api.Object, kind, uid string) []*api.Event {
	m := o.Meta()
	fields := "involvedObject.name=" + m.Name + ",involvedObject.namespace=" + m.Namespace
	if kind != "" {
		fields = "involvedObject.kind=" + kind + "," + fields
	}
	if uid != "" {
		fields += ",involvedObject.uid=" + uid
	}
	list, err := p.src.List("Event", m.Namespace, Query{Fields: fields})
	if err != nil {
		return nil
	}
	var events []*api.Event
	for _, e := range list {
		events = append(events, e.(*api.Event))
	}
	return events
}
