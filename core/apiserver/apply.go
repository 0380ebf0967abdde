package apiserver

import (
	"maps"
	"sort"
	"strings"

	"podwalk/core/api"
	"podwalk/core/apiserver/defaulting"
	"podwalk/core/apiserver/managedfields"
	"podwalk/core/codec"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// writer is who wrote a revision.
type writer struct {
	rev               uint64
	name, subresource string
}

// application is one server-side apply of an object: what was applied, and the
// revision that was the newest then.
type application struct {
	rev     uint64
	by      managedfields.Manager
	applied map[string]string
}

// noteWriter keeps who wrote the newest revision.
func (c *call) noteWriter() {
	c.s.writers = append(c.s.writers, writer{c.s.store.Rev(), c.manager(), c.req.Subresource})
}

// manager is the name under which the sender owns fields.
func (c *call) manager() string {
	u := c.req.User.Name
	switch {
	case c.req.FieldManager != "":
		return c.req.FieldManager
	case strings.HasPrefix(u, "system:node"):
		return "kubelet"
	case u == "system:kube-scheduler":
		return "kube-scheduler"
	case strings.HasPrefix(u, accountPrefix) && isComponent(c.req.User):
		return "kube-controller-manager"
	case u == systemUser.Name:
		return "kube-apiserver"
	}
	return "unknown"
}

// applyConfiguration is a server-side apply: the fields of the body are the
// manager's, unless another one holds a different value
// (apiserver/pkg/endpoints/handlers/patch.go applyPatcher).
func (c *call) applyConfiguration(old api.Object) api.Response {
	n, st := parse(c.req.Body)
	if st != nil {
		return c.refuse("apiserver", st)
	}
	if c.req.FieldManager == "" {
		return c.refuse("apiserver", api.NewInvalid(&api.Kind{Group: "meta.k8s.io", Kind: "PatchOptions"}, "",
			[]api.StatusCause{{Field: "fieldManager", Message: "Required value: is required for apply patch"}}, "fieldManager: Required value: is required for apply patch"))
	}
	config, _ := codec.ToValue(*n).(map[string]any)
	applied, st := c.appliedFields(n, config)
	if st != nil {
		return c.refuse("apiserver", st)
	}
	by := managedfields.Manager{Name: c.req.FieldManager, Version: c.req.Kind.APIVersion(), Subresource: c.req.Subresource, Apply: true}
	if old == nil {
		return c.applyNew(config, by, applied)
	}
	ref := api.RefOf(old)
	owned := managedfields.Owners(c.req.Kind, c.writes(ref))
	live, _ := codec.ToValue(old).(map[string]any)
	list := owned.Conflicts(by, applied, managedfields.Fields(live, c.req.Kind))
	if len(list) > 0 && c.req.Options["force"] != "true" {
		return c.refuse("apiserver", conflicts(list))
	}
	merged, err := codec.PatchStrategic(live, config, c.req.Kind)
	if err != nil {
		return c.refuse("apiserver", api.NewBadRequest(err.Error()))
	}
	merged = codec.RemoveFields(merged, c.req.Kind, owned.Left(by, applied))
	c.rememberApplied(merged, config)
	res := c.applyMerged(merged, old)
	if res.Status == nil {
		c.noteApplied(ref, by, applied)
	}
	return res
}

// appliedFields are the fields of a configuration, their values as the server writes
// them.
func (c *call) appliedFields(n *codec.Node, config map[string]any) (map[string]string, *api.Status) {
	obj, st := c.decodeNode(n)
	if st != nil {
		return nil, st
	}
	fields := managedfields.Fields(config, c.req.Kind)
	typed, _ := codec.ToValue(obj).(map[string]any)
	for p, v := range managedfields.Fields(typed, c.req.Kind) {
		if _, ok := fields[p]; ok {
			fields[p] = v
		}
	}
	return fields, nil
}

func (c *call) applyNew(config map[string]any, by managedfields.Manager, applied map[string]string) api.Response {
	c.req.Verb, c.req.Body, c.body = api.Create, codec.ToJSON(config), nil
	res := c.create()
	if res.Status == nil {
		c.noteApplied(api.RefOf(res.Object), by, applied)
	}
	return res
}

func (c *call) applyMerged(merged map[string]any, old api.Object) api.Response {
	n := codec.ToNode(merged)
	obj, st := c.decodeNode(&n)
	if st != nil {
		return c.refuse("apiserver", st)
	}
	obj.Meta().ResourceVersion = old.Meta().ResourceVersion
	defaulting.Default(obj)
	if c.loud {
		c.record(trace.Record{Source: "apiserver", Stage: trace.Admitted, Verdict: trace.Changed, Reason: "Applied", Detail: changes(old, obj)})
	}
	return c.updateObject(obj, old)
}

const lastAppliedKey = "kubectl.kubernetes.io/last-applied-configuration"

// rememberApplied keeps the annotation of client-side apply in step where kubectl
// applies (managedfields/internal/lastappliedupdater.go).
func (c *call) rememberApplied(merged, config map[string]any) {
	meta, _ := merged["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	if _, ok := annotations[lastAppliedKey]; ok && c.req.FieldManager == "kubectl" {
		annotations[lastAppliedKey] = string(codec.ToJSON(config)) + "\n"
	}
}

func (c *call) noteApplied(ref api.Ref, by managedfields.Manager, applied map[string]string) {
	if c.req.DryRun {
		return
	}
	all := maps.Clone(c.s.applications)
	if all == nil {
		all = map[api.Ref][]application{}
	}
	list := all[ref]
	all[ref] = append(list[:len(list):len(list)], application{c.s.store.Rev(), by, applied})
	c.s.applications = all
}

// conflicts is the refusal of an apply.
func conflicts(list []managedfields.Conflict) *api.Status {
	st := api.NewBadRequest(managedfields.Message(list))
	st.Code, st.Reason, st.Details = 409, api.ReasonConflict, &api.StatusDetails{}
	for _, x := range list {
		st.Details.Causes = append(st.Details.Causes, api.StatusCause{Type: "FieldManagerConflict", Message: "conflict with " + x.By.String(), Field: x.Path})
	}
	return st
}

// writes are the states that an object has had, each with its writer. Of states that
// were compacted away, one unknown manager wrote them all.
func (c *call) writes(ref api.Ref) []managedfields.Write {
	changes, err := c.s.store.Since(store.FirstRev)
	if err != nil {
		v, _ := codec.ToValue(c.read.Get(ref.Kind, ref.Namespace, ref.Name)).(map[string]any)
		return []managedfields.Write{{By: managedfields.Manager{Name: "before-first-apply", Version: c.req.Kind.APIVersion()}, Object: v}}
	}
	var out []managedfields.Write
	applied := c.s.applications[ref]
	for _, ch := range changes {
		for len(applied) > 0 && applied[0].rev < ch.Rev {
			out = append(out, managedfields.Write{By: applied[0].by, Applied: applied[0].applied})
			applied = applied[1:]
		}
		if api.RefOf(ch.Object()) != ref {
			continue
		}
		if ch.New == nil {
			out = nil
			continue
		}
		v, _ := codec.ToValue(ch.New).(map[string]any)
		w := managedfields.Write{By: c.writerOf(ch.Rev), Object: v}
		if len(applied) > 0 && applied[0].rev == ch.Rev {
			w.By, w.Applied = applied[0].by, applied[0].applied
			applied = applied[1:]
		}
		out = append(out, w)
	}
	for _, a := range applied {
		out = append(out, managedfields.Write{By: a.by, Applied: a.applied})
	}
	return out
}

func (c *call) writerOf(rev uint64) managedfields.Manager {
	list := c.s.writers
	m := managedfields.Manager{Name: "unknown", Version: c.req.Kind.APIVersion()}
	if i := sort.Search(len(list), func(i int) bool { return list[i].rev >= rev }); i < len(list) && list[i].rev == rev {
		m.Name, m.Subresource = list[i].name, list[i].subresource
	}
	return m
}
