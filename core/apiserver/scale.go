package apiserver

import (
	"strconv"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// replicas returns where a kind keeps its number of replicas, or nil.
func replicas(o api.Object) **int32 {
	switch x := o.(type) {
	case *api.Deployment:
		return &x.Spec.Replicas
	case *api.ReplicaSet:
		return &x.Spec.Replicas
	case *api.StatefulSet:
		return &x.Spec.Replicas
	case *api.ReplicationController:
		return &x.Spec.Replicas
	}
	return nil
}

// getScale answers the object itself: who asks reads its replicas.
func (c *call) getScale(o api.Object) api.Response {
	if _, custom := o.(*api.Custom); !custom && replicas(o) == nil {
		return c.refuse("apiserver", noSubresource())
	}
	return api.Response{Object: o, Rev: c.read.Rev()}
}

// patchScale sets the number of replicas from a merge patch of the Scale.
func (c *call) patchScale(old api.Object) api.Response {
	n, st := parse(c.req.Body)
	if st != nil {
		return c.refuse("apiserver", st)
	}
	field := n.Get("spec", "replicas")
	custom, _ := old.(*api.Custom)
	if custom == nil && replicas(old) == nil || field == nil || field.Kind != codec.Number {
		return c.refuse("apiserver", noSubresource())
	}
	count, err := strconv.ParseInt(field.Text, 10, 32)
	if err != nil {
		return c.refuse("apiserver", api.NewBadRequest(err.Error()))
	}
	if rev := n.Str("metadata", "resourceVersion"); rev != "" && rev != old.Meta().ResourceVersion {
		return c.refuse("etcd", api.NewConflict(c.req.Kind, c.req.Name, conflictText))
	}
	if custom != nil {
		o := *custom
		setReplicas(&o, subresources(c.req.Kind).Scale.SpecReplicasPath, count)
		return c.updateObject(&o, old)
	}
	obj := api.DeepCopy(old)
	value := int32(count)
	*replicas(obj) = &value
	return c.updateObject(obj, old)
}
