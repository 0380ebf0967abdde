package unified

import (
	"strings"
	"testing"
)

// The expectations are what GNU diff -u prints.
func TestDifferencesArePrintedAsDiffPrintsThem(t *testing.T) {
	long := strings.Repeat("x\n", 20)
	for _, c := range []struct{ from, to, want string }{
		{"a\n", "a\n", ""},
		{"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"},
		{"a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"},
		{"1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nfour\n5\n6\n7\n8\n", "@@ -1,7 +1,8 @@\n 1\n 2\n 3\n-4\n+four\n 5\n 6\n 7\n+8\n"},
		{"a\n" + long + "b\n", "A\n" + long + "B\n", "@@ -1,4 +1,4 @@\n-a\n+A\n x\n x\n x\n@@ -19,4 +19,4 @@\n x\n x\n x\n-b\n+B\n"},
		{"k: 1\nz\n", "k: 2\nnew: x\nz\n", "@@ -1,2 +1,3 @@\n-k: 1\n+k: 2\n+new: x\n z\n"},
	} {
		if got := Diff(c.from, c.to); got != c.want {
			t.Errorf("Diff(%q, %q)\n got %q\nwant %q", c.from, c.to, got, c.want)
		}
	}
}
