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
	best, n := r.best()
	skip := y.random(0) % uint64(n)
	for i := best; ; i++ {
		if r.Totals[i] != r.Totals[best] {
			continue
		}
		if skip == 0 {
			r.Node = r.Feasible[i].Name()
			return
		}
		skip--
	}
}

// best returns the index of the first node with the highest total, and how many
// have it.
func (r *Result) best() (first, n int) {
	for i, t := range r.Totals {
		switch {
		case t > r.Totals[first]:
			first, n = i, 1
		case t == r.Totals[first]:
			n++
		}
	}
	return first, n
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
	r.Totals = y.scratch.take(len(r.Feasible))
	r.Scores = make([]Column, 0, len(y.profile.score))
	for _, pl := range y.profile.score {
		if !y.state.SkipsScore(pl.ID()) {
			r.Scores = append(r.Scores, y.column(pl, r))
		}
	}
	return nil
}

// column asks one plugin for its scores and adds them to the totals.
func (y *cycle) column(pl f.ScorePlugin, r *Result) Column {
	n := len(r.Feasible)
	c := Column{pl.ID(), y.scratch.take(n), y.scratch.take(n)}
	y.scores(pl, r.Feasible, c.Raw)
	copy(c.Final, c.Raw)
	if x, ok := pl.(f.NormalizePlugin); ok {
		x.Normalize(y.state, y.pod, r.Feasible, c.Final)
	}
	weight := y.profile.weights[c.Plugin]
	for i := range c.Final {
		c.Final[i] *= weight
		r.Totals[i] += c.Final[i]
	}
	return c
}

// scores asks a plugin for its raw scores, or recalls them.
func (y *cycle) scores(pl f.ScorePlugin, nodes []*f.NodeInfo, raw []int64) {
	if y.template == nil || !local.Has(pl.ID()) {
		for i, node := range nodes {
			raw[i] = pl.Score(y.state, y.pod, node)
		}
		return
	}
	c := y.template.column(pl.ID())
	for i, node := range nodes {
		if at := node.Pos; !c.known[at] {
			c.known[at], c.raw[at] = true, pl.Score(y.state, y.pod, node)
		}
		raw[i] = c.raw[node.Pos]
	}
}
