package apiserver

import (
	"strconv"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// commit stores an object; expect is the revision it replaces, 0 for a new one.
// What admission wants written beside it is stored first, so that a later request
// never sees the object without it.
func (c *call) commit(obj api.Object, expect uint64, beside []api.Object) api.Response {
	if c.req.DryRun {
		return c.dryRun(obj, expect)
	}
	for _, o := range beside {
		c.put(o, store.AnyRev)
	}
	if _, ok := obj.(*api.Service); ok {
		return c.commitService(obj, expect)
	}
	if k := c.req.Kind; k.Definition != nil {
		obj = c.inVersion(obj, storedVersion(k))
	}
	rec := c.put(obj, expect)
	return api.Response{Object: obj, Rev: c.s.store.Rev(), Record: uint64(rec)}
}

// commitService stores a Service between the addresses that it gets and those that
// it gives back.
func (c *call) commitService(obj api.Object, expect uint64) api.Response {
	m := obj.Meta()
	was := c.read.Get("Service", m.Namespace, m.Name)
	c.claimAddresses(obj)
	rec := c.put(obj, expect)
	rev := c.s.store.Rev()
	if was != nil {
		c.releaseAddresses(was, obj)
	}
	return api.Response{Object: obj, Rev: rev, Record: uint64(rec)}
}

// put writes one object and its record.
func (c *call) put(obj api.Object, expect uint64) sim.Cause {
	rec := c.stored(obj, expect == 0)
	if _, err := c.s.store.Put(obj, expect, c.now, rec); err != nil {
		panic("apiserver: " + api.RefOf(obj).String() + ": " + err.Error())
	}
	c.noteWriter()
	c.read = c.s.store.Latest()
	if expect == 0 && c.loud {
		c.noteUnsimulated(obj)
	}
	if ns, ok := obj.(*api.Namespace); ok && expect == 0 {
		c.furnish(ns)
	}
	return rec
}

// stored writes the record of a commit that is about to happen. Events and Leases
// have none: what they tell is in the record that caused them.
func (c *call) stored(obj api.Object, fresh bool) sim.Cause {
	kind := c.kindOf(obj)
	if !c.loud && (kind == "Event" || kind == "Lease") {
		return c.cause
	}
	r := trace.Record{Source: "etcd", Ref: refOf(obj), Rev: c.s.store.Rev() + 1, Verdict: trace.Passed, Reason: "Modified"}
	if fresh {
		r.Stage, r.Reason = trace.Stored, "Created"
	}
	if c.req.Subresource != "" {
		r.Message = c.req.Subresource
	}
	if c.loud {
		r.Detail = []trace.Detail{{Name: "key", Value: c.keyOf(obj)}, {Name: "revision", Value: strconv.FormatUint(r.Rev, 10)}}
	}
	return c.record(r)
}

func (c *call) kindOf(obj api.Object) string { return obj.ObjectType().Kind }

func refOf(o api.Object) trace.Ref {
	m := o.Meta()
	return trace.Ref{Kind: o.ObjectType().Kind, Namespace: m.Namespace, Name: m.Name}
}

// etcdNames are the resources whose key in etcd is not their plural
// (pkg/registry/*/storage.go).
var etcdNames = map[string]string{"Node": "minions", "Endpoints": "services/endpoints", "Service": "services/specs",
	"ReplicationController": "controllers", "Ingress": "ingress"}

// keyOf returns the key of an object in etcd.
func (c *call) keyOf(o api.Object) string {
	k := api.KindNamed(o.ObjectType().Kind)
	if k == nil {
		return c.customKey(o)
	}
	name, ok := etcdNames[k.Kind]
	if !ok {
		name = k.Plural
	}
	key := "/registry/" + name + "/"
	if k.Namespaced {
		key += o.Meta().Namespace + "/"
	}
	return key + o.Meta().Name
}

// customKey is the key of a custom object, under the group and the plural.
func (c *call) customKey(o api.Object) string {
	key := "/registry/" + c.req.Kind.Group + "/" + c.req.Kind.Plural + "/"
	if c.req.Kind.Namespaced {
		key += o.Meta().Namespace + "/"
	}
	return key + o.Meta().Name
}

func (c *call) dryRun(obj api.Object, expect uint64) api.Response {
	if expect != 0 {
		obj.Meta().ResourceVersion = strconv.FormatUint(expect, 10)
	}
	rec := c.record(trace.Record{Source: "etcd", Verdict: trace.Info, Reason: "DryRun", Message: "nothing is stored"})
	return api.Response{Object: obj, Rev: c.read.Rev(), Record: uint64(rec)}
}

// controlled are the kinds that do nothing without a controller.
var controlled = []string{"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController",
	"HorizontalPodAutoscaler", "PersistentVolumeClaim", "Ingress", "NetworkPolicy", "Service", "PodDisruptionBudget", "CustomResourceDefinition",
	"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"}

// noteUnsimulated says of a new object that nothing will act on it.
func (c *call) noteUnsimulated(obj api.Object) {
	if _, ok := obj.(*api.Custom); ok {
		c.noteCustom(obj)
		return
	}
	kind := c.kindOf(obj)
	if !contains(controlled, kind) || c.s.simulated[kind] {
		return
	}
	c.log.Append(trace.Record{At: c.now, Cause: c.cause, Source: "apiserver", Ref: refOf(obj), Verdict: trace.NotSimulated,
		Reason: "NoController", Message: "no controller for " + kind + " is simulated yet"})
}

// remove takes an object out of the store.
func (c *call) remove(old api.Object) api.Response {
	if c.req.DryRun {
		return api.Response{Object: old, Rev: c.read.Rev(), Deleted: true}
	}
	rec := c.cause
	if kind := c.kindOf(old); c.loud || kind != "Event" && kind != "Lease" {
		rec = c.record(trace.Record{Source: "etcd", Ref: refOf(old), Rev: c.s.store.Rev() + 1, Verdict: trace.Passed, Reason: "Deleted"})
		key := c.serialKey(old.Meta())
		c.s.serials.set(key, c.s.serials.get(key)+1)
	}
	if _, err := c.s.store.Delete(api.RefOf(old), store.AnyRev, c.now, rec); err != nil {
		panic("apiserver: " + api.RefOf(old).String() + ": " + err.Error())
	}
	rev := c.s.store.Rev()
	if namespace := old.Meta().Namespace; namespace != "" {
		c.releaseAddresses(old, nil)
	}
	return api.Response{Object: old, Rev: rev, Record: uint64(rec), Deleted: true}
}
