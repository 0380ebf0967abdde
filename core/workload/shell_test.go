package workload

import (
	"os"
	"testing"
)

func TestManual(t *testing.T) {
	kind, shell := os.Getenv("K"), os.Getenv("S")
	if os.Getenv("X") == "" {
		t.Skip()
	}
	b, s := runScript(t, kind, shell, os.Getenv("X"))
	for _, l := range b.lines {
		t.Log(l)
	}
	t.Log(s, b.now, b.records)
}
