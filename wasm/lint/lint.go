// Command lint is the browser's second program: hints while typing, from the
// JSON Schemas of the kinds, without a run of the simulation. It answers two
// operations, lint and schema. What it says is advice: the simulated API server
// decides by its own rules. Start reading at linter.lint.
package main

import (
	"encoding/json"
	"errors"

	"podwalk/core/codec"
	"podwalk/core/schema"
	"podwalk/wasm/boundary"
)

type linter struct{ schemas *schema.Set }

func newLinter() *linter { return &linter{schemas: schema.New()} }

func (l *linter) handle(request []byte) []byte { return boundary.Handle(request, l.ops, nil) }

func (l *linter) ops(name string) boundary.Op {
	switch name {
	case "lint":
		return l.lint
	case "schema":
		return l.fields
	}
	return nil
}

// Bounds of what is checked; the text of a person is far below.
const (
	maxText  = 1 << 20
	maxMarks = 500
)

func (l *linter) lint(raw json.RawMessage) (any, error) {
	var args LintArgs
	if err := boundary.Decode(raw, &args); err != nil {
		return nil, err
	}
	ok := LintOK{Marks: []boundary.Mark{}}
	for _, f := range args.Files {
		if len(f.Text) > maxText {
			ok.Marks = append(ok.Marks, boundary.Mark{File: f.Name, Line: 1, Column: 1, Severity: "warning", Source: "schema",
				Message: "files above 1 MiB are not checked while typing"})
			continue
		}
		ok.Marks = append(ok.Marks, l.file(f)...)
	}
	if len(ok.Marks) > maxMarks {
		ok.Marks = ok.Marks[:maxMarks]
	}
	return ok, nil
}

// file checks the documents of a file up to its first error of syntax.
func (l *linter) file(f boundary.File) []boundary.Mark {
	var marks []boundary.Mark
	for _, d := range codec.Split([]byte(f.Text)) {
		if d.Err != nil {
			return append(marks, broken(f.Name, d.Line, d.Err))
		}
		doc, err := codec.Parse(d)
		if err != nil {
			return append(marks, broken(f.Name, d.Line, err))
		}
		for _, r := range codec.Duplicates(d) {
			marks = append(marks, at(f.Name, r.Mark, "warning", "yaml", r.Message))
		}
		marks = append(marks, words(f.Name, d, &doc)...)
		for _, h := range l.schemas.Check(&doc) {
			severity := "error"
			if h.Warning {
				severity = "warning"
			}
			marks = append(marks, at(f.Name, h.Mark, severity, "schema", h.Message))
		}
	}
	return marks
}

func broken(file string, line int, err error) boundary.Mark {
	mark := codec.Mark{Line: int32(line), Column: 1}
	var syntax *codec.SyntaxError
	if errors.As(err, &syntax) && syntax.Mark.Line > 0 {
		mark = syntax.Mark
	}
	return at(file, mark, "error", "yaml", err.Error())
}

func at(file string, m codec.Mark, severity, source, message string) boundary.Mark {
	return boundary.Mark{File: file, Line: max(1, int(m.Line)), Column: max(1, int(m.Column)),
		EndLine: max(1, int(m.Line)), EndColumn: int(m.EndColumn),
		Severity: severity, Source: source, Message: message}
}

func (l *linter) fields(raw json.RawMessage) (any, error) {
	var args SchemaArgs
	if err := boundary.Decode(raw, &args); err != nil {
		return nil, err
	}
	ok := SchemaOK{Fields: []SchemaField{}}
	for _, f := range l.schemas.Fields(args.APIVersion, args.Kind, args.Path) {
		ok.Fields = append(ok.Fields, SchemaField(f))
	}
	return ok, nil
}
