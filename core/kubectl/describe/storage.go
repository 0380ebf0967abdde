package describe

import (
	"slices"
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

// claimUsers names the pods that use a claim, and those that own it.
func (p *page) claimUsers(c *api.PersistentVolumeClaim) []string {
	list, err := p.src.List("Pod", c.Namespace, Query{})
	if err != nil {
		return nil
	}
	var names []string
	for _, o := range list {
		pod := o.(*api.Pod)
		for i := range pod.Spec.Volumes {
			if v := pod.Spec.Volumes[i].PersistentVolumeClaim; v != nil && v.ClaimName == c.Name {
				names = append(names, pod.Name)
			}
		}
		for _, r := range c.OwnerReferences {
			if r.Kind == "Pod" && r.UID == pod.UID && !slices.Contains(names, pod.Name) {
				names = append(names, pod.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (p *page) persistentVolumeClaim(c *api.PersistentVolumeClaim) {
	p.claim(c, true)
	p.list("Used By", p.claimUsers(c))
	if len(c.Status.Conditions) == 0 {
		return
	}
	p.put(0, "Conditions:\n")
	p.put(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage\n")
	p.put(1, "----\t------\t-----------------\t------------------\t------\t-------\n")
	for _, c := range c.Status.Conditions {
		p.put(1, c.Type, " \t", c.Status, " \t", date(c.LastProbeTime), " \t", date(c.LastTransitionTime), " \t", c.Reason, " \t", c.Message, "\n")
	}
}

func (p *page) persistentVolume(v *api.PersistentVolume) {
	p.field(0, "Name", v.Name)
	p.meta(&v.ObjectMeta)
	p.field(0, "Finalizers", goList(v.Finalizers))
	p.field(0, "StorageClass", printer.VolumeClass(v))
	p.phase(&v.ObjectMeta, v.Status.Phase)
	claim := ""
	if r := v.Spec.ClaimRef; r != nil {
		claim = r.Namespace + "/" + r.Name
	}
	p.field(0, "Claim", claim)
	p.field(0, "Reclaim Policy", v.Spec.PersistentVolumeReclaimPolicy)
	p.field(0, "Access Modes", printer.AccessModes(v.Spec.AccessModes))
	p.optional("VolumeMode", deref(v.Spec.VolumeMode, ""))
	p.field(0, "Capacity", v.Spec.Capacity["storage"].String())
	p.volumeAffinity(v.Spec.NodeAffinity)
	p.field(0, "Message", v.Status.Message)
	p.put(0, "Source:\n")
	if !p.persistentSource(&v.Spec) {
		p.put(1, "<unknown>\n")
	}
}

func (p *page) volumeAffinity(a *api.VolumeNodeAffinity) {
	if a == nil || a.Required == nil {
		p.field(0, "Node Affinity", "<none>")
		return
	}
	p.field(0, "Node Affinity", "")
	terms := a.Required.NodeSelectorTerms
	if len(terms) == 0 {
		p.field(1, "Required Terms", "<none>")
		return
	}
	p.field(1, "Required Terms", "")
	for i, t := range terms {
		var texts []string
		for _, e := range t.MatchExpressions {
			texts = append(texts, selectorTerm(e.Key, strings.ToLower(e.Operator), e.Values))
		}
		p.term(2, i, texts)
	}
}

func selectorTerm(key, operator string, values []string) string {
	text := key + " " + operator
	if len(values) > 0 {
		text += " [" + list(values) + "]"
	}
	return text
}

func (p *page) term(level, i int, texts []string) {
	p.put(level, "Term ", num(i), ":\t")
	if len(texts) == 0 {
		p.put(0, "<none>\n")
	}
	for n, text := range texts {
		if n > 0 {
			p.put(level, "\t")
		}
		p.put(0, text, "\n")
	}
}

func (p *page) storageClass(c *api.StorageClass) {
	byDefault := "No"
	if printer.IsDefaultClass(&c.ObjectMeta) {
		byDefault = "Yes"
	}
	p.field(0, "Name", c.Name)
	p.field(0, "IsDefaultClass", byDefault)
	p.field(0, "Annotations", printer.Labels(c.Annotations))
	p.field(0, "Provisioner", c.Provisioner)
	p.field(0, "Parameters", printer.Labels(c.Parameters))
	p.field(0, "AllowVolumeExpansion", printer.Bool(c.AllowVolumeExpansion))
	if len(c.MountOptions) == 0 {
		p.field(0, "MountOptions", "<none>")
	} else {
		p.put(0, "MountOptions:\n")
	}
	for _, o := range c.MountOptions {
		p.put(1, o, "\n")
	}
	p.optional("ReclaimPolicy", deref(c.ReclaimPolicy, ""))
	p.optional("VolumeBindingMode", deref(c.VolumeBindingMode, ""))
	if c.AllowedTopologies == nil {
		return
	}
	p.field(0, "AllowedTopologies", "")
	for i, t := range c.AllowedTopologies {
		var texts []string
		for _, e := range t.MatchLabelExpressions {
			texts = append(texts, selectorTerm(e.Key, "in", e.Values))
		}
		p.term(1, i, texts)
	}
}

func (p *page) attributesClass(c *api.VolumeAttributesClass) {
	p.field(0, "Name", c.Name)
	p.field(0, "Annotations", printer.Labels(c.Annotations))
	p.field(0, "DriverName", c.DriverName)
	p.field(0, "Parameters", printer.Labels(c.Parameters))
}

func (p *page) csiNode(n *api.CSINode) {
	p.field(0, "Name", n.Name)
	p.meta(&n.ObjectMeta)
	p.field(0, "CreationTimestamp", date(n.CreationTimestamp))
	p.put(0, "Spec:\n")
	if n.Spec.Drivers != nil {
		p.put(1, "Drivers:\n")
	}
	for _, d := range n.Spec.Drivers {
		p.put(2, d.Name, ":\n")
		p.field(3, "Node ID", d.NodeID)
		if d.Allocatable != nil && d.Allocatable.Count != nil {
			p.put(3, "Allocatables:\n")
			p.field(4, "Count", num(*d.Allocatable.Count))
		}
		if d.TopologyKeys != nil {
			p.field(3, "Topology Keys", goList(d.TopologyKeys))
		}
	}
}
