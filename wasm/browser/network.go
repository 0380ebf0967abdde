package browser

import (
	"podwalk/core/cluster"
	"podwalk/core/scenario"
	"podwalk/wasm/boundary"
)

// request sends a request of the user: argv is who sends it and where to. What it
// met stands in its records; what is printed is the same as text.
func (p *player) request(argv []string, ok *DoOK) error {
	if len(argv) != 2 {
		return boundary.Errorf(boundary.BadRequest, "a request wants two words in argv: from whom, and where to")
	}
	sent, err := p.current.session.Request(argv[0], argv[1])
	if err != nil {
		ok.Stderr, ok.Exit = "error: "+err.Error()+"\n", 1
		return nil
	}
	ok.Sent = &Sent{Records: sent.Records, Symptom: sent.Symptom, Code: sent.Code, Body: sent.Body}
	ok.Stdout = scenario.SentText(&sent)
	if sent.Symptom != "" {
		ok.Exit = 1
	}
	return nil
}

// clusterAt is the cluster as it was at an instant up to now.
func (p *player) clusterAt(at *float64) (*cluster.Cluster, error) {
	t, err := p.reading(at)
	if err != nil {
		return nil, err
	}
	c := p.current.session.Cluster()
	if t < c.Now() {
		c = c.Seek(t)
	}
	return c, nil
}

func (p *player) rules(args RulesArgs) (any, error) {
	c, err := p.clusterAt(args.At)
	if err != nil {
		return nil, err
	}
	lines, err := c.Rules(args.Node, args.Mode)
	if err != nil {
		return nil, boundary.Errorf(boundary.NotFound, "%v", err)
	}
	return RulesOK{Mode: c.ProxyMode(), Lines: lines}, nil
}

func (p *player) matrix(args MatrixArgs) (any, error) {
	c, err := p.clusterAt(args.At)
	if err != nil {
		return nil, err
	}
	m := c.Matrix(args.Namespace)
	s := c.Network().Settings()
	ok := MatrixOK{From: []string{}, To: []string{}, Plugin: s.Plugin, Enforces: s.Enforces, Cells: make([][]MatrixCell, len(m.From))}
	for i, f := range m.From {
		ok.From = append(ok.From, f.String())
		ok.Cells[i] = make([]MatrixCell, len(m.To))
		for j := range m.To {
			v := &m.Cells[i][j]
			ok.Cells[i][j] = MatrixCell{Allowed: v.Allowed, Self: f.Name != "" && f.String() == m.To[j].End.String()}
			if _, d := v.Denied(); d != nil {
				ok.Cells[i][j].Why = d.Why
			}
		}
	}
	for j := range m.To {
		ok.To = append(ok.To, m.To[j].String())
	}
	return ok, nil
}
