package apiserver

import (
	"encoding/hex"
	"strconv"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// nameLimit is the longest prefix that still leaves room for the suffix
// (apiserver/pkg/storage/names/generate.go).
const nameLimit = 58

// tries is how often the server looks for a free generated name.
const tries = 8

// fill sets what only the server sets on a new object
// (apiserver/pkg/registry/rest/create.go, meta.go).
func (c *call) fill(o api.Object) {
	m := o.Meta()
	m.CreationTimestamp, m.DeletionTimestamp, m.DeletionGracePeriodSeconds = c.time(), nil, nil
	m.ResourceVersion, m.SelfLink, m.ManagedFields = "", "", nil
	if !c.req.Kind.Namespaced {
		m.Namespace = ""
	}
	if m.Name == "" && m.GenerateName != "" {
		m.Name = c.generate(o, m.GenerateName)
	}
	m.UID = c.uid(m)
}

// generate makes the next name of a prefix that is free.
func (c *call) generate(o api.Object, prefix string) string {
	if len(prefix) > nameLimit {
		prefix = prefix[:nameLimit]
	}
	key := c.serialKey(o.Meta())
	for n := c.s.serials.get(key); ; n++ {
		name := prefix + admission.Suffix(c.s.cfg.Random, key, n)
		if n >= c.s.serials.get(key)+tries || c.read.Get(c.req.Kind.Kind, o.Meta().Namespace, name) == nil {
			if !c.req.DryRun {
				c.s.serials.set(key, n+1)
			}
			return name
		}
	}
}

// serialKey names the stream of what is drawn for an object: its own, or that of
// its prefix while it has no name.
func (c *call) serialKey(m *api.ObjectMeta) string {
	name := m.Name
	if name == "" {
		name = m.GenerateName + "*"
	}
	return c.req.Kind.Kind + "/" + m.Namespace + "/" + name
}

// uid makes a version 4 UUID from the object's name and how often it was deleted.
func (c *call) uid(m *api.ObjectMeta) string {
	key := c.serialKey(m)
	n := c.s.serials.get(key)
	var b [16]byte
	for i := range 2 {
		v := c.s.cfg.Random.Uint64("uid", key, 2*n+uint64(i))
		for j := range 8 {
			b[8*i+j] = byte(v >> (8 * j))
		}
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// matchNamespace makes the namespaces of request and object agree.
func (c *call) matchNamespace(m *api.ObjectMeta) *api.Status {
	switch {
	case !c.req.Kind.Namespaced, m.Namespace == "" || m.Namespace == c.req.Namespace:
		m.Namespace = c.namespace()
		return nil
	}
	return api.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
}

// conflictText is what a writer hears whose object is outdated.
const conflictText = "the object has been modified; please apply your changes to the latest version and try again"

// checkRev compares what the writer saw with what is stored.
func (c *call) checkRev(given, old *api.ObjectMeta) *api.Status {
	if given.ResourceVersion != "" && given.ResourceVersion != "0" && given.ResourceVersion != old.ResourceVersion {
		if _, err := strconv.ParseUint(given.ResourceVersion, 10, 64); err != nil {
			return c.badRev(given.ResourceVersion)
		}
		return api.NewConflict(c.req.Kind, old.Name, conflictText)
	}
	if given.UID != "" && given.UID != old.UID {
		return api.NewConflict(c.req.Kind, old.Name, "Precondition failed: UID in precondition: "+given.UID+
			", UID in object meta: "+old.UID)
	}
	return nil
}

func (c *call) badRev(rev string) *api.Status {
	msg := "Invalid value: " + strconv.Quote(rev) + ": strconv.ParseUint: parsing " + strconv.Quote(rev) + ": invalid syntax"
	return api.NewInvalid(c.req.Kind, c.req.Name, []api.StatusCause{{Type: "FieldValueInvalid", Message: msg,
		Field: "metadata.resourceVersion"}}, "metadata.resourceVersion: "+msg)
}
