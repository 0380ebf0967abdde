package scenario_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"podwalk/core/scenario"
)

var rewrite = flag.Bool("rewrite", false, "write the golden scenarios anew; read the difference before committing it")

// goldens returns the scenario files of the project.
func goldens(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	return files
}

func parse(t testing.TB, file string) *scenario.File {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, bad := scenario.ParseFile(file, text)
	if bad != nil {
		t.Fatal(bad)
	}
	return f
}

func TestGoldenScenarios(t *testing.T) {
	for _, file := range goldens(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f := parse(t, file)
			_, out, bad := f.Play(func(line int, s *scenario.Session) {
				for _, b := range s.Cluster().Invariants() {
					t.Errorf("%s:%d: %s", file, line, b)
				}
			})
			for _, b := range bad {
				t.Fatal(b)
			}
			if *rewrite {
				if err := os.WriteFile(file, []byte(f.Print(out)), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for i, d := range f.Directives {
				if out[i] != d.Expected {
					t.Errorf("%s:%d: %s\n%s", file, d.Line, d.Text, lineDiff(maskedLines(d.Expected), maskedLines(out[i])))
				}
			}
		})
	}
}

func TestEveryExampleSaysWhatItShowsInBothLanguages(t *testing.T) {
	n := 0
	for _, file := range goldens(t) {
		h := parse(t, file).Header
		if h["example"] == "" {
			continue
		}
		n++
		for _, k := range []string{"title", "about", "title.zh", "about.zh"} {
			if h[k] == "" {
				t.Errorf("%s has no %s", file, k)
			}
		}
	}
	if n < 8 {
		t.Errorf("%d examples, want at least 8", n)
	}
}

func TestAScenarioIsReadAndPrintedAlike(t *testing.T) {
	for _, file := range goldens(t) {
		text, _ := os.ReadFile(file)
		f := parse(t, file)
		var expected []string
		for _, d := range f.Directives {
			expected = append(expected, d.Expected)
		}
		if got := f.Print(expected); got != string(text) {
			t.Errorf("%s is printed differently:\n%s", file, lineDiff(maskedLines(string(text)), maskedLines(got)))
		}
	}
}
