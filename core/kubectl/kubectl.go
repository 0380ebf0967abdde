// Package kubectl is kubectl: it turns a command line into requests to an API
// server and prints what the real program prints, with its exit code. Client-side
// apply lives here (read, merge, then create or patch). It decides nothing that a
// server decides, and knows the cluster only through the interface Client. A verb,
// flag or output form that it lacks is answered with "not simulated". Start at Run,
// or at Apply for the files of a run.
package kubectl

import (
	"errors"
	"strings"

	"podwalk/core/api"
)

// Client is an API server and its clock.
type Client interface {
	Do(api.Request) api.Response
	Now() int64 // ns since 1970
}

// Waiter is a Client that can let virtual time pass. Without it kubectl does not
// wait, where the real one would.
type Waiter interface {
	// Wait lets time pass until done reports true, seconds at most, and returns
	// whether it did.
	Wait(done func() bool, seconds int64) bool
}

// File is a file as kubectl names it in its messages.
type File struct {
	Name string
	Text []byte
}

// Files reads what stands behind -f.
type Files interface {
	// Open returns a file, the manifests in a directory (sorted) or, of "-", the
	// standard input under the name STDIN. The error is ErrNotExist where there is
	// no such path.
	Open(name string) ([]File, error)
}

// ErrNotExist says that a path names nothing.
var ErrNotExist = errors.New("does not exist")

// Options are what a kubeconfig holds.
type Options struct {
	User api.User
	// Namespace is the one of the context; "" is default.
	Namespace string
}

// Result is what a command printed and did.
type Result struct {
	Stdout, Stderr string
	Exit           int
	Marks          []Mark    // places in the files that the messages speak of
	Objects        []Applied // of apply and create -f: one entry for each document
}

// session is one run of the program.
type session struct {
	client Client
	files  Files
	opt    Options
	verb   string // the first word
	path   string // the words of the command, such as "set image"
	own    string // the flags of the command beside the global ones

	server, refused string // where the server is; where nothing listens, "" if it does
	credential      *api.Credential
	impersonate     *api.User

	flags     flags
	args      []string
	namespace string
	out, err  strings.Builder
	warned    map[string]bool
	marks     []Mark
	entries   []Applied
	pruner    *pruner          // of apply --prune
	documents int              // printed as YAML
	between   func(n int) bool // called before the n-th document is applied; false leaves it out

	customs    []*api.Kind // that definitions have made
	discovered bool        // customs is filled in
}

// verb is one command: the flags that it takes beside the global ones, and what it
// does. The error is what kubectl would hand to its printer of errors.
type verb struct {
	flags string
	run   func(*session) error
}

// Run runs kubectl with arguments as after the program's name.
func Run(c Client, files Files, argv []string, opt Options) Result {
	s := &session{client: c, files: files, opt: opt, warned: map[string]bool{}}
	return s.result(s.dispatch(argv))
}

func (s *session) result(err error) Result {
	r := Result{Stdout: s.out.String(), Marks: s.marks, Objects: s.entries}
	if err != nil {
		r.Exit = 1
		if e, ok := err.(exitError); ok {
			r.Exit, err = e.code, e.err
		}
	}
	if err != nil {
		s.err.WriteString(report(err))
	}
	r.Stderr = s.err.String()
	return r
}

// do sends a request as the session's user and prints the server's warnings, each
// one once.
func (s *session) do(r api.Request) (api.Response, error) {
	if err := s.asked(); err != nil {
		return api.Response{}, err
	}
	r.User, r.Credential, r.Impersonate = s.opt.User, s.credential, s.impersonate
	resp := s.client.Do(r)
	for _, w := range resp.Warnings {
		if !s.warned[w] {
			s.warned[w] = true
			s.err.WriteString("Warning: " + w + "\n")
		}
	}
	if resp.Failed() {
		return resp, &refusal{status: resp.Status}
	}
	if resp.Object != nil {
		resp.Object = typed(resp.Object, r.Kind)
	}
	for i, o := range resp.Items {
		resp.Items[i] = typed(o, r.Kind)
	}
	return resp, nil
}

// typed returns the object with its apiVersion and kind set.
func typed(o api.Object, k *api.Kind) api.Object {
	t := o.ObjectType()
	if t.Kind != "" || k == nil {
		return o
	}
	o = o.Copy()
	t = o.ObjectType()
	t.APIVersion, t.Kind = k.APIVersion(), k.Kind
	return o
}

func (s *session) print(parts ...string) {
	for _, p := range parts {
		s.out.WriteString(p)
	}
}

func (s *session) printErr(parts ...string) {
	for _, p := range parts {
		s.err.WriteString(p)
	}
}

func or(s, none string) string {
	if s == "" {
		return none
	}
	return s
}
