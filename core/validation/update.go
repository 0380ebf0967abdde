package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// Update returns what is wrong with a new state of an object. sub is the
// subresource through which it comes, such as status.
func Update(o, old api.Object, sub string) field.ErrorList {
	var c check
	c.metaUpdate(o.Meta(), old.Meta())
	switch sub {
	case "":
		c.changed(o, old)
	case "resize", "ephemeralcontainers":
		c.podPart(o, old, sub)
	case "status":
		c.podStatus(o, old)
	}
	return c.result()
}

// changed checks the specification of a new state.
func (c *check) changed(o, old api.Object) {
	switch x := o.(type) {
	case *api.Pod:
		c.podUpdate(x, old.(*api.Pod))
	case *api.Service:
		c.serviceUpdate(x, old.(*api.Service))
		c.asNew(o)
	case *api.ConfigMap, *api.Secret, *api.IngressClass:
		c.fixedConfig(o, old)
		c.asNew(o)
	case *api.Node:
		c.nodeUpdate(x, old.(*api.Node))
	case *api.Namespace, *api.PriorityClass, *api.StorageClass, *api.RuntimeClass:
		c.fixedClass(o, old)
	case *api.CronJob:
		c.cronSpec(&x.Spec, &old.(*api.CronJob).Spec)
	default:
		c.asNew(o)
		c.fixedWorkload(o, old)
	}
}

// asNew applies the rules of new objects, but for those of metadata: names are
// checked once.
func (c *check) asNew(o api.Object) {
	var fresh check
	if !fresh.core(o) && !fresh.workloads(o) && !fresh.policies(o) {
		fresh.others(o)
	}
	for _, e := range fresh.errs {
		if !strings.HasPrefix(e.Field, "metadata") {
			c.add(e)
		}
	}
	for _, e := range fresh.declared {
		if !strings.HasPrefix(e.Field, "metadata") {
			c.declared = append(c.declared, e)
		}
	}
}

// fixed reports a field that changed though it may not.
func fixed[T any](c *check, p *field.Path, now, old T) {
	if !api.Equal(&now, &old) {
		c.invalid(p, printable(now), immutableText)
	}
}

// printable is how the server prints a value: texts as they are, structs by the
// names of its internal types.
func printable(v any) any {
	switch x := v.(type) {
	case string, bool, int32, int64, []string:
		return v
	case *string:
		if x == nil {
			return nil
		}
		return *x
	}
	return internal(v)
}

func (c *check) fixedConfig(o, old api.Object) {
	const text = "field is immutable when `immutable` is set"
	locked := func(b *bool) bool { return b != nil && *b }
	keep := func(name string, same bool) {
		if !same {
			c.forbidden(field.NewPath(name), text)
		}
	}
	switch x := o.(type) {
	case *api.ConfigMap:
		if was := old.(*api.ConfigMap); locked(was.Immutable) {
			keep("immutable", locked(x.Immutable))
			keep("data", api.Equal(&x.Data, &was.Data))
			keep("binaryData", api.Equal(&x.BinaryData, &was.BinaryData))
		}
	case *api.Secret:
		was := old.(*api.Secret)
		fixed(c, field.NewPath("type"), x.Type, was.Type)
		if locked(was.Immutable) {
			keep("immutable", locked(x.Immutable))
			keep("data", api.Equal(&x.Data, &was.Data))
		}
	case *api.IngressClass:
		fixed(c, specPath.Child("controller"), x.Spec.Controller, old.(*api.IngressClass).Spec.Controller)
	}
}

func (c *check) fixedClass(o, old api.Object) {
	switch x := o.(type) {
	case *api.PriorityClass:
		was := old.(*api.PriorityClass)
		if x.Value != was.Value {
			c.forbidden(field.NewPath("value"), "may not be changed in an update.")
		}
		fixed(c, field.NewPath("preemptionPolicy"), x.PreemptionPolicy, was.PreemptionPolicy)
	case *api.StorageClass:
		was := old.(*api.StorageClass)
		fixed(c, field.NewPath("parameters"), x.Parameters, was.Parameters)
		fixed(c, field.NewPath("provisioner"), x.Provisioner, was.Provisioner)
		fixed(c, field.NewPath("reclaimPolicy"), x.ReclaimPolicy, was.ReclaimPolicy)
		fixed(c, field.NewPath("volumeBindingMode"), x.VolumeBindingMode, was.VolumeBindingMode)
	case *api.RuntimeClass:
		fixed(c, field.NewPath("handler"), x.Handler, old.(*api.RuntimeClass).Handler)
	}
}

// nodeUpdate checks a new state of a node (ValidateNodeUpdate).
func (c *check) nodeUpdate(n, old *api.Node) {
	c.nodeResources(&n.Status)
	if len(old.Spec.PodCIDRs) > 0 && !api.Equal(&n.Spec.PodCIDRs, &old.Spec.PodCIDRs) {
		c.forbidden(specPath.Child("podCIDRs"), `node updates may not change podCIDR except from "" to valid`)
	}
	if id, was := n.Spec.ProviderID, old.Spec.ProviderID; was != "" && id != was {
		text := "field cannot be modified once set"
		if id == "" {
			text = "field cannot be cleared once set"
		}
		c.invalid(specPath.Child("providerID"), nil, text)
	}
	c.taints(n.Spec.Taints, metaPath.Child("taints"))
	if n.Spec.DoNotUseExternalID != old.Spec.DoNotUseExternalID {
		c.forbidden(specPath.Child("externalID"), "may not be updated")
	}
}
