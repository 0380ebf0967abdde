package workload

import "podwalk/core/sim"

const entryProgram = "server:entry"

type socket struct {
	port int32
	host string
	pid  int
}

type memory struct{ bytes int64 }

func (c *call) serve(kind string) (int, bool) { return c.forever() }

func (c *call) assumed() (int, bool) { return c.forever() }

func (r *runner) handled(t *task, sig int) bool { return false }

func (r *runner) unlisten(t *task) {}

// Memory returns what the process and its children hold, in bytes.
func (p *Process) Memory(now sim.Time) int64 { return 0 }

// Exceeds returns the first instant from now on at which Memory is above limit if
// nothing else happens, or Never.
func (p *Process) Exceeds(limit int64, now sim.Time) sim.Time { return sim.Never }

// Serve answers a request that arrives at a port on which the process listens.
func (p *Process) Serve(port int32, req Request, w World) Response { return Response{} }
