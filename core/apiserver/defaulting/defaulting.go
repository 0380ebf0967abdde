// Package defaulting fills in what a manifest leaves out, as the server does when
// it decodes an object (pkg/apis/*/v1/defaults.go and the +default markers). It
// reads nothing but the object and never fails; admission adds the rest.
// Start reading at Default.
package defaulting

import "podwalk/core/api"

// Default completes an object in place. What the object shares with others is
// changed too: pass a deep copy where that matters.
func Default(o api.Object) {
	if !core(o) && !workloads(o) && !cluster(o) {
		policies(o)
	}
}

// core completes the kinds of the core group and reports whether o is one.
func core(o api.Object) bool {
	switch x := o.(type) {
	case *api.Pod:
		Pod(x)
	case *api.PodTemplate:
		template(&x.Template)
	case *api.ReplicationController:
		replicationController(x)
	case *api.Node:
		node(x)
	case *api.Namespace:
		namespace(x)
	case *api.ConfigMap:
	case *api.Secret:
		str(&x.Type, "Opaque")
	case *api.Service:
		service(x)
	case *api.LimitRange:
		for i := range x.Spec.Limits {
			limitRangeItem(&x.Spec.Limits[i])
		}
	case *api.ResourceQuota:
		roundUp(x.Spec.Hard)
		roundUp(x.Status.Hard)
		roundUp(x.Status.Used)
	case *api.Endpoints:
		for i := range x.Subsets {
			for j := range x.Subsets[i].Ports {
				str(&x.Subsets[i].Ports[j].Protocol, "TCP")
			}
		}
	case *api.PersistentVolumeClaim:
		str(&x.Status.Phase, "Pending")
		claimSpec(&x.Spec)
	case *api.PersistentVolume:
		persistentVolume(x)
	default:
		return false
	}
	return true
}

// str sets a text that is empty.
func str(p *string, value string) {
	if *p == "" {
		*p = value
	}
}

// ptr sets a pointer that is nil.
func ptr[T any](p **T, value T) {
	if *p == nil {
		*p = &value
	}
}

// number sets a number that is zero.
func number(p *int32, value int32) {
	if *p == 0 {
		*p = value
	}
}
