package cluster

import (
	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/sim"
)

// pastNodes reads logs as they were at an instant in the past, by running the
// cluster up to it again.
type pastNodes struct {
	c  *Cluster
	at sim.Time
}

func (p *pastNodes) then() apiserver.NodeProxy { return p.c.Seek(p.at).nodeProxy() }

// Log implements apiserver.NodeProxy.
func (p *pastNodes) Log(pod *api.Pod, options map[string]string) (string, *api.Status) {
	return p.then().Log(pod, options)
}

// Exec implements apiserver.NodeProxy. What a command changes is lost with the
// copy of the cluster it ran in.
func (p *pastNodes) Exec(pod *api.Pod, container string, command []string) (apiserver.ExecResult, *api.Status) {
	return p.then().Exec(pod, container, command)
}
