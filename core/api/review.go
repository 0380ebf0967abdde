package api

// Credential is what a request proves its sender with: a bearer token or a client
// certificate, PEM. The zero value proves nothing: the sender is anonymous.
type Credential struct{ Token, Certificate string }

// SubjectReview answers a question about the sender: whether a request would be
// allowed, by which rules, and who that is. The kinds of review are asked by Create
// with Request.Options (verb, group, resource, subresource, name, path) and never
// stored.
type SubjectReview struct {
	TypeMeta
	ObjectMeta `json:"metadata"`
	Allowed    bool         `json:"allowed"`
	Reason     string       `json:"reason,omitempty"`
	Rules      []PolicyRule `json:"rules,omitempty"`
	User       User         `json:"userInfo"`
}

// Meta returns the object's metadata.
func (o *SubjectReview) Meta() *ObjectMeta { return &o.ObjectMeta }

// Copy returns a shallow copy.
func (o *SubjectReview) Copy() Object { c := *o; return &c }

// The kinds of review (k8s.io/api/authorization/v1, authentication/v1).
var (
	SelfSubjectAccessReview = &Kind{Group: "authorization.k8s.io", Version: "v1", Kind: "SelfSubjectAccessReview", Plural: "selfsubjectaccessreviews"}
	SelfSubjectRulesReview  = &Kind{Group: "authorization.k8s.io", Version: "v1", Kind: "SelfSubjectRulesReview", Plural: "selfsubjectrulesreviews"}
	SelfSubjectReview       = &Kind{Group: "authentication.k8s.io", Version: "v1", Kind: "SelfSubjectReview", Plural: "selfsubjectreviews"}
)
