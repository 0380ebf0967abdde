package describe_test

import (
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/internal/measured"
	"podwalk/core/kubectl/describe"
)

// world answers reads from what was captured: events by their involved object.
// A replica set of the owner stands for those that were not captured.
type world struct {
	events []api.Object
	owner  api.Object
}

func (w world) Get(string, string, string) (api.Object, error) { return nil, nil }

func (w world) List(kind, _ string, q describe.Query) ([]api.Object, error) {
	if kind == "ReplicaSet" {
		yes := true
		owner := api.OwnerReference{UID: w.owner.Meta().UID, Controller: &yes}
		return []api.Object{&api.ReplicaSet{ObjectMeta: api.ObjectMeta{OwnerReferences: []api.OwnerReference{owner}}}}, nil
	}
	if kind != "Event" {
		return nil, nil
	}
	var out []api.Object
	for _, o := range w.events {
		ref := o.(*api.Event).InvolvedObject
		ok := true
		for _, f := range strings.Split(q.Fields, ",") {
			switch k, v, _ := strings.Cut(f, "="); k {
			case "involvedObject.name":
				ok = ok && v == ref.Name
			case "involvedObject.uid":
				ok = ok && v == ref.UID
			case "involvedObject.kind":
				ok = ok && v == ref.Kind
			}
		}
		if ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// raced are snapshots whose pod or events moved between the calls that took them:
// the description shows a state that get.yaml or events.json do not hold.
var raced = map[string]bool{
	"kubelet/describe-rich": true, "kubelet/image-invalid-name": true, "kubelet/one-of-two-fails.after": true, "kubelet/pull-never": true,
	"scheduling/antiaffinity-unsatisfied.web-1": true, "validation/file-list-kind.two": true,
	"describe/pvc": true, "validation/file-multidoc-empty-between.two": true, "validation/file-multidoc.two": true,
}

func TestOraclePodsAreDescribedAsTheRealKubectlDoes(t *testing.T) {
	var score measured.Score
	for _, s := range measured.Snapshots(t, "describe.txt") {
		text := s.Read("get", "yaml")
		if text == "" {
			continue
		}
		pod, ok := measured.Object(t, text).(*api.Pod)
		if !ok {
			continue
		}
		events := s.Read("events", "json")
		if events == "" {
			plain := s
			plain.Suffix = ""
			events = plain.Read("events", "json")
		}
		list, want := measured.Events(t, events), s.Read("describe", "txt")
		got, _ := measured.Search(max(int64(pod.CreationTimestamp)*1e9, measured.Last(list)), want, func(now int64) string {
			return describe.Object(world{events: measured.Before(list, now)}, pod, describe.Options{Now: now})
		})
		if d := score.Add(s.Group, got, want); d != "" && !raced[s.Name()] {
			t.Errorf("%s: %s", s.Name(), d)
		}
	}
	score.Log(t, "describe pod")
}
