package apiserver

import (
	"podwalk/core/api"
	"podwalk/core/api/field"
)

// The range of node ports, and of it the lower band that is left to ports that
// are asked for.
const (
	nodePortMin  = 30000
	nodePortMax  = 32767
	nodePortBand = 86
)

// nodePorts allocates the ports on the nodes. One number may serve several ports
// of one Service, but not two Services.
func (c *call) nodePorts(s, was *api.Service) (errs field.ErrorList) {
	if s.Spec.Type != "NodePort" && s.Spec.Type != "LoadBalancer" {
		return nil
	}
	used := c.usedPorts(s)
	same := map[int32]int32{}
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		if p.NodePort != 0 {
			same[p.Port] = p.NodePort
		}
	}
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		switch {
		case p.NodePort != 0:
			if why := refusePort(p.NodePort, used); why != "" {
				return append(errs, field.Invalid(field.NewPath("spec", "ports").Index(i).Child("nodePort"), p.NodePort, why))
			}
		case !needsNodePort(s):
		case same[p.Port] != 0:
			p.NodePort = same[p.Port]
		default:
			p.NodePort = c.freePort(s, used)
			same[p.Port] = p.NodePort
			used[p.NodePort] = true
		}
	}
	if needsHealthPort(s) && s.Spec.HealthCheckNodePort == 0 {
		s.Spec.HealthCheckNodePort = c.freePort(s, used)
	}
	return errs
}

func refusePort(n int32, used map[int32]bool) string {
	switch {
	case n < nodePortMin || n > nodePortMax:
		return "provided port is not in the valid range. The range of valid ports is 30000-32767"
	case used[n]:
		return "provided port is already allocated"
	}
	return ""
}

func (c *call) usedPorts(but *api.Service) map[int32]bool {
	used := map[int32]bool{}
	c.read.Each("Service", "", func(o api.Object) bool {
		s := o.(*api.Service)
		if s.Namespace == but.Namespace && s.Name == but.Name {
			return true
		}
		for _, p := range s.Spec.Ports {
			used[p.NodePort] = true
		}
		used[s.Spec.HealthCheckNodePort] = true
		return true
	})
	return used
}

func (c *call) freePort(s *api.Service, used map[int32]bool) int32 {
	for n := uint64(0); ; n++ {
		first := nodePortMin + nodePortBand
		p := int32(first + c.s.cfg.Random.Intn("node port", s.Namespace+"/"+s.Name, n, nodePortMax-first+1))
		if !used[p] || n > 1<<16 {
			return p
		}
	}
}
