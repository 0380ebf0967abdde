// Package admission is the chain of rules that every write passes: first the
// mutating ones may change the object, then, after validation, the validating
// ones may refuse it; the first refusal wins. Each rule is a package below this
// one, named as the real plugin. A rule reads the store and never writes it: what
// it wants written beside the object it puts into Attributes.Writes.
// Start reading at Attributes and Plugin.
package admission

import (
	"podwalk/core/admission/expression"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
)

// Operation is what is done to the object.
type Operation string

// The operations (apiserver/pkg/admission/interfaces.go).
const (
	Create Operation = "CREATE"
	Update Operation = "UPDATE"
	Delete Operation = "DELETE"
)

// Attributes are what a rule may know of a request.
type Attributes struct {
	Operation       Operation
	Kind            *api.Kind
	Namespace, Name string
	Subresource     string
	Object          api.Object // nil on Delete; mutating rules may change what it holds
	Old             api.Object // nil on Create; frozen
	Binding         *Binding   // of the subresource binding, else nil
	User            api.User
	DryRun          bool
	Read            store.Snapshot
	Random          sim.Random
	Serial          uint64 // differs between requests: the n of random values
	Warnings        []string
	Writes          []api.Object   // to be stored together with the object
	Notes           []trace.Record // beside the one of the rule itself

	Expressions expression.Engine // nil in a build without it
	Server      Server            // nil where nothing is asked of it
	Options     map[string]any    // of the request, such as fieldManager
	reinvoke    reinvocation
}

// Server is what rules ask of the API server itself.
type Server interface {
	expression.Authorizer
	// Replace makes an object what a generic value says, with defaults; it returns why
	// that is not possible.
	Replace(o api.Object, value map[string]any) string
	// KindFor returns a kind that is served, or nil.
	KindFor(apiVersion, kind string) *api.Kind
}

// Binding is the assignment of a pod to a node. Labels go to the pod.
type Binding struct {
	Node   string
	Labels map[string]string
}

// Is reports whether the request is about a kind itself, not a subresource.
func (a *Attributes) Is(kind string) bool { return a.Subresource == "" && a.Kind.Kind == kind }

// Pod returns the pod of a create or update of a pod itself, else nil.
func (a *Attributes) Pod() *api.Pod {
	if a.Subresource != "" {
		return nil
	}
	p, _ := a.Object.(*api.Pod)
	return p
}

// Warn adds a warning to the answer.
func (a *Attributes) Warn(text string) { a.Warnings = append(a.Warnings, text) }

// Note leaves a record beside that of the rule.
func (a *Attributes) Note(v trace.Verdict, reason, message string) {
	a.Notes = append(a.Notes, trace.Record{Verdict: v, Reason: reason, Message: message})
}

// Forbidden is a rule's refusal. It names the object as far as it has a name yet
// (apiserver/pkg/admission/errors.go).
func (a *Attributes) Forbidden(why string) *api.Status {
	name := a.Name
	if name == "" {
		name = "Unknown"
		if a.Object != nil {
			m := a.Object.Meta()
			name = m.Name + m.GenerateName
			if m.Name != "" {
				name = m.Name
			}
		}
	}
	return api.NewForbidden(a.Kind, name, why)
}

// Plugin is one rule. It implements Mutator, Validator or both.
type Plugin interface {
	// Name is the real plugin's name.
	Name() string
	// Handles reports whether the rule looks at such a request at all.
	Handles(*Attributes) bool
}

// Mutator changes objects before they are validated. It reports whether it did.
type Mutator interface {
	Plugin
	Admit(*Attributes) (changed bool, refusal *api.Status)
}

// Validator refuses objects after they are validated.
type Validator interface {
	Plugin
	Validate(*Attributes) *api.Status
}

// Chain is the rules in the order in which they are asked.
type Chain []Plugin
