// Package endpoint is what the controllers of EndpointSlices and Endpoints share:
// which Services select a pod, which pods a Service selects, the ports and
// conditions of an endpoint, and when the change happened that is written down.
// It writes nothing. Start reading at Affected and Members.
package endpoint

import (
	"maps"
	"slices"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// Index finds Services by one pair of their selectors.
const Index = "service.selector"

// IndexValues are the values of Index: the first pair of the selector, by key.
func IndexValues(o api.Object) []string {
	s := o.(*api.Service)
	if len(s.Spec.Selector) == 0 {
		return nil
	}
	first := ""
	for k := range s.Spec.Selector {
		if first == "" || k < first {
			first = k
		}
	}
	return []string{pair(s.Namespace, first, s.Spec.Selector[first])}
}

func pair(namespace, key, value string) string { return namespace + "/" + key + "=" + value }

// Services returns the Services that select pods with these labels, by name.
func Services(read store.Snapshot, namespace string, labels map[string]string) []*api.Service {
	var found []*api.Service
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		for _, o := range read.ByIndex(Index, pair(namespace, k, labels[k])) {
			if s := o.(*api.Service); Selects(s, labels) {
				found = append(found, s)
			}
		}
	}
	return found
}

// Selects reports whether a Service selects pods with these labels. One without a
// selector selects none.
func Selects(s *api.Service, labels map[string]string) bool {
	for k, v := range s.Spec.Selector {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return len(s.Spec.Selector) > 0
}

// KeyOf is the key under which a Service is looked at.
func KeyOf(namespace, name string) sim.Key {
	return sim.Key{Kind: "Service", Namespace: namespace, Name: name}
}

// Affected returns the Services whose endpoints a change of a pod may change
// (endpointslice/util/controller_utils.go, GetPodUpdateProjectionKey and
// GetServicesToUpdate).
func Affected(read store.Snapshot, ch store.Change) []sim.Key {
	old, _ := ch.Old.(*api.Pod)
	pod, _ := ch.New.(*api.Pod)
	switch {
	case old == nil || pod == nil:
		o := ch.Object().Meta()
		return keys(Services(read, o.Namespace, o.Labels))
	case !membershipChanged(old, pod):
		if !endpointChanged(old, pod) {
			return nil
		}
		return keys(Services(read, pod.Namespace, pod.Labels))
	}
	before, after := Services(read, old.Namespace, old.Labels), Services(read, pod.Namespace, pod.Labels)
	changed := endpointChanged(old, pod)
	var list []*api.Service
	for _, s := range before {
		if changed || !slices.Contains(after, s) {
			list = append(list, s)
		}
	}
	for _, s := range after {
		if !slices.Contains(before, s) || changed && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return keys(list)
}

func keys(services []*api.Service) []sim.Key {
	var list []sim.Key
	for _, s := range services {
		list = append(list, KeyOf(s.Namespace, s.Name))
	}
	return list
}

// membershipChanged reports whether other Services may select the pod now, or
// name it otherwise.
func membershipChanged(old, pod *api.Pod) bool {
	return !maps.Equal(old.Labels, pod.Labels) || old.Spec.Hostname != pod.Spec.Hostname || old.Spec.Subdomain != pod.Spec.Subdomain
}

func endpointChanged(old, pod *api.Pod) bool {
	return (old.DeletionTimestamp == nil) != (pod.DeletionTimestamp == nil) ||
		old.DeletionTimestamp != nil && *old.DeletionTimestamp != *pod.DeletionTimestamp ||
		Ready(old) != Ready(pod) || !slices.Equal(old.Status.PodIPs, pod.Status.PodIPs)
}

// Ready reports whether a pod's condition Ready is True.
func Ready(p *api.Pod) bool {
	c := readyCondition(p)
	return c != nil && c.Status == "True"
}

func readyCondition(p *api.Pod) *api.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == "Ready" {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// Included reports whether a pod has an endpoint at all: it has an address and has
// not ended; while it terminates only where terminating is true.
func Included(p *api.Pod, terminating bool) bool {
	ended := p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded"
	return !ended && (p.Status.PodIP != "" || len(p.Status.PodIPs) > 0) && (terminating || p.DeletionTimestamp == nil)
}

// Hostname returns the name that DNS gives to a pod of a Service, or "".
func Hostname(p *api.Pod, s *api.Service) string {
	if p.Spec.Subdomain == s.Name && p.Namespace == s.Namespace {
		return p.Spec.Hostname
	}
	return ""
}

// Headless reports whether a Service has no address of its own.
func Headless(s *api.Service) bool { return s.Spec.ClusterIP == "" || s.Spec.ClusterIP == "None" }

// Ref names a pod as the target of an endpoint.
func Ref(p *api.Pod) *api.ObjectReference {
	return &api.ObjectReference{Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.UID}
}
