package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// Enums returns the table of closed sets: every field of the API's Go types whose
// type is marked +enum, with the constants of that type. dir is the folder of the
// module k8s.io/api.
func Enums(dir string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "v*", "types.go"))
	if err != nil {
		return nil, err
	}
	var rows []string
	for _, f := range files {
		version := filepath.Base(filepath.Dir(f))
		if strings.Contains(version, "alpha") || strings.Contains(version, "beta") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		group := filepath.Base(filepath.Dir(filepath.Dir(f)))
		rows = append(rows, enumRows(group+"."+version, tree)...)
	}
	sort.Strings(rows)
	head := "# type\tfield\tvalues; written by gen -upstream from types marked +enum\n"
	return []byte(head + strings.Join(rows, "")), nil
}

func enumRows(prefix string, tree *ast.File) []string {
	values := enumValues(tree)
	var rows []string
	ast.Inspect(tree, func(n ast.Node) bool {
		t, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range s.Fields.List {
			if words := values[typeName(f.Type)]; len(words) > 0 && f.Tag != nil {
				rows = append(rows, prefix+"."+t.Name.Name+"\t"+jsonName(f.Tag.Value)+"\t"+strings.Join(words, ",")+"\n")
			}
		}
		return true
	})
	return rows
}

// enumValues returns the constants of each type that is marked +enum.
func enumValues(tree *ast.File) map[string][]string {
	values := map[string][]string{}
	for _, d := range tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			t := s.(*ast.TypeSpec)
			if marked(g.Doc) || marked(t.Doc) {
				values[t.Name.Name] = []string{}
			}
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		c, ok := n.(*ast.ValueSpec)
		if !ok || c.Type == nil || len(c.Values) != 1 {
			return true
		}
		name := typeName(c.Type)
		lit, isLit := c.Values[0].(*ast.BasicLit)
		if _, ok := values[name]; ok && isLit {
			word, _ := strconv.Unquote(lit.Value)
			values[name] = append(values[name], word)
		}
		return true
	})
	return values
}

func marked(doc *ast.CommentGroup) bool {
	for _, line := range strings.Split(doc.Text(), "\n") {
		if strings.TrimSpace(line) == "+enum" {
			return true
		}
	}
	return false
}

// typeName is the name behind pointers and lists.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ArrayType:
		return typeName(e.Elt)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func jsonName(tag string) string {
	raw, _ := strconv.Unquote(tag)
	name, _, _ := strings.Cut(reflect.StructTag(raw).Get("json"), ",")
	return name
}
