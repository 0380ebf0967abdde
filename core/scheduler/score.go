package scheduler

import f "podwalk/core/scheduler/framework"

// choose ranks the feasible nodes and takes one of the best, by chance. A single
// one is not ranked (pkg/scheduler/schedule_one.go, prioritizeNodes).
func (y *cycle) choose(r *Result) {
	if len(r.Feasible) == 1 {
		r.Node = r.Feasible[0].Name()
		return
	}
	if st := y.rank(r); !st.OK() {
		r.Err = st.Message()
		return
	}
	best := r.Best()
	r.Node = r.Feasible[best[y.random(0)%uint64(len(best))]].Name()
}

// Best returns the indices of the feasible nodes with the highest total.
func (r *Result) Best() []int {
	var best []int
	var top int64 = -1
	for i := range r.Scores {
		switch t := r.Scores[i].Total; {
		case t > top:
			top, best = t, append(best[:0], i)
		case t == top:
			best = append(best, i)
		}
	}
	return best
}

func (y *cycle) rank(r *Result) *f.Status {
	for _, pl := range y.profile.preScore {
		st := pl.PreScore(y.state, y.pod, r.Feasible)
		if st.IsSkip() {
			y.state.SkipScore(pl.ID())
		} else if !st.OK() {
			return f.NewStatus(pl.ID(), f.Error, "running PreScore plugin "+quoted(pl.ID().String())+": "+st.Message())
		}
	}
	n := len(r.Feasible)
	r.Scores = make([]Score, n)
	all := make([]PluginScore, n*len(y.profile.score))
	for i := range r.Scores {
		r.Scores[i].Plugins, all = all[:0:len(y.profile.score)], all[len(y.profile.score):]
	}
	raw, scores := make([]int64, n), make([]int64, n)
	for _, pl := range y.profile.score {
		if !y.state.SkipsScore(pl.ID()) {
			y.apply(pl, r, raw, scores)
		}
	}
	return nil
}

// apply adds the scores of one plugin.
func (y *cycle) apply(pl f.ScorePlugin, r *Result, raw, scores []int64) {
	for i, n := range r.Feasible {
		raw[i] = pl.Score(y.state, y.pod, n)
	}
	copy(scores, raw)
	if x, ok := pl.(f.NormalizePlugin); ok {
		x.Normalize(y.state, y.pod, r.Feasible, scores)
	}
	weight := y.profile.weights[pl.ID()]
	for i := range r.Feasible {
		s := &r.Scores[i]
		final := scores[i] * weight
		s.Plugins = append(s.Plugins, PluginScore{pl.ID(), raw[i], final})
		s.Total += final
	}
}
