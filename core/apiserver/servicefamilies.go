package apiserver

import (
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/validation"
)

// families settles the address families of a Service
// (pkg/registry/core/service/storage/alloc.go, initIPFamilyFields).
func (c *call) families(s, was *api.Service) field.ErrorList {
	if !needsAddress(s) || keepsPreferring(s, was) {
		return nil
	}
	s.Spec.IPFamilyPolicy = policyOf(s, was)
	if errs := validation.ServiceAddresses(s); len(errs) > 0 {
		return errs
	}
	policy := *s.Spec.IPFamilyPolicy
	spec := field.NewPath("spec")
	errs := changedFamilies(s, was, policy)
	if policy == "SingleStack" {
		if len(s.Spec.ClusterIPs) == 2 {
			errs = append(errs, field.Invalid(spec.Child("ipFamilyPolicy"), policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified"))
		}
		if len(s.Spec.IPFamilies) == 2 {
			errs = append(errs, field.Invalid(spec.Child("ipFamilyPolicy"), policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"))
		}
	}
	errs = append(errs, c.inferFamilies(s, spec)...)
	if len(errs) > 0 {
		return errs
	}
	if s.Spec.ClusterIP == "None" && len(s.Spec.Selector) == 0 {
		c.headlessFamilies(s, policy)
		return nil
	}
	if policy == "RequireDualStack" && len(c.s.services) < 2 {
		errs = append(errs, field.Invalid(spec.Child("ipFamilyPolicy"), policy, "this cluster is not configured for dual-stack services"))
	}
	for i, f := range s.Spec.IPFamilies {
		if !c.s.configured(f) {
			errs = append(errs, field.Invalid(spec.Child("ipFamilies").Index(i), f, "not configured on this cluster"))
		}
	}
	if len(errs) == 0 {
		c.completeFamilies(s, policy)
	}
	return errs
}

// completeFamilies takes the cluster's primary family, and both where the policy
// wants two and the cluster has them.
func (c *call) completeFamilies(s *api.Service, policy string) {
	if len(s.Spec.IPFamilies) == 0 {
		s.Spec.IPFamilies = []string{c.s.services[0].family()}
	}
	if policy != "SingleStack" && len(s.Spec.IPFamilies) == 1 && len(c.s.services) == 2 {
		s.Spec.IPFamilies = append(s.Spec.IPFamilies[:1:1], otherFamily(s.Spec.IPFamilies[0]))
	}
}

func otherFamily(f string) string {
	if f == "IPv6" {
		return "IPv4"
	}
	return "IPv6"
}

// keepsPreferring holds for a Service that prefers two families and changes
// nothing about it: it is left as it is, whatever the cluster has now.
func keepsPreferring(s, was *api.Service) bool {
	prefers := func(p *string) bool { return p == nil || *p == "PreferDualStack" }
	return was != nil && s.Spec.IPFamilyPolicy != nil && was.Spec.Type == s.Spec.Type && prefers(s.Spec.IPFamilyPolicy) && prefers(was.Spec.IPFamilyPolicy) &&
		slices.Equal(s.Spec.ClusterIPs, was.Spec.ClusterIPs) && slices.Equal(s.Spec.IPFamilies, was.Spec.IPFamilies)
}

// changedFamilies drops the second family of a Service that becomes single-stack,
// and refuses to drop it otherwise.
func changedFamilies(s, was *api.Service, policy string) (errs field.ErrorList) {
	if was == nil {
		return nil
	}
	p := field.NewPath("spec", "ipFamilyPolicy")
	now, old := &s.Spec, &was.Spec
	if policy == "SingleStack" {
		if len(now.ClusterIPs) > 1 && slices.Equal(now.ClusterIPs, old.ClusterIPs) {
			now.ClusterIPs = now.ClusterIPs[:1:1]
		}
		if len(now.IPFamilies) > 1 && slices.Equal(now.IPFamilies, old.IPFamilies) {
			now.IPFamilies = now.IPFamilies[:1:1]
		}
		return nil
	}
	if n := len(now.ClusterIPs); n > 0 && n < len(old.ClusterIPs) {
		errs = append(errs, field.Invalid(p, policy, "must be 'SingleStack' to release the secondary cluster IP"))
	}
	if n := len(now.IPFamilies); n > 0 && n < len(old.IPFamilies) {
		errs = append(errs, field.Invalid(p, policy, "must be 'SingleStack' to release the secondary IP family"))
	}
	return errs
}

func policyOf(s, was *api.Service) *string {
	policy := "SingleStack"
	switch {
	case s.Spec.IPFamilyPolicy != nil:
		return s.Spec.IPFamilyPolicy
	case was != nil && was.Spec.IPFamilyPolicy != nil:
		return was.Spec.IPFamilyPolicy
	case s.Spec.ClusterIP == "None" && len(s.Spec.Selector) == 0:
		policy = "RequireDualStack"
	}
	return &policy
}

// inferFamilies adds the families of the addresses that are given.
func (c *call) inferFamilies(s *api.Service, spec *field.Path) (errs field.ErrorList) {
	for i, ip := range s.Spec.ClusterIPs {
		if ip == "None" {
			return nil
		}
		if i < len(s.Spec.IPFamilies) {
			continue
		}
		family := "IPv4"
		if isIPv6(ip) {
			family = "IPv6"
		}
		if !c.s.configured(family) {
			errs = append(errs, field.Invalid(spec.Child("clusterIPs").Index(i), s.Spec.ClusterIPs, family+" is not configured on this cluster"))
			continue
		}
		s.Spec.IPFamilies = append(slices.Clone(s.Spec.IPFamilies), family)
	}
	return errs
}

func isIPv6(ip string) bool { return strings.Contains(ip, ":") }

func (c *call) headlessFamilies(s *api.Service, policy string) {
	if len(s.Spec.IPFamilies) == 0 {
		s.Spec.IPFamilies = []string{c.s.services[0].family()}
	}
	if len(s.Spec.IPFamilies) == 1 && policy != "SingleStack" {
		s.Spec.IPFamilies = append(s.Spec.IPFamilies[:1:1], otherFamily(s.Spec.IPFamilies[0]))
	}
}
