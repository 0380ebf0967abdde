package browser

import (
	"runtime/debug"

	"podwalk/core/admission/expression"
	"podwalk/wasm/boundary"
)

// The garbage collector of a program with one thread takes its time from the run. It
// begins when the heap has grown to three times what lives, and earlier once that
// would be more than a page should hold.
const (
	growth  = 200     // per cent
	ceiling = 1 << 30 // bytes
)

// Export hands the page its function and waits for ever. e evaluates the
// expressions of admission policies; without it a policy is not simulated.
func Export(e expression.Engine) {
	debug.SetGCPercent(growth)
	debug.SetMemoryLimit(ceiling)
	p := newPlayer()
	p.expressions = e
	boundary.Export("podwalkHandle", p.handle)
}
