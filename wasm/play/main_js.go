// Program play is the simulator of the page, without the expressions of admission
// policies: see program full.
package main

import "podwalk/wasm/browser"

func main() { browser.Export(nil) }
