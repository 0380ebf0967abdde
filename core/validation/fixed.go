package validation

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
)

var (
	roleRefPath    = field.NewPath("roleRef")
	volumeModePath = field.NewPath("volumeMode")
)

// fixedWorkload reports fields that a controller could not follow if they
// changed: what selects pods before all.
func (c *check) fixedWorkload(o, old api.Object) {
	selector := specPath.Child("selector")
	switch x := o.(type) {
	case *api.Deployment:
		fixed(c, selector, x.Spec.Selector, old.(*api.Deployment).Spec.Selector)
	case *api.ReplicaSet:
		fixed(c, selector, x.Spec.Selector, old.(*api.ReplicaSet).Spec.Selector)
	case *api.StatefulSet:
		s, was := &x.Spec, &old.(*api.StatefulSet).Spec
		fixed(c, selector, s.Selector, was.Selector)
		fixed(c, specPath.Child("volumeClaimTemplates"), s.VolumeClaimTemplates, was.VolumeClaimTemplates)
		fixed(c, specPath.Child("serviceName"), s.ServiceName, was.ServiceName)
		fixed(c, specPath.Child("podManagementPolicy"), s.PodManagementPolicy, was.PodManagementPolicy)
	case *api.ResourceQuota:
		if !sameScopes(x.Spec.Scopes, old.(*api.ResourceQuota).Spec.Scopes) {
			c.invalid(specPath.Child("scopes"), x.Spec.Scopes, immutableText)
		}
	}
}

// fixedObject is fixedWorkload for kinds without pods.
func (c *check) fixedObject(o, old api.Object) {
	switch x := o.(type) {
	case *api.PersistentVolumeClaim:
		c.fixedClaim(x, old.(*api.PersistentVolumeClaim))
	case *api.PersistentVolume:
		c.fixedVolume(&x.Spec, &old.(*api.PersistentVolume).Spec)
	case *api.EndpointSlice:
		fixedByType(c, field.NewPath("addressType"), x.AddressType, old.(*api.EndpointSlice).AddressType)
	case *api.RoleBinding:
		fixed(c, roleRefPath, x.RoleRef, old.(*api.RoleBinding).RoleRef)
	case *api.ClusterRoleBinding:
		fixed(c, roleRefPath, x.RoleRef, old.(*api.ClusterRoleBinding).RoleRef)
	case *api.StorageClass:
		was := old.(*api.StorageClass)
		fixedByType(c, field.NewPath("provisioner"), x.Provisioner, was.Provisioner)
		fixedByType(c, field.NewPath("parameters"), x.Parameters, was.Parameters)
		fixedByType(c, field.NewPath("reclaimPolicy"), x.ReclaimPolicy, was.ReclaimPolicy)
		fixedByType(c, field.NewPath("volumeBindingMode"), x.VolumeBindingMode, was.VolumeBindingMode)
	case *api.RuntimeClass:
		fixedByType(c, field.NewPath("handler"), x.Handler, old.(*api.RuntimeClass).Handler)
	}
}

func sameScopes(a, b []string) bool {
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, s := range pair[0] {
			if !contains(pair[1], s) {
				return false
			}
		}
	}
	return true
}

// jobUpdate checks a new state of a Job (ValidateJobUpdate).
func (c *check) jobUpdate(j, old *api.Job) {
	c.jobSpec(&j.Spec, specPath)
	c.jobSelector(&j.Spec)
	c.fixedJob(&j.Spec, &old.Spec, canChange(old))
	c.indexedName(j)
}

// canChange holds for Jobs that are suspended and have no pods.
func canChange(j *api.Job) bool {
	idle := j.Status.StartTime == nil
	for _, cond := range j.Status.Conditions {
		idle = idle || cond.Type == "Suspended" && cond.Status == "True"
	}
	return j.Spec.Suspend != nil && *j.Spec.Suspend && idle && j.Status.Active == 0
}

// fixedJob lets a suspended Job change where its pods may run and what they get
// (ValidateJobSpecUpdate).
func (c *check) fixedJob(s, old *api.JobSpec, suspended bool) {
	c.fixedCompletions(s, old)
	fixed(c, specPath.Child("selector"), s.Selector, old.Selector)
	if suspended {
		fixed(c, specPath.Child("template.spec"), s.Template.Spec, suspendedSpec(&s.Template.Spec, &old.Template.Spec))
	} else {
		fixed(c, specPath.Child("template"), s.Template, old.Template)
	}
	fixed(c, specPath.Child("completionMode"), s.CompletionMode, old.CompletionMode)
	fixed(c, specPath.Child("podFailurePolicy"), s.PodFailurePolicy, old.PodFailurePolicy)
	fixed(c, specPath.Child("backoffLimitPerIndex"), s.BackoffLimitPerIndex, old.BackoffLimitPerIndex)
	fixed(c, specPath.Child("managedBy"), s.ManagedBy, old.ManagedBy)
	fixed(c, specPath.Child("successPolicy"), s.SuccessPolicy, old.SuccessPolicy)
}

func (c *check) fixedCompletions(s, old *api.JobSpec) {
	p := specPath.Child("completions")
	if s.CompletionMode == nil || *s.CompletionMode != "Indexed" {
		fixed(c, p, s.Completions, old.Completions)
		return
	}
	if s.Completions != nil && !api.Equal(&s.Completions, &old.Completions) && (s.Parallelism == nil || *s.Completions != *s.Parallelism) {
		c.invalid(p, *s.Completions, "can only be modified in tandem with spec.parallelism")
	}
}

// suspendedSpec is the old specification of a Job's pods with what may change
// while the Job is suspended.
func suspendedSpec(now, old *api.PodSpec) api.PodSpec {
	s := *old
	s.NodeSelector, s.Tolerations, s.SchedulingGates = now.NodeSelector, now.Tolerations, now.SchedulingGates
	s.Affinity = withNodeAffinity(now.Affinity, old.Affinity)
	s.Containers = withResources(now.Containers, old.Containers)
	s.InitContainers = withResources(now.InitContainers, old.InitContainers)
	return s
}

// withNodeAffinity is the old affinity with the new one for nodes.
func withNodeAffinity(now, old *api.Affinity) *api.Affinity {
	var a api.Affinity
	if old != nil {
		a = *old
	}
	a.NodeAffinity = nil
	if now != nil {
		a.NodeAffinity = now.NodeAffinity
	}
	if now == nil && a == (api.Affinity{}) {
		return nil
	}
	return &a
}

func withResources(now, old []api.Container) []api.Container {
	if len(now) != len(old) {
		return old
	}
	list := append([]api.Container(nil), old...)
	for i := range list {
		list[i].Resources = now[i].Resources
	}
	return list
}

// fixedClaim lets a claim be bound once, and a bound one grow
// (ValidatePersistentVolumeClaimUpdate).
func (c *check) fixedClaim(v, old *api.PersistentVolumeClaim) {
	now, was := v.Spec, old.Spec
	if was.VolumeName == "" {
		was.VolumeName = now.VolumeName
	}
	if was.StorageClassName == nil && old.Annotations[betaClass] == "" {
		was.StorageClassName = now.StorageClassName
	}
	bound := v.Status.Phase == "Bound"
	if bound {
		now.Resources.Requests = withSize(now.Resources.Requests, was.Resources.Requests["storage"])
		now.VolumeAttributesClassName = was.VolumeAttributesClassName
	}
	if a, b := v.Annotations[betaClass], old.Annotations[betaClass]; a != b {
		c.invalid(metaPath.Child("annotations", betaClass), a, immutableText)
	}
	if !api.Equal(&now, &was) {
		c.forbidden(specPath, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"+changedSpec(was, now))
	}
	size, before, real := v.Spec.Resources.Requests["storage"], old.Spec.Resources.Requests["storage"], old.Status.Capacity["storage"]
	if size.Cmp(before) < 0 && size.Cmp(real) <= 0 {
		c.forbidden(specPath.Child("resources", "requests", "storage"), "field can not be less than status.capacity")
	}
	fixed(c, volumeModePath, v.Spec.VolumeMode, old.Spec.VolumeMode)
}

func withSize(list map[string]api.Quantity, size api.Quantity) map[string]api.Quantity {
	if list == nil {
		return nil
	}
	out := make(map[string]api.Quantity, len(list))
	for k, q := range list {
		out[k] = q
	}
	out["storage"] = size
	return out
}

// fixedVolume keeps the source of a volume (ValidatePersistentVolumeUpdate).
func (c *check) fixedVolume(s, old *api.PersistentVolumeSpec) {
	type PersistentVolumeSource api.PersistentVolumeSpec // printed as the part that is the source
	now, was := PersistentVolumeSource(sourceOnly(s)), PersistentVolumeSource(sourceOnly(old))
	if !api.Equal(&now, &was) {
		c.forbidden(specPath.Child("persistentvolumesource"), "spec.persistentvolumesource is immutable after creation\n"+changedSpec(was, now))
	}
	fixed(c, volumeModePath, s.VolumeMode, old.VolumeMode)
	if old.NodeAffinity != nil && !api.Equal(s.NodeAffinity, old.NodeAffinity) {
		c.invalid(field.NewPath("nodeAffinity"), internal(s.NodeAffinity), immutableText+", except for updating from beta label to GA")
	}
	if s.VolumeAttributesClassName == nil && old.VolumeAttributesClassName != nil {
		c.forbidden(specPath.Child("volumeAttributesClassName"), "update from non-nil value to nil is forbidden")
	}
}

// sourceOnly is a specification without what is not its source.
func sourceOnly(s *api.PersistentVolumeSpec) api.PersistentVolumeSpec {
	v := *s
	v.AccessModes, v.Capacity, v.ClaimRef, v.MountOptions, v.NodeAffinity = nil, nil, nil, nil, nil
	v.PersistentVolumeReclaimPolicy, v.StorageClassName, v.VolumeMode, v.VolumeAttributesClassName = "", "", nil, nil
	return v
}
