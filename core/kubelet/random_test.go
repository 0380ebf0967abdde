package kubelet

import (
	"strconv"
	"testing"
	"time"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/workload"
)

// parts are what random pods are made of.
var (
	someCommands  = []string{"'true'", "'exit 3'", "'sleep 7; exit 1'", "'sleep 20'", "'sleep 100000'", "'trap \"exit 0\" TERM; while true; do sleep 1; done'"}
	someImages    = []string{"busybox:1.36", "busybox:1.36", "busybox:1.36", "doesnotexist:1"}
	somePolicies  = []string{"Always", "OnFailure", "Never"}
	someProbes    = []string{"", "", ", livenessProbe: {exec: {command: ['false']}, periodSeconds: 3, failureThreshold: 2}", ", readinessProbe: {exec: {command: ['true']}, periodSeconds: 5}", ", startupProbe: {exec: {command: ['true']}}"}
	someInits     = []string{"", "", "initContainers: [{name: i, image: 'busybox:1.36', command: [sh, -c, 'sleep 2']}], ", "initContainers: [{name: i, image: 'busybox:1.36', command: [sh, -c, 'exit 1']}], ", "initContainers: [{name: i, image: 'busybox:1.36', restartPolicy: Always, command: [sh, -c, 'sleep 100000']}], "}
	someDeadlines = []string{"", "", "", "activeDeadlineSeconds: 15, "}
)

type dice struct {
	r    sim.Random
	n    uint64
	seed string
}

func (d *dice) of(n int) int {
	d.n++
	return d.r.Intn("dice", d.seed, d.n, n)
}

func pick(d *dice, l []string) string { return l[d.of(len(l))] }

// Whatever pods there are and whatever is done to them: phases and restart counts
// only go forward, a deleted pod disappears, addresses of live sandboxes differ.
func TestRandomPodsObeyTheRules(t *testing.T) {
	for seed := range uint64(8) {
		d := &dice{r: sim.Random{Seed: seed}, seed: strconv.Itoa(int(seed))}
		w := newWorld(t, images(oracleImages()...), func(w *world, _ *Config, _ *[]workload.ImageDecl) { w.seed = seed })
		live := map[string]bool{}
		for i := range 30 {
			at := time.Duration(w.now) + time.Duration(d.of(8000))*time.Millisecond
			w.run(at)
			switch name := "p" + strconv.Itoa(i); {
			case i%5 == 4 && len(live) > 0:
				for n := range 30 {
					if victim := "p" + strconv.Itoa(n); live[victim] && w.pod(victim) != nil {
						w.delete(victim, 1+int64(d.of(5)))
						delete(live, victim)
						break
					}
				}
			case i%11 == 10:
				w.restart(time.Duration(d.of(20)) * time.Second)
			default:
				w.bind("{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {" + pick(d, someDeadlines) + "restartPolicy: " + pick(d, somePolicies) + ", " + pick(d, someInits) +
					"containers: [{name: app, image: '" + pick(d, someImages) + "', command: [sh, -c, " + pick(d, someCommands) + "]" + pick(d, someProbes) + "}]}}")
				live[name] = true
			}
		}
		w.run(time.Duration(w.now) + 5*time.Minute)
		w.checkHistory(seed)
		w.store.Latest().Each("Pod", "default", func(o api.Object) bool {
			if !live[o.Meta().Name] {
				t.Errorf("seed %d: %s was deleted and is still there", seed, o.Meta().Name)
			}
			return true
		})
		if err := w.store.CheckMutations(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		w.checkAddresses(seed)
	}
}

var phaseOrder = map[string]int{"": 0, "Pending": 0, "Running": 1, "Succeeded": 2, "Failed": 2}

func (w *world) checkHistory(seed uint64) {
	changes, err := w.store.Since(store.FirstRev)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range changes {
		old, was := c.Old.(*api.Pod)
		p, is := c.New.(*api.Pod)
		if !was || !is {
			continue
		}
		if a, b := old.Status.Phase, p.Status.Phase; phaseOrder[b] < phaseOrder[a] || phaseOrder[a] == 2 && a != b {
			w.t.Errorf("seed %d: %s went from %s to %s", seed, p.Name, a, b)
		}
		for i := range p.Status.ContainerStatuses {
			if o := statusNamed(old.Status.ContainerStatuses, p.Status.ContainerStatuses[i].Name); o != nil && p.Status.ContainerStatuses[i].RestartCount < o.RestartCount {
				w.t.Errorf("seed %d: %s has fewer restarts than before", seed, p.Name)
			}
		}
		for _, x := range p.Status.Conditions {
			o := findCondition(old.Status.Conditions, x.Type)
			if o != nil && o.Status == x.Status && o.LastTransitionTime != x.LastTransitionTime {
				w.t.Errorf("seed %d: %s: %s changed its time but not its status", seed, p.Name, x.Type)
			}
		}
	}
}

func (w *world) checkAddresses(seed uint64) {
	seen := map[string]string{}
	for _, uid := range w.rt.Node("worker-1").Pods() {
		for _, b := range w.rt.Node("worker-1").Sandboxes(uid) {
			if b.Ready && seen[b.IP] != "" {
				w.t.Errorf("seed %d: %s and %s have the address %s", seed, uid, seen[b.IP], b.IP)
			}
			if b.Ready {
				seen[b.IP] = uid
			}
		}
	}
}
