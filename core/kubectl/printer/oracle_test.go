package printer_test

import (
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/internal/measured"
	"podwalk/core/kubectl/printer"
)

func table(kind string, objects []api.Object, now int64, wide bool) string {
	return printer.Text([]printer.Table{printer.Of(kind, objects, now)}, printer.Layout{Wide: wide})
}

func TestOraclePodTablesAreThoseOfTheRealKubectl(t *testing.T) {
	var score measured.Score
	for _, s := range measured.Snapshots(t, "wide.txt") {
		text, want := s.Read("get", "yaml"), s.Read("wide", "txt")
		if text == "" || strings.Count(want, "\n") != 2 {
			continue
		}
		pod := measured.Object(t, text).(*api.Pod)
		got, _ := measured.Search(int64(pod.CreationTimestamp)*1e9, want, func(now int64) string {
			return table("Pod", []api.Object{pod}, now, true)
		})
		if d := score.Add(s.Group, got, want); d != "" && !raced[s.Name()] {
			t.Errorf("%s: %s", s.Name(), d)
		}
	}
	score.Log(t, "get pods -o wide")
}

func TestOracleEventTablesAreThoseOfTheRealKubectl(t *testing.T) {
	var score measured.Score
	for _, s := range measured.Snapshots(t, "events.txt") {
		events := measured.Events(t, s.Read("events", "json"))
		if len(events) == 0 {
			continue
		}
		want := s.Read("events", "txt")
		got, _ := measured.Search(measured.Last(events), want, func(now int64) string {
			return table("Event", measured.Before(events, now), now, false)
		})
		if d := score.Add(s.Group, got, want); d != "" && !raced[s.Name()] {
			t.Errorf("%s: %s", s.Name(), d)
		}
	}
	score.Log(t, "get events")
}

// raced are snapshots whose pod or events moved between the calls that took them.
var raced = map[string]bool{
	"admission/limitrange-describe": true, "defaulting/qos-burstable": true, "kubelet/image-invalid-name": true,
	"kubelet/one-of-two-fails.after": true, "kubelet/one-of-two-fails": true, "admission/map-jsonpatch": true, "admission/vap-warn": true,
	"validation/exec-stdin-tty": true, "validation/port-dup-warning": true,
}
