package scenario_test

import (
	"path/filepath"
	"runtime"
	"testing"
)

// TestMeasured runs the cases of testdata/measured: printed by kubectl, kube-apiserver,
// kube-controller-manager, kube-scheduler and kubelets v1.37.2 over a scripted
// container runtime (a sleep or an exit in the command decides how a container ends)
// on the three nodes of nodes.yaml, with the images of each case already pulled. Each
// command tells when it took effect, and events.json holds what was told in the end.
// All lines must be equal, with the masks of mask_test.go.
func TestMeasured(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("the commands of some cases go through a shell, which a browser has not; they are compared natively")
	}
	root := filepath.Join("testdata", "measured")
	cases, err := filepath.Glob(filepath.Join(root, "cases", "*", "*", "case.json"))
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), func(t *testing.T) {
			if c := compareCase(t, root, dir); c.equal < c.lines {
				t.Errorf("%d of %d lines are equal\n%s", c.equal, c.lines, c.diff)
			}
		})
	}
}
