package cluster

import (
	"strconv"
	"strings"
	"testing"

	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

func statefulSetJSON(replicas int, policy, rest string) string {
	return `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db"},"spec":{"replicas":` + strconv.Itoa(replicas) +
		`,"serviceName":"db","podManagementPolicy":"` + policy + `","revisionHistoryLimit":2,"selector":{"matchLabels":{"app":"db"}},` + rest +
		`"template":{"metadata":{"labels":{"app":"db"}},"spec":{"terminationGracePeriodSeconds":1,"containers":[{"name":"app","image":"nginx:1.27"}]}}}}`
}

func (r *roller) statefulSet() *api.StatefulSet {
	return r.c.Latest().Get("StatefulSet", "default", "db").(*api.StatefulSet)
}

// disturbSet does one thing that a user may do to a StatefulSet.
func (r *roller) disturbSet() {
	patch := func(spec string) { r.patch("StatefulSet", "db", `{"spec":{`+spec+`}}`) }
	switch r.of(7) {
	case 0, 1:
		patch(`"replicas":` + strconv.Itoa(r.of(5)))
	case 2, 3:
		patch(`"template":{"spec":{"containers":[{"name":"app","image":"nginx:1.` + strconv.Itoa(26+r.of(4)) + `"}]}}`)
	case 4:
		patch([]string{`"updateStrategy":{"type":"OnDelete","rollingUpdate":null}`,
			`"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":` + strconv.Itoa(r.of(3)) + `,"maxUnavailable":` + strconv.Itoa(1+r.of(2)) + `}}`}[r.of(2)])
	case 5:
		patch(`"minReadySeconds":` + strconv.Itoa(r.of(3)) + `,"ordinals":{"start":` + strconv.Itoa(r.of(2)) + `}`)
	case 6:
		if list := podcontrol.Owned(r.c.Latest(), r.statefulSet()); len(list) > 0 {
			r.do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: "default", Name: list[r.of(len(list))].Name})
		}
	}
}

// Whatever is done to a StatefulSet: in the end its pods are those of its ordinals,
// ready and of the right revision; in order no pod is made before those of lower
// ordinals are ready, as far as the controller could know.
func TestRandomStatefulSetsEndAsTheSpecSaysAndStartInOrder(t *testing.T) {
	for seed := range uint64(100) {
		policy := []string{"OrderedReady", "Parallel"}[seed%2]
		r := &roller{t: t, c: New(Config{Seed: seed}), seed: seed}
		r.create("StatefulSet", statefulSetJSON(1+r.of(4), policy, ""))
		for range 12 {
			r.c.Run(Until{At: r.c.Now() + sim.Time(r.of(4000))*sim.Millisecond})
			r.disturbSet()
		}
		r.c.Run(Until{Quiescent: true, At: r.c.Now() + 20*sim.Minute})
		r.setSettled()
		if policy == "OrderedReady" {
			r.startedInOrder()
		}
		if bad := r.c.Invariants(); bad != nil {
			t.Errorf("seed %d: %v", seed, bad)
		}
		if t.Failed() {
			return
		}
	}
}

func (r *roller) setSettled() {
	s := r.statefulSet()
	fail := func(what string) { r.t.Errorf("seed %d: %s\n%+v\n%+v", r.seed, what, s.Spec.UpdateStrategy, s.Status) }
	first, n := 0, int(*s.Spec.Replicas)
	if s.Spec.Ordinals != nil {
		first = int(s.Spec.Ordinals.Start)
	}
	pods := podcontrol.Owned(r.c.Latest(), s)
	if len(pods) != n {
		fail(strconv.Itoa(len(pods)) + " pods, want " + strconv.Itoa(n))
	}
	u := s.Spec.UpdateStrategy.RollingUpdate
	for _, p := range pods {
		i, _ := strconv.Atoi(strings.TrimPrefix(p.Name, "db-"))
		if i < first || i >= first+n || !podcontrol.IsReady(p) {
			fail(p.Name + " is not a ready pod of the set")
		}
		if u != nil && i-first >= int(*u.Partition) && p.Labels["controller-revision-hash"] != s.Status.UpdateRevision {
			fail(p.Name + " is of an old revision")
		}
	}
	st := s.Status
	if st.ObservedGeneration != s.Generation || int(st.Replicas) != n || int(st.ReadyReplicas) != n || int(st.AvailableReplicas) != n {
		fail("the status does not say so")
	}
	live := map[string]bool{st.CurrentRevision: true, st.UpdateRevision: true}
	for _, p := range pods {
		live[p.Labels["controller-revision-hash"]] = true
	}
	if k := len(r.c.Latest().ByIndex("revision.owner", s.UID)); k > len(live)+2 {
		fail(strconv.Itoa(k) + " revisions are kept")
	}
}

// startedInOrder looks at each creation of a pod with the eyes of the controller.
func (r *roller) startedInOrder() {
	changes, err := r.c.Changes(store.FirstRev)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, ch := range changes {
		p, ok := ch.New.(*api.Pod)
		if !ok || ch.Old != nil {
			continue
		}
		seen, err := r.c.StateAt(ch.At - r.c.Config().Latency.Watch)
		if err != nil {
			r.t.Fatal(err)
		}
		s := seen.Get("StatefulSet", "default", "db").(*api.StatefulSet)
		first := 0
		if s.Spec.Ordinals != nil {
			first = int(s.Spec.Ordinals.Start)
		}
		i, _ := strconv.Atoi(strings.TrimPrefix(p.Name, "db-"))
		for below := first; below < i; below++ {
			other, _ := seen.Get("Pod", "default", "db-"+strconv.Itoa(below)).(*api.Pod)
			if other == nil || !podcontrol.IsReady(other) || other.DeletionTimestamp != nil {
				r.t.Errorf("seed %d: %s is made at %v before db-%d is ready", r.seed, p.Name, ch.At, below)
			}
		}
	}
}

// The claims of a set are owned by what they shall go with: the set where they go
// when it is deleted, the pod where its ordinal is not wanted any more
// (stateful_set_utils.go, isClaimOwnerUpToDate).
func TestClaimsGoWithWhatTheRetentionPolicyNames(t *testing.T) {
	r := &roller{t: t, c: New(Config{}), seed: 1}
	r.create("StatefulSet", statefulSetJSON(3, "Parallel", `"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete","whenScaled":"Delete"},
		"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}],`))
	r.c.Run(Until{At: 5 * sim.Second})
	claims := func() (names string) {
		r.c.Latest().Each("PersistentVolumeClaim", "default", func(o api.Object) bool {
			names += o.Meta().Name
			for _, ref := range o.Meta().OwnerReferences {
				names += " of " + ref.Kind + "/" + ref.Name
			}
			names += "\n"
			return true
		})
		return names
	}
	set := " of StatefulSet/db\n"
	if got, want := claims(), "data-db-0"+set+"data-db-1"+set+"data-db-2"+set; got != want {
		t.Errorf("after the start:\n%s", got)
	}
	r.patch("StatefulSet", "db", `{"spec":{"replicas":2}}`)
	r.c.Run(Until{At: 15 * sim.Second})
	if got, want := claims(), "data-db-0"+set+"data-db-1"+set; got != want {
		t.Errorf("after scaling down:\n%s", got)
	}
	r.patch("StatefulSet", "db", `{"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"}}}`)
	r.c.Run(Until{At: 25 * sim.Second})
	if got, want := claims(), "data-db-0\ndata-db-1\n"; got != want {
		t.Errorf("after the policy is Retain:\n%s", got)
	}
}

// A number of replicas that no cluster holds costs what is done, not what is asked
// for.
func TestASetOfTwoBillionReplicasCostsWhatIsDone(t *testing.T) {
	for _, policy := range []string{"OrderedReady", "Parallel"} {
		r := &roller{t: t, c: New(Config{}), seed: 1}
		r.create("ResourceQuota", `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"pods":"3"}}}`)
		r.c.Run(Until{At: sim.Second})
		r.create("StatefulSet", statefulSetJSON(2_000_000_000, policy, ""))
		steps := r.c.Run(Until{At: 20 * sim.Second})
		if n := r.statefulSet().Status.ReadyReplicas; n != 3 || steps > 5000 {
			t.Errorf("%s: %d pods are ready after %d looks", policy, n, steps)
		}
	}
}
