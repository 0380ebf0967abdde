package describe_test

import (
	"regexp"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/internal/measured"
	"podwalk/core/kubectl/describe"
)

// In these sessions an object is shown with -o yaml and then described. What else
// the description shows (pods, endpoints, events) was not captured with it.
func TestOracleKindsAreDescribedAsTheRealKubectlDoes(t *testing.T) {
	var score measured.Score
	for _, group := range []string{"describe", "kubectl", "kubectl2", "network"} {
		for _, s := range measured.Sessions(t, group) {
			object, of := api.Object(nil), ""
			for _, c := range s.Commands {
				what, ok := strings.CutSuffix(c.Cmd, " -o yaml")
				if name, get := strings.CutPrefix(what, "kubectl get "); ok && get && c.Exit == 0 {
					object, of = measured.Object(t, c.Stdout), name
				}
				if name, is := strings.CutPrefix(c.Cmd, "kubectl describe "); !is || name != of || object == nil {
					continue
				}
				want := known(c.Stdout)
				got, _ := measured.Search(int64(object.Meta().CreationTimestamp)*1e9, want, func(now int64) string {
					return known(describe.Object(world{owner: object}, object, describe.Options{Now: now}))
				})
				if d := score.Add(group, got, want); d != "" && !raced[group+"/"+s.Case] {
					t.Errorf("%s/%s: %s: %s", group, s.Case, c.Cmd, d)
				}
			}
		}
	}
	score.Log(t, "describe")
}

// known masks the lines that need other objects than the one described.
func known(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if line == "Events:" || strings.HasPrefix(line, "Events: ") || strings.HasPrefix(line, "Non-terminated Pods:") {
			break
		}
		if m := elsewhere.FindString(line); m != "" {
			line = m
		}
		if lease.MatchString(line) {
			continue
		}
		line = backends.ReplaceAllString(line, "(endpoints)")
		if !strings.HasPrefix(line, "OldReplicaSets") && !strings.HasPrefix(line, "NewReplicaSet") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

var (
	lease    = regexp.MustCompile(`^  (HolderIdentity|AcquireTime|RenewTime): `)
	backends = regexp.MustCompile(`\((<none>|<error.*>|[0-9.:,]+)\)$`)
)

var elsewhere = regexp.MustCompile(`^(Pods Status|Endpoints|Used By|OldReplicaSets|NewReplicaSet|Lease|Default backend):`)
