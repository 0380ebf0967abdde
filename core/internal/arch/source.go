package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// file is one Go file of the module.
type file struct {
	path string // from the root, with slashes
	dir  string
	test bool
	gen  bool // generated
	ast  *ast.File
	fset *token.FileSet
}

// imports lists the import paths.
func (f *file) imports() []string {
	var out []string
	for _, s := range f.ast.Imports {
		out = append(out, strings.Trim(s.Path.Value, `"`))
	}
	return out
}

// core reports whether the bans hold: everything below httpapi but generators,
// which run on the developer's machine, and tests.
func (f *file) core() bool {
	if f.test || isGenerator(f.dir) || forTests(f.dir) || under(f.dir, "core/difftest") {
		return false
	}
	l := levelOf(f.dir)
	return l != nil && l.N < levelOf("core/httpapi").N
}

func isGenerator(dir string) bool { return path.Base(dir) == "gen" }

// forTests holds for packages that only tests import: they stand in a folder
// internal.
func forTests(dir string) bool { return strings.Contains(dir+"/", "/internal/") }

func under(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

func levelOf(dir string) *Level {
	for i := range levels {
		if under(dir, levels[i].Path) {
			return &levels[i]
		}
	}
	return nil
}

// root is the folder of the module, from this package.
const root = "../../.."

// walk calls f for each file of the project that is ours.
func walk(t *testing.T, f func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipDir(d.Name()) && p != root {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err == nil {
			f(filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func skipDir(name string) bool {
	switch name {
	case "build", "node_modules", "testdata", "dist":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// source parses the Go files of the project.
func source(t *testing.T) []*file {
	t.Helper()
	var files []*file
	fset := token.NewFileSet()
	walk(t, func(p string) {
		if !strings.HasSuffix(p, ".go") {
			return
		}
		tree, err := parser.ParseFile(fset, filepath.Join(root, p), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			return
		}
		files = append(files, &file{path: p, dir: path.Dir(p), test: strings.HasSuffix(p, "_test.go"),
			gen: ast.IsGenerated(tree), ast: tree, fset: fset})
	})
	if len(files) == 0 {
		t.Fatal("no Go files found")
	}
	return files
}
