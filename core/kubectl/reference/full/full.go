// Package full adds to package reference what the API of v1.37.2 says about the types
// of the kinds that are served: the descriptions of its OpenAPI, packed. A program
// that may be large imports it for that effect; packed it is 130 KB. It decides
// nothing.
package full

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the types
	"io"

	"podwalk/core/kubectl/reference"
)

//go:embed types.txt.gz
var packed []byte

func init() { reference.Open = unpack }

func unpack() string {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("reference: " + err.Error())
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic("reference: " + err.Error())
	}
	return string(text)
}
