package kubelet

import (
	"sort"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// event records an API Event about the pod, or one container of it.
func (s *step) event(path, kind, reason, message string) {
	if s.offline {
		s.record("", trace.Info, reason, "the event cannot be sent and is lost: "+message)
		return
	}
	s.c.Event(actor.Event{Regarding: s.w.pod, FieldPath: path, Type: kind, Reason: reason, Message: message, Component: "kubelet", Host: s.w.node})
}

func (s *step) ref() trace.Ref {
	return trace.Ref{Kind: "Pod", Namespace: s.w.key.Namespace, Name: s.w.key.Name}
}

// nodeIP returns the InternalIP of the pod's node, or "".
func (s *step) nodeIP() string {
	n := s.c.Node(s.w.node)
	if n == nil {
		return ""
	}
	return internalIP(n)
}

func internalIP(n *api.Node) string {
	for _, a := range n.Status.Addresses {
		if a.Type == "InternalIP" {
			return a.Address
		}
	}
	return ""
}

func join(l []string, sep string) string { return strings.Join(l, sep) }

func sortedNames[V any](m map[string]V) []string {
	l := make([]string, 0, len(m))
	for k := range m {
		l = append(l, k)
	}
	sort.Strings(l)
	return l
}
