//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "play is a program for the page: build it with GOOS=js GOARCH=wasm; podwalk is the native one")
	os.Exit(2)
}
