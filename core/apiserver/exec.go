package apiserver

import (
	"strings"

	"podwalk/core/api"
)

// ExecSeparator stands between the words of Options["command"] of an exec.
const ExecSeparator = "\x00"

// exec runs a command in a container and answers with what it printed and its exit
// status (pkg/registry/core/pod/rest/subresources.go, strategy.go streamLocation).
// Options are container and command, its words joined by ExecSeparator.
func (c *call) exec() api.Response {
	pod, ok := c.current().(*api.Pod)
	if !ok {
		return c.refuse("apiserver", api.NewNotFound(c.req.Kind, c.req.Name))
	}
	command := c.req.Options["command"]
	if command == "" {
		return c.refuse("apiserver", api.NewBadRequest("you must specify at least 1 command for the container"))
	}
	name, st := containerOf(pod, c.req.Options["container"])
	switch {
	case st != nil:
	case pod.Spec.NodeName == "":
		st = api.NewBadRequest("pod " + pod.Name + " does not have a host assigned")
	case c.s.proxy == nil:
		st = api.NewInternalError("no kubelet is connected")
	}
	if st != nil {
		return c.refuse("apiserver", st)
	}
	res, st := c.s.proxy.Exec(pod, name, strings.Split(command, ExecSeparator))
	if st != nil {
		return c.refuse("apiserver", st)
	}
	return api.Response{Text: res.Stdout, Stderr: res.Stderr, Exit: res.Exit}
}
