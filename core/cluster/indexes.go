package cluster

import (
	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
	"podwalk/core/controllers/garbagecollector"
	"podwalk/core/store"
)

// indexes are the ways by which components find objects without looking at all of
// them.
func indexes() []store.Index {
	return []store.Index{
		{Name: "pod.node", Kind: "Pod", Values: func(o api.Object) []string {
			return some(o.(*api.Pod).Spec.NodeName)
		}},
		{Name: "owner", Kind: "Pod", Values: controllerUID},
		{Name: "pod.orphan", Kind: "Pod", Values: orphanIn},
		{Name: "replicaset.owner", Kind: "ReplicaSet", Values: controllerUID},
		{Name: "replicaset.orphan", Kind: "ReplicaSet", Values: orphanIn},
		{Name: "job.owner", Kind: "Job", Values: controllerUID},
		{Name: "job.orphan", Kind: "Job", Values: orphanIn},
		{Name: "revision.owner", Kind: "ControllerRevision", Values: controllerUID},
		{Name: "revision.orphan", Kind: "ControllerRevision", Values: orphanIn},
		{Name: endpoint.Index, Kind: "Service", Values: endpoint.IndexValues},
		{Name: endpoint.SliceIndex, Kind: "EndpointSlice", Values: endpoint.SliceIndexValues},
		{Name: serviceAddress, Kind: "Service", Values: func(o api.Object) []string { return o.(*api.Service).Spec.ClusterIPs }},
		{Name: nodeAddress, Kind: "Node", Values: func(o api.Object) []string { return some(proxyNode(o.(*api.Node)).IP) }},
		{Name: garbagecollector.Index, Values: owners},
		{Name: "event.object", Kind: "Event", Values: func(o api.Object) []string {
			return some(o.(*api.Event).InvolvedObject.UID)
		}},
	}
}

// serviceAddress finds Services by their cluster addresses.
const serviceAddress = "service.address"

// nodeAddress finds Nodes by their internal addresses.
const nodeAddress = "node.address"

// controllerUID is the UID of what manages an object.
func controllerUID(o api.Object) []string {
	for _, r := range o.Meta().OwnerReferences {
		if r.Controller != nil && *r.Controller {
			return []string{r.UID}
		}
	}
	return nil
}

// orphanIn is the namespace of an object that nothing manages.
func orphanIn(o api.Object) []string {
	if controllerUID(o) != nil {
		return nil
	}
	return []string{o.Meta().Namespace}
}

// owners are the uids of all that an object names as its owners.
func owners(o api.Object) (uids []string) {
	for _, r := range o.Meta().OwnerReferences {
		uids = append(uids, r.UID)
	}
	return uids
}

func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
