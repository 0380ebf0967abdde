package framework

import "podwalk/core/store"

// State is what plugins keep during one scheduling cycle, each in its own slots.
type State struct {
	Cluster *Cluster
	// Template remembers for pods that are alike; nil remembers nothing.
	Template   *Template
	skipFilter Set
	skipScore  Set
	filter     [count]any
	score      [count]any
}

// Cluster is what plugins may read beside the pod and the node.
type Cluster struct {
	Nodes  []*NodeInfo // zone-interleaved, as the snapshot lists them
	Images map[string]ImageState
	// Node returns the node of that name or nil.
	Node func(name string) *NodeInfo
	// Affinity returns the nodes that have pods with affinity terms, in no order that matters.
	Affinity func() []*NodeInfo
	// AntiAffinity returns the nodes that have pods with required anti-affinity terms.
	AntiAffinity func() []*NodeInfo
	// Memory of the list of nodes; nil remembers nothing.
	Memory *Memory
	// Objects is the informer cache: claims, volumes, classes, namespaces, budgets.
	Objects store.Snapshot
	// ClaimInUse counts the scheduled pods that use a claim, by namespace/name.
	ClaimInUse func(key string) bool
	// Nominated returns the pods nominated to a node; nil: there are none anywhere.
	Nominated func(node string) []*PodInfo
	Volumes   VolumeAssumptions
}

// VolumeAssumptions tells which volumes and claims the scheduler has bound in its
// mind while the API does not show it yet.
type VolumeAssumptions interface {
	// ClaimOf returns the claim (namespace/name) a volume is assumed to be bound to, or "".
	ClaimOf(volume string) string
	// NodeOf returns the node selected for provisioning a claim (namespace/name), or "".
	NodeOf(claim string) string
}

// Cloner is implemented by filter state that AddPod and RemovePod change.
type Cloner interface{ CloneState() any }

// SetFilter keeps what a PreFilter found for its Filter.
func (s *State) SetFilter(id ID, v any) { s.filter[id] = v }

// Filter returns what SetFilter kept.
func (s *State) Filter(id ID) any { return s.filter[id] }

// SetScore keeps what a PreScore found for its Score.
func (s *State) SetScore(id ID, v any) { s.score[id] = v }

// Score returns what SetScore kept.
func (s *State) Score(id ID) any { return s.score[id] }

// SkipFilter marks the Filter of a plugin as not needed in this cycle.
func (s *State) SkipFilter(id ID) { s.skipFilter = s.skipFilter.With(id) }

// SkipsFilter reports whether the Filter of a plugin is not needed.
func (s *State) SkipsFilter(id ID) bool { return s.skipFilter.Has(id) }

// SkipScore marks the Score of a plugin as not needed in this cycle.
func (s *State) SkipScore(id ID) { s.skipScore = s.skipScore.With(id) }

// SkipsScore reports whether the Score of a plugin is not needed.
func (s *State) SkipsScore(id ID) bool { return s.skipScore.Has(id) }

// Clone returns a State whose filter state can be changed apart from s.
func (s *State) Clone() *State {
	c := *s
	for i, v := range c.filter {
		if v, ok := v.(Cloner); ok {
			c.filter[i] = v.CloneState()
		}
	}
	return &c
}
