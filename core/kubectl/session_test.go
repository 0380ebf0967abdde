package kubectl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/internal/measured"
	"podwalk/core/kubectl"
)

// The sessions are run against a server that stores what it is sent. What a real
// one adds or refuses is not expected of it, so lines that show defaults, statuses
// and validation are not compared.
func TestOracleSessionsPrintWhatTheRealKubectlPrints(t *testing.T) {
	equal, total := 0, 0
	for _, name := range []string{
		"annotate", "apply-list", "apply-over-create", "config", "create-deployment", "create-misc", "create-namespace", "create-quota-pdb",
		"create-rbac", "create-service", "delete", "delete-output", "discovery", "expose", "get-kinds", "get-output", "label", "run", "scale", "taint",
	} {
		s := session(t, "kubectl2", name)
		f, d := newFake(seed()...), tree(t, s.Dir)
		for _, c := range s.Commands {
			line, ok := strings.CutPrefix(c.Cmd, "kubectl ")
			if !ok || strings.ContainsAny(c.Cmd, "|>;") || strings.Contains(c.Cmd, "&&") || strings.Contains(c.Cmd, "dir/*") {
				continue
			}
			f.now += 1e9
			r := kubectl.Run(f, d, kubectl.SplitLine(line), kubectl.Options{})
			if notFromHere(c) || strings.HasPrefix(r.Stderr, "not simulated") {
				continue
			}
			total++
			if plain(r.Stdout) != plain(c.Stdout) || plain(r.Stderr) != plain(c.Stderr) || r.Exit != c.Exit {
				t.Logf("%s: %s\n got %d %q %q\nwant %d %q %q", name, c.Cmd, r.Exit, r.Stdout, r.Stderr, c.Exit, c.Stdout, c.Stderr)
				continue
			}
			equal++
		}
	}
	t.Logf("sessions: %d of %d commands equal", equal, total)
}

// notFromHere holds for answers that are the server's or a controller's work.
func notFromHere(c measured.Command) bool {
	words := regexp.MustCompile(`is invalid|in version|-o (yaml|json|wide)|already allocated|patched \(no change\)|deprecated|get (pods|deploy|rs|all|hpa)|timed out`)
	return words.MatchString(c.Cmd+c.Stdout+c.Stderr) && !strings.Contains(c.Cmd, "dry-run=client")
}

var masks = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\b\d+(s|m\d*s?|h\d*m?|d\d*h?)( |$)`), "AGE$2"},
	{regexp.MustCompile(`10\.\d+\.\d+\.\d+`), "IP"},
	{regexp.MustCompile(` +`), " "},
	{regexp.MustCompile(`(?m) $`), ""},
}

func plain(s string) string {
	for _, m := range masks {
		s = m.re.ReplaceAllString(s, m.by)
	}
	return s
}

func seed() []api.Object {
	var out []api.Object
	for _, name := range []string{"control-plane", "worker-1", "worker-2"} {
		n := &api.Node{ObjectMeta: api.ObjectMeta{Name: name, UID: name, Labels: map[string]string{}, CreationTimestamp: 1}}
		n.TypeMeta = api.TypeMeta{APIVersion: "v1", Kind: "Node"}
		n.Status.Conditions = []api.NodeCondition{{Type: "Ready", Status: "True"}}
		n.Status.NodeInfo.KubeletVersion = kubectl.Version
		out = append(out, n)
	}
	out[0].Meta().Labels["node-role.kubernetes.io/control-plane"] = ""
	out[2].Meta().Labels["disktype"] = "hdd"
	ca := &api.ConfigMap{ObjectMeta: api.ObjectMeta{Name: "kube-root-ca.crt", Namespace: "default"}, Data: map[string]string{"ca.crt": "x"}}
	ca.TypeMeta = api.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
	svc := &api.Service{ObjectMeta: api.ObjectMeta{Name: "kubernetes", Namespace: "default"}}
	svc.TypeMeta = api.TypeMeta{APIVersion: "v1", Kind: "Service"}
	svc.Spec = api.ServiceSpec{Type: "ClusterIP", ClusterIPs: []string{"10.96.0.1"}, Ports: []api.ServicePort{{Port: 443, Protocol: "TCP"}}}
	return append(out, ca, svc)
}

func tree(t *testing.T, dir string) disk {
	t.Helper()
	d := disk{"-": ""}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		name, _ := filepath.Rel(dir, p)
		d[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
