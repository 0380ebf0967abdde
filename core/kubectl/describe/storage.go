package describe

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
	"podwalk/core/kubectl/printer"
)

// claim describes a PersistentVolumeClaim, or in part one that a pod asks for inline.
func (p *page) claim(c *api.PersistentVolumeClaim, full bool) {
	if full {
		p.field(0, "Name", c.Name)
		p.field(0, "Namespace", c.Namespace)
	}
	p.field(0, "StorageClass", printer.ClaimClass(c))
	if full {
		p.phase(&c.ObjectMeta, c.Status.Phase)
	}
	p.field(0, "Volume", c.Spec.VolumeName)
	p.labels("Labels", c.Labels)
	p.annotations("Annotations", c.Annotations)
	if full {
		p.field(0, "Finalizers", goList(c.Finalizers))
	}
	capacity, modes := "", ""
	if c.Spec.VolumeName != "" {
		capacity, modes = c.Status.Capacity["storage"].String(), printer.AccessModes(c.Status.AccessModes)
	}
	p.field(0, "Capacity", capacity)
	p.field(0, "Access Modes", modes)
	p.optional("VolumeMode", deref(c.Spec.VolumeMode, ""))
	if s := c.Spec.DataSource; s != nil {
		p.put(0, "DataSource:\n")
		if s.APIGroup != nil {
			p.field(1, "APIGroup", *s.APIGroup)
		}
		p.field(1, "Kind", s.Kind)
		p.field(1, "Name", s.Name)
	}
}

func (p *page) phase(m *api.ObjectMeta, phase string) {
	if m.DeletionTimestamp != nil {
		phase = "Terminating (lasts " + age.Since(p.now, *m.DeletionTimestamp) + ")"
	}
	p.field(0, "Status", phase)
}

var _ = strings.Join
