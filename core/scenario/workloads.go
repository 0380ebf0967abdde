package scenario

import (
	"podwalk/core/api"
	"podwalk/core/store"
)

// WorkloadState is an object whose controller makes pods or other workloads. Ready
// of Desired counts what its status counts: ready pods, of a Job succeeded ones, of
// a CronJob active Jobs.
type WorkloadState struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Owner     string `json:"owner,omitempty"` // kind/name in the same namespace
	Desired   int32  `json:"desired"`
	Ready     int32  `json:"ready"`
	// Note is the reason of what holds it up, else a word such as Complete.
	Note    string `json:"note,omitempty"`
	Trouble bool   `json:"trouble,omitempty"`
	Ending  bool   `json:"ending,omitempty"` // it is being deleted
}

// workloads lists the kinds in the order of their owners.
func workloads(v store.Snapshot) []WorkloadState {
	list := []WorkloadState{}
	for _, kind := range []string{"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "CronJob", "Job"} {
		v.Each(kind, "", func(o api.Object) bool {
			m := o.Meta()
			s := WorkloadState{Kind: kind, Namespace: m.Namespace, Name: m.Name, Owner: ownerOf(m), Ending: m.DeletionTimestamp != nil}
			s.count(o)
			list = append(list, s)
			return true
		})
	}
	return list
}

// ownerOf returns the controller of an object as kind/name, or "".
func ownerOf(m *api.ObjectMeta) string {
	for _, r := range m.OwnerReferences {
		if r.Controller != nil && *r.Controller {
			return r.Kind + "/" + r.Name
		}
	}
	return ""
}

func (s *WorkloadState) count(o api.Object) {
	switch o := o.(type) {
	case *api.Deployment:
		s.Desired, s.Ready = wanted(o.Spec.Replicas), o.Status.ReadyReplicas
		s.deployment(o)
	case *api.ReplicaSet:
		s.Desired, s.Ready = wanted(o.Spec.Replicas), o.Status.ReadyReplicas
		for _, c := range o.Status.Conditions {
			s.fails(c.Type == "ReplicaFailure" && c.Status == "True", c.Reason)
		}
	case *api.ReplicationController:
		s.Desired, s.Ready = wanted(o.Spec.Replicas), o.Status.ReadyReplicas
		for _, c := range o.Status.Conditions {
			s.fails(c.Type == "ReplicaFailure" && c.Status == "True", c.Reason)
		}
	case *api.StatefulSet:
		s.Desired, s.Ready = wanted(o.Spec.Replicas), o.Status.ReadyReplicas
	case *api.DaemonSet:
		s.Desired, s.Ready = o.Status.DesiredNumberScheduled, o.Status.NumberReady
	case *api.CronJob:
		s.Desired, s.Ready = int32(len(o.Status.Active)), int32(len(o.Status.Active))
		if o.Spec.Suspend != nil && *o.Spec.Suspend {
			s.Note = "Suspended"
		}
	case *api.Job:
		s.Desired, s.Ready = wanted(o.Spec.Completions), o.Status.Succeeded
		if o.Spec.Completions == nil {
			s.Desired = wanted(o.Spec.Parallelism)
		}
		s.job(o)
	}
}

func (s *WorkloadState) deployment(d *api.Deployment) {
	if d.Spec.Paused {
		s.Note = "Paused"
	}
	for _, c := range d.Status.Conditions {
		s.fails(c.Type == "ReplicaFailure" && c.Status == "True", c.Reason)
		s.fails(c.Type == "Progressing" && c.Status == "False", c.Reason)
	}
}

func (s *WorkloadState) job(j *api.Job) {
	for _, c := range j.Status.Conditions {
		if c.Status != "True" {
			continue
		}
		switch c.Type {
		case "Complete", "Suspended":
			s.Note = c.Type
		case "Failed":
			s.fails(true, c.Reason)
		}
	}
}

// fails notes the reason of what holds the workload up; the first one stays.
func (s *WorkloadState) fails(is bool, reason string) {
	if is && !s.Trouble {
		s.Note, s.Trouble = reason, true
	}
}
