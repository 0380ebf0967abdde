package kubectl

import (
	"maps"
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/printer"
)

// watch is `kubectl get -w`: a row for each state of the objects, from now until
// --request-timeout. States that follow each other in one instant are one.
func (s *session) watch(o output) error {
	timeout, err := s.flags.duration("request-timeout")
	w, ok := s.client.(Waiter)
	switch {
	case err != nil:
		return err
	case !ok || timeout <= 0:
		return errNotSimulated("kubectl get --watch without --request-timeout")
	case !o.table() || s.flags.bool("output-watch-events"):
		return errNotSimulated("kubectl get --watch with -o or --output-watch-events")
	}
	g, err := s.gather()
	if err != nil {
		return err
	}
	if len(g.sections) == 0 || len(g.errs) > 0 {
		return join(g.errs)
	}
	k := g.sections[0].kind
	for _, sec := range g.sections {
		if sec.kind != k {
			return plain("watch is only supported on individual resources and resource collections - more than 1 resource was found")
		}
	}
	l := printer.Layout{Wide: o.form == "wide", NoHeaders: s.flags.bool("no-headers"), ShowLabels: s.flags.bool("show-labels"),
		LabelColumns: s.flags.list("label-columns"), WithNamespace: s.flags.bool("all-namespaces") && k.Namespaced}
	seen := map[string]api.Object{}
	for _, i := range g.all() {
		seen[i.object.Meta().UID] = i.object
	}
	v := &view{kind: k, layout: l, seen: seen}
	if !s.flags.bool("watch-only") && len(seen) > 0 {
		v.rows = s.tables(g.sections)
		s.print(printer.Text(v.rows, l))
	}
	w.Wait(func() bool {
		s.watchRows(v)
		return false
	}, int64(timeout.Seconds()))
	return nil
}

// view is what a watch has shown so far: the columns are as wide as the widest cell
// of all rows yet.
type view struct {
	kind   *api.Kind
	layout printer.Layout
	rows   []printer.Table
	seen   map[string]api.Object
}

// watchRows prints what has changed since the last look; of what is gone the last
// state.
func (s *session) watchRows(v *view) {
	g, err := s.gather()
	if err != nil {
		return
	}
	now := map[string]bool{}
	for _, i := range g.all() {
		m := i.object.Meta()
		now[m.UID] = true
		if old, ok := v.seen[m.UID]; ok && old.Meta().ResourceVersion == m.ResourceVersion {
			continue
		}
		v.seen[m.UID] = i.object
		s.row(v, i.object)
	}
	for _, uid := range slices.Sorted(maps.Keys(v.seen)) {
		if !now[uid] {
			s.row(v, v.seen[uid])
			delete(v.seen, uid)
		}
	}
}

func (s *session) row(v *view, o api.Object) {
	first := len(v.rows) == 0
	v.rows = append(v.rows, printer.OfKind(v.kind, []api.Object{o}, s.client.Now()))
	text := printer.Text(v.rows, v.layout)
	if !first {
		text = text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
	}
	s.print(text)
}
