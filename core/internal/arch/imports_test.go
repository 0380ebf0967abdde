package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

func TestPackagesImportOnlyDownwards(t *testing.T) {
	for _, f := range source(t) {
		if f.test || isGenerator(f.dir) || under(f.dir, "core/difftest") || forTests(f.dir) {
			continue
		}
		for _, imp := range f.imports() {
			to, ours := strings.CutPrefix(imp, "podwalk/")
			if !ours {
				continue
			}
			if why := forbidden(f.dir, to); why != "" {
				t.Errorf("%s imports %s: %s", f.path, to, why)
			}
		}
	}
}

// forbidden says why a package must not import another, or "".
func forbidden(from, to string) string {
	a, b := levelOf(from), levelOf(to)
	switch {
	case forTests(to):
		return "what stands in a folder internal is for tests"
	case a == nil && from != "core", b == nil:
		return "it is not in the table of levels"
	case a == b:
		return ""
	case b.N >= a.N:
		return "that is not below it (" + b.Path + ": " + b.Why + ")"
	}
	for _, c := range ceiling {
		if under(from, c.Path) && b.N > c.N {
			return c.Why
		}
	}
	why := ""
	for _, o := range onlyFrom {
		if !under(to, o.To) {
			continue
		}
		if under(from, o.From) {
			return ""
		}
		why = o.Why
	}
	return why
}

func TestTheTableForbidsWhatItShould(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"core/kubelet", "core/actor", true},
		{"core/kubelet", "core/scheduler", false},
		{"core/scheduler/nodename", "core/scheduler/framework", true},
		{"core/store", "core/apiserver", false},
		{"core/kubectl", "core/apiserver", false},
		{"core/kubectl/describe", "core/codec", true},
		{"core/sim", "core/api", false},
		{"core/scenario", "core/schema", false},
		{"wasm/lint", "core/schema", true},
		{"wasm/full", "core/cel", true},
		{"core/cmd/podwalk", "core/cel", true},
		{"wasm/browser", "core/cel", false},
		{"wasm/play", "core/cel", false},
		{"core/apiserver", "core/cel", false},
		{"core/cluster", "core/nowhere", false},
		{"core/cluster", "core/internal/shared", false},
	} {
		if why := forbidden(c.from, c.to); (why == "") != c.ok {
			t.Errorf("%s -> %s: %q, want ok=%v", c.from, c.to, why, c.ok)
		}
	}
}

func TestOtherModulesAreImportedWhereTheyBelong(t *testing.T) {
	for _, f := range source(t) {
		if under(f.dir, "core/difftest") {
			continue
		}
		for _, imp := range f.imports() {
			if strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") && !moduleAllowed(f, imp) {
				t.Errorf("%s imports %s", f.path, imp)
			}
		}
	}
}

func moduleAllowed(f *file, imp string) bool {
	if strings.HasPrefix(imp, "k8s.io/") || strings.HasPrefix(imp, "sigs.k8s.io/") {
		return false
	}
	for _, m := range modules {
		if under(imp, m.To) && (under(f.dir, m.From) || f.test || forTests(f.dir)) {
			return true
		}
	}
	return false
}

// What a program reaches through other modules counts too.
func TestTheBrowserProgramReachesNothingHeavy(t *testing.T) {
	for _, dep := range deps(t, "./wasm/play") {
		for _, b := range bannedDeps {
			if dep == b.What {
				t.Errorf("play.wasm links %s: %s", dep, b.Why)
			}
		}
	}
}

func TestNoProgramReachesTheKubernetesLibraries(t *testing.T) {
	for _, dep := range deps(t, "./wasm/...", "./core/...", "./schemas/...") {
		if strings.HasPrefix(dep, "k8s.io/") || strings.HasPrefix(dep, "sigs.k8s.io/") {
			t.Errorf("a program links %s, which belongs to core/difftest", dep)
		}
	}
}

func deps(t *testing.T, patterns ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath"}, patterns...)...)
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		errors.As(err, &exit)
		t.Fatalf("go list: %v\n%s", err, exit.Stderr)
	}
	var paths []string
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath string }
		if err := d.Decode(&p); err == io.EOF {
			return paths
		} else if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p.ImportPath)
	}
}
