package scenario

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// applyBody is the body of the command "apply": one document.
type applyBody struct {
	item kubectl.Item
	user api.User
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
		return applyItem(c, b)
	case kubectlBody:
		cause := c.Note(trace.Record{Source: "kubectl", Verdict: trace.Info, Message: "kubectl " + strings.Join(b.argv, " ")})
		return kubectl.Run(&client{c, cause, b.user}, b.open, b.argv, kubectl.Options{User: b.user})
	}
	panic("scenario: no command " + cmd.Kind)
}

func applyItem(c *cluster.Cluster, b applyBody) []kubectl.Applied {
	if done := prepared(c, b.item); done != nil {
		return []kubectl.Applied{*done}
	}
	ref := b.item.Ref()
	cause := c.Note(trace.Record{Source: "kubectl", Stage: trace.Submitted, Ref: trace.Ref(ref), Verdict: trace.Info,
		Reason: "Apply", Message: "kubectl apply -f " + b.item.File})
	return kubectl.ApplyItem(&client{c, cause, b.user}, b.item)
}

// prepared answers for the documents that were read before the run began: those
// of the simulation, and the Nodes that the cluster started with.
func prepared(c *cluster.Cluster, it kubectl.Item) *kubectl.Applied {
	version, kind, name := it.Node.Str("apiVersion"), it.Node.Str("kind"), it.Node.Str("metadata", "name")
	a := kubectl.Applied{File: it.File, Line: it.Line}
	switch {
	case version == Group:
		if name == "" {
			name = "default"
		}
		a.Object = strings.ToLower(kind) + "//" + name
		a.Stdout = strings.ToLower(kind) + ".sim.podwalk.dev/" + name + " created\n"
		return &a
	case version == "v1" && kind == "Node" && isInitial(c, name):
		a.Object = "node//" + name
		a.Stdout = "node/" + name + " created\n"
		return &a
	}
	return nil
}

// isInitial holds for the nodes that the cluster started with and still has as
// they were made.
func isInitial(c *cluster.Cluster, name string) bool {
	for _, n := range c.Config().Nodes {
		if n.Name == name {
			return c.Latest().Get("Node", "", name) != nil
		}
	}
	return false
}

// client is kubectl's way to the cluster. Everything that it causes leads back to
// one record.
type client struct {
	c     *cluster.Cluster
	cause sim.Cause
	user  api.User
}

// Now returns the cluster's instant in ns since 1970.
func (k *client) Now() int64 { return k.c.Start() + int64(k.c.Now()) }

// Do sends a request as the client's user.
func (k *client) Do(req api.Request) api.Response {
	if req.User.Name == "" {
		req.User = k.user
	}
	return k.c.Request(k.cause, req)
}
