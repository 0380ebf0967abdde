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
	if _, custom := o.(*api.Custom); !custom && !finalizersLater(o) {
		c.kubeFinalizers(o.Meta().Finalizers)
	}
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

// finalizersLater holds for kinds whose finalizers are looked at like those of new
// objects only.
func finalizersLater(o api.Object) bool {
	switch o.(type) {
	case *api.PersistentVolume, *api.PersistentVolumeClaim, *api.Node, *api.Namespace, *api.LimitRange, *api.Role, *api.RoleBinding, *api.ClusterRole,
		*api.ClusterRoleBinding, *api.StorageClass, *api.RuntimeClass, *api.PodDisruptionBudget, *api.Lease,
		*api.ValidatingWebhookConfiguration, *api.MutatingWebhookConfiguration:
		return true
	}
	return false
}

// changed checks the specification of a new state (ValidateUpdate of the
// strategies in pkg/registry).
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
		c.asNew(o)
		c.nodeUpdate(x, old.(*api.Node))
	case *api.CustomResourceDefinition:
		c.definitionUpdate(x, old.(*api.CustomResourceDefinition))
	case *api.PriorityClass:
		c.priorityClassUpdate(x, old.(*api.PriorityClass))
	case *api.Job:
		c.jobUpdate(x, old.(*api.Job))
	case *api.CronJob:
		c.cronSpec(&x.Spec, &old.(*api.CronJob).Spec)
	case *api.DaemonSet:
		fixed(c, specPath.Child("selector"), x.Spec.Selector, old.(*api.DaemonSet).Spec.Selector)
		c.specAsNew(o)
	case *api.StatefulSet:
		c.again(o, func(e *field.Error) bool {
			return !strings.HasPrefix(e.Field, "metadata") && !strings.HasPrefix(e.Field, "spec.volumeClaimTemplates") && e.Field != "spec.serviceName"
		})
		c.fixedWorkload(o, old)
	case *api.Deployment, *api.ReplicaSet, *api.ReplicationController, *api.HorizontalPodAutoscaler,
		*api.NetworkPolicy, *api.PodTemplate, *api.ResourceQuota, *api.PodDisruptionBudget:
		c.specAsNew(o)
		c.fixedWorkload(o, old)
	case *api.ServiceCIDR:
		c.serviceCIDRUpdate(x.Spec.CIDRs, old.(*api.ServiceCIDR).Spec.CIDRs)
	case *api.IPAddress:
		fixedByType(c, specPath.Child("parentRef"), x.Spec.ParentRef, old.(*api.IPAddress).Spec.ParentRef)
	default:
		c.asNew(o)
		c.fixedObject(o, old)
	}
}

// asNew applies the rules of new objects.
func (c *check) asNew(o api.Object) { c.again(o, func(*field.Error) bool { return true }) }

// specAsNew applies the rules of new objects but for those of metadata, as the
// server does for kinds whose names were freer once.
func (c *check) specAsNew(o api.Object) {
	c.again(o, func(e *field.Error) bool { return !strings.HasPrefix(e.Field, "metadata") })
}

func (c *check) again(o api.Object, keep func(*field.Error) bool) {
	fresh := check{updating: true}
	if !fresh.core(o) && !fresh.workloads(o) && !fresh.policies(o) {
		fresh.others(o)
	}
	c.errs = append(c.errs, fresh.errs.Filter(keep)...)
	c.declared = append(c.declared, fresh.declared.Filter(keep)...)
}

// fixed reports a field that changed though it may not.
func fixed[T any](c *check, p *field.Path, now, old T) {
	if !api.Equal(&now, &old) {
		c.invalid(p, printable(now), immutableText)
	}
}

// fixedByType is fixed for fields that the server's types mark: it comes last and
// does not show the value.
func fixedByType[T any](c *check, p *field.Path, now, old T) {
	if !api.Equal(&now, &old) {
		c.last(func() { c.invalid(p, nil, immutableText) })
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

func (c *check) priorityClassUpdate(p, old *api.PriorityClass) {
	if p.Value != old.Value {
		c.forbidden(field.NewPath("value"), "may not be changed in an update.")
	}
	fixed(c, field.NewPath("preemptionPolicy"), p.PreemptionPolicy, old.PreemptionPolicy)
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
		c.last(func() { c.invalid(specPath.Child("providerID"), nil, text) })
	}
	c.taints(n.Spec.Taints, metaPath.Child("taints"))
	if n.Spec.DoNotUseExternalID != old.Spec.DoNotUseExternalID {
		c.forbidden(specPath.Child("externalID"), "may not be updated")
	}
}
