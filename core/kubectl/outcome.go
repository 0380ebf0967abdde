package kubectl

import (
	"slices"

	"podwalk/core/api"
)

// Applied is what became of one document. Ref is empty where the entry belongs to
// the file: it could not be read, or held nothing.
type Applied struct {
	Ref            api.Ref
	File           string
	Line           int // of the document in the file, from 1
	Exit           int
	Stdout, Stderr string
	Marks          []Mark
}

// outcome is a document and what was printed about it. kubectl reads all documents
// before it applies the first, and prints the errors of reading before those of
// applying.
type outcome struct {
	document
	stdout, warnings string
	early, late      []error
	text             string // of its errors, as finish words them
	marks            []Mark
}

type batch struct{ docs []outcome }

// observe applies the items of a document and keeps what was printed.
func (s *session) observe(o *outcome, apply func(*item) error) {
	out, err := s.out.Len(), s.err.Len()
	if o.ref.Kind == "" && o.node != nil {
		o.ref.Kind = o.node.Str("kind")
	}
	for n := range o.items {
		i := &o.items[n]
		before := s.err.Len()
		if e := apply(i); e != nil {
			o.late = append(o.late, e)
			o.marks = append(o.marks, errorMarks(i, e)...)
		} else if len(o.items) == 1 && !o.isList() {
			o.ref = api.Ref{Kind: i.kind.Kind, Namespace: i.namespace, Name: i.name}
		}
		o.marks = append(o.marks, warningMarks(i, s.err.String()[before:])...)
	}
	for _, e := range o.early {
		o.marks = append(o.marks, documentMark(&o.document, e))
	}
	o.stdout, o.warnings = s.out.String()[out:], s.err.String()[err:]
}

func (d *document) isList() bool { return d.node != nil && d.node.Get("items") != nil }

// finish words the errors, makes the entries and returns the command's error.
func (s *session) finish(b *batch, file, empty string) error {
	count := 0
	var early, late aggregate
	for i := range b.docs {
		o := &b.docs[i]
		count += len(o.items)
		early, late = append(early, o.early...), append(late, o.late...)
	}
	if count == 0 && len(early)+len(late) == 0 {
		s.entries = []Applied{{File: file, Line: 1, Exit: 1, Stderr: "error: " + empty + "\n"}}
		return plain(empty)
	}
	err := join(late)
	switch {
	case len(late) == 0:
		err = join(early)
	case len(early) > 0:
		err = append(aggregate{early}, late...)
	}
	b.word(early, late)
	text := ""
	if err != nil {
		text = report(err)
	}
	s.entries = b.entries(text)
	for _, e := range s.entries {
		s.marks = append(s.marks, e.Marks...)
	}
	return err
}

// word gives each document its part of the text that report prints.
func (b *batch) word(early, late aggregate) {
	alone := len(early)+len(late) == 1
	list := len(early) > 1 && len(late) > 0
	var seen []string
	for i := range b.docs {
		o := &b.docs[i]
		for n, e := range append(slices.Clone(o.early), o.late...) {
			switch {
			case alone:
				o.text += report(e)
			case list && n < len(o.early):
				o.text += listed(&seen, message(e), len(early))
			default:
				o.text += message(e) + "\n"
			}
		}
	}
}

// listed is one message of "[a, b]", which leaves repeated ones out.
func listed(seen *[]string, text string, total int) string {
	open, end := "", ""
	if len(*seen) == 0 {
		open = "["
	}
	if len(*seen) == total-1 {
		end = "]\n"
	}
	repeated := slices.Contains(*seen, text)
	if *seen = append(*seen, text); repeated {
		return end
	}
	if open == "" {
		open = ", "
	}
	return open + text + end
}

// entries puts the documents in the order in which kubectl prints, which is their
// own unless an early error comes before a late one.
func (b *batch) entries(errors string) []Applied {
	var out []Applied
	warnings, joined := "", ""
	for i := range b.docs {
		o := &b.docs[i]
		e := Applied{Ref: o.ref, File: o.file, Line: o.line, Stdout: o.stdout, Stderr: o.warnings + o.text, Marks: o.marks}
		if o.text != "" {
			e.Exit = 1
		}
		if o.fatal {
			e.Ref = api.Ref{}
		}
		out = append(out, e)
		warnings += o.warnings
		joined += e.Stderr
	}
	if joined == warnings+errors {
		return out
	}
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return b.docs[x].class() - b.docs[y].class() })
	sorted := make([]Applied, len(out))
	for i, n := range order {
		sorted[i] = out[n]
	}
	return sorted
}

// class orders documents by when kubectl prints about them.
func (o *outcome) class() int {
	switch {
	case len(o.early) > 0:
		return 1
	case len(o.late) > 0:
		return 2
	}
	return 0
}
