// Package imagelocality is the rule that a node which already holds the pod's
// images ranks higher (pkg/scheduler/framework/plugins/imagelocality).
package imagelocality

import (
	"strings"

	f "podwalk/core/scheduler/framework"
)

const (
	megabyte           = 1024 * 1024
	minThreshold int64 = 23 * megabyte
	maxThreshold int64 = 1000 * megabyte // for each container
)

// Plugin is the rule ImageLocality.
type Plugin struct{}

var (
	_ f.PreScorePlugin = Plugin{}
	_ f.ScorePlugin    = Plugin{}
)

// ID returns f.ImageLocality.
func (Plugin) ID() f.ID { return f.ImageLocality }

// image is one that some node holds, with its size scaled by how many do.
type image struct {
	name  string
	score int64
}

type wanted struct {
	images []image
	count  int64
}

// PreScore looks the pod's images up once for all nodes.
func (Plugin) PreScore(s *f.State, p *f.PodInfo, _ []*f.NodeInfo) *f.Status {
	w := wanted{}
	add := func(name string) {
		w.count++
		name = Normalized(name)
		if i, ok := s.Cluster.Images[name]; ok {
			spread := float64(i.Nodes) / float64(len(s.Cluster.Nodes))
			w.images = append(w.images, image{name, int64(float64(i.Size) * spread)})
		}
	}
	for i := range p.Pod.Spec.InitContainers {
		add(p.Pod.Spec.InitContainers[i].Image)
	}
	for i := range p.Pod.Spec.Containers {
		add(p.Pod.Spec.Containers[i].Image)
	}
	for i := range p.Pod.Spec.Volumes {
		if v := p.Pod.Spec.Volumes[i].Image; v != nil {
			add(v.Reference)
		}
	}
	s.SetScore(f.ImageLocality, w)
	return nil
}

// Score adds up the images that the node holds.
func (Plugin) Score(s *f.State, _ *f.PodInfo, n *f.NodeInfo) int64 {
	w, _ := s.Score(f.ImageLocality).(wanted)
	var sum int64
	for i := range w.images {
		if _, ok := n.Images[w.images[i].name]; ok {
			sum += w.images[i].score
		}
	}
	return Priority(sum, w.count)
}

// Priority scales a sum of sizes for that many images to 0..100.
func Priority(sum, images int64) int64 {
	most := maxThreshold * images
	sum = min(max(sum, minThreshold), most)
	return f.MaxNodeScore * (sum - minThreshold) / (most - minThreshold)
}

// Normalized returns the name with :latest if it has no tag.
func Normalized(name string) string {
	if strings.LastIndexByte(name, ':') <= strings.LastIndexByte(name, '/') {
		return name + ":latest"
	}
	return name
}
