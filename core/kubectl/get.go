package kubectl

import (
	"slices"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/kubectl/printer"
)

const getFlags = `output,o= all-namespaces,A selector,l= field-selector= show-labels label-columns,L= sort-by= watch,w watch-only no-headers` +
	` ignore-not-found filename,f= recursive,R chunk-size= server-print show-kind raw= subresource= show-managed-fields template= output-watch-events allow-missing-template-keys`

func (s *session) get() error {
	if s.flags.has("raw") {
		return s.getRaw()
	}
	if s.flags.has("subresource") {
		return errNotSimulated("kubectl get --subresource")
	}
	o := s.output()
	if err := s.checkGet(o); err != nil {
		return err
	}
	if s.flags.bool("watch") || s.flags.bool("watch-only") {
		return s.watch(o)
	}
	if len(s.args) == 1 && o.table() && contains([]string{"cs", "componentstatus", "componentstatuses"}, s.args[0]) {
		return s.componentStatuses()
	}
	if len(s.args) == 0 && !s.flags.has("filename") {
		s.printErr("You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\n")
		return plain("Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).\nSee 'kubectl get -h' for help and examples")
	}
	g, err := s.gather()
	if err != nil {
		return err
	}
	if s.flags.bool("ignore-not-found") {
		g.errs = slices.DeleteFunc(g.errs, isNotFound)
	}
	if o.table() {
		return s.getTables(g)
	}
	return s.getWhole(o, g)
}

func (s *session) checkGet(o output) error {
	if err := o.check(formats); err != nil {
		return err
	}
	if s.flags.bool("show-labels") && !o.table() {
		return plain("--show-labels option cannot be used with " + o.form + " printer")
	}
	return nil
}

// section is what one request brought: the objects of a list, or one object.
type section struct {
	kind  *api.Kind
	items []item
}

type gathered struct {
	sections []section
	errs     []error
	single   bool
}

// gather reads everything that the arguments or files name.
func (s *session) gather() (gathered, error) {
	var g gathered
	o := s.selectOptions()
	if s.flags.has("filename") {
		if len(s.args) > 0 {
			return g, plain("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
		}
		items, errs, err := s.fileItems()
		if err != nil {
			return g, err
		}
		g.errs = errs
		g.fetchAll(s, items)
		g.single = s.oneFile()
		return g, nil
	}
	o.bare = true
	sel, err := s.selectArgs(s.args, o)
	if err != nil {
		return g, err
	}
	g.single = sel.single
	for _, k := range sel.kinds {
		list, err := s.list(k, o.labels, o.fields)
		if err != nil {
			g.errs = append(g.errs, err)
			continue
		}
		g.sections = append(g.sections, section{k, list})
	}
	g.fetchAll(s, sel.items)
	return g, nil
}

// oneFile holds where the arguments name one file: what stands in it is not made a
// list when it is one object, and an error of any of it hides the rest.
func (s *session) oneFile() bool {
	names := s.flags.list("filename")
	if len(names) != 1 || names[0] == "-" {
		return false
	}
	files, err := s.openOne(names[0])
	return err == nil && len(files) == 1 && files[0].Name == names[0]
}

func (g *gathered) fetchAll(s *session, items []item) {
	for i := range items {
		if err := s.fetch(&items[i]); err != nil {
			g.errs = append(g.errs, err)
			continue
		}
		g.sections = append(g.sections, section{items[i].kind, items[i : i+1]})
	}
}

func (s *session) selectOptions() selectOptions {
	o := selectOptions{labels: s.flags.text("selector"), fields: s.flags.text("field-selector"), all: s.flags.bool("all")}
	o.selected = o.labels != "" || o.fields != "" || o.all
	o.bare = s.verb == "rollout"
	return o
}

// all returns the items of all sections.
func (g *gathered) all() []item {
	var out []item
	for _, sec := range g.sections {
		out = append(out, sec.items...)
	}
	return out
}

func (s *session) getTables(g gathered) error {
	l := printer.Layout{
		Wide: s.flags.text("output") == "wide", NoHeaders: s.flags.bool("no-headers"),
		ShowLabels: s.flags.bool("show-labels"), LabelColumns: s.flags.list("label-columns"),
	}
	if err := s.sortSections(&g); err != nil {
		return err
	}
	several := s.flags.bool("show-kind")
	namespaced := !s.flags.bool("all-namespaces")
	for _, sec := range g.sections {
		several = several || sec.kind != g.sections[0].kind
		namespaced = namespaced && sec.kind.Namespaced
	}
	var text string
	for _, group := range runs(g.sections) {
		k := group[0].kind
		l.WithNamespace = s.flags.bool("all-namespaces") && k.Namespaced
		l.KindPrefix = ""
		if several {
			l.KindPrefix = kindName(k)
		}
		t := printer.Text(s.tables(group), l)
		if t != "" && text != "" && !l.NoHeaders {
			text += "\n"
		}
		text += t
	}
	s.print(text)
	if text == "" && !s.flags.bool("ignore-not-found") && len(g.errs) == 0 {
		s.printNothing(namespaced)
	}
	return join(g.errs)
}

func (s *session) printNothing(namespaced bool) {
	if namespaced {
		s.printErr("No resources found in ", s.namespace, " namespace.\n")
	} else {
		s.printErr("No resources found\n")
	}
}

// runs puts neighbouring sections of one kind together.
func runs(sections []section) [][]section {
	var out [][]section
	for i, sec := range sections {
		if i == 0 || sec.kind != sections[i-1].kind {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], sec)
	}
	return out
}

func (s *session) tables(group []section) []printer.Table {
	var out []printer.Table
	for _, sec := range group {
		var objects []api.Object
		for _, i := range sec.items {
			objects = append(objects, i.object)
		}
		if len(objects) > 0 {
			out = append(out, printer.OfKind(sec.kind, objects, s.client.Now()))
		}
	}
	return out
}

func (s *session) getWhole(o output, g gathered) error {
	items := g.all()
	if g.single && len(g.errs) > 0 {
		return join(g.errs)
	}
	if len(items) == 0 && s.flags.bool("ignore-not-found") {
		return join(g.errs)
	}
	if by := s.flags.text("sort-by"); by != "" {
		if err := sortItems(s, items, by); err != nil {
			return err
		}
	}
	var err error
	switch {
	case o.form == "name":
		for i := range items {
			s.print(items[i].shown(), "\n")
		}
	case g.single && len(items) == 1:
		err = s.printWhole(o, s.generic(items[0].object))
	default:
		err = s.printWhole(o, s.listOf(items))
	}
	if err != nil {
		return err
	}
	return join(g.errs)
}

func quoted(s string) string { return strconv.Quote(s) }
