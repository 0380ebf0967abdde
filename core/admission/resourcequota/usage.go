package resourcequota

import (
	"maps"
	"slices"
	"strings"

	"podwalk/core/admission/podsum"
	"podwalk/core/api"
	"podwalk/core/store"
)

// aliases are the old names of object counts.
var aliases = map[string]string{"ConfigMap": "configmaps", "ResourceQuota": "resourcequotas",
	"ReplicationController": "replicationcontrollers", "Secret": "secrets"}

var (
	podNames = []string{"count/pods", "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage",
		"limits.cpu", "limits.memory", "limits.ephemeral-storage", "pods"}
	serviceNames = []string{"count/services", "services", "services.nodeports", "services.loadbalancers"}
	claimNames   = []string{"persistentvolumeclaims", "requests.storage"}
)

const (
	ofClass     = ".storageclass.storage.k8s.io/"
	countClaims = "count/persistentvolumeclaims"
)

func one() api.Quantity { return count(1) }

func count(n int) api.Quantity { return api.NewQuantity(int64(n), api.DecimalSI) }

// countName is the name by which any kind is counted.
func countName(k *api.Kind) string {
	if k.Group == "" {
		return "count/" + k.Plural
	}
	return "count/" + k.Plural + "." + k.Group
}

// Usage returns what an object uses of the things that quotas limit.
func Usage(k *api.Kind, o api.Object) podsum.List {
	switch x := o.(type) {
	case *api.Pod:
		return ofPod(x)
	case *api.Service:
		return ofService(x)
	case *api.PersistentVolumeClaim:
		return ofClaim(x)
	}
	list := podsum.List{countName(k): one()}
	if alias := aliases[k.Kind]; alias != "" {
		list[alias] = one()
	}
	return list
}

func ofPod(p *api.Pod) podsum.List {
	if p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded" {
		return podsum.List{"count/pods": one()}
	}
	requests, limits := podsum.Requests(&p.Spec), podsum.Limits(&p.Spec)
	podsum.Add(requests, p.Spec.Overhead)
	for n, q := range p.Spec.Overhead {
		if v, ok := limits[n]; ok {
			limits[n] = v.Add(q)
		}
	}
	list := named(requests, limits)
	list["count/pods"], list["pods"] = one(), one()
	return list
}

// named gives requests and limits the names that quotas use.
func named(requests, limits podsum.List) podsum.List {
	list := podsum.List{}
	for n, q := range requests {
		switch {
		case n == "cpu" || n == "memory" || n == "ephemeral-storage" || strings.HasPrefix(n, "hugepages-"):
			list[n], list["requests."+n] = q, q
		case strings.Contains(n, "/"):
			list["requests."+n] = q
		}
	}
	for _, n := range []string{"cpu", "memory", "ephemeral-storage"} {
		if q, ok := limits[n]; ok {
			list["limits."+n] = q
		}
	}
	return list
}

func ofService(s *api.Service) podsum.List {
	ports, balancers := 0, 0
	switch s.Spec.Type {
	case "NodePort":
		ports = len(s.Spec.Ports)
	case "LoadBalancer":
		ports, balancers = len(s.Spec.Ports), 1
		if b := s.Spec.AllocateLoadBalancerNodePorts; b != nil && !*b {
			ports = 0
			for _, p := range s.Spec.Ports {
				if p.NodePort != 0 {
					ports++
				}
			}
		}
	}
	return podsum.List{"count/services": one(), "services": one(), "services.nodeports": count(ports), "services.loadbalancers": count(balancers)}
}

func ofClaim(c *api.PersistentVolumeClaim) podsum.List {
	list := podsum.List{"persistentvolumeclaims": one(), countClaims: one()}
	class := c.Annotations["volume.beta.kubernetes.io/storage-class"]
	if class == "" && c.Spec.StorageClassName != nil {
		class = *c.Spec.StorageClassName
	}
	if class != "" {
		list[class+ofClass+"persistentvolumeclaims"] = one()
	}
	size, ok := c.Spec.Resources.Requests["storage"]
	if !ok {
		return list
	}
	if allocated := c.Status.AllocatedResources["storage"]; allocated.Cmp(size) > 0 {
		size = allocated
	}
	list["requests.storage"] = size
	if class != "" {
		list[class+ofClass+"requests.storage"] = size
	}
	return list
}

// matching returns the limited things that objects of a kind use, in order.
func matching(k *api.Kind, hard podsum.List) (names []string) {
	for _, n := range slices.Sorted(maps.Keys(hard)) {
		if uses(k, n) {
			names = append(names, n)
		}
	}
	return names
}

func uses(k *api.Kind, name string) bool {
	switch k.Kind {
	case "Pod":
		return slices.Contains(podNames, name) || strings.HasPrefix(name, "hugepages-") || strings.HasPrefix(name, "requests.hugepages-") ||
			strings.HasPrefix(name, "requests.") && strings.Contains(name, "/")
	case "Service":
		return slices.Contains(serviceNames, name)
	case "PersistentVolumeClaim":
		_, rest, ok := strings.Cut(name, ofClass)
		return name == countClaims || slices.Contains(claimNames, name) || ok && slices.Contains(claimNames, rest)
	}
	return name == countName(k) || aliases[k.Kind] != "" && name == aliases[k.Kind]
}

// Used adds up what a quota counts in its namespace.
func Used(read store.Snapshot, q *api.ResourceQuota) podsum.List {
	used := podsum.List{}
	for n := range q.Spec.Hard {
		used[n] = count(0)
	}
	for i := range api.Kinds {
		k := &api.Kinds[i]
		names := matching(k, q.Spec.Hard)
		if len(names) == 0 || !k.Namespaced {
			continue
		}
		read.Each(k.Kind, q.Namespace, func(o api.Object) bool {
			if inScope(q, o) {
				usage := Usage(k, o)
				for _, n := range names {
					used[n] = used[n].Add(usage[n])
				}
			}
			return true
		})
	}
	return used
}
