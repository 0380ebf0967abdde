package policy

import (
	"strconv"
	"strings"
)

// Target is a column of a matrix: an end and one of its ports.
type Target struct {
	End   *End
	Port  int32
	Proto string
}

// Targets lists the ports of an end: those that it declares, or 80.
func Targets(e *End) (l []Target) {
	for i := range e.Ports {
		p := &e.Ports[i]
		proto := p.Protocol
		if proto == "" {
			proto = "TCP"
		}
		l = append(l, Target{e, p.ContainerPort, proto})
	}
	if len(l) == 0 {
		l = []Target{{e, 80, "TCP"}}
	}
	return l
}

// Matrix is who reaches whom. Cells stand by row and column.
type Matrix struct {
	From  []*End
	To    []Target
	Cells [][]Verdict
}

// Matrix judges every pair.
func (s *Set) Matrix(from []*End, to []Target) Matrix {
	m := Matrix{From: from, To: to, Cells: make([][]Verdict, len(from))}
	for i, f := range from {
		m.Cells[i] = make([]Verdict, len(to))
		for j := range to {
			m.Cells[i][j] = s.Verdict(f, to[j].End, to[j].Port, to[j].Proto)
		}
	}
	return m
}

// Text prints the matrix: "." reaches, "X" does not, "-" is the end itself.
func (m Matrix) Text() string {
	var b strings.Builder
	wide := 0
	for _, f := range m.From {
		wide = max(wide, len(f.String()))
	}
	heads := make([]string, len(m.To))
	b.WriteString(strings.Repeat(" ", wide))
	for j := range m.To {
		heads[j] = m.To[j].String()
		b.WriteString("  " + heads[j])
	}
	b.WriteByte('\n')
	for i, f := range m.From {
		line := f.String() + strings.Repeat(" ", wide-len(f.String()))
		for j := range m.To {
			mark := "X"
			switch {
			case f.Name != "" && f.String() == m.To[j].End.String():
				mark = "-"
			case m.Cells[i][j].Allowed:
				mark = "."
			}
			line += "  " + mark + strings.Repeat(" ", len(heads[j])-1)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// String names the column: end:port, with the protocol if it is not TCP.
func (t Target) String() string {
	s := t.End.String() + ":" + strconv.Itoa(int(t.Port))
	if t.Proto != "TCP" {
		s += "/" + t.Proto
	}
	return s
}
