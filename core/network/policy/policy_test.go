package policy

import (
	"testing"

	"podwalk/core/api"
)

func made(ns, name string, pods map[string]string, types ...string) *api.NetworkPolicy {
	p := &api.NetworkPolicy{}
	p.Namespace, p.Name, p.Spec.PodSelector.MatchLabels, p.Spec.PolicyTypes = ns, name, pods, types
	return p
}

func pod(ns, name, ip, node string) *End {
	return &End{IP: ip, Namespace: ns, Name: name, Node: node, Labels: map[string]string{"app": name}, NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": ns},
		Ports: []api.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}}}
}

// The documentation of NetworkPolicy: traffic from the node where a pod runs, and a
// pod's traffic to itself, cannot be blocked; pods on the host's network are not
// selected.
func TestHostTrafficPassesAndHostPodsAreNotSelected(t *testing.T) {
	var s Set
	s.Put(made("a", "deny", nil, "Ingress", "Egress"))
	web, other := pod("a", "web", "10.0.1.2", "n1"), pod("a", "other", "10.0.1.3", "n1")
	host := pod("a", "agent", "192.168.0.1", "n1")
	host.Host = true
	for _, c := range []struct {
		name     string
		from, to *End
		want     bool
	}{
		{"its own node", &End{IP: "192.168.0.1", Node: "n1", Host: true}, web, true},
		{"another node", &End{IP: "192.168.0.2", Node: "n2", Host: true}, web, false},
		{"a pod on the host's network of the node", host, web, true},
		{"itself", web, web, true},
		{"a pod", other, web, false},
		{"from outside to a pod on the host's network", &End{IP: "1.2.3.4"}, host, true},
	} {
		if v := s.Verdict(c.from, c.to, 80, "TCP"); v.Allowed != c.want {
			t.Errorf("%s: %+v, want %v", c.name, v, c.want)
		}
	}
}

func TestWithoutPolicyTypesEgressIsRestrictedOnlyIfThereAreEgressRules(t *testing.T) {
	web, db := pod("a", "web", "10.0.1.2", "n1"), pod("a", "db", "10.0.1.3", "n2")
	var s Set
	p := made("a", "p", map[string]string{"app": "web"})
	s.Put(p)
	if v := s.Verdict(web, db, 80, "TCP"); !v.Allowed {
		t.Errorf("no egress rules: %+v", v)
	}
	if v := s.Verdict(db, web, 80, "TCP"); v.Allowed {
		t.Errorf("ingress is always restricted: %+v", v)
	}
	p.Spec.Egress = []api.NetworkPolicyEgressRule{{To: []api.NetworkPolicyPeer{{IPBlock: &api.IPBlock{CIDR: "10.0.9.0/24"}}}}}
	s.Put(p)
	if v := s.Verdict(web, db, 80, "TCP"); v.Allowed || v.Egress.Allowed {
		t.Errorf("an egress rule: %+v", v)
	}
}

func TestAVerdictNamesThePolicyAndTheRule(t *testing.T) {
	web, db := pod("a", "web", "10.0.1.2", "n1"), pod("a", "db", "10.0.1.3", "n2")
	var s Set
	s.Put(made("a", "deny", nil, "Ingress"))
	p := made("a", "let-web", map[string]string{"app": "db"}, "Ingress")
	http := api.FromString("http")
	p.Spec.Ingress = []api.NetworkPolicyIngressRule{{From: []api.NetworkPolicyPeer{{IPBlock: &api.IPBlock{CIDR: "192.168.0.0/16"}}}},
		{From: []api.NetworkPolicyPeer{{PodSelector: &api.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}, Ports: []api.NetworkPolicyPort{{Port: &http}}}}
	s.Put(p)
	v := s.Verdict(web, db, 8080, "TCP")
	if !v.Allowed || v.Ingress.Policy != "a/let-web" || v.Ingress.Rule != 1 || v.Ingress.Why != "policy a/let-web, ingress rule 1" || v.Egress.Why != "no policy restricts its egress" {
		t.Errorf("%+v", v)
	}
	v = s.Verdict(web, db, 8081, "TCP")
	if way, d := v.Denied(); way != "ingress" || d.Why != "no ingress rule of a/deny, a/let-web allows it" {
		t.Errorf("another port: %+v", v)
	}
	if v = s.Verdict(web, db, 8080, "UDP"); v.Allowed {
		t.Errorf("the name is that of a TCP port: %+v", v)
	}
}

func TestACopyOfASetIsIndependent(t *testing.T) {
	web, db := pod("a", "web", "10.0.1.2", "n1"), pod("a", "db", "10.0.1.3", "n2")
	var s Set
	s.Put(made("a", "deny", nil, "Ingress"))
	c := s.Clone()
	s.Remove("a", "deny")
	if v := s.Verdict(web, db, 80, "TCP"); !v.Allowed || !s.Empty() {
		t.Error("the policy was not removed")
	}
	if v := c.Verdict(web, db, 80, "TCP"); v.Allowed || c.Empty() {
		t.Error("the copy lost its policy")
	}
}
