package scenario

import (
	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	"podwalk/core/sim"
)

// Read runs a kubectl line that only reads, at the present instant. It leaves no
// record and is no command of the run.
func (s *Session) Read(argv []string) kubectl.Result { return s.ReadAt(s.c.Now(), argv) }

// ReadAt is Read at an instant up to now.
func (s *Session) ReadAt(t sim.Time, argv []string) kubectl.Result {
	v, err := s.c.ViewAt(t)
	if err != nil {
		return kubectl.Result{Stderr: "error: " + err.Error() + "\n", Exit: 1}
	}
	return kubectl.Run(v, s.filesOf(), argv, kubectl.Options{User: cluster.Admin()})
}
