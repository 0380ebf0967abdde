package runtime

import "podwalk/core/sim"

// DiskLimit bounds what a pod may hold on the machine's disk: one volume, one
// container's writable layer and logs, or (both names empty) all of it.
type DiskLimit struct {
	Volume, Container string
	Bytes             int64
}

// SetDiskLimits tells the machine what to watch of a pod; see Exceeded.
func (m *Machine) SetDiskLimits(uid string, limits []DiskLimit) { m.podFor(uid).limits = limits }

// Exceeded returns the limit that a pod has exceeded and since when, or nil. The
// runtime only measures: it is the kubelet that evicts.
func (m *Machine) Exceeded(uid string) (*DiskLimit, sim.Time) {
	p := m.pods[uid]
	if p == nil {
		return nil, 0
	}
	return p.over, p.overSince
}

// measure looks whether a limit is exceeded since now and reports whether that is new.
func (p *pod) measure(now sim.Time) bool {
	if p.over != nil {
		return false
	}
	for i := range p.limits {
		l := &p.limits[i]
		if p.usage(l) > l.Bytes {
			p.over, p.overSince = l, now
			return true
		}
	}
	return false
}

func (p *pod) usage(l *DiskLimit) int64 {
	var n int64
	for i := range p.volumes {
		if v := &p.volumes[i]; v.shared == "" && (v.name == l.Volume || l.Volume == "" && l.Container == "") {
			n += v.tree.Used()
		}
	}
	for _, c := range p.containers {
		if c.Config.Name == l.Container || l.Volume == "" && l.Container == "" {
			n += c.fs.Root.Used() - c.base + int64(c.log.bytes)
		}
	}
	return n
}
