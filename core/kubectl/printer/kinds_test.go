package printer_test

import (
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/internal/measured"
)

// In these sessions an object is shown as a table, wide, and with -o yaml.
func TestOracleTablesOfEveryKindAreThoseOfTheRealKubectl(t *testing.T) {
	var score measured.Score
	for _, s := range measured.Sessions(t, "describe") {
		for i, c := range s.Commands {
			name, ok := strings.CutSuffix(c.Cmd, " -o yaml")
			if !ok || c.Exit != 0 || i < 2 {
				continue
			}
			object := measured.Object(t, c.Stdout)
			if object == nil {
				continue
			}
			for _, before := range s.Commands[i-2 : i] {
				wide := before.Cmd == name+" -o wide"
				if before.Cmd != name && !wide {
					continue
				}
				kind := object.ObjectType().Kind
				got, _ := measured.Search(int64(object.Meta().CreationTimestamp)*1e9, before.Stdout, func(now int64) string {
					return table(kind, []api.Object{object}, now, wide)
				})
				if d := score.Add(kind, got, before.Stdout); d != "" {
					t.Errorf("%s: %s: %s", s.Case, before.Cmd, d)
				}
			}
		}
	}
	score.Log(t, "get")
}
