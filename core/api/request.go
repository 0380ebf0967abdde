package api

// Status is the API server's answer when there is no object to return
// (apimachinery/pkg/apis/meta/v1/types.go).
type Status struct {
	TypeMeta
	ListMeta `json:"metadata"`
	Status   string         `json:"status,omitempty"` // Success or Failure
	Message  string         `json:"message,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Details  *StatusDetails `json:"details,omitempty"`
	Code     int32          `json:"code,omitempty"`
}

// StatusDetails says what a Status is about.
type StatusDetails struct {
	Name              string        `json:"name,omitempty"`
	Group             string        `json:"group,omitempty"`
	Kind              string        `json:"kind,omitempty"`
	UID               string        `json:"uid,omitempty"`
	Causes            []StatusCause `json:"causes,omitempty"`
	RetryAfterSeconds int32         `json:"retryAfterSeconds,omitempty"`
}

// StatusCause is one reason of a failure, such as one invalid field.
type StatusCause struct {
	Type    string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"`
}

// Reasons of a Status.
const (
	ReasonUnauthorized         = "Unauthorized"
	ReasonForbidden            = "Forbidden"
	ReasonNotFound             = "NotFound"
	ReasonAlreadyExists        = "AlreadyExists"
	ReasonConflict             = "Conflict"
	ReasonGone                 = "Gone"
	ReasonInvalid              = "Invalid"
	ReasonBadRequest           = "BadRequest"
	ReasonMethodNotAllowed     = "MethodNotAllowed"
	ReasonUnsupportedMediaType = "UnsupportedMediaType"
	ReasonTooManyRequests      = "TooManyRequests"
	ReasonInternalError        = "InternalError"
	ReasonTimeout              = "Timeout"
	ReasonServiceUnavailable   = "ServiceUnavailable"
)

// Verb is what a request asks for, in RBAC's words.
type Verb string

// The verbs.
const (
	Get              Verb = "get"
	List             Verb = "list"
	Create           Verb = "create"
	Update           Verb = "update"
	Patch            Verb = "patch"
	Delete           Verb = "delete"
	DeleteCollection Verb = "deletecollection"
	// Discover asks for the kinds that definitions have made, without a Kind.
	Discover Verb = "discover"
)

// User is who sends a request.
type User struct {
	Name   string   `json:"name"`
	Groups []string `json:"groups,omitempty"`
}

// Request is one call of the API server, without HTTP.
type Request struct {
	Verb        Verb
	Kind        *Kind // the kind of the resource
	Namespace   string
	Name        string
	Subresource string // status, scale, binding, eviction, log, ...
	User        User

	// Credential, if given, decides who User is. Impersonate is as whom the request
	// shall be carried out; its sender must be allowed to.
	Credential  *Credential
	Impersonate *User

	// Body is the JSON (or, of Create and Update, YAML) text as it came, which is
	// decoded strictly. Object is used instead by components, which send typed
	// objects; it must not be changed afterwards.
	Body   []byte
	Object Object

	// PatchType is the media type of a patch, such as
	// "application/strategic-merge-patch+json".
	PatchType string

	FieldManager    string
	FieldValidation string // Strict, Warn or Ignore; "" is Warn
	DryRun          bool
	LabelSelector   string
	FieldSelector   string

	GracePeriodSeconds *int64
	Propagation        string // Background, Foreground or Orphan
	PreconditionUID    string
	PreconditionRev    string

	Options map[string]string // parameters of a subresource, such as log's container
}

// Response is the answer. Status is nil when the call went well; then Object,
// Items (of List) or Text (of log and exec) holds the result. Deleted says that Object is
// the last state of an object that is gone.
type Response struct {
	Object   Object
	Items    []Object
	Kinds    []*Kind // of Discover
	Rev      uint64  // of a list: the revision it shows
	Text     string
	Stderr   string // of exec
	Exit     int    // of exec: the status of the command
	Status   *Status
	Warnings []string
	Deleted  bool
	Record   uint64 // id of the trace record of the commit, 0 if nothing was written
}

// Failed reports whether the call failed.
func (r Response) Failed() bool { return r.Status != nil && r.Status.Status == "Failure" }
