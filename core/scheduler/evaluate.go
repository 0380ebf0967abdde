package scheduler

import (
	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// Evaluation is what every node answers to a pod at one moment: nothing is
// sampled, nothing is decided.
type Evaluation struct {
	// Failed holds the rejections; nil if there is no node at all.
	Failed   *f.Diagnosis
	Feasible []*f.NodeInfo
	Totals   []int64 // of Feasible
	Scores   []Column
	Err      string // an error of the scheduler itself
	// Preemption is the search for victims where no node is feasible, or nil.
	Preemption *f.Preemption
}

// Evaluate asks all plugins of a profile about a pod over the objects of a
// snapshot, such as an old one. It takes time in proportion to the nodes and pods.
func Evaluate(profile *Profile, objects store.Snapshot, random sim.Random, pod *api.Pod) Evaluation {
	s := Configured(Config{Profiles: []*Profile{profile}})
	s.load(objects)
	info := f.NewPodInfo(pod)
	y := &cycle{profile: profile, state: &f.State{Cluster: s.clusterOf(objects)}, pod: info, scratch: &scratch{}, everywhere: true,
		random: func(n uint64) uint64 { return random.Uint64("scheduler", pod.Namespace+"/"+pod.Name, n) }}
	return y.evaluate()
}

func (y *cycle) evaluate() Evaluation {
	e := Evaluation{Failed: &f.Diagnosis{All: len(y.state.Cluster.Nodes)}}
	if e.Failed.All == 0 {
		return Evaluation{Err: noNodes}
	}
	r := Result{Failed: e.Failed}
	names, st := y.preFilter(e.Failed)
	switch {
	case st != nil && !st.Rejected():
		return Evaluation{Err: st.Message()}
	case st != nil:
		e.Failed.Absent, e.Failed.PreFilter = st, st.Message()
		e.Failed.Note(st)
	default:
		if err := y.find(&r, names); err != "" {
			return Evaluation{Err: err}
		}
	}
	if len(r.Feasible) == 0 {
		e.Preemption = y.postFilter(e.Failed)
		return e
	}
	if st := y.rank(&r); !st.OK() {
		return Evaluation{Err: st.Message()}
	}
	e.Feasible, e.Totals, e.Scores = r.Feasible, r.Totals, r.Scores
	return e
}

// load fills the cache from the objects of a snapshot.
func (s *Scheduler) load(objects store.Snapshot) {
	objects.Each("Node", "", func(o api.Object) bool {
		s.cache.setNode(o.(*api.Node))
		return true
	})
	objects.Each("Pod", "", func(o api.Object) bool {
		p := o.(*api.Pod)
		switch {
		case finished(p):
		case p.Spec.NodeName != "":
			s.cache.addPod(p.Spec.NodeName, f.NewPodInfo(p))
		default:
			s.nominees.add(f.NewPodInfo(p), p.Status.NominatedNodeName)
		}
		return true
	})
}
