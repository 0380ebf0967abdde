package kubelet

import (
	"slices"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
)

const (
	nodeReportPeriod = 10 * sim.Second // nodeStatusUpdateFrequency
	maxNodeImages    = 50              // nodeStatusMaxImages
	maxImageNames    = 5               // pkg/kubelet/nodestatus/setters.go, MaxNamesPerImageInNodeStatus
)

// nodeReport returns when the kubelet of a node next compares the node's status
// with what it has reported.
func (k *Kubelet) nodeReport(node string, t sim.Time) sim.Time {
	return tickAt(t, k.phase(node, "nodestatus", nodeReportPeriod), nodeReportPeriod)
}

// reportImages brings the images of a node into its status where they have changed
// (pkg/kubelet/nodestatus/setters.go, Images).
func (k *Kubelet) reportImages(c *actor.Ctx, name string) {
	n := liveNode(c, name)
	if n == nil || !k.rt.Node(name).Configured() {
		return
	}
	var list []api.ContainerImage
	for _, i := range k.rt.Node(name).ListImages() {
		list = append(list, api.ContainerImage{Names: i.Names[:min(len(i.Names), maxImageNames)], SizeBytes: i.Size})
	}
	list = list[:min(len(list), maxNodeImages)]
	same := slices.EqualFunc(list, n.Status.Images, func(a, b api.ContainerImage) bool {
		return a.SizeBytes == b.SizeBytes && slices.Equal(a.Names, b.Names)
	})
	if same {
		return
	}
	u := n.Copy().(*api.Node)
	u.Status.Images = list
	writeNode(c, u)
}
