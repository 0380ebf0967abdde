//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "lint is a program for the browser: build it with GOOS=js GOARCH=wasm")
	os.Exit(2)
}
