package scheduler

import (
	"strconv"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/sim"
)

// kindOfPod makes one of a few kinds of pods, so that pods of one kind meet.
func kindOfPod(p *api.Pod, kind int) {
	zone, host := "topology.kubernetes.io/zone", "kubernetes.io/hostname"
	same := &api.LabelSelector{MatchLabels: map[string]string{"app": "a"}}
	term := func(key string) api.PodAffinityTerm {
		return api.PodAffinityTerm{TopologyKey: key, LabelSelector: same}
	}
	switch kind {
	case 1:
		p.Spec.TopologySpreadConstraints = []api.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: zone, WhenUnsatisfiable: "DoNotSchedule", LabelSelector: same},
			{MaxSkew: 2, TopologyKey: host, WhenUnsatisfiable: "ScheduleAnyway", LabelSelector: same}}
	case 2:
		p.Spec.Affinity = &api.Affinity{PodAntiAffinity: &api.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []api.PodAffinityTerm{term(host)}}}
	case 3:
		p.Spec.Affinity = &api.Affinity{PodAffinity: &api.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []api.PodAffinityTerm{term(zone)},
			PreferredDuringSchedulingIgnoredDuringExecution: []api.WeightedPodAffinityTerm{{Weight: 7, PodAffinityTerm: term(host)}}}}
	case 4:
		p.Spec.Affinity = &api.Affinity{PodAntiAffinity: &api.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []api.WeightedPodAffinityTerm{{Weight: 7, PodAffinityTerm: term(zone)}}}}
	case 5:
		policy := "Honor"
		p.Spec.Tolerations = []api.Toleration{{Key: "k", Operator: "Exists"}}
		p.Spec.TopologySpreadConstraints = []api.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: host, WhenUnsatisfiable: "DoNotSchedule", LabelSelector: same, NodeTaintsPolicy: &policy}}
	}
}

// remembering runs random commands on a cluster, with or without memory.
func remembering(t *testing.T, seed uint64, plain bool) string {
	w := newWorld(t, 8)
	w.s.plain = plain
	r, n := sim.Random{Seed: seed}, uint64(0)
	roll := func(limit int) int { n++; return r.Intn("test", "roll", n, limit) }
	for step := range 150 {
		name := "p" + strconv.Itoa(roll(40))
		switch roll(8) {
		case 0, 1, 2, 3, 4:
			if w.pod(name) != nil {
				continue
			}
			p := waitingPod(name, []string{"100m", "500m", "2"}[roll(3)])
			p.UID = "uid-" + name + "-" + strconv.Itoa(step)
			priority := int32(roll(3))
			p.Spec.Priority, p.Labels = &priority, map[string]string{"app": []string{"a", "b"}[roll(2)]}
			kindOfPod(p, roll(6))
			w.put(p)
		case 5:
			if w.pod(name) != nil {
				w.Handle(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: name}, 0)
			}
		case 6:
			o := node("n"+strconv.Itoa(roll(10)), "zone-"+strconv.Itoa(roll(3)))
			o.Labels["kubernetes.io/hostname"] = o.Name
			o.Spec.Unschedulable = roll(4) == 0
			if roll(3) == 0 {
				o.Spec.Taints = []api.Taint{{Key: "k", Effect: []string{"NoSchedule", "PreferNoSchedule"}[roll(2)]}}
			}
			w.put(o)
		case 7:
			if p := w.pod(name); p != nil && p.Spec.NodeName != "" {
				changed := *p
				changed.Labels = map[string]string{"app": []string{"a", "b"}[roll(2)]}
				w.put(&changed)
			}
		}
		w.run(w.now + sim.Time(roll(1500))*sim.Millisecond)
		if seed%2 == 0 && roll(10) == 0 {
			w.s.Clone()
		}
	}
	return strings.Join(w.log, "\n")
}

// What is remembered for the pods of one template changes no record: verdicts,
// scores, choices and preemptions are those of the plain evaluation.
func TestWhatIsRememberedChangesNothing(t *testing.T) {
	for seed := range uint64(60) {
		a, b := remembering(t, seed, true), remembering(t, seed, false)
		if a == b {
			continue
		}
		x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
		for i := range min(len(x), len(y)) {
			if x[i] != y[i] {
				t.Fatalf("seed %d, record %d:\nplain      %s\nremembered %s", seed, i, x[i], y[i])
			}
		}
		t.Fatalf("seed %d: %d and %d records", seed, len(x), len(y))
	}
}
