package cluster

import (
	"strconv"
	"testing"

	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

func daemonSetJSON(strategy string) string {
	return `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent"},"spec":{"revisionHistoryLimit":2,"selector":{"matchLabels":{"app":"agent"}},
		"updateStrategy":` + strategy + `,"template":{"metadata":{"labels":{"app":"agent"}},"spec":{"terminationGracePeriodSeconds":1,
		"containers":[{"name":"app","image":"nginx:1.27"}]}}}}`
}

var daemonStrategies = []string{`{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}}`,
	`{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0,"maxSurge":1}}`, `{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"100%","maxSurge":0}}`,
	`{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0,"maxSurge":"100%"}}`}

func (r *roller) daemonSet() *api.DaemonSet {
	return r.c.Latest().Get("DaemonSet", "default", "agent").(*api.DaemonSet)
}

// disturbDaemon does one thing that a user may do to a DaemonSet or its nodes.
func (r *roller) disturbDaemon() {
	node := "node-" + strconv.Itoa(1+r.of(3))
	patch := func(spec string) { r.patch("DaemonSet", "agent", `{"spec":`+spec+`}`) }
	switch r.of(8) {
	case 0, 1:
		patch(`{"template":{"spec":{"containers":[{"name":"app","image":"nginx:1.` + strconv.Itoa(26+r.of(4)) + `"}]}}}`)
	case 2:
		patch(`{"updateStrategy":` + daemonStrategies[r.of(len(daemonStrategies))] + `,"minReadySeconds":` + strconv.Itoa(r.of(3)) + `}`)
	case 3:
		patch(`{"template":{"spec":{"nodeSelector":` + []string{`null`, `{"agent":"yes"}`}[r.of(2)] + `}}}`)
	case 4, 5:
		r.patch("Node", node, `{"metadata":{"labels":{"agent":`+[]string{`null`, `"yes"`}[r.of(2)]+`}}}`)
	case 6:
		r.patch("Node", node, `{"spec":{"taints":`+[]string{`null`, `[{"key":"k","effect":"NoSchedule"}]`, `[{"key":"k","effect":"NoExecute"}]`}[r.of(3)]+`}}`)
	case 7:
		if list := podcontrol.Owned(r.c.Latest(), r.daemonSet()); len(list) > 0 {
			r.do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: list[r.of(len(list))].Name})
		}
	}
}

// Whatever is done to a DaemonSet and the nodes: in the end every node that suits
// has one pod of the newest template, and at no moment has a node more than one
// pod that is not being deleted, two where the set surges.
func TestRandomDaemonSetsEndWithOnePodOnEveryNodeThatSuits(t *testing.T) {
	for seed := range uint64(100) {
		r := &roller{t: t, c: New(Config{Seed: seed}), seed: seed}
		r.create("DaemonSet", daemonSetJSON(daemonStrategies[r.of(len(daemonStrategies))]))
		for range 12 {
			r.c.Run(Until{At: r.c.Now() + sim.Time(r.of(3000))*sim.Millisecond})
			r.disturbDaemon()
		}
		r.c.Run(Until{Quiescent: true, At: r.c.Now() + 20*sim.Minute})
		// The controller takes no notice of a taint that lets a pod stay
		// (daemon_controller.go, syncNodeUpdate) until something else happens.
		r.patch("DaemonSet", "agent", `{"metadata":{"annotations":{"look":"again"}}}`)
		r.c.Run(Until{Quiescent: true, At: r.c.Now() + sim.Minute})
		r.daemonSettled()
		r.neverCrowded()
		if bad := r.c.Invariants(); bad != nil {
			t.Errorf("seed %d: %v", seed, bad)
		}
		if t.Failed() {
			return
		}
	}
}

func (r *roller) daemonSettled() {
	d := r.daemonSet()
	fail := func(what string) { r.t.Errorf("seed %d: %s\n%+v", r.seed, what, d.Status) }
	here := map[string]*api.Pod{}
	for _, p := range podcontrol.Owned(r.c.Latest(), d) {
		if here[p.Spec.NodeName] != nil || !podcontrol.IsReady(p) || p.Spec.Containers[0].Image != d.Spec.Template.Spec.Containers[0].Image {
			fail(p.Name + " on " + p.Spec.NodeName + " is a second pod, not ready or old")
		}
		here[p.Spec.NodeName] = p
	}
	suits, misplaced := int32(0), int32(0)
	r.c.Latest().Each("Node", "", func(o api.Object) bool {
		n := o.(*api.Node)
		selected := d.Spec.Template.Spec.NodeSelector == nil || n.Labels["agent"] == "yes"
		taint := ""
		for _, t := range n.Spec.Taints {
			taint = t.Effect
		}
		switch has := here[n.Name] != nil; {
		case selected && taint == "":
			if suits++; !has {
				fail(n.Name + " has no pod")
			}
		case selected && taint == "NoSchedule":
			if has {
				misplaced++
			}
		case has:
			fail(n.Name + " has a pod")
		}
		return true
	})
	st := d.Status
	if st.ObservedGeneration != d.Generation || st.DesiredNumberScheduled != suits || st.NumberAvailable != suits || st.CurrentNumberScheduled != suits ||
		st.UpdatedNumberScheduled != suits || st.NumberMisscheduled != misplaced || st.NumberUnavailable != 0 {
		fail("the status does not say that " + strconv.Itoa(int(suits)) + " nodes suit and " + strconv.Itoa(int(misplaced)) + " have a pod all the same")
	}
}

func (r *roller) neverCrowded() {
	changes, err := r.c.Changes(store.FirstRev)
	if err != nil {
		r.t.Fatal(err)
	}
	pods, limit := map[string]*api.Pod{}, 1
	for _, ch := range changes {
		if d, ok := ch.Object().(*api.DaemonSet); ok {
			if s := d.Spec.UpdateStrategy.RollingUpdate.MaxSurge; s != nil && s.String() != "0" {
				limit = 2
			}
		}
		p, ok := ch.Object().(*api.Pod)
		if !ok {
			continue
		}
		delete(pods, p.Name)
		if ch.New != nil && podcontrol.IsActive(p) && p.Spec.NodeName != "" {
			pods[p.Name] = p
		}
		count := map[string]int{}
		for _, q := range pods {
			if count[q.Spec.NodeName]++; count[q.Spec.NodeName] > limit {
				r.t.Errorf("seed %d: %d pods on %s at %v", r.seed, count[q.Spec.NodeName], q.Spec.NodeName, ch.At)
				return
			}
		}
	}
}
