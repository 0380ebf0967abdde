package apiserver

import (
	"strconv"

	"podwalk/core/api"
)

// fieldOf returns the text of a field that selectors may name.
func fieldOf(o api.Object, name string) string {
	switch name {
	case "metadata.name":
		return o.Meta().Name
	case "metadata.namespace":
		return o.Meta().Namespace
	}
	switch x := o.(type) {
	case *api.Custom:
		v, ok, _ := nested(contentOf(x), name)
		if !ok {
			return ""
		}
		text, _ := goValue(v)
		return text
	case *api.Pod:
		return podField(x, name)
	case *api.Event:
		return eventField(x, name)
	case *api.Node:
		return strconv.FormatBool(x.Spec.Unschedulable)
	case *api.Namespace:
		return x.Status.Phase
	case *api.Secret:
		return x.Type
	case *api.Service:
		if name == "spec.type" {
			return x.Spec.Type
		}
		return x.Spec.ClusterIP
	case *api.Job:
		return strconv.Itoa(int(x.Status.Succeeded))
	case *api.ReplicaSet:
		return strconv.Itoa(int(x.Status.Replicas))
	}
	return ""
}

func podField(p *api.Pod, name string) string {
	switch name {
	case "spec.nodeName":
		return p.Spec.NodeName
	case "spec.restartPolicy":
		return p.Spec.RestartPolicy
	case "spec.schedulerName":
		return p.Spec.SchedulerName
	case "spec.serviceAccountName":
		return p.Spec.ServiceAccountName
	case "spec.hostNetwork":
		return strconv.FormatBool(p.Spec.HostNetwork)
	case "status.phase":
		return p.Status.Phase
	case "status.podIP", "status.podIPs":
		return p.Status.PodIP
	}
	return p.Status.NominatedNodeName
}

func eventField(e *api.Event, name string) string {
	r := &e.InvolvedObject
	switch name {
	case "involvedObject.kind":
		return r.Kind
	case "involvedObject.namespace":
		return r.Namespace
	case "involvedObject.name":
		return r.Name
	case "involvedObject.uid":
		return r.UID
	case "involvedObject.apiVersion":
		return r.APIVersion
	case "involvedObject.resourceVersion":
		return r.ResourceVersion
	case "involvedObject.fieldPath":
		return r.FieldPath
	case "reason":
		return e.Reason
	case "type":
		return e.Type
	case "source":
		if e.Source.Component != "" {
			return e.Source.Component
		}
	}
	return e.ReportingController
}
