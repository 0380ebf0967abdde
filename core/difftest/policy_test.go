package difftest

import (
	"math/rand"
	"strconv"
	"testing"

	"github.com/mattfenwick/cyclonus/pkg/matcher"
	v1 "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"

	"podwalk/core/api"
	"podwalk/core/network/policy"
)

// The independent engine is cyclonus' matcher, from which the analyser of
// sigs.k8s.io/network-policy-api grew. It knows no nodes: host traffic has tests of
// its own beside the engine.
func TestVerdictsAreThoseOfAnIndependentEngine(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	verdicts, denied := 0, 0
	for range 300 {
		var set policy.Set
		var theirs []*networking.NetworkPolicy
		for i := range 1 + rng.Intn(5) {
			p := randomPolicy(rng, i)
			set.Put(p)
			theirs = append(theirs, real[networking.NetworkPolicy](t, p))
		}
		engine := matcher.BuildNetworkPolicies(false, theirs)
		ends := randomEnds(rng)
		for range 60 {
			from, to := ends[rng.Intn(len(ends))], ends[rng.Intn(len(ends))]
			if from == to {
				continue
			}
			number := []int32{80, 81, 443, 5000, 5003, 53}[rng.Intn(6)]
			proto := []string{"TCP", "TCP", "UDP", "SCTP"}[rng.Intn(4)]
			want := engine.IsTrafficAllowed(&matcher.Traffic{Source: trafficPeer(from), Destination: trafficPeer(to),
				ResolvedPort: int(number), ResolvedPortName: nameOf(to, number, proto), Protocol: v1.Protocol(proto)})
			got := set.Verdict(from, to, number, proto)
			if got.Egress.Allowed != want.Egress.IsAllowed() || got.Ingress.Allowed != want.Ingress.IsAllowed() {
				t.Fatalf("%s to %s:%d/%s: got %+v, want egress %v ingress %v\n%s", from, to, number, proto, got,
					want.Egress.IsAllowed(), want.Ingress.IsAllowed(), engine.ExplainTable())
			}
			verdicts++
			if !got.Allowed {
				denied++
			}
		}
	}
	if verdicts < 10000 || denied < verdicts/10 || denied > verdicts*9/10 {
		t.Errorf("%d verdicts, %d denied: not a fair sample", verdicts, denied)
	}
	t.Logf("%d verdicts equal, %d denied", verdicts, denied)
}

func trafficPeer(e *policy.End) *matcher.TrafficPeer {
	p := &matcher.TrafficPeer{IP: e.IP}
	if e.Name != "" {
		p.Internal = &matcher.InternalPeer{PodLabels: e.Labels, NamespaceLabels: e.NamespaceLabels, Namespace: e.Namespace}
	}
	return p
}

func nameOf(e *policy.End, number int32, proto string) string {
	for _, p := range e.Ports {
		if p.ContainerPort == number && p.Protocol == proto {
			return p.Name
		}
	}
	return ""
}

func randomEnds(rng *rand.Rand) (l []*policy.End) {
	for i := range 8 {
		ns := "ns" + strconv.Itoa(rng.Intn(3))
		l = append(l, &policy.End{IP: "10.244." + strconv.Itoa(rng.Intn(2)) + "." + strconv.Itoa(i+2), Namespace: ns, Name: "pod" + strconv.Itoa(i),
			Labels: randomLabels(rng), NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": ns, "team": []string{"a", "b", "a"}[ns[2]-'0']},
			Ports: []api.ContainerPort{{Name: "http", ContainerPort: []int32{80, 81}[rng.Intn(2)], Protocol: "TCP"}, {Name: "dns", ContainerPort: 53, Protocol: "UDP"}}})
	}
	return append(l, &policy.End{IP: "8.8.8.8"}, &policy.End{IP: "192.168.7.9"})
}

func randomLabels(rng *rand.Rand) map[string]string {
	l := map[string]string{"app": []string{"web", "db", "api"}[rng.Intn(3)]}
	if rng.Intn(2) == 0 {
		l["tier"] = []string{"front", "back"}[rng.Intn(2)]
	}
	return l
}

func randomPolicy(rng *rand.Rand, i int) *api.NetworkPolicy {
	p := &api.NetworkPolicy{TypeMeta: api.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"}}
	p.Namespace, p.Name = "ns"+strconv.Itoa(rng.Intn(3)), "p"+strconv.Itoa(i)
	p.Spec.PodSelector = *randomSelector(rng)
	p.Spec.PolicyTypes = [][]string{{"Ingress"}, {"Egress"}, {"Ingress", "Egress"}}[rng.Intn(3)]
	for range rng.Intn(3) {
		p.Spec.Ingress = append(p.Spec.Ingress, api.NetworkPolicyIngressRule{From: randomPeers(rng), Ports: randomPorts(rng)})
		p.Spec.Egress = append(p.Spec.Egress, api.NetworkPolicyEgressRule{To: randomPeers(rng), Ports: randomPorts(rng)})
	}
	return p
}

func randomSelector(rng *rand.Rand) *api.LabelSelector {
	switch rng.Intn(5) {
	case 0:
		return &api.LabelSelector{}
	case 1:
		return &api.LabelSelector{MatchExpressions: []api.LabelSelectorRequirement{{Key: "tier", Operator: []string{"Exists", "DoesNotExist"}[rng.Intn(2)]}}}
	case 2:
		return &api.LabelSelector{MatchExpressions: []api.LabelSelectorRequirement{{Key: "app", Operator: []string{"In", "NotIn"}[rng.Intn(2)], Values: []string{"web", "db"}}}}
	}
	return &api.LabelSelector{MatchLabels: map[string]string{"app": []string{"web", "db", "api"}[rng.Intn(3)]}}
}

func randomPeers(rng *rand.Rand) (l []api.NetworkPolicyPeer) {
	for range rng.Intn(3) {
		var p api.NetworkPolicyPeer
		switch rng.Intn(4) {
		case 0:
			p.PodSelector = randomSelector(rng)
		case 1:
			p.NamespaceSelector = randomSpaces(rng)
		case 2:
			p.PodSelector, p.NamespaceSelector = randomSelector(rng), randomSpaces(rng)
		case 3:
			p.IPBlock = &api.IPBlock{CIDR: []string{"0.0.0.0/0", "10.244.0.0/16", "8.8.8.8/32", "192.168.0.0/16"}[rng.Intn(4)]}
			if p.IPBlock.CIDR == "0.0.0.0/0" {
				p.IPBlock.Except = [][]string{nil, {"10.244.1.0/24"}, {"10.0.0.0/8", "192.168.0.0/16"}}[rng.Intn(3)]
			}
		}
		l = append(l, p)
	}
	return l
}

func randomSpaces(rng *rand.Rand) *api.LabelSelector {
	return []*api.LabelSelector{{}, {MatchLabels: map[string]string{"team": "a"}}, {MatchLabels: map[string]string{"kubernetes.io/metadata.name": "ns1"}},
		{MatchExpressions: []api.LabelSelectorRequirement{{Key: "team", Operator: "NotIn", Values: []string{"a"}}}}}[rng.Intn(4)]
}

func randomPorts(rng *rand.Rand) (l []api.NetworkPolicyPort) {
	for range rng.Intn(3) {
		proto := []string{"TCP", "UDP"}[rng.Intn(2)]
		p := api.NetworkPolicyPort{Protocol: &proto}
		number, name, end := api.FromInt([]int32{80, 443, 5000}[rng.Intn(3)]), api.FromString([]string{"http", "dns"}[rng.Intn(2)]), int32(5005)
		switch rng.Intn(4) {
		case 0:
			p.Port = &number
		case 1:
			p.Port = &name
		case 2:
			p.Port, p.EndPort = &number, &end
		}
		l = append(l, p)
	}
	return l
}
