package difftest

import "testing"

// known lists where Podwalk differs from the real libraries on purpose: the test
// and what differs, then the reason.
var known = map[string]string{
	"quantity/negative-value": "upstream cuts a negative amount with a fraction or a large suffix to the low 64 bits of its nano units " +
		"(-1Pi has the value -2882303760); Podwalk gives the right number, rounded towards zero and up",
	"quantity/overflow":      "beyond 1e20 the real Value and MilliValue depend on the processor's conversion of floats",
	"yaml/next-line":         "kubectl prints JSON and reads it again as YAML, which makes a blank of a next-line character (U+0085); Podwalk keeps it",
	"quantity/huge-exponent": "upstream computes 10^exponent with an arbitrary exponent, which takes minutes; Podwalk compares by magnitude",
}

// rounds is n, or a tenth of it with -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}
