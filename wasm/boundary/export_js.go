package boundary

import "syscall/js"

// Export sets a global function of JavaScript that takes and returns a
// Uint8Array, and parks for ever.
func Export(name string, handle func([]byte) []byte) {
	array := js.Global().Get("Uint8Array")
	js.Global().Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		var in []byte
		if len(args) > 0 && args[0].InstanceOf(array) {
			in = make([]byte, args[0].Get("byteLength").Int())
			js.CopyBytesToGo(in, args[0])
		}
		out := handle(in)
		answer := array.New(len(out))
		js.CopyBytesToJS(answer, out)
		return answer
	}))
	select {}
}
