package apiserver

import (
	"slices"

	"podwalk/core/api"
)

// Each address of a Service is an IPAddress too, by whose name addresses are told
// apart (pkg/registry/core/service/ipallocator).

// taken reports whether a Service has an address.
func (c *call) taken(ip string) bool { return c.read.Get("IPAddress", "", ip) != nil }

func addressesOf(o api.Object) []string {
	s, ok := o.(*api.Service)
	if !ok || s.Spec.ClusterIP == "" || s.Spec.ClusterIP == "None" {
		return nil
	}
	return s.Spec.ClusterIPs
}

// claimAddresses writes the IPAddresses of a Service that is about to be stored.
func (c *call) claimAddresses(obj api.Object) {
	for _, ip := range addressesOf(obj) {
		if c.taken(ip) {
			continue
		}
		m := obj.Meta()
		family := "IPv4"
		if isIPv6(ip) {
			family = "IPv6"
		}
		a := &api.IPAddress{TypeMeta: api.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "IPAddress"},
			Spec: api.IPAddressSpec{ParentRef: &api.ParentReference{Resource: "services", Namespace: m.Namespace, Name: m.Name}}}
		a.Name = ip
		a.Labels = map[string]string{"ipaddress.kubernetes.io/ip-family": family, "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}
		one := c.asController(api.Request{Verb: api.Create, Kind: api.KindNamed("IPAddress"), Name: ip})
		one.fill(a)
		one.put(a, 0)
	}
	c.read = c.s.store.Latest()
}

// releaseAddresses removes the IPAddresses that a Service has no longer; now is
// nil if it is gone.
func (c *call) releaseAddresses(was, now api.Object) {
	kept := addressesOf(now)
	for _, ip := range addressesOf(was) {
		if a := c.s.store.Latest().Get("IPAddress", "", ip); a != nil && !slices.Contains(kept, ip) {
			one := c.asController(api.Request{Verb: api.Delete, Kind: api.KindNamed("IPAddress"), Name: ip})
			one.remove(a)
		}
	}
	c.read = c.s.store.Latest()
}
