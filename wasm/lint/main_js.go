package main

import "podwalk/wasm/boundary"

func main() { boundary.Export("podwalkLint", newLinter().handle) }
