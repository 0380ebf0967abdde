package kubectl

import (
	"errors"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// document is one document of a file, read and understood as far as that went.
type document struct {
	items []item  // the object; of a List, all of its items
	errs  []error // what kubectl has against it before anything is sent
	ref   api.Ref // "" where it belongs to the file as a whole
	node  *codec.Node
	file  string
	line  int
	fatal bool // the rest of the file is not read
}

// open reads the files behind all -f flags.
func (s *session) open(names []string) ([]File, error) {
	var out []File
	for _, name := range names {
		files, err := s.openOne(name)
		switch {
		case errors.Is(err, ErrNotExist):
			return nil, plain("the path " + strconv.Quote(name) + " does not exist")
		case err != nil && strings.HasPrefix(err.Error(), "the path "):
			return nil, plain(err.Error())
		case err != nil:
			return nil, plain("the path " + strconv.Quote(name) + " cannot be accessed: " + err.Error())
		case len(files) == 0:
			return nil, plain("error reading [" + name + "]: recognized file extensions are [.json .yaml .yml]")
		}
		out = append(out, files...)
	}
	return out, nil
}

// Tree is implemented by Files that can also open the folders in a folder.
type Tree interface {
	OpenTree(name string) ([]File, error)
}

// openOne reads what stands behind one -f flag; with --recursive also the folders in a
// folder.
func (s *session) openOne(name string) ([]File, error) {
	if s.files == nil {
		return nil, ErrNotExist
	}
	if t, ok := s.files.(Tree); ok && s.flags.bool("recursive") {
		return t.OpenTree(name)
	}
	return s.files.Open(name)
}

// read understands the documents of a file (cli-runtime/pkg/resource StreamVisitor).
func (s *session) read(f File) []document {
	var out []document
	for _, d := range codec.Split(f.Text) {
		doc := document{file: f.Name, line: d.Line}
		node, err := codec.Parse(d)
		if d.Err != nil {
			err = d.Err
		}
		switch {
		case err != nil:
			doc.broken(err)
		case node.Kind == codec.Null:
			continue
		default:
			doc.node = &node
			s.understand(&doc)
		}
		out = append(out, doc)
		if doc.fatal {
			break
		}
	}
	return out
}

func (d *document) broken(err error) {
	d.errs, d.fatal = []error{plain("error parsing " + d.file + ": " + err.Error())}, true
	var syntax *codec.SyntaxError
	if errors.As(err, &syntax) && syntax.Mark.Line > 0 {
		d.line = int(syntax.Mark.Line)
		d.node = &codec.Node{Mark: syntax.Mark}
	}
}

func (s *session) understand(d *document) {
	if d.node.Mark.Line > 0 {
		d.line = int(d.node.Mark.Line)
	}
	if errs := typeErrors(d.node); len(errs) > 0 {
		d.fatal = true
		d.errs = []error{plain("error validating " + strconv.Quote(d.file) + ": error validating data: " + join(errs).Error() +
			"; if you choose to ignore these errors, turn validation off with --validate=false")}
		return
	}
	if items := d.node.Get("items"); items != nil && items.Kind == codec.List {
		s.understandList(d, items)
		return
	}
	i, err := s.itemOf(d.node, d)
	d.ref = api.Ref{Kind: d.node.Str("kind"), Namespace: i.namespace, Name: i.name}
	if err != nil {
		d.errs = []error{err}
		return
	}
	d.items = []item{i}
}

// typeErrors is what kubectl checks itself (kubectl/pkg/validation getObjectKind).
func typeErrors(n *codec.Node) []error {
	if n.Kind != codec.Map {
		return []error{plain("invalid object to validate")}
	}
	var errs []error
	for _, key := range []string{"apiVersion", "kind"} {
		switch v := n.Get(key); {
		case v == nil || v.Kind == codec.Null:
			errs = append(errs, plain(key+" not set"))
		case v.Kind != codec.String:
			errs = append(errs, plain(key+" isn't string type"))
		case key == "apiVersion" && strings.Count(v.Text, "/") > 1:
			errs = append(errs, plain("unexpected GroupVersion string: "+v.Text))
		}
	}
	return errs
}

// itemOf understands one object of a file.
func (s *session) itemOf(n *codec.Node, d *document) (item, error) {
	meta, bad := codec.DecodeMeta(n)
	if bad != nil {
		return item{}, plain("unable to decode " + strconv.Quote(d.file) + ": " + bad.Error())
	}
	i := item{node: n, source: d.file, line: int(n.Mark.Line), namespace: meta.Namespace, name: meta.Name}
	i.kind = s.mapped(n.Str("apiVersion"), n.Str("kind"))
	if i.kind == nil {
		return i, plain("resource mapping not found for name: " + strconv.Quote(i.name) + " namespace: " + strconv.Quote(i.namespace) +
			" from " + strconv.Quote(d.file) + ": " + noMatch(n) + "\nensure CRDs are installed first")
	}
	return i, s.place(&i)
}

// mapped finds the kind of a document. One in lower case is found too, and is then
// the server's to refuse.
func (s *session) mapped(version, kind string) *api.Kind {
	if k := api.KindFor(version, kind); k != nil {
		return k
	}
	for i := range api.Kinds {
		if k := &api.Kinds[i]; strings.ToLower(k.Kind) == kind && k.APIVersion() == version {
			return k
		}
	}
	for _, k := range s.custom() {
		if name := k.Name(); (name == kind || strings.ToLower(name) == kind) && k.APIVersion() == version {
			return k
		}
	}
	return nil
}

func noMatch(n *codec.Node) string {
	return "no matches for kind " + strconv.Quote(n.Str("kind")) + " in version " + strconv.Quote(n.Str("apiVersion"))
}

// place gives the object its namespace, which must be the one of the flag.
func (s *session) place(i *item) error {
	switch {
	case !i.kind.Namespaced:
		i.namespace = ""
	case i.namespace == "":
		i.namespace = s.namespace
	case s.flags.has("namespace") && i.namespace != s.namespace:
		return plain("the namespace from the provided object " + strconv.Quote(i.namespace) + " does not match the namespace " +
			strconv.Quote(s.namespace) + ". You must pass '--namespace=" + i.namespace + "' to perform this operation.")
	}
	return nil
}

// understandList takes the objects out of a List, or out of a list of one kind,
// whose items need not say what they are.
func (s *session) understandList(d *document, items *codec.Node) {
	d.ref = api.Ref{Kind: d.node.Str("kind")}
	version, one := d.node.Str("apiVersion"), strings.TrimSuffix(d.ref.Kind, "List")
	if one != "" && (one == d.ref.Kind || api.KindFor(version, one) == nil) {
		d.errs = []error{plain("resource mapping not found for name: \"\" namespace: \"\" from " + strconv.Quote(d.file) + ": " +
			noMatch(d.node) + "\nensure CRDs are installed first")}
		return
	}
	for n := range items.Items {
		if item := &items.Items[n]; one != "" && item.Kind == codec.Map && item.Get("kind") == nil {
			text := func(t string) codec.Node { return codec.Node{Kind: codec.String, Text: t, Mark: item.Mark} }
			item.Fields = append([]codec.Field{{Key: "apiVersion", Value: text(version)}, {Key: "kind", Value: text(one)}}, item.Fields...)
		}
	}
	var unknown aggregate
	for n := range items.Items {
		node := &items.Items[n]
		i, err := s.itemOf(node, d)
		switch {
		case err == nil:
			d.items = append(d.items, i)
		case i.kind == nil && i.node != nil:
			unknown = append(unknown, plain("unable to recognize "+noMatch(node)))
		default:
			d.errs = append(d.errs, err)
		}
	}
	if unknown != nil {
		d.errs = append(d.errs, unknown)
	}
}

// fileItems reads all -f flags of a command that is not interested in single
// documents.
func (s *session) fileItems() (items []item, errs []error, err error) {
	files, err := s.open(s.flags.list("filename"))
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		for _, d := range s.read(f) {
			items, errs = append(items, d.items...), append(errs, d.errs...)
		}
	}
	return items, errs, nil
}
