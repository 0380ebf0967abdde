package framework

// Memory is what the cycles of one scheduler may remember of the nodes. It is good
// for one list of nodes with one set of labels; what else changes of a node is in
// the log.
type Memory struct {
	Log     []int32 // positions of the nodes that have changed, in order
	domains map[string]*Domains
}

// Domains tells for each node of the list which value it has for a label.
type Domains struct {
	Of    []int32 // index of the value in Names; -1: the node lacks the label
	Names []string
}

// Domains returns the domains of a label.
func (k *Cluster) Domains(key string) *Domains {
	if k.Memory != nil {
		if d := k.Memory.domains[key]; d != nil {
			return d
		}
	}
	d := &Domains{Of: make([]int32, len(k.Nodes))}
	index := map[string]int32{}
	for i, n := range k.Nodes {
		v, ok := n.Node.Labels[key]
		if !ok {
			d.Of[i] = -1
			continue
		}
		at, seen := index[v]
		if !seen {
			at = int32(len(d.Names))
			index[v] = at
			d.Names = append(d.Names, v)
		}
		d.Of[i] = at
	}
	if k.Memory != nil {
		if k.Memory.domains == nil {
			k.Memory.domains = map[string]*Domains{}
		}
		k.Memory.domains[key] = d
	}
	return d
}

// Template is what is remembered for pods that are alike in all that the plugins
// of one node look at, and in labels, affinity and spreading.
type Template struct {
	Pod    *PodInfo
	Memory *Memory
	kept   []kept
}

type kept struct {
	plugin ID
	id     string
	seen   int // of the log
	value  any
}

// Recall returns what a plugin has kept under an id, and the positions of the nodes
// that have changed since. Without any the value is nil.
func (t *Template) Recall(plugin ID, id string) (value any, changed []int32) {
	if t == nil {
		return nil, nil
	}
	for i := range t.kept {
		if x := &t.kept[i]; x.plugin == plugin && x.id == id {
			changed = t.Memory.Log[x.seen:]
			x.seen = len(t.Memory.Log)
			return x.value, changed
		}
	}
	return nil, nil
}

// maxKept is how much is kept for one template.
const maxKept = 8

// Keep remembers a value that is right now, instead of an earlier one.
func (t *Template) Keep(plugin ID, id string, value any) {
	if t == nil {
		return
	}
	for i := range t.kept {
		if x := &t.kept[i]; x.plugin == plugin && x.id == id {
			x.seen, x.value = len(t.Memory.Log), value
			return
		}
	}
	if len(t.kept) == maxKept {
		t.kept = append(t.kept[:0], t.kept[1:]...)
	}
	t.kept = append(t.kept, kept{plugin, id, len(t.Memory.Log), value})
}
