package main

import (
	"runtime/debug"

	"podwalk/wasm/boundary"
)

// The garbage collector of a program with one thread takes its time from the run. It
// begins when the heap has grown to three times what lives, and earlier once that
// would be more than a page should hold.
const (
	growth  = 200     // per cent
	ceiling = 1 << 30 // bytes
)

func main() {
	debug.SetGCPercent(growth)
	debug.SetMemoryLimit(ceiling)
	boundary.Export("podwalkHandle", newPlayer().handle)
}
