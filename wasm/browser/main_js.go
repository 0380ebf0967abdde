package main

import "podwalk/wasm/boundary"

func main() { boundary.Export("podwalkHandle", newPlayer().handle) }
