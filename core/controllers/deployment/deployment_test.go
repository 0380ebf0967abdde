package deployment

import (
	"strconv"
	"strings"
	"testing"

	"podwalk/core/api"
)

func rolling(surge, unavailable string, replicas int32) *look {
	parse := func(s string) *api.IntOrString {
		v := api.FromString(s)
		if n, err := strconv.Atoi(s); err == nil {
			v = api.FromInt(int32(n))
		}
		return &v
	}
	d := &api.Deployment{}
	d.Spec.Replicas = &replicas
	d.Spec.Strategy = api.DeploymentStrategy{Type: "RollingUpdate", RollingUpdate: &api.RollingUpdateDeployment{MaxSurge: parse(surge), MaxUnavailable: parse(unavailable)}}
	return &look{d: d}
}

// The examples are those of ResolveFenceposts (deployment/util/deployment_util.go):
// the surge is rounded up, the other down, and both are never 0.
func TestLimitsAreRoundedAsTheRealOnesAre(t *testing.T) {
	for _, c := range []struct {
		surge, unavailable         string
		replicas                   int32
		wantSurge, wantUnavailable int32
	}{{"0%", "1%", 2, 0, 1}, {"0%", "1%", 1, 0, 1}, {"1%", "25%", 2, 1, 0}, {"1%", "25%", 1, 1, 0}, {"1%", "0%", 2, 1, 0}, {"25%", "25%", 3, 1, 0},
		{"25%", "25%", 10, 3, 2}, {"25%", "25%", 0, 0, 0}, {"5", "100%", 3, 5, 3}, {"0", "7", 3, 0, 3}} {
		if s, u := rolling(c.surge, c.unavailable, c.replicas).limits(); s != c.wantSurge || u != c.wantUnavailable {
			t.Errorf("%+v: %d and %d", c, s, u)
		}
	}
}

func sized(name string, size int32, notes map[string]string) *api.ReplicaSet {
	s := &api.ReplicaSet{}
	s.Name, s.Spec.Replicas, s.Annotations = name, &size, notes
	return s
}

// The sum follows from GetReplicaSetProportion: 10 replicas with a surge of 3 in
// sets of 8 and 5 grow to 20 with a surge of 5, so each set by 25/13; the largest
// takes what rounding leaves over.
func TestSharesFollowTheSizes(t *testing.T) {
	l := rolling("25%", "25%", 20)
	notes := map[string]string{desiredKey: "10", maxKey: "13"}
	a, b := sized("a", 8, notes), sized("b", 5, notes)
	if x, y := l.share(a, 12, 0), l.share(b, 12, 7); x != 7 || y != 5 {
		t.Errorf("shares of 12 are %d and %d", x, y)
	}
	l = rolling("25%", "25%", 0)
	if x := l.share(a, -13, 0); x != -8 {
		t.Errorf("scaled to nothing a set of 8 changes by %d", x)
	}
}

// SetNewReplicaSetAnnotations: the revision rises only, what it was is kept, and of
// a list that would be longer than 2000 characters the oldest entries go.
func TestASetRemembersItsRevisions(t *testing.T) {
	d := &api.Deployment{}
	d.Annotations = map[string]string{"team": "a", "kubectl.kubernetes.io/last-applied-configuration": "x", revisionKey: "9"}
	s := sized("a", 1, map[string]string{revisionKey: "1"})
	if !annotate(d, s, 4) || s.Annotations[revisionKey] != "4" || s.Annotations[historyKey] != "1" || s.Annotations["team"] != "a" || len(s.Annotations) != 3 {
		t.Errorf("annotations: %v", s.Annotations)
	}
	if annotate(d, s, 3) || s.Annotations[revisionKey] != "4" {
		t.Errorf("a lower revision changes them: %v", s.Annotations)
	}
	s.Annotations[historyKey] = strings.Repeat("1000,", 399) + "1000"
	annotate(d, s, 5)
	if got := s.Annotations[historyKey]; len(got) > longestHistory || !strings.HasSuffix(got, ",1000,4") {
		t.Errorf("the history has %d characters and ends %q", len(got), got[len(got)-10:])
	}
}

func TestTheNameOfASetIsNoLongerThanANameMayBe(t *testing.T) {
	if got := setName(strings.Repeat("a", 253), "5d4f8c7b9"); len(got) != 253 || !strings.HasSuffix(got, "a-5d4f8c7b9") {
		t.Errorf("%d characters: %s", len(got), got[240:])
	}
}
