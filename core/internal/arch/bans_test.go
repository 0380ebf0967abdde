package arch

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

func TestTheCoreUsesNothingBanned(t *testing.T) {
	for _, f := range source(t) {
		if !f.core() {
			continue
		}
		for _, imp := range f.imports() {
			if why := bannedImport(imp); why != "" {
				t.Errorf("%s imports %s: %s", f.path, imp, why)
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if why := bannedNode(n); why != "" {
				t.Errorf("%s:%d: %s", f.path, f.fset.Position(n.Pos()).Line, why)
			}
			return true
		})
	}
}

func bannedImport(imp string) string {
	for _, p := range pure {
		if imp == p.What {
			return ""
		}
	}
	for _, b := range bannedImports {
		dir, tree := strings.CutSuffix(b.What, "/...")
		if imp == dir || tree && under(imp, dir) {
			return b.Why
		}
	}
	return ""
}

func bannedNode(n ast.Node) string {
	const one = "there is one thread and one queue: "
	switch n := n.(type) {
	case *ast.GoStmt:
		return one + "no goroutines"
	case *ast.SelectStmt:
		return one + "no select"
	case *ast.ChanType, *ast.SendStmt:
		return one + "no channels"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return one + "no channels"
		}
	case *ast.SelectorExpr:
		pkg, ok := n.X.(*ast.Ident)
		for _, b := range bannedCalls {
			if ok && pkg.Name+"."+n.Sel.Name == b.What {
				return b.What + ": " + b.Why
			}
		}
	}
	return ""
}

func TestTheBansKnowTheirExceptions(t *testing.T) {
	for imp, ok := range map[string]bool{
		"net": false, "net/http": false, "net/netip": true, "os": false, "os/exec": false,
		"sync/atomic": false, "math/rand/v2": false, "math": true, "text/template": false,
		"text/tabwriter": true, "strings": true,
	} {
		if got := bannedImport(imp) == ""; got != ok {
			t.Errorf("%s allowed: %v, want %v", imp, got, ok)
		}
	}
}
