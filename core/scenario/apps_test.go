package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podwalk/core/cluster"
	"podwalk/core/internal/shared"
	"podwalk/core/kubectl"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// app is a well-known application of the corpus and a new image for one of its
// workloads.
type app struct {
	name, path     string
	workload, line string // what is rolled out, and by which kubectl line
}

const examples = "kubernetes-website-2021/content/en/examples/application/"

var apps = []app{
	{"guestbook", "kubernetes-examples/web/guestbook/all-in-one/guestbook-all-in-one.yaml", "deployment/frontend", "set image deployment/frontend php-redis=gcr.io/google-samples/gb-frontend:v6"},
	{"bookinfo", "istio-samples/samples/bookinfo/platform/kube/bookinfo.yaml", "deployment/reviews-v3", "set image deployment/reviews-v3 reviews=registry.istio.io/release/examples-bookinfo-reviews-v3:1.20.4"},
	{"microservices-demo", "microservices-demo/release/kubernetes-manifests.yaml", "deployment/frontend", "set image deployment/frontend server=us-central1-docker.pkg.dev/online-boutique-ci/microservices-demo/frontend:v0.10.7"},
	{"voting app", "dockersamples-voting-app/k8s-specifications", "deployment/vote", "set image deployment/vote vote=dockersamples/examplevotingapp_vote:after"},
	{"wordpress and mysql", examples + "wordpress", "deployment/wordpress", "set image deployment/wordpress wordpress=wordpress:php8.2-apache"},
	{"cassandra", examples + "cassandra", "statefulset/cassandra", "set image statefulset/cassandra cassandra=gcr.io/google-samples/cassandra:v14"},
	{"zookeeper", examples + "zookeeper", "statefulset/zk", "set image statefulset/zk kubernetes-zookeeper=k8s.gcr.io/kubernetes-zookeeper:1.0-3.4.11"},
}

// What these applications need that their manifests leave to the cluster: a default
// class of storage, and the Secret that a tutorial makes by hand.
const surroundings = `apiVersion: sim.podwalk.dev/v1
kind: Cluster
addons: [local-path-provisioner]
---
apiVersion: v1
kind: Secret
metadata: {name: mysql-pass}
stringData: {password: secret}
`

// Each application becomes ready, is ready again after one of its machines was
// down for a while, and after a new image was rolled out.
func TestWellKnownApplicationsRunAreHealedAndRollOut(t *testing.T) {
	root := shared.Dir(t, "corpus")
	for _, a := range apps {
		t.Run(a.name, func(t *testing.T) {
			s := a.open(t, root)
			s.Cluster().Run(cluster.Until{At: s.Cluster().Now() + 10*sim.Minute})
			ready(t, s, "after ten minutes")
			node := fullest(t, s)
			s.Fault("node-down", []string{node})
			s.Cluster().Run(cluster.Until{At: s.Cluster().Now() + 8*sim.Minute})
			for _, p := range state(t, s).Pods {
				if p.Node == node && p.Status != "Terminating" && strings.HasPrefix(p.Owner, "ReplicaSet/") {
					t.Errorf("%s is %s on %s, which has been down for eight minutes", p.Name, p.Status, node)
				}
			}
			s.Fault("node-up", []string{node})
			s.Cluster().Run(cluster.Until{At: s.Cluster().Now() + 10*sim.Minute})
			ready(t, s, "after "+node+" was down and came back")
			if r := s.Kubectl(kubectl.SplitLine(a.line), nil); r.Exit != 0 {
				t.Fatalf("%s: %s", a.line, r.Stderr)
			}
			if r := s.Kubectl([]string{"rollout", "status", a.workload, "--timeout=10m"}, nil); r.Exit != 0 {
				t.Errorf("the rollout: %s%s", r.Stdout, r.Stderr)
			}
			s.Cluster().Run(cluster.Until{At: s.Cluster().Now() + 2*sim.Minute})
			ready(t, s, "after the rollout")
			image := a.line[strings.LastIndex(a.line, "=")+1:]
			if r := s.Read([]string{"get", "pods", "-o", "jsonpath={.items[*].spec.containers[*].image}"}); !strings.Contains(r.Stdout, image) {
				t.Errorf("no pod runs %s: %s", image, r.Stdout)
			}
		})
	}
}

func (a app) open(t *testing.T, root string) *scenario.Session {
	around := scenario.Source{Name: "around.yaml", Files: []kubectl.File{{Name: "around.yaml", Text: []byte(surroundings)}}}
	src := []scenario.Source{around, {Name: a.path, Files: manifests(t, filepath.Join(root, a.path))}}
	s, bad := scenario.Open(scenario.Options{Files: src})
	if bad != nil {
		t.Fatal(bad)
	}
	s.Apply(src)
	for _, x := range s.Applied {
		if x.Exit != 0 {
			t.Fatalf("%s: %s", x.Ref.Name, x.Stderr)
		}
	}
	return s
}

// manifests reads a file, or the manifests of a folder in the order of their names.
func manifests(t *testing.T, path string) (files []kubectl.File) {
	names := []string{path}
	if info, err := os.Stat(path); err != nil {
		t.Fatal(err) // the corpus is there, so its application must be
	} else if info.IsDir() {
		names, _ = filepath.Glob(filepath.Join(path, "*.yaml"))
	}
	for _, n := range names {
		if filepath.Base(n) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, kubectl.File{Name: filepath.Base(n), Text: text})
	}
	return files
}

func state(t *testing.T, s *scenario.Session) scenario.State {
	st, err := s.StateAt(s.Cluster().Now())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// ready fails for each workload that has fewer ready pods than it wants, with what
// its pods say.
func ready(t *testing.T, s *scenario.Session, when string) {
	t.Helper()
	st := state(t, s)
	if len(st.Pods) == 0 {
		t.Fatalf("%s there are no pods", when)
	}
	for _, w := range st.Workloads {
		if w.Ready < w.Desired {
			t.Errorf("%s %s %s has %d of %d ready pods", when, w.Kind, w.Name, w.Ready, w.Desired)
		}
	}
	for _, p := range st.Pods {
		if p.Status != "Running" || strings.HasPrefix(p.Ready, "0/") {
			t.Errorf("%s %s is %s %s%s", when, p.Name, p.Status, p.Ready, reason(s, p))
		}
	}
}

// fullest is the worker with the most pods.
func fullest(t *testing.T, s *scenario.Session) string {
	count := map[string]int{}
	best := ""
	for _, p := range state(t, s).Pods {
		if count[p.Node]++; best == "" || count[p.Node] > count[best] || count[p.Node] == count[best] && p.Node < best {
			best = p.Node
		}
	}
	return best
}
