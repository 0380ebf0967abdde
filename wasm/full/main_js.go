// Program full is program play with the expressions of admission policies. The page
// loads it in place of play when a manifest holds one.
package main

import (
	"podwalk/core/cel"
	"podwalk/wasm/browser"
)

func main() { browser.Export(cel.New()) }
