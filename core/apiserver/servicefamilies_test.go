package apiserver

import (
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// dual is a server with two ranges.
func dual(t *testing.T) (ask func(verb api.Verb, body string) api.Response, read func() store.Snapshot) {
	st := store.New()
	var log trace.Log
	s := New(Config{ServiceCIDR: "10.96.0.0/28,fd00:10:96::/124"}, st)
	s.Bootstrap(0, &log)
	admin := api.User{Name: "admin", Groups: []string{"system:masters"}}
	return func(verb api.Verb, body string) api.Response {
		req := api.Request{Verb: verb, Kind: api.KindNamed("Service"), Namespace: "default", Body: []byte(body), User: admin}
		req.Name, req.PatchType = "web", "application/merge-patch+json"
		if verb == api.Create {
			req.Name = ""
		}
		return s.Handle(sim.Second, 0, &log, req)
	}, st.Latest
}

// The rules are those of pkg/registry/core/service/storage/alloc.go.
func TestAServiceGetsAnAddressOfEachOfItsFamilies(t *testing.T) {
	const head = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80}],"selector":{"a":"b"}`
	for _, c := range []struct{ spec, policy, families, why string }{
		{``, "SingleStack", "IPv4", ""},
		{`,"ipFamilyPolicy":"PreferDualStack"`, "PreferDualStack", "IPv4,IPv6", ""},
		{`,"ipFamilyPolicy":"RequireDualStack","ipFamilies":["IPv6"]`, "RequireDualStack", "IPv6,IPv4", ""},
		{`,"ipFamilies":["IPv6"]`, "SingleStack", "IPv6", ""},
		{`,"clusterIP":"fd00:10:96::7"`, "SingleStack", "IPv6", ""},
		{`,"clusterIP":"10.96.0.1"`, "", "", "failed to allocate IP 10.96.0.1: provided IP is already allocated"},
		{`,"clusterIP":"fd00:10:96::"`, "", "", "failed to allocate IP fd00:10:96::: the provided network does not match the current range"},
		{`,"clusterIP":"fd00:10:96::f"`, "SingleStack", "IPv6", ""},
		{`,"ipFamilies":["IPv4","IPv6"]`, "", "", "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"},
	} {
		ask, read := dual(t)
		res := ask(api.Create, head+c.spec+"}}")
		if c.why != "" {
			if !res.Failed() || !strings.Contains(res.Status.Message, c.why) {
				t.Errorf("%s: %+v, want %s", c.spec, res.Status, c.why)
			}
			continue
		}
		if res.Failed() {
			t.Errorf("%s: %s", c.spec, res.Status.Message)
			continue
		}
		s := res.Object.(*api.Service).Spec
		if *s.IPFamilyPolicy != c.policy || strings.Join(s.IPFamilies, ",") != c.families || len(s.ClusterIPs) != len(s.IPFamilies) {
			t.Errorf("%s: %s %v %v", c.spec, *s.IPFamilyPolicy, s.IPFamilies, s.ClusterIPs)
		}
		for i, ip := range s.ClusterIPs {
			if isIPv6(ip) != (s.IPFamilies[i] == "IPv6") || read().Get("IPAddress", "", ip) == nil {
				t.Errorf("%s: address %s of family %s", c.spec, ip, s.IPFamilies[i])
			}
		}
	}
}

func TestTheSecondFamilyComesAndGoesWithThePolicy(t *testing.T) {
	ask, read := dual(t)
	ask(api.Create, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80}],"selector":{"a":"b"}}}`)
	s := ask(api.Patch, `{"spec":{"ipFamilyPolicy":"RequireDualStack"}}`).Object.(*api.Service)
	if len(s.Spec.ClusterIPs) != 2 || read().Get("IPAddress", "", s.Spec.ClusterIPs[1]) == nil {
		t.Fatalf("addresses %v", s.Spec.ClusterIPs)
	}
	second := s.Spec.ClusterIPs[1]
	if res := ask(api.Patch, `{"spec":{"ipFamilies":["IPv4"]}}`); !res.Failed() || !strings.Contains(res.Status.Message, "must be 'SingleStack' to release the secondary IP family") {
		t.Errorf("a family goes without a word: %+v", res.Status)
	}
	s = ask(api.Patch, `{"spec":{"ipFamilyPolicy":"SingleStack"}}`).Object.(*api.Service)
	if len(s.Spec.ClusterIPs) != 1 || len(s.Spec.IPFamilies) != 1 || read().Get("IPAddress", "", second) != nil {
		t.Errorf("addresses %v families %v", s.Spec.ClusterIPs, s.Spec.IPFamilies)
	}
	ask(api.Delete, "")
	if n := len(read().List("IPAddress", "")); n != 1 {
		t.Errorf("%d addresses are left, want that of the Service kubernetes", n)
	}
}

// A /28 has 14 addresses of which kubernetes has one; the range then is full.
func TestAFullRangeIsToldAndAReleasedAddressIsGivenAgain(t *testing.T) {
	ask, _ := dual(t)
	create := func(i int) api.Response {
		return ask(api.Create, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s`+string(rune('a'+i))+`"},"spec":{"ports":[{"port":80}]}}`)
	}
	seen := map[string]bool{}
	for i := range 13 {
		res := create(i)
		if res.Failed() {
			t.Fatalf("Service %d: %s", i, res.Status.Message)
		}
		seen[res.Object.(*api.Service).Spec.ClusterIP] = true
	}
	if len(seen) != 13 {
		t.Errorf("%d different addresses", len(seen))
	}
	if res := create(13); !res.Failed() || res.Status.Message != `Internal error occurred: failed to allocate a serviceIP for Service "sn": range is full` {
		t.Errorf("a full range: %+v", res.Status)
	}
}

func TestARangeOfServiceAddressesIsChecked(t *testing.T) {
	for _, bad := range []string{"nonsense", "10.0.0.0/31", "10.0.0.0/16,10.1.0.0/16", "fd00::/48", "10.0.0.0/16,fd00::/112,fd01::/112"} {
		if CheckServiceCIDR(bad) == "" {
			t.Errorf("%s is accepted", bad)
		}
	}
	for _, good := range []string{"10.96.0.0/12", "fd00::/112,10.0.0.0/16"} {
		if why := CheckServiceCIDR(good); why != "" {
			t.Errorf("%s: %s", good, why)
		}
	}
}
