package validation

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
)

func (c *check) statefulSet(s *api.StatefulSet) {
	c.meta(&s.ObjectMeta, true, isDNSLabel)
	c.statefulSetSpec(&s.Spec)
}

func (c *check) statefulSetSpec(s *api.StatefulSetSpec) {
	c.managementPolicy(s.PodManagementPolicy, specPath.Child("podManagementPolicy"))
	c.statefulStrategy(&s.UpdateStrategy, specPath.Child("updateStrategy"))
	if r := s.PersistentVolumeClaimRetentionPolicy; r != nil {
		p := specPath.Child("persistentVolumeClaimRetentionPolicy")
		c.supported(p.Child("whenDeleted"), r.WhenDeleted, "Retain", "Delete")
		c.supported(p.Child("whenScaled"), r.WhenScaled, "Retain", "Delete")
	}
	for i := range s.VolumeClaimTemplates {
		c.claimSpec(&s.VolumeClaimTemplates[i].Spec, specPath.Child("volumeClaimTemplates").Index(i).Child("spec"))
	}
	c.count(s.Replicas, specPath.Child("replicas"))
	c.nonNegative(specPath.Child("minReadySeconds"), int64(s.MinReadySeconds))
	if s.Ordinals != nil {
		c.nonNegative(specPath.Child("ordinals.start"), int64(s.Ordinals.Start))
	}
	if s.ServiceName != "" {
		c.each(specPath.Child("serviceName"), s.ServiceName, isDNSLabel(s.ServiceName))
	}
	c.requiredSelector(s.Selector, "statefulset", specPath.Child("selector"))
	p := specPath.Child("template")
	if c.selected(s.Selector, s.Template.Labels, specPath.Child("selector"), p.Child("metadata", "labels"), "") {
		c.statefulTemplate(s, p)
	}
	c.alwaysRestarts(&s.Template, "StatefulSet", p)
}

func (c *check) managementPolicy(policy string, p *field.Path) {
	switch policy {
	case "OrderedReady", "Parallel":
	case "":
		c.required(p, "")
	default:
		c.invalid(p, policy, "must be 'OrderedReady' or 'Parallel'")
	}
}

// statefulTemplate checks the template as the pods will look: with the claims as
// volumes, and names that the controller sets.
func (c *check) statefulTemplate(s *api.StatefulSetSpec, p *field.Path) {
	t := s.Template
	t.Spec.Hostname, t.Spec.Subdomain = "", ""
	if len(s.VolumeClaimTemplates) > 0 {
		t.Spec.Volumes = withClaims(s)
	}
	c.template(&t, p)
	c.labels(p.Child("labels"), t.Labels)
	c.annotations(p.Child("annotations"), t.Annotations)
}

func withClaims(s *api.StatefulSetSpec) []api.Volume {
	var list []api.Volume
	made := map[string]bool{}
	for i := range s.VolumeClaimTemplates {
		name := s.VolumeClaimTemplates[i].Name
		if !made[name] {
			list = append(list, api.Volume{Name: name, PersistentVolumeClaim: &api.PersistentVolumeClaimVolumeSource{ClaimName: name}})
		}
		made[name] = true
	}
	for _, v := range s.Template.Spec.Volumes {
		if !made[v.Name] {
			list = append(list, v)
		}
	}
	return list
}

func (c *check) statefulStrategy(s *api.StatefulSetUpdateStrategy, p *field.Path) {
	const only = "only allowed for updateStrategy 'RollingUpdate'"
	switch s.Type {
	case "":
		c.required(p, "")
	case "OnDelete":
		if s.RollingUpdate != nil {
			c.invalid(p.Child("rollingUpdate"), internal(s.RollingUpdate), only)
		}
	case "RollingUpdate":
		if s.RollingUpdate != nil {
			c.partitioned(s.RollingUpdate, p.Child("rollingUpdate"))
		}
	default:
		c.invalid(p, internal(s), "must be 'RollingUpdate' or 'OnDelete'")
	}
}

func (c *check) partitioned(r *api.RollingUpdateStatefulSetStrategy, p *field.Path) {
	c.count(r.Partition, p.Child("partition"))
	if r.MaxUnavailable == nil {
		return
	}
	at := p.Child("maxUnavailable")
	c.portion(*r.MaxUnavailable, at)
	if portion(*r.MaxUnavailable) == 0 {
		c.invalid(at, *r.MaxUnavailable, "cannot be 0")
	}
	c.notMoreThanAll(*r.MaxUnavailable, at)
}
