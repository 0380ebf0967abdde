package apiserver

import (
	"strconv"
	"strings"

	"podwalk/core/api"
)

func (c *call) get() api.Response {
	old := c.current()
	if old == nil {
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	switch c.req.Subresource {
	case "", "status":
		return api.Response{Object: old, Rev: c.read.Rev()}
	case "log":
		return c.logs(old)
	case "exec":
		return c.exec()
	case "scale":
		return c.getScale(old)
	}
	return c.refuse("apiserver", noSubresource())
}

func noSubresource() *api.Status {
	st := api.NewBadRequest("the server could not find the requested resource")
	st.Code, st.Reason, st.Details = 404, api.ReasonNotFound, &api.StatusDetails{}
	return st
}

// current returns the stored object that the request names, or nil.
func (c *call) current() api.Object {
	if o := c.read.Get(c.req.Kind.Kind, c.namespace(), c.req.Name); o != nil {
		return c.inVersion(o, c.req.Kind)
	}
	if c.req.Kind.Kind == "Lease" && c.req.Verb == api.Get && c.namespace() == leaseNamespace {
		return c.nodeLease(c.req.Name)
	}
	return nil
}

func (c *call) namespace() string {
	if c.req.Kind.Namespaced {
		return c.req.Namespace
	}
	return ""
}

func (c *call) list() api.Response {
	items, st := c.selected()
	if st != nil {
		return c.refuse("apiserver", st)
	}
	return api.Response{Items: items, Rev: c.read.Rev()}
}

// selected returns the objects of the kind that the request's selectors choose.
func (c *call) selected() ([]api.Object, *api.Status) {
	labels, err := api.ParseSelector(c.req.LabelSelector)
	if err != nil {
		return nil, api.NewBadRequest("unable to parse requirement: " + err.Error())
	}
	fields, err := api.ParseFieldSelector(c.req.FieldSelector)
	if err != nil {
		return nil, api.NewBadRequest(err.Error())
	}
	for _, r := range fields {
		if !hasField(c.req.Kind, r.Field) {
			return nil, api.NewBadRequest(unknownField(c.req.Kind, r.Field))
		}
	}
	var items []api.Object
	choose := func(o api.Object) {
		if labels.Matches(o.Meta().Labels) && fields.Matches(func(f string) string { return fieldOf(o, f) }) {
			items = append(items, c.inVersion(o, c.req.Kind))
		}
	}
	c.candidates(fields, choose)
	if ns := c.namespace(); c.req.Kind.Kind == "Lease" && c.req.Verb == api.List && (ns == "" || ns == leaseNamespace) {
		c.nodeLeases(choose)
	}
	return items, nil
}

// fieldIndexes are the fields by which the store can find objects of a kind.
var fieldIndexes = map[string]struct{ field, index string }{
	"Pod":   {"spec.nodeName", "pod.node"},
	"Event": {"involvedObject.uid", "event.object"},
}

// candidates visits the objects of the kind among which the selected ones are.
func (c *call) candidates(fields api.FieldSelector, visit func(api.Object)) {
	by, known := fieldIndexes[c.req.Kind.Kind]
	for _, r := range fields {
		if !known || r.Field != by.field || r.Value == "" || r.NotEqual || !c.s.store.Indexed(by.index) {
			continue
		}
		for _, o := range c.read.ByIndex(by.index, r.Value) {
			if ns := c.namespace(); ns == "" || o.Meta().Namespace == ns {
				visit(o)
			}
		}
		return
	}
	c.read.Each(c.req.Kind.Kind, c.namespace(), func(o api.Object) bool {
		visit(o)
		return true
	})
}

// selectable lists the fields of a kind that a selector may name, beside name and
// namespace (pkg/apis/core/v1/conversion.go and the kinds' strategies).
var selectable = map[string][]string{
	"Pod": {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
		"spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName"},
	"Node":       {"spec.unschedulable"},
	"Namespace":  {"status.phase"},
	"Secret":     {"type"},
	"Service":    {"spec.clusterIP", "spec.type"},
	"Job":        {"status.successful"},
	"ReplicaSet": {"status.replicas"},
	"Event": {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
		"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
		"reason", "reportingComponent", "source", "type"},
}

func hasField(k *api.Kind, name string) bool {
	if v := k.Custom(); v != nil {
		for _, f := range v.SelectableFields {
			if strings.TrimPrefix(f.JsonPath, ".") == name {
				return true
			}
		}
	}
	return name == "metadata.name" || name == "metadata.namespace" && k.Namespaced || contains(selectable[k.Kind], name)
}

func unknownField(k *api.Kind, name string) string {
	if k.Group == "" || k.Definition != nil {
		return "field label not supported: " + name
	}
	return "field label " + strconv.Quote(name) + " not supported for " + k.Kind
}
