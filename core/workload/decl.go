package workload

// ImageDecl is a document `apiVersion: sim.podwalk.dev/v1, kind: Image`: it says
// what an image name resolves to and what its program does. Durations are Go
// durations ("1.5s") and sizes are quantities ("64Mi").
type ImageDecl struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Metadata   DeclMeta      `json:"metadata"`
	Spec       ImageDeclSpec `json:"spec"`
}

// DeclMeta names the document. The name is the image where spec.image is empty.
type DeclMeta struct {
	Name string `json:"name"`
}

// ImageDeclSpec is the part that matters.
type ImageDeclSpec struct {
	Image      string       `json:"image,omitempty"` // name, with or without a tag
	Tags       []string     `json:"tags,omitempty"`  // that exist; none: all
	Pull       string       `json:"pull,omitempty"`  // see pullResults; "" is ok
	Message    string       `json:"message,omitempty"`
	Seconds    *float64     `json:"seconds,omitempty"` // the pull takes so long
	Size       string       `json:"size,omitempty"`
	Platforms  []string     `json:"platforms,omitempty"` // "linux/amd64"; none: all
	Entrypoint []string     `json:"entrypoint,omitempty"`
	Cmd        []string     `json:"cmd,omitempty"`
	Env        []string     `json:"env,omitempty"`
	WorkingDir string       `json:"workingDir,omitempty"`
	User       string       `json:"user,omitempty"`
	Tools      string       `json:"tools,omitempty"` // busybox, alpine, debian, full or none
	Files      []FileDecl   `json:"files,omitempty"`
	Program    *ProgramDecl `json:"program,omitempty"`
}

// FileDecl is a file of the image.
type FileDecl struct {
	Path    string `json:"path"`
	Content string `json:"content,omitempty"`
	Mode    string `json:"mode,omitempty"` // octal, "0644"
}

// ProgramDecl is the behaviour of the image's program. Without it a declared
// image does what the catalogue says, or runs for ever.
type ProgramDecl struct {
	Startup     string       `json:"startup,omitempty"`
	Exits       bool         `json:"exits,omitempty"` // it ends by itself
	Code        int          `json:"code,omitempty"`
	Signal      int          `json:"signal,omitempty"`
	After       string       `json:"after,omitempty"` // when it exits
	Logs        []LogDecl    `json:"logs,omitempty"`
	Memory      []MemoryDecl `json:"memory,omitempty"`
	Ports       []PortDecl   `json:"ports,omitempty"`
	Answers     []AnswerDecl `json:"answers,omitempty"`
	IgnoresTerm bool         `json:"ignoresTerm,omitempty"`
	TermCode    *int         `json:"termCode,omitempty"` // 143 if absent
	TermAfter   string       `json:"termAfter,omitempty"`
}

// LogDecl is a line of output.
type LogDecl struct {
	Line   string `json:"line"`
	After  string `json:"after,omitempty"`
	Every  string `json:"every,omitempty"`
	Stream string `json:"stream,omitempty"` // stdout or stderr
}

// MemoryDecl is a point of the memory curve.
type MemoryDecl struct {
	After string `json:"after,omitempty"`
	Bytes string `json:"bytes"`
}

// PortDecl is a port on which the program listens.
type PortDecl struct {
	Port     int32  `json:"port"`
	Host     string `json:"host,omitempty"`
	Protocol string `json:"protocol,omitempty"` // http, https, grpc or tcp
}

// AnswerDecl is an answer to requests, those of probes included.
type AnswerDecl struct {
	Path  string `json:"path,omitempty"` // a trailing * matches a prefix
	Port  int32  `json:"port,omitempty"`
	From  string `json:"from,omitempty"`
	Until string `json:"until,omitempty"`
	Code  int    `json:"code,omitempty"`
	Body  string `json:"body,omitempty"`
	Delay string `json:"delay,omitempty"`
}

// Fault is a mistake in a document: a field path and what is wrong.
type Fault struct{ Path, Message string }
