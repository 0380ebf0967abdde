package apiserver

import (
	"cmp"
	"strings"

	"podwalk/core/admission"
	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// call is one request on its way. cause is the latest record of it.
type call struct {
	s        *Server
	now      sim.Time
	cause    sim.Cause
	denied   sim.Cause // the record of the refusal, 0 while there is none
	log      *trace.Log
	req      api.Request
	read     store.Snapshot
	person   bool        // a credential or an impersonation says who sends it
	loud     bool        // each station leaves a record
	brief    bool        // those of admission leave one together
	named    string      // the name of a new object before it is decoded
	body     *codec.Node // the request's body, once parsed
	warnings []string
	gaveUp   bool // the writer gave up a field that it owned
}

func (c *call) serve() api.Response {
	if c.req.Verb == api.Discover {
		return c.discover()
	}
	if c.req.Kind == nil {
		return c.refuse("apiserver", api.NewBadRequest("the server could not find the requested resource"))
	}
	if c.req.Kind.Namespaced && c.req.Namespace == "" && c.req.Verb != api.List {
		c.req.Namespace = "default"
	}
	if c.loud = c.isLoud(); c.loud {
		c.brief = c.req.Object != nil && isComponent(c.req.User)
		c.peek()
	}
	c.received()
	if text := deprecated[c.req.Kind.Kind]; text != "" && !isComponent(c.req.User) {
		c.warnings = append(c.warnings, text)
	}
	if st := c.identify(); st != nil {
		return c.refuse("authentication", st)
	}
	if st := c.authorise(); st != nil {
		return c.refuse("authorization", st)
	}
	if c.req.Kind.Definition != nil {
		if st := c.serveCustom(); st != nil || !hasSubresource(c.req.Kind, c.req.Subresource) {
			return c.refuse("apiserver", noSubresource())
		}
	}
	switch c.req.Kind {
	case api.SelfSubjectAccessReview, api.SelfSubjectRulesReview, api.SelfSubjectReview:
		return c.review()
	}
	switch c.req.Verb {
	case api.Get:
		return c.get()
	case api.List:
		return c.list()
	case api.Create:
		return c.create()
	case api.Update:
		return c.update()
	case api.Patch:
		return c.patch()
	case api.Delete:
		return c.delete()
	case api.DeleteCollection:
		return c.deleteCollection()
	}
	return c.refuse("apiserver", api.NewMethodNotSupported(c.req.Kind, string(c.req.Verb)))
}

// deprecated is what people hear who use a kind at all.
var deprecated = map[string]string{
	"Endpoints":       "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
	"ComponentStatus": "v1 ComponentStatus is deprecated in v1.19+",
}

// isLoud holds for what people write, and for pods whoever makes them: it is on
// the way of a pod that each station is worth seeing.
func (c *call) isLoud() bool {
	switch {
	case c.req.Verb == api.Get || c.req.Verb == api.List:
		return false
	case c.req.Verb == api.Create && c.req.Kind.Kind == "Pod" && c.req.Subresource == "":
		return true
	}
	return c.req.Object == nil && !isComponent(c.req.User)
}

// isComponent tells the cluster's own processes from people and from pods.
func isComponent(u api.User) bool {
	if account, ok := strings.CutPrefix(u.Name, "system:serviceaccount:"); ok {
		return isController(account)
	}
	return strings.HasPrefix(u.Name, "system:") && u.Name != "system:anonymous" || u.Name == "containerd"
}

// isController holds for the accounts of the controller manager, which have the
// roles they need (plugin/pkg/auth/authorizer/rbac/bootstrappolicy).
func isController(account string) bool {
	name, ok := strings.CutPrefix(account, "kube-system:")
	switch name {
	case "generic-garbage-collector", "pod-garbage-collector", "horizontal-pod-autoscaler", "root-ca-cert-publisher", "persistent-volume-binder",
		"external-provisioner", "external-attacher", "external-resizer":
		return ok
	}
	return ok && strings.HasSuffix(name, "-controller")
}

// record writes the record of a station, caused by the station before.
func (c *call) record(r trace.Record) sim.Cause {
	r.At, r.Cause = c.now, c.cause
	if r.Ref == (trace.Ref{}) {
		r.Ref = c.ref()
	}
	c.cause = c.log.Append(r)
	return c.cause
}

// ref names the object of the request as far as it is known.
func (c *call) ref() trace.Ref {
	r := trace.Ref{Kind: c.req.Kind.Kind, Namespace: c.req.Namespace, Name: cmp.Or(c.req.Name, c.named)}
	if !c.req.Kind.Namespaced {
		r.Namespace = ""
	}
	return r
}

// peek learns the name of a new object before anything is decided, so that all
// records of a request name it.
func (c *call) peek() {
	switch {
	case c.req.Verb != api.Create || c.req.Name != "":
	case c.req.Object != nil:
		c.named = c.req.Object.Meta().Name
	default:
		if n, st := parse(c.req.Body); st == nil {
			c.body, c.named = n, n.Str("metadata", "name")
		}
	}
}

var methods = map[api.Verb]string{api.Get: "GET", api.List: "GET", api.Create: "POST", api.Update: "PUT",
	api.Patch: "PATCH", api.Delete: "DELETE", api.DeleteCollection: "DELETE"}

func (c *call) received() {
	if c.loud {
		c.record(trace.Record{Source: "apiserver", Stage: trace.Submitted, Verdict: trace.Info,
			Reason: "RequestReceived", Message: methods[c.req.Verb] + " " + c.path()})
	}
}

// path is the request's URL path.
func (c *call) path() string {
	k := c.req.Kind
	p := "/apis/" + k.Group + "/" + k.Version
	if k.Group == "" {
		p = "/api/" + k.Version
	}
	if k.Namespaced && c.req.Namespace != "" {
		p += "/namespaces/" + c.req.Namespace
	}
	p += "/" + k.Plural
	if c.req.Name != "" && (c.req.Verb != api.Create || c.req.Subresource != "") {
		p += "/" + c.req.Name
	}
	if c.req.Subresource != "" {
		p += "/" + c.req.Subresource
	}
	return p
}

// pass writes the record of a station that let the request through.
func (c *call) pass(source string, stage trace.Stage, message string) {
	if c.loud {
		c.record(trace.Record{Source: source, Stage: stage, Verdict: trace.Passed, Message: message})
	}
}

// refuse ends the request. Reads that merely find nothing leave no record.
func (c *call) refuse(source string, st *api.Status) api.Response {
	quiet := !c.loud && (st.Reason == api.ReasonNotFound || st.Reason == api.ReasonConflict)
	if !quiet {
		c.denied = c.record(trace.Record{Source: source, Stage: stageOf(source), Verdict: trace.Denied,
			Reason: st.Reason, Message: st.Message, Detail: causes(st)})
	}
	return api.Response{Status: st}
}

func stageOf(source string) trace.Stage {
	switch {
	case source == "authentication" || source == "authorization":
		return trace.Authorised
	case source == "etcd":
		return trace.Stored
	}
	return trace.Admitted
}

func causes(st *api.Status) []trace.Detail {
	if st.Details == nil {
		return nil
	}
	var d []trace.Detail
	for _, cause := range st.Details.Causes {
		d = append(d, trace.Detail{Name: cause.Field, Value: cause.Message})
	}
	return d
}

// attributes describes the request to admission.
func (c *call) attributes(op admission.Operation, obj, old api.Object) *admission.Attributes {
	a := &admission.Attributes{Operation: op, Kind: c.req.Kind, Name: c.req.Name, Subresource: c.req.Subresource,
		Object: obj, Old: old, User: c.req.User, DryRun: c.req.DryRun, Read: c.read,
		Random: c.s.cfg.Random, Expressions: c.s.cfg.Expressions, Server: c, Options: c.options()}
	if c.req.Kind.Namespaced {
		a.Namespace = c.req.Namespace
	}
	if obj != nil {
		a.Serial = c.s.serials.get(c.serialKey(obj.Meta()))
	}
	return a
}

// time returns the instant of the request as it is written into objects.
func (c *call) time() api.Time { return api.Time((c.s.cfg.Start + int64(c.now)) / 1e9) }
