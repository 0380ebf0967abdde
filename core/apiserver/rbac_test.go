package apiserver

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/internal/shared"
)

var asCommand = regexp.MustCompile(`^kubectl (get|delete) (\w+)( [a-z][\w-]*)?( -A)? --as=(\S+)`)

// The commands of captured cases that read or delete as somebody get the real
// server's refusal, or none.
func TestOracleRefusalsOfRBAC(t *testing.T) {
	equal := 0
	for _, name := range []string{"rbac-forbidden-get", "rbac-view-only"} {
		dir := filepath.Join(shared.Dir(t, "oracle/cases/admission"), name)
		c := readCase(t, dir)
		w := newWorld(t)
		w.setUp(t, dir)
		for _, cmd := range c.Commands {
			m := asCommand.FindStringSubmatch(cmd.Cmd)
			if m == nil {
				continue
			}
			req := api.Request{Verb: api.List, Kind: api.KindForResource(m[2]), Name: strings.TrimSpace(m[3]), Namespace: "default",
				User: api.User{Name: m[5], Groups: []string{"system:authenticated"}}}
			switch {
			case m[1] == "delete":
				req.Verb = api.Delete
			case m[3] != "":
				req.Verb = api.Get
			case m[4] != "":
				req.Namespace = ""
			}
			got := ""
			if res := w.do(req); res.Status != nil {
				got = "Error from server (" + res.Status.Reason + "): " + res.Status.Message + "\n"
			}
			want := cmd.Stderr
			if strings.HasPrefix(want, "No resources found") {
				want = ""
			}
			if got != want {
				t.Errorf("%s\n got %s\nwant %s", cmd.Cmd, got, want)
				continue
			}
			equal++
		}
	}
	t.Logf("%d refusals are equal", equal)
	if equal == 0 {
		t.Error("no command was compared")
	}
}
