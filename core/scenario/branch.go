package scenario

import (
	"maps"

	"podwalk/core/api"
	"podwalk/core/kubectl"
	"podwalk/core/sim"
)

// Fork returns the session as it was at an instant up to now, cut off from what
// came after. Both go on independently.
func (s *Session) Fork(t sim.Time) *Session {
	f := *s
	f.c = s.c.Fork(t)
	n := len(s.given)
	for n > 0 && s.given[n-1].at > t {
		n--
	}
	f.given, f.made = s.given[:n:n], maps.Clone(s.made)
	f.Applied = s.Applied[:len(s.Applied):len(s.Applied)]
	return &f
}

// KubectlWith is Kubectl for a line that may name these files.
func (s *Session) KubectlWith(files kubectl.Files, argv []string, user *api.User) kubectl.Result {
	before := s.open
	s.open = files
	defer func() { s.open = before }()
	return s.Kubectl(argv, user)
}
