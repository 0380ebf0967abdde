package main

import (
	"github.com/syumai/workers"

	"podwalk/core/httpapi"
)

func main() {
	workers.Serve(httpapi.New(httpapi.Replay{Bounds: httpapi.DefaultLimits()}))
}
