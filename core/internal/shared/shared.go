// Package shared finds the folder of measured outputs, cases and manifests that
// tests compare with. It lies beside the project, not in it; where it is absent
// the tests that need it are skipped. For tests only.
package shared

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the path of a sub-folder of the shared folder, taken from
// PODWALK_SHARED or found beside one of the parents of the test's folder. It
// skips the test where there is none.
func Dir(t testing.TB, sub string) string {
	t.Helper()
	if d := os.Getenv("PODWALK_SHARED"); d != "" {
		return need(t, filepath.Join(d, sub))
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for d := wd; d != filepath.Dir(d); d = filepath.Dir(d) {
		p := filepath.Join(d, "shared", sub)
		if _, err := os.Stat(p); err == nil && filepath.Base(d) != "internal" {
			return p
		}
	}
	t.Skip("no shared folder beside the project")
	return ""
}

func need(t testing.TB, p string) string {
	t.Helper()
	if _, err := os.Stat(p); err != nil {
		t.Skipf("PODWALK_SHARED: %v", err)
	}
	return p
}
