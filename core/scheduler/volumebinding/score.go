package volumebinding

import (
	"math"

	f "podwalk/core/scheduler/framework"
)

// PreScore skips pods for which no volume was chosen.
func (Plugin) PreScore(st *f.State, _ *f.PodInfo, nodes []*f.NodeInfo) *f.Status {
	s, ok := st.Filter(f.VolumeBinding).(*state)
	if ok {
		for _, n := range nodes {
			if len(s.nodes[n.Name()].bindings) > 0 {
				return nil
			}
		}
	}
	return f.Skipped
}

var defaultShape = []f.ShapePoint{{Use: 0, Score: f.MaxNodeScore}, {Use: 100, Score: 0}}

func (pl Plugin) shape() []f.ShapePoint {
	if pl.Shape == nil {
		return defaultShape
	}
	return pl.Shape
}

// Score is the share of the chosen volumes that stays free, the mean over their
// classes (scorer.go with the default shape).
func (pl Plugin) Score(st *f.State, _ *f.PodInfo, n *f.NodeInfo) int64 {
	s, ok := st.Filter(f.VolumeBinding).(*state)
	if !ok {
		return 0
	}
	type use struct {
		class               string
		requested, capacity int64
	}
	var uses []use
	for _, b := range s.nodes[n.Name()].bindings {
		class := b.volume.Spec.StorageClassName
		i := 0
		for i < len(uses) && uses[i].class != class {
			i++
		}
		if i == len(uses) {
			uses = append(uses, use{class: class})
		}
		uses[i].requested += size(b.claim).Value()
		uses[i].capacity += b.volume.Spec.Capacity["storage"].Value()
	}
	if len(uses) == 0 {
		return 0
	}
	var sum int64
	for _, u := range uses {
		use := int64(100)
		if u.capacity > 0 && u.requested <= u.capacity {
			use = u.requested * 100 / u.capacity
		}
		sum += f.BrokenLine(pl.shape(), use)
	}
	return int64(math.Round(float64(sum) / float64(len(uses))))
}
