//go:build !js

// Command worker is the edge: it serves httpapi in a Cloudflare Worker. Each
// request gets an instance of this program, which exits after it, so nothing is
// kept between two requests; what a request needs it brings along. The tests of it
// are in test/, on the real runtime.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "worker is a program for the edge: build it with GOOS=js GOARCH=wasm; podwalk serve has the same handler")
	os.Exit(2)
}
