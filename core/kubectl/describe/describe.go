package describe

import (
	"strings"

	"podwalk/core/api"
)

// Source is what a describer reads beside the object itself. The error is the
// API server's refusal.
type Source interface {
	Get(kind, namespace, name string) (api.Object, error)
	List(kind, namespace string, q Query) ([]api.Object, error)
}

// Query narrows a list by selectors in the API's form.
type Query struct{ Labels, Fields string }

// Options say what is shown.
type Options struct {
	Now        int64 // ns since 1970
	HideEvents bool
}

// Object describes o, whose kind must be set.
func Object(src Source, o api.Object, opt Options) string {
	p := &page{src: src, now: opt.Now}
	withEvents := p.object(o)
	if withEvents && !opt.HideEvents {
		p.events(p.about(o))
	}
	return p.text()
}

// object writes all but the events and reports whether events belong to the kind.
func (p *page) object(o api.Object) (events bool) {
	switch o := o.(type) {
	case *api.Pod:
		p.pod(o)
	case *api.Node:
		p.node(o)
	case *api.ConfigMap:
		p.configMap(o)
	case *api.Secret:
		p.secret(o)
		return false
	case *api.ServiceAccount:
		p.serviceAccount(o)
	case *api.Namespace:
		p.namespace(o)
		return false
	case *api.ResourceQuota:
		p.resourceQuota(o)
		return false
	case *api.LimitRange:
		p.limitRange(o)
		return false
	case *api.PriorityClass:
		p.priorityClass(o)
	case *api.PodDisruptionBudget:
		p.budget(o)
	case *api.HorizontalPodAutoscaler:
		p.autoscaler(o)
	default:
		return p.workload(o)
	}
	return true
}

func (p *page) workload(o api.Object) (events bool) {
	switch o := o.(type) {
	case *api.Deployment:
		p.deployment(o)
	case *api.ReplicaSet:
		p.replicaSet(o)
	case *api.ReplicationController:
		p.replicationController(o)
	case *api.StatefulSet:
		p.statefulSet(o)
	case *api.DaemonSet:
		p.daemonSet(o)
	case *api.Job:
		p.job(o)
	case *api.CronJob:
		p.cronJob(o)
	default:
		return p.other(o)
	}
	return true
}

func (p *page) other(o api.Object) (events bool) {
	switch o := o.(type) {
	case *api.Service:
		p.service(o)
	case *api.Endpoints:
		p.endpoints(o)
	case *api.EndpointSlice:
		p.endpointSlice(o)
	case *api.Ingress:
		p.ingress(o)
	case *api.IngressClass:
		p.ingressClass(o)
	case *api.IPAddress:
		p.ipAddress(o)
	case *api.ServiceCIDR:
		p.serviceCIDR(o)
	case *api.NetworkPolicy:
		p.networkPolicy(o)
		return false
	case *api.Role:
		p.role(&o.ObjectMeta, o.Rules)
		return false
	case *api.ClusterRole:
		p.role(&o.ObjectMeta, o.Rules)
		return false
	case *api.RoleBinding:
		p.binding(&o.ObjectMeta, o.RoleRef, o.Subjects)
		return false
	case *api.ClusterRoleBinding:
		p.binding(&o.ObjectMeta, o.RoleRef, o.Subjects)
		return false
	case *api.PersistentVolumeClaim:
		p.persistentVolumeClaim(o)
	case *api.PersistentVolume:
		p.persistentVolume(o)
	case *api.StorageClass:
		p.storageClass(o)
	case *api.VolumeAttributesClass:
		p.attributesClass(o)
	case *api.CSINode:
		p.csiNode(o)
	default:
		p.generic(o)
	}
	return true
}

// about lists the events about an object. Those of a node may name it where others
// have a uid.
func (p *page) about(o api.Object) []*api.Event {
	m, kind := o.Meta(), api.KindName(o.ObjectType().Kind)
	switch o := o.(type) {
	case *api.Pod:
		return p.search(m, "", or(o.Annotations[mirrorAnnotation], m.UID))
	case *api.Node:
		return append(p.search(m, kind, m.UID), p.search(m, kind, m.Name)...)
	}
	return p.search(m, kind, m.UID)
}

const mirrorAnnotation = "kubernetes.io/config.mirror"

func (p *page) search(m *api.ObjectMeta, kind, uid string) []*api.Event {
	var terms []string
	for _, t := range [][2]string{{"kind", kind}, {"name", m.Name}, {"namespace", m.Namespace}, {"uid", uid}} {
		if t[1] != "" || t[0] == "namespace" {
			terms = append(terms, "involvedObject."+t[0]+"="+api.EscapeFieldValue(t[1]))
		}
	}
	list, err := p.src.List("Event", m.Namespace, Query{Fields: strings.Join(terms, ",")})
	if err != nil {
		return nil
	}
	var events []*api.Event
	for _, e := range list {
		events = append(events, e.(*api.Event))
	}
	return events
}
