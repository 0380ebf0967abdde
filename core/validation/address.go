package validation

import (
	"encoding/json"
	"net/netip"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// The kinds that the cluster keeps for itself.

func (c *check) serviceCIDR(s *api.ServiceCIDR) {
	c.meta(&s.ObjectMeta, false, isSubdomain)
	c.serviceRanges(s.Spec.CIDRs, specPath.Child("cidrs"))
}

func (c *check) serviceRanges(list []string, p *field.Path) {
	switch {
	case len(list) == 0:
		c.required(p, "at least one CIDR required")
		return
	case len(list) > 2:
		c.invalid(p, internal(&api.ServiceCIDRSpec{CIDRs: list}), "may only hold up to 2 values")
		return
	}
	for i, r := range list {
		c.each(p.Index(i), r, isCIDR(r))
	}
	if len(list) == 2 {
		a, err := netip.ParsePrefix(list[0])
		b, also := netip.ParsePrefix(list[1])
		if err == nil && also == nil && a.Addr().Is4() == b.Addr().Is4() {
			c.invalid(p, list, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64")
		}
	}
}

// serviceCIDRUpdate lets a second family be added (ValidateServiceCIDRUpdate).
func (c *check) serviceCIDRUpdate(now, old []string) {
	p := specPath.Child("cidrs")
	switch {
	case len(now) == len(old):
		for i := range now {
			if now[i] != old[i] {
				c.invalid(p.Index(i), now[i], immutableText)
			}
		}
	case len(old) == 1 && len(now) == 2:
		if now[0] != old[0] {
			c.invalid(p.Index(0), now[0], immutableText)
		}
		c.serviceRanges(now, p)
	default:
		c.invalid(p, now, immutableText)
	}
}

func (c *check) ipAddress(a *api.IPAddress) {
	c.meta(&a.ObjectMeta, false, isCanonicalIP)
	r, p := a.Spec.ParentRef, specPath.Child("parentRef")
	if r == nil {
		c.last(func() { c.required(p, "") })
		return
	}
	if r.Group != "" {
		c.each(p.Child("group"), r.Group, isSubdomain(r.Group))
	}
	for _, f := range []struct{ name, value string }{{"resource", r.Resource}, {"name", r.Name}} {
		if f.value == "" {
			c.last(func() { c.required(p.Child(f.name), "") })
			continue
		}
		c.each(p.Child(f.name), f.value, isSegment(f.value))
	}
	c.each(p.Child("namespace"), r.Namespace, isSegment(r.Namespace))
}

// isCanonicalIP checks an address that is a name, which has one form only.
func isCanonicalIP(s string) []string {
	a, err := netip.ParseAddr(s)
	if err == nil && a.Zone() == "" && a.String() != s && !a.Is4In6() {
		return []string{"must be in canonical form (" + strconv.Quote(a.String()) + ")"}
	}
	return isIP(s)
}

func (c *check) lease(l *api.Lease) {
	c.metaFree(&l.ObjectMeta, true, isSubdomain)
	s := &l.Spec
	if n := s.LeaseDurationSeconds; n != nil && *n <= 0 {
		c.invalid(specPath.Child("leaseDurationSeconds"), *n, "must be greater than 0")
	}
	if n := s.LeaseTransitions; n != nil {
		c.nonNegative(specPath.Child("leaseTransitions"), int64(*n))
	}
}

func (c *check) revision(r *api.ControllerRevision) {
	c.meta(&r.ObjectMeta, true, isSubdomain)
	c.nonNegative(field.NewPath("revision"), r.Revision)
	var v any
	switch err := json.Unmarshal([]byte(r.Data), &v); {
	case len(r.Data) == 0 || err == nil && v == nil:
		c.required(dataPath, "data is mandatory")
	case err != nil:
		c.invalid(dataPath, "<value omitted>", "error parsing data: "+err.Error())
	default:
		if _, ok := v.(map[string]any); !ok {
			c.required(dataPath, "data must be a valid JSON object")
		}
	}
}

// event checks an event as v1 has always done (legacyValidateEvent).
func (c *check) event(e *api.Event) {
	p, ns := field.NewPath("involvedObject", "namespace"), e.InvolvedObject.Namespace
	const other = "does not match event.namespace"
	if e.EventTime == 0 {
		if ns != e.Namespace && (ns != "" || e.Namespace != "default") {
			c.invalid(p, ns, other)
		}
		return
	}
	if ns == "" && e.Namespace != "default" && e.Namespace != "kube-system" {
		c.invalid(p, ns, other)
	}
	at := field.NewPath("reportingComponent")
	c.filled(at, e.ReportingController)
	c.labelName(at, e.ReportingController)
	for _, f := range []struct {
		name, value string
		most        int
		needed      bool
	}{{"reportingInstance", e.ReportingInstance, 128, true}, {"action", e.Action, 128, true}, {"reason", e.Reason, 128, true}, {"message", e.Message, 1024, false}} {
		if at := field.NewPath(f.name); f.needed && f.value == "" {
			c.required(at, "")
		} else if len(f.value) > f.most {
			c.invalid(at, "", "can have at most "+strconv.Itoa(f.most)+" characters")
		}
	}
}
