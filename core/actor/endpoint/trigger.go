package endpoint

import (
	"maps"

	"podwalk/core/api"
	"podwalk/core/sim"
)

// LastChange is the annotation that says when the change happened that led to an
// endpoints object.
const LastChange = "endpoints.kubernetes.io/last-change-trigger-time"

// Triggers remembers the instants that led to the latest look at each Service
// (endpointslice/util/trigger_time_tracker.go). The zero value is ready.
type Triggers struct{ of map[sim.Key]trigger }

// trigger is never changed once it is remembered.
type trigger struct {
	service api.Time
	pods    map[string]api.Time
}

// Time returns the earliest change since the previous look, 0 if there is none,
// and for a new Service its creation.
func (t *Triggers) Time(s *api.Service, pods []*api.Pod) api.Time {
	k := KeyOf(s.Namespace, s.Name)
	was, known := t.of[k]
	now := trigger{service: s.CreationTimestamp, pods: make(map[string]api.Time, len(pods))}
	first := api.Time(0)
	note := func(at, before api.Time) {
		if at > before && (first == 0 || at < first) {
			first = at
		}
	}
	for _, p := range pods {
		if c := readyCondition(p); c != nil && c.LastTransitionTime != 0 {
			now.pods[p.Name] = c.LastTransitionTime
			note(c.LastTransitionTime, was.pods[p.Name])
		}
	}
	note(now.service, was.service)
	if t.of == nil {
		t.of = map[sim.Key]trigger{}
	}
	t.of[k] = now
	if !known {
		return s.CreationTimestamp
	}
	return first
}

// Forget drops a Service that is gone.
func (t *Triggers) Forget(k sim.Key) { delete(t.of, k) }

// Clone returns an independent copy.
func (t *Triggers) Clone() Triggers { return Triggers{maps.Clone(t.of)} }
