// Package full adds the help texts of every command of kubectl v1.37.2 to those of
// package help. A program that may be large imports it for that effect; in the
// browser's it would cost 30 KB of brotli. It decides nothing.
package full

import (
	_ "embed" // the texts

	"podwalk/core/kubectl/help"
)

//go:embed texts.txt
var texts string

func init() { help.Add(texts) }
