package scenario_test

import (
	"testing"

	"podwalk/core/scenario"
)

// A context that one line makes is there for the next one; a fork has its own.
func TestAKubeconfigThatALineWroteIsReadByTheNext(t *testing.T) {
	s, bad := scenario.Open(scenario.Options{})
	if bad != nil {
		t.Fatal(bad)
	}
	run := func(s *scenario.Session, want string, argv ...string) {
		t.Helper()
		if r := s.Kubectl(argv, nil); r.Stdout != want || r.Exit != 0 {
			t.Errorf("%q: %q %q, want %q", argv, r.Stdout, r.Stderr, want)
		}
	}
	run(s, "Context \"podwalk\" modified.\n", "config", "set-context", "--current", "--namespace=kube-system")
	fork := s.Fork(s.Cluster().Now())
	run(fork, "Context \"podwalk\" modified.\n", "config", "set-context", "--current", "--namespace=default")
	run(s, "kube-system", "config", "view", "--minify", "-o", "jsonpath={..namespace}")
	if r := s.Kubectl([]string{"get", "pods"}, nil); r.Stderr != "No resources found in kube-system namespace.\n" {
		t.Errorf("%q", r.Stderr)
	}
}
