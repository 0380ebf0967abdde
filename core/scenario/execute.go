package scenario

import (
	"sort"
	"strings"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/codec"
	"podwalk/core/kubectl"
	"podwalk/core/scheduler/config"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// applyBody is the body of the command "apply": the files of one FILE. Their
// documents are applied one after the other, a Step apart.
type applyBody struct {
	files []kubectl.File
	user  api.User
	from  int  // the documents of the first file before this one have been applied
	taken bool // up again: what comes first has been waited for
}

// kubectlBody is the body of the command "kubectl": one line.
type kubectlBody struct {
	argv []string
	open kubectl.Files
	user api.User
}

// execute carries out a command at the cluster's present instant.
func execute(c *cluster.Cluster, cmd cluster.Command) any {
	switch b := cmd.Body.(type) {
	case applyBody:
		return applyFiles(c, b)
	case cluster.Fault:
		return inject(c, b)
	case requestBody:
		sent, err := c.Send(b.from, b.to)
		return requested{sent, err}
	case kubectlBody:
		if text := c.Refused(); text != "" {
			return kubectl.Result{Stderr: text + "\n", Exit: 1}
		}
		cause := c.Note(trace.Record{Source: "kubectl", Verdict: trace.Info, Message: "kubectl " + kubectl.JoinLine(b.argv)})
		return kubectl.Run(&client{c: c, cause: cause, user: b.user, spaced: true}, b.open, b.argv, kubectl.Options{User: b.user})
	}
	panic("scenario: no command " + cmd.Kind)
}

// inject carries a fault out and returns what is printed of it.
func inject(c *cluster.Cluster, f cluster.Fault) kubectl.Result {
	said, wrong := c.Inject(f)
	if wrong != "" {
		return kubectl.Result{Stderr: "error: " + wrong + "\n", Exit: 1}
	}
	return kubectl.Result{Stdout: said + "\n"}
}

func applyFiles(c *cluster.Cluster, b applyBody) []kubectl.Applied {
	out := []kubectl.Applied{}
	if text := c.Refused(); text != "" && len(b.files) > 0 && !b.taken {
		return append(out, kubectl.Applied{File: b.files[0].Name, Line: 1, Stderr: text + "\n", Exit: 1})
	}
	for i := range b.files {
		if i > 0 {
			pass(c)
			b.from, b.taken = 0, false
		}
		out = append(out, applyFile(c, applyBody{b.files[i:], b.user, b.from, b.taken})...)
	}
	return out
}

func pass(c *cluster.Cluster) { c.Run(cluster.Until{At: c.Now() + Step}) }

// applyFile applies the first file and tells what became of each document, in the
// order in which kubectl prints. The documents of the simulation are not kubectl's: it
// is given the file with blank lines in their place. Before each document the command
// can be taken up again.
func applyFile(c *cluster.Cluster, b applyBody) []kubectl.Applied {
	f := b.files[0]
	rest, ours := withoutSimulation(f)
	if len(ours) > 0 && blank(rest.Text) {
		return ours
	}
	k := &client{c: c, user: b.user, initial: true}
	theirs := kubectl.Apply(k, rest, kubectl.Options{User: b.user}, func(n int) bool {
		if n < b.from {
			return false
		}
		if n > 0 && !(b.taken && n == b.from) {
			pass(c)
			c.Milestone(applyBody{b.files, b.user, n, true})
		}
		k.cause = c.Note(trace.Record{Source: "kubectl", Stage: trace.Submitted, Verdict: trace.Info, Reason: "Apply",
			Message: "kubectl apply -f " + f.Name})
		return true
	})
	all := append(ours, theirs...)
	if len(ours) > 0 {
		sort.SliceStable(all, func(i, j int) bool { return all[i].Line < all[j].Line })
	}
	return all
}

func blank(text []byte) bool {
	docs, err := codec.Read(text)
	return err == nil && len(docs) == 0
}

// withoutSimulation blanks the documents of the simulation, which were read before
// the run began, and says of each that it has been.
func withoutSimulation(f kubectl.File) (kubectl.File, []kubectl.Applied) {
	var ours []kubectl.Applied
	lines := strings.SplitAfter(string(f.Text), "\n")
	for _, d := range codec.Split(f.Text) {
		n, err := codec.Parse(d)
		version := n.Str("apiVersion")
		if d.Err != nil || err != nil || version != Group && version != config.Version {
			continue
		}
		group, _, _ := strings.Cut(version, "/")
		kind, name := n.Str("kind"), n.Str("metadata", "name")
		if name == "" {
			name = "default"
		}
		ours = append(ours, kubectl.Applied{Ref: api.Ref{Kind: kind, Name: name}, File: f.Name, Line: d.Line,
			Stdout: strings.ToLower(kind) + "." + group + "/" + name + " created\n"})
		for i := range strings.Count(strings.TrimSuffix(string(d.Text), "\n"), "\n") + 1 {
			if at := d.Line - 1 + i; at < len(lines) {
				lines[at] = "\n"
			}
		}
	}
	if ours == nil {
		return f, nil
	}
	return kubectl.File{Name: f.Name, Text: []byte(strings.Join(lines, ""))}, ours
}

// client is kubectl's way to the cluster. Everything that it causes leads back to
// one record.
type client struct {
	c       *cluster.Cluster
	cause   sim.Cause
	user    api.User
	initial bool // the Nodes that the cluster started with are made by this client
	spaced  bool // writes are a Step apart
	wrote   bool
}

// Now returns the cluster's instant in ns since 1970.
func (k *client) Now() int64 { return k.c.Start() + int64(k.c.Now()) }

// Do sends a request as the client's user.
func (k *client) Do(req api.Request) api.Response {
	if req.User.Name == "" {
		req.User = k.user
	}
	if req.Verb != api.Get && req.Verb != api.List {
		if k.spaced && k.wrote {
			pass(k.c)
		}
		k.wrote = true
	}
	if k.initial && req.Kind != nil && req.Kind.Kind == "Node" {
		if res, ok := k.node(req); ok {
			return res
		}
	}
	return k.c.Request(k.cause, req)
}

// node answers for a Node that the cluster started with: it was made before the
// run from the document that kubectl now sends.
func (k *client) node(req api.Request) (api.Response, bool) {
	name := req.Name
	if req.Verb == api.Create {
		n, err := codec.ParseJSON(req.Body)
		if err != nil {
			return api.Response{}, false
		}
		name = n.Str("metadata", "name")
	}
	stored := k.c.Initial(name)
	switch {
	case stored == nil:
		return api.Response{}, false
	case req.Verb == api.Get:
		return api.Response{Status: api.NewNotFound(req.Kind, name)}, true
	case req.Verb == api.Create:
		return api.Response{Object: stored}, true
	}
	return api.Response{}, false
}

// Wait lets time pass until done reports true, seconds at most, and returns
// whether it did.
func (k *client) Wait(done func() bool, seconds int64) bool {
	end := k.c.Now() + sim.Time(seconds)*sim.Second
	for !done() {
		next := k.c.NextAt()
		if next > end || k.c.Limit() != "" {
			k.c.Run(cluster.Until{At: end})
			return done()
		}
		k.c.Run(cluster.Until{At: max(next, k.c.Now()+sim.Millisecond)})
	}
	return true
}

// starting is what kubectl takes until it has asked its first question.
const starting = 50 * sim.Millisecond

// week is how long something is followed that has no end of its own.
const week = 7 * 24 * sim.Hour

// Follow lets time pass and shows every state of an object, as a watch does.
func (k *client) Follow(kind *api.Kind, namespace, name string, visit func(api.Object) bool, seconds int64) bool {
	k.c.Run(cluster.Until{At: k.c.Now() + starting})
	end, seen := k.c.Now()+week, k.c.Rev()
	if seconds > 0 {
		end = k.c.Now() + sim.Time(seconds)*sim.Second
	}
	if o := k.c.Latest().Get(kind.Kind, namespace, name); o != nil && visit(o) {
		return true
	}
	for {
		next := k.c.NextAt()
		late := next > end || k.c.Limit() != ""
		switch {
		case seconds == 0 && k.c.Quiescent():
			return false // nothing would ever change
		case late:
			next = end
		}
		k.c.Run(cluster.Until{At: next})
		changes, err := k.c.Changes(seen)
		if err != nil {
			return false
		}
		for _, ch := range changes {
			m := ch.Object().Meta()
			if m.Name == name && m.Namespace == namespace && ch.Object().ObjectType().Kind == kind.Kind && visit(ch.New) {
				return true
			}
		}
		seen = k.c.Rev()
		if late {
			return false
		}
	}
}
