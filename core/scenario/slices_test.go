package scenario_test

import (
	"os"
	"path/filepath"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// longWatch is the size in bytes from which a watch is not compared: the common
// part of two such texts costs the product of their lines.
const longWatch = 100_000

// watched compares each change of an EndpointSlice, in order, with the watch of a
// case that has one. The watch ended with the case: what we did by then, or in the
// second after, is compared.
func (m measured) watched(s *scenario.Session, from uint64, drawn *allocated, c *comparison) {
	raw, err := os.ReadFile(filepath.Join(m.dir, "slices.yaml"))
	if err != nil || len(raw) > longWatch {
		return
	}
	want := canonical(string(raw))
	now := s.Cluster().Now()
	s = s.Fork(now)
	var best comparison
	for i, until := range []sim.Time{now, now + sim.Second} {
		runTo(s, until)
		one := comparison{drawn: drawn.clone()}
		one.add("slices.yaml", want, m.changes(s, from))
		if i == 0 || one.lines-one.equal < best.lines-best.equal {
			best = one
		}
	}
	c.join(best)
}

// canonical prints the documents of a watch with sorted keys, each below its type.
func canonical(text string) string {
	var out strings.Builder
	for _, doc := range strings.Split(text, "\n---\n") {
		head, body, _ := strings.Cut(doc, "\n")
		words := strings.Fields(head)
		if len(words) < 3 {
			continue
		}
		nodes, err := codec.ReadWords([]byte(body))
		if err != nil || len(nodes) == 0 {
			continue
		}
		out.WriteString("# " + words[2] + "\n" + codec.ToYAML(codec.ToValue(nodes[0])))
	}
	return out.String()
}

// changes prints what became of the EndpointSlices of the case's namespace.
func (m measured) changes(s *scenario.Session, from uint64) string {
	var out strings.Builder
	list, _ := s.Cluster().Changes(from)
	for _, ch := range list {
		slice, ok := ch.Object().(*api.EndpointSlice)
		if !ok || slice.Namespace != m.Namespace {
			continue
		}
		nodes, _ := codec.ReadWords(codec.ToJSON(slice))
		out.WriteString("# " + string(ch.Type) + "\n" + codec.ToYAML(codec.ToValue(nodes[0])))
	}
	return out.String()
}
