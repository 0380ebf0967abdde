package replicaset

import (
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
)

// tally counts the pods that a set owns, by what its status tells of them. It is
// kept up to date change by change.
type tally struct {
	generation  int64 // of the set when selector and template were taken from it
	selector    api.Selector
	template    map[string]string // labels of the template
	active      int32
	labeled     int32 // with all labels of the template
	ready       int32
	available   int32 // where minReadySeconds is 0, all that are ready
	terminating int32
	strays      int32 // owned, active, and no longer selected
}

// add counts a pod, or with n = -1 takes it out.
func (t *tally) add(p *api.Pod, n int32) {
	selected := t.selector.Matches(p.Labels)
	switch {
	case podcontrol.IsActive(p) && selected:
		t.addActive(p, n)
		if podcontrol.IsReady(p) {
			t.available += n
		}
	case podcontrol.IsActive(p):
		t.strays += n
	case podcontrol.IsTerminating(p) && selected:
		t.terminating += n
	}
}

func (t *tally) addActive(p *api.Pod, n int32) {
	t.active += n
	if hasAll(p.Labels, t.template) {
		t.labeled += n
	}
	if podcontrol.IsReady(p) {
		t.ready += n
	}
}

func hasAll(labels, wanted map[string]string) bool {
	for k, v := range wanted {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}
