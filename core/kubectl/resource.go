package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// item is one thing that a command works on: an object of a file, of the server, or
// only the name of one.
type item struct {
	kind            *api.Kind
	namespace, name string
	object          api.Object // as the server has it; nil until it is asked for
	node            *codec.Node
	local           map[string]any // what a file holds, as it is sent
	source          string         // the file it comes from
	line            int
}

// String describes the item as kubectl's errors do (cli-runtime/pkg/resource Info).
func (i *item) String() string {
	version := i.kind.Group + "/" + i.kind.Version
	return "Resource: " + strconv.Quote(version+", Resource="+i.kind.Plural) +
		", GroupVersionKind: " + strconv.Quote(version+", Kind="+i.kind.Name()) +
		"\nName: " + strconv.Quote(i.name) + ", Namespace: " + strconv.Quote(i.namespace)
}

// shown is how kubectl names an object that it has done something with, such as
// deployment.apps/web.
func (i *item) shown() string { return kindName(i.kind) + "/" + i.name }

func kindName(k *api.Kind) string {
	name := strings.ToLower(k.Name())
	if k.Group != "" {
		name += "." + k.Group
	}
	return name
}

// kindFor finds the kind that a word of the command line means.
func (s *session) kindFor(word string) (*api.Kind, error) {
	name, rest, _ := strings.Cut(word, ".")
	k := api.KindForResource(name)
	if rest != "" {
		k = kindInGroup(strings.ToLower(name), rest)
	}
	if k == nil {
		k = s.customKind(strings.ToLower(name), rest)
	}
	if k != nil {
		return k, nil
	}
	text := "the server doesn't have a resource type " + strconv.Quote(name)
	if rest != "" {
		text += " in group " + strconv.Quote(rest)
	}
	return nil, plain(text)
}

// kindInGroup finds "deployments" in "apps", "v1.apps" or, of the core, "v1.".
func kindInGroup(name, group string) *api.Kind {
	for i := range api.Kinds {
		k := &api.Kinds[i]
		if (name == k.Plural || name == k.Singular || slices.Contains(k.Short, name)) &&
			(group == k.Version+"."+k.Group || k.Group != "" && group == k.Group) {
			return k
		}
	}
	return nil
}

// custom are the kinds that definitions have made, as discovery tells them once in a
// run of the program.
func (s *session) custom() []*api.Kind {
	if !s.discovered {
		s.discovered = true
		s.customs = s.client.Do(api.Request{Verb: api.Discover}).Kinds
	}
	return s.customs
}

// customKind finds a custom kind by one of its names: of several versions the
// preferred one, unless group names another.
func (s *session) customKind(name, group string) *api.Kind {
	for _, k := range s.custom() {
		if (name == k.Plural || name == k.Singular || slices.Contains(k.Short, name)) &&
			(group == "" || group == k.Group || group == k.Version+"."+k.Group) {
			return k
		}
	}
	return nil
}

// words splits "pods,svc" and puts the kinds of a category ("all") in its place.
func (s *session) words(arg string) []string {
	var out []string
	for _, w := range strings.Split(arg, ",") {
		var members []string
		for i := range api.Kinds {
			if slices.Contains(api.Kinds[i].Categories, w) {
				members = append(members, api.Kinds[i].Resource())
			}
		}
		if members != nil || api.KindForResource(w) == nil {
			members = append(members, s.customMembers(w)...)
		}
		if members == nil {
			members = []string{w}
		}
		out = append(out, members...)
	}
	return out
}

// customMembers are the custom kinds of a category, in their preferred versions.
func (s *session) customMembers(category string) (out []string) {
	for _, k := range s.custom() {
		if name := k.Resource(); slices.Contains(k.Categories, category) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// selection is what the arguments of a command name: single objects, or lists of
// kinds.
type selection struct {
	kinds  []*api.Kind // to list
	items  []item      // named one by one
	single bool        // one object is meant, not a list of one
}

// selectOptions say what a command makes of its arguments.
type selectOptions struct {
	labels, fields string
	selected       bool // a selector or --all is given
	all            bool // --all
	bare           bool // a kind without a name means all its objects
}

// selectArgs understands TYPE, TYPE NAME..., TYPE,TYPE and TYPE/NAME...
// (cli-runtime/pkg/resource Builder).
func (s *session) selectArgs(args []string, o selectOptions) (selection, error) {
	if o.all && (o.labels != "" || o.fields != "") {
		return selection{}, plain("setting 'all' parameter but found a non empty selector. ")
	}
	tuples, err := tupleArgs(args)
	if err != nil {
		return selection{}, err
	}
	if o.selected || len(args) == 1 && tuples == nil && o.bare {
		return s.selectLists(args, tuples, o)
	}
	switch {
	case tuples != nil:
		return s.selectTuples(tuples)
	case len(args) == 0:
		return selection{}, plain(noResources)
	case len(args) == 1:
		if _, err := s.kindsFor(s.words(args[0])); err != nil {
			return selection{}, err
		}
		return selection{}, plain("resource(s) were provided, but no name was specified")
	}
	return s.selectNames(args)
}

const noResources = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`

type tuple struct{ word, name string }

// tupleArgs reads arguments of the form TYPE/NAME, and TYPE,TYPE NAME as such; nil
// where there are none.
func tupleArgs(args []string) ([]tuple, error) {
	slashes := 0
	for _, a := range args {
		if strings.Contains(a, "/") {
			slashes++
		}
	}
	if slashes == 0 {
		return crossTuples(args), nil
	}
	if slashes != len(args) {
		return nil, plain("there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'")
	}
	var out []tuple
	for _, a := range args {
		word, name, _ := strings.Cut(a, "/")
		switch {
		case strings.Contains(name, "/"):
			return nil, plain("arguments in resource/name form may not have more than one slash")
		case word == "" || name == "" || strings.Contains(word, ","):
			return nil, plain("arguments in resource/name form must have a single resource and name")
		}
		out = append(out, tuple{word, name})
	}
	return out, nil
}

func crossTuples(args []string) []tuple {
	if len(args) < 2 || !strings.Contains(args[0], ",") {
		return nil
	}
	var out []tuple
	for _, w := range strings.Split(args[0], ",") {
		for _, name := range args[1:] {
			out = append(out, tuple{w, name})
		}
	}
	return out
}

func (s *session) kindsFor(words []string) ([]*api.Kind, error) {
	var out []*api.Kind
	for _, w := range words {
		k, err := s.kindFor(w)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out, nil
}

func (s *session) selectLists(args []string, tuples []tuple, o selectOptions) (selection, error) {
	switch {
	case tuples == nil && len(args) > 1:
		return selection{}, plain("name cannot be provided when a selector is specified")
	case tuples != nil:
		return selection{}, plain("selectors and the all flag cannot be used when passing resource/name arguments")
	case len(args) == 0:
		return selection{}, plain("at least one resource must be specified to use a selector")
	}
	kinds, err := s.kindsFor(s.words(args[0]))
	return selection{kinds: kinds}, err
}

func (s *session) selectTuples(tuples []tuple) (selection, error) {
	out := selection{single: len(tuples) == 1}
	for _, t := range tuples {
		k, err := s.kindFor(t.word)
		if err != nil {
			return selection{}, err
		}
		i, err := s.named(k, t.name)
		if err != nil {
			return selection{}, err
		}
		out.items = append(out.items, i)
	}
	return out, nil
}

func (s *session) selectNames(args []string) (selection, error) {
	kinds, err := s.kindsFor(s.words(args[0]))
	switch {
	case err != nil:
		return selection{}, err
	case len(kinds) > 1:
		return selection{}, plain("you must specify only one resource")
	}
	out := selection{single: len(args) == 2}
	for _, name := range args[1:] {
		i, err := s.named(kinds[0], name)
		if err != nil {
			return selection{}, err
		}
		out.items = append(out.items, i)
	}
	return out, nil
}

func (s *session) named(k *api.Kind, name string) (item, error) {
	if k.Namespaced && s.flags.bool("all-namespaces") {
		return item{}, plain("a resource cannot be retrieved by name across all namespaces")
	}
	return item{kind: k, name: name, namespace: s.namespaceOf(k)}, nil
}

// namespaceOf is where this command looks for objects of a kind: "" means
// everywhere, or that the kind has no namespaces.
func (s *session) namespaceOf(k *api.Kind) string {
	if !k.Namespaced || s.flags.bool("all-namespaces") {
		return ""
	}
	return s.namespace
}

// fetch reads an item from the server.
func (s *session) fetch(i *item) error {
	if i.name == "" {
		return plain("resource name may not be empty")
	}
	resp, err := s.do(api.Request{Verb: api.Get, Kind: i.kind, Namespace: i.namespace, Name: i.name})
	if isNotFound(err) && i.namespace != "" && i.namespace != "default" {
		// It may be the namespace that is missing (cli-runtime/pkg/resource Info.Get).
		if _, lacks := s.do(api.Request{Verb: api.Get, Kind: api.KindNamed("Namespace"), Name: i.namespace}); isNotFound(lacks) {
			return lacks
		}
	}
	if err != nil {
		return err
	}
	i.object = resp.Object
	return nil
}

// list reads the objects of a kind in this command's namespace.
func (s *session) list(k *api.Kind, labels, fields string) ([]item, error) {
	resp, err := s.do(api.Request{Verb: api.List, Kind: k, Namespace: s.namespaceOf(k), LabelSelector: labels, FieldSelector: fields})
	if err != nil {
		return nil, unlisted(err, k, labels, fields)
	}
	var out []item
	for _, o := range resp.Items {
		m := o.Meta()
		out = append(out, item{kind: k, namespace: m.Namespace, name: m.Name, object: o})
	}
	return out, nil
}

// everything turns a selection into items: what is listed is read, what is named is
// read too where the command needs the objects. The errors of single ones are
// collected.
func (s *session) everything(sel selection, o selectOptions, read bool) (items []item, errs []error) {
	for _, k := range sel.kinds {
		list, err := s.list(k, o.labels, o.fields)
		if err != nil {
			errs = append(errs, err)
		}
		items = append(items, list...)
	}
	for i := range sel.items {
		if read {
			if err := s.fetch(&sel.items[i]); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		items = append(items, sel.items[i])
	}
	return items, errs
}

// unlisted says of a list that the server does not understand what was asked for
// (cli-runtime/pkg/resource/selector.go).
func unlisted(err error, k *api.Kind, labels, fields string) error {
	r, ok := err.(*refusal)
	if !ok || k.Definition == nil || !isReason(err, api.ReasonBadRequest) && !isNotFound(err) {
		return err
	}
	st, what := *r.status, strconv.Quote(k.APIVersion()+", Resource="+k.Plural)
	if labels == "" && fields == "" {
		st.Message = "Unable to list " + what + ": " + st.Message
	} else {
		st.Message = "Unable to find " + what + " that match label selector " + strconv.Quote(labels) + ", field selector " + strconv.Quote(fields) + ": " + st.Message
	}
	return &refusal{status: &st}
}
