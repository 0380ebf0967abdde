package validation

import (
	"maps"
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// The kinds of storage that only name and describe a driver
// (pkg/apis/storage/validation).

func (c *check) storageClass(s *api.StorageClass) {
	c.meta(&s.ObjectMeta, false, isSubdomain)
	c.provisioner(s.Provisioner, field.NewPath("provisioner"))
	c.parameters(s.Parameters)
	if r := s.ReclaimPolicy; r != nil && *r != "" {
		c.supported(field.NewPath("reclaimPolicy"), *r, "Delete", "Retain")
	}
	if m := s.VolumeBindingMode; m == nil {
		c.required(field.NewPath("volumeBindingMode"), "")
	} else {
		c.supported(field.NewPath("volumeBindingMode"), *m, "Immediate", "WaitForFirstConsumer")
	}
	c.topologies(s.AllowedTopologies, field.NewPath("allowedTopologies"))
}

// provisioner checks the name of a driver; the server's types ask for it.
func (c *check) provisioner(name string, p *field.Path) {
	if name == "" {
		c.last(func() { c.required(p, "") })
		return
	}
	c.each(p, strings.ToLower(name), field.IsLabelKey(strings.ToLower(name)))
}

func (c *check) parameters(list map[string]string) {
	const most, size = 512, 256 * 1024
	p, bytes := field.NewPath("parameters"), 0
	if len(list) > most {
		c.add(field.TooLong(p, "", most))
		return
	}
	for _, k := range sorted(list) {
		if k == "" {
			c.invalid(p, k, "field can not be empty.")
		}
		bytes += len(k) + len(list[k])
	}
	if bytes > size {
		c.add(field.TooLong(p, "", size))
	}
}

// topologies checks where volumes of a class may be. A term without expressions is
// taken for a duplicate of the none before the first.
func (c *check) topologies(list []api.TopologySelectorTerm, p *field.Path) {
	before := make([]map[string][]string, 1, len(list)+1)
	for i := range list {
		at := p.Index(i).Child("matchLabelExpressions")
		term := c.topologyTerm(list[i].MatchLabelExpressions, at)
		for _, other := range before {
			if maps.EqualFunc(term, other, slices.Equal) {
				c.duplicate(at, "")
			}
		}
		before = append(before, term)
	}
}

// topologyTerm returns the values of each key, sorted.
func (c *check) topologyTerm(list []api.TopologySelectorLabelRequirement, p *field.Path) map[string][]string {
	term := map[string][]string{}
	for i := range list {
		r, at := &list[i], p.Index(i)
		if len(r.Values) == 0 {
			c.required(at.Child("values"), "")
		}
		var values []string
		for j, v := range r.Values {
			if contains(values, v) {
				c.duplicate(at.Child("values").Index(j), v)
				continue
			}
			values = append(values, v)
		}
		c.labelName(at.Child("key"), r.Key)
		if _, twice := term[r.Key]; twice {
			c.duplicate(at.Child("key"), r.Key)
		}
		slices.Sort(values)
		term[r.Key] = values
	}
	return term
}

func (c *check) volumeAttributesClass(v *api.VolumeAttributesClass) {
	c.meta(&v.ObjectMeta, false, isSubdomain)
	c.provisioner(v.DriverName, field.NewPath("driverName"))
	c.parameters(v.Parameters)
	if len(v.Parameters) == 0 {
		c.required(field.NewPath("parameters"), "must contain at least one key/value pair")
	}
}

func (c *check) csiDriver(d *api.CSIDriver) {
	c.meta(&d.ObjectMeta, false, isSubdomain)
	s, p := &d.Spec, specPath
	c.choice(p.Child("fsGroupPolicy"), s.FSGroupPolicy, "File", "None", "ReadWriteOnceWithFSType")
	c.tokenRequests(s.TokenRequests, p.Child("tokenRequests"))
	for _, m := range s.VolumeLifecycleModes {
		c.supported(p.Child("volumeLifecycleModes"), m, "Persistent", "Ephemeral")
	}
	if n := s.NodeAllocatableUpdatePeriodSeconds; n != nil && *n < 10 {
		c.invalid(p.Child("nodeAllocatableUpdatePeriodSeconds"), *n, "must be greater than or equal to 10 seconds")
	}
	if b := s.ServiceAccountTokenInSecrets; b != nil && len(s.TokenRequests) == 0 {
		c.invalid(p.Child("serviceAccountTokenInSecrets"), *b, "serviceAccountTokenInSecrets is set but no tokenRequests are specified")
	}
}

func (c *check) tokenRequests(list []api.TokenRequest, p *field.Path) {
	seen := map[string]bool{}
	for i := range list {
		r, at := &list[i], p.Index(i)
		if seen[r.Audience] {
			c.duplicate(at.Child("audience"), r.Audience)
			continue
		}
		seen[r.Audience] = true
		if n := r.ExpirationSeconds; n != nil && *n < 600 {
			c.invalid(at.Child("expirationSeconds"), *n, "may not specify a duration less than 10 minutes")
		} else if n != nil && *n > 1<<32 {
			c.invalid(at.Child("expirationSeconds"), *n, "may not specify a duration larger than 2^32 seconds")
		}
	}
}

func (c *check) csiNode(n *api.CSINode) {
	c.meta(&n.ObjectMeta, false, isSubdomain)
	seen := map[string]bool{}
	for i := range n.Spec.Drivers {
		d, p := &n.Spec.Drivers[i], specPath.Child("drivers").Index(i)
		c.driver(d.Name, p.Child("name"))
		c.filled(p.Child("nodeID"), d.NodeID)
		if len(d.NodeID) > 256 {
			c.invalid(p.Child("nodeID"), d.NodeID, "must be 256 characters or less")
		}
		if a := d.Allocatable; a != nil && a.Count != nil {
			c.nonNegative(p.Child("allocatable", "count"), int64(*a.Count))
		}
		if seen[d.Name] {
			c.duplicate(p.Child("name"), d.Name)
		}
		seen[d.Name] = true
		c.topologyKeys(d.TopologyKeys, p)
	}
}

func (c *check) topologyKeys(keys []string, p *field.Path) {
	for i, k := range keys {
		c.filled(p, k)
		if contains(keys[:i], k) {
			c.duplicate(p, k)
		}
		c.labelName(p, k)
	}
}

func (c *check) volumeAttachment(v *api.VolumeAttachment) {
	c.meta(&v.ObjectMeta, false, isSubdomain)
	c.last(func() { c.attacher(v.Spec.Attacher, specPath.Child("attacher")) })
	s, p := &v.Spec.Source, specPath.Child("source")
	const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
	switch {
	case s.InlineVolumeSpec == nil && s.PersistentVolumeName == nil:
		c.required(p, one)
	case s.InlineVolumeSpec != nil && s.PersistentVolumeName != nil:
		c.forbidden(p, one)
	case s.InlineVolumeSpec != nil:
		c.volumeSpec(s.InlineVolumeSpec, "", true, p.Child("inlineVolumeSpec"))
	case *s.PersistentVolumeName == "":
		c.required(p.Child("persistentVolumeName"), "must specify non empty persistentVolumeName")
	}
	c.each(specPath.Child("nodeName"), v.Spec.NodeName, isSubdomain(v.Spec.NodeName))
	if n := s.PersistentVolumeName; n != nil {
		c.each(p.Child("persistentVolumeName"), *n, isSubdomain(*n))
	}
}

// attacher checks the name of a driver as the rule of the server's types has it,
// which says itself that the case does not matter.
func (c *check) attacher(name string, p *field.Path) {
	if name == "" {
		c.required(p, "")
		return
	}
	if len(name) > 63 {
		c.add(field.TooLongCharacters(p, name, 63))
	}
	if len(field.IsDNS1123Subdomain(strings.ToLower(name))) > 0 {
		const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
		c.invalid(p, name, field.RegexError("an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
			label+`(\.`+label+`)*`, "Example.com"))
	}
}
