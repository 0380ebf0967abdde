// Package validation checks objects as the API server does before it stores them:
// the same rules, in the same order, with the same words
// (pkg/apis/*/validation). It changes nothing and knows no other object. Where
// the server visits a map in any order, here it is that of the keys.
// Start reading at Create, Update and Warnings.
package validation

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
)

// Create returns what is wrong with a new object.
func Create(o api.Object) field.ErrorList {
	var c check
	if !c.core(o) && !c.workloads(o) && !c.policies(o) {
		c.others(o)
	}
	if len(c.errs)+len(c.declared) == 0 {
		c.segmentName(o.Meta().Name)
	}
	return c.result()
}

// segmentName is the rule that all names are held to beside those of their kind.
func (c *check) segmentName(name string) { c.each(metaPath.Child("name"), name, isSegment(name)) }

func (c *check) core(o api.Object) bool {
	switch x := o.(type) {
	case *api.Pod:
		c.podCreate(x)
	case *api.Node:
		c.node(x)
	case *api.Namespace:
		c.namespace(x)
	case *api.ConfigMap:
		c.configMap(x)
	case *api.Secret:
		c.secret(x)
	case *api.Service:
		c.meta(&x.ObjectMeta, true, isDNSLabel)
		c.service(x)
	case *api.ServiceAccount:
		c.meta(&x.ObjectMeta, true, isSubdomain)
	case *api.LimitRange:
		c.limitRange(x)
	case *api.ResourceQuota:
		c.quota(x)
	case *api.PersistentVolumeClaim:
		c.claim(x)
	case *api.PersistentVolume:
		c.volume(x)
	case *api.ReplicationController:
		c.replicationController(x)
	case *api.PodTemplate:
		c.meta(&x.ObjectMeta, true, isSubdomain)
		c.template(&x.Template, field.NewPath("template"))
	case *api.Endpoints:
		c.endpoints(x)
	case *api.Event:
		if c.event(x); len(c.errs) == 0 {
			c.metaFree(&x.ObjectMeta, true, isSegment)
		}
	default:
		return false
	}
	return true
}

func (c *check) workloads(o api.Object) bool {
	switch x := o.(type) {
	case *api.Deployment:
		c.deployment(x)
	case *api.ReplicaSet:
		c.replicaSet(x)
	case *api.StatefulSet:
		c.statefulSet(x)
	case *api.DaemonSet:
		c.daemonSet(x)
	case *api.Job:
		c.job(x)
	case *api.CronJob:
		c.cronJob(x, nil)
	case *api.HorizontalPodAutoscaler:
		c.autoscaler(x)
	default:
		return false
	}
	return true
}

func (c *check) policies(o api.Object) bool {
	switch x := o.(type) {
	case *api.CustomResourceDefinition:
		c.definition(x)
	case *api.PodDisruptionBudget:
		c.budget(x)
	case *api.NetworkPolicy:
		c.networkPolicy(x)
	case *api.EndpointSlice:
		c.endpointSlice(x)
	case *api.Ingress:
		c.ingress(x)
	case *api.IngressClass:
		c.ingressClass(x)
	case *api.StorageClass:
		c.storageClass(x)
	case *api.VolumeAttributesClass:
		c.volumeAttributesClass(x)
	case *api.CSIDriver:
		c.csiDriver(x)
	case *api.CSINode:
		c.csiNode(x)
	case *api.VolumeAttachment:
		c.volumeAttachment(x)
	case *api.PriorityClass:
		c.priorityClass(x)
	case *api.RuntimeClass:
		c.runtimeClass(x)
	case *api.Role:
		c.meta(&x.ObjectMeta, true, isSegment)
		c.roleRules(x.Rules, true)
	case *api.ClusterRole:
		c.meta(&x.ObjectMeta, false, isSegment)
		c.roleRules(x.Rules, false)
		c.aggregation(x.AggregationRule)
	case *api.RoleBinding:
		c.meta(&x.ObjectMeta, true, isSegment)
		c.roleBinding(x.RoleRef, x.Subjects, true)
	case *api.ClusterRoleBinding:
		c.meta(&x.ObjectMeta, false, isSegment)
		c.roleBinding(x.RoleRef, x.Subjects, false)
	default:
		return false
	}
	return true
}

// others checks the kinds that the cluster keeps for itself, and no more than the
// metadata of those that have no rules here.
func (c *check) others(o api.Object) {
	switch x := o.(type) {
	case *api.ServiceCIDR:
		c.serviceCIDR(x)
	case *api.IPAddress:
		c.ipAddress(x)
	case *api.Lease:
		c.lease(x)
	case *api.ControllerRevision:
		c.revision(x)
	case *api.ValidatingWebhookConfiguration:
		c.metaFree(&x.ObjectMeta, false, isSubdomain)
		c.hooks(validatingHooks(x.Webhooks))
	case *api.MutatingWebhookConfiguration:
		c.metaFree(&x.ObjectMeta, false, isSubdomain)
		c.hooks(mutatingHooks(x.Webhooks))
	default:
		if k := api.KindNamed(o.ObjectType().Kind); k != nil {
			c.metaFree(o.Meta(), k.Namespaced, isSubdomain)
		}
	}
}
