package validation

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
)

// serviceUpdate keeps the addresses of a service: its clients know them
// (ValidateServiceUpdate).
func (c *check) serviceUpdate(s, old *api.Service) {
	if s.Spec.Type != "ExternalName" && old.Spec.Type != "ExternalName" {
		c.addressesKept(&s.Spec, &old.Spec)
		c.familiesKept(&s.Spec, &old.Spec)
	}
	if s.Spec.Type == "LoadBalancer" && old.Spec.Type == "LoadBalancer" && !api.Equal(s.Spec.LoadBalancerClass, old.Spec.LoadBalancerClass) {
		c.invalid(specPath.Child("loadBalancerClass"), printable(s.Spec.LoadBalancerClass), "may not change once set")
	}
	if checksHealth(&s.Spec) && checksHealth(&old.Spec) && s.Spec.HealthCheckNodePort != old.Spec.HealthCheckNodePort {
		c.forbidden(specPath.Child("healthCheckNodePort"), immutableText)
	}
}

func checksHealth(s *api.ServiceSpec) bool {
	return s.Type == "LoadBalancer" && s.ExternalTrafficPolicy == "Local"
}

func isHeadless(s *api.ServiceSpec) bool { return len(s.ClusterIPs) == 1 && s.ClusterIPs[0] == "None" }

func (c *check) addressesKept(s, old *api.ServiceSpec) {
	if isHeadless(s) && isHeadless(old) {
		return
	}
	c.listKept(s.ClusterIPs, old.ClusterIPs, specPath.Child("clusterIPs"), "primary clusterIP can not be unset", true)
	c.releasedSecond(s, len(s.ClusterIPs), len(old.ClusterIPs), "must be set to 'SingleStack' when releasing the secondary clusterIP")
}

func (c *check) familiesKept(s, old *api.ServiceSpec) {
	if isHeadless(s) || isHeadless(old) {
		return
	}
	c.listKept(s.IPFamilies, old.IPFamilies, specPath.Child("ipFamilies"), "primary ipFamily can not be unset", false)
	c.releasedSecond(s, len(s.IPFamilies), len(old.IPFamilies), "must be set to 'SingleStack' when releasing the secondary ipFamily")
}

// listKept lets a second entry come and go, but the first stay; index says that
// an error names the entry that changed, not always the first.
func (c *check) listKept(list, old []string, p *field.Path, unset string, index bool) {
	const once = "may not change once set"
	switch {
	case len(old) == len(list):
		for i := range old {
			if old[i] == list[i] {
				continue
			}
			if !index {
				i = 0
			}
			c.invalid(p.Index(i), internal(list), once)
		}
	case len(list) == 0:
		c.invalid(p.Index(0), internal(list), unset)
	case len(old) > 0 && old[0] != list[0]:
		c.invalid(p.Index(0), internal(list), once)
	}
}

func (c *check) releasedSecond(s *api.ServiceSpec, now, before int, text string) {
	if before > now && now == 1 && (s.IPFamilyPolicy == nil || *s.IPFamilyPolicy != "SingleStack") {
		c.invalid(specPath.Child("ipFamilyPolicy"), printable(s.IPFamilyPolicy), text)
	}
}
