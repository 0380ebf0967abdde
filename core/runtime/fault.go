package runtime

import (
	"maps"

	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// What happens to machines from outside: power that fails, processes that are
// killed, a registry that does not answer.

// unknownExit is the exit code of a container whose process containerd cannot find
// any more (containerd internal/cri/server/restart.go, unknownExitCode).
const unknownExit = 255

// PowerOff ends everything that runs on the machine. Files stay, but for those of
// memory; sandboxes keep their addresses until they are stopped.
func (m *Machine) PowerOff(c Call) {
	for _, uid := range sortedKeys(m.pods) {
		p := m.pod(uid)
		for _, ct := range p.containers {
			if ct.State != Running {
				continue
			}
			m.end(p, ct, c.Now, unknownExit, 0)
			ct.Reason, ct.lost = "Unknown", true
		}
		for _, s := range p.sandboxes {
			if s.Ready {
				s.Ready, s.stale = false, true
				p.touch(c.Now)
			}
		}
	}
}

// PowerOn starts the machine again: containerd finds out that containers have ended
// without it, and takes that for the moment of their end
// (internal/cri/server/restart.go, loadContainer).
func (m *Machine) PowerOn(now sim.Time) {
	for _, uid := range sortedKeys(m.pods) {
		p := m.pod(uid)
		for _, ct := range p.containers {
			if ct.lost {
				ct.Finished, ct.lost = now, false
				p.touch(now)
			}
		}
	}
}

// KillContainer kills the main process of a pod's running container, as a kill -9 on
// the machine does; "" is the first one that runs. It returns the container's name,
// "" if none runs.
func (m *Machine) KillContainer(c Call, uid, name string) string {
	p := m.pod(uid)
	if p == nil {
		return ""
	}
	for _, ct := range p.containers {
		if ct.State == Running && (name == "" || ct.Config.Name == name) {
			m.finish(c, p, ct, 128+sigkill, sigkill)
			return ct.Config.Name
		}
	}
	return ""
}

// SetRegistry says whether a registry (a host such as docker.io, "" for all) answers.
func (r *Runtime) SetRegistry(host string, down bool) {
	r.silent = maps.Clone(r.silent)
	if r.silent == nil {
		r.silent = map[string]bool{}
	}
	delete(r.silent, host)
	if down {
		r.silent[host] = true
	}
	if host == "" && !down {
		r.silent = nil
	}
}

// SetOrphans names the nodes on which the daemon of the network plugin does not run,
// "" is all. The map is not changed any more.
func (r *Runtime) SetOrphans(nodes map[string]bool) { r.orphans = nodes }

// NodeOf names the node on which a sandbox with the address was made, "" if none has it.
func (r *Runtime) NodeOf(ip string) string { return r.addrs[ip].node }

// Disconnect says whether a machine is cut off from the network, and so from all
// registries.
func (m *Machine) Disconnect(cut bool) { m.cut = cut }

// unreachable is the answer to a pull from a registry that does not answer, or nil.
func (m *Machine) unreachable(ref workload.Reference) *Error {
	if !m.cut && !m.rt.silent[""] && !m.rt.silent[ref.Domain] {
		return nil
	}
	host := ref.Domain
	if host == "docker.io" {
		host = "registry-1.docker.io"
	}
	tag := ref.Tag
	if ref.Digest != "" {
		tag = ref.Digest
	}
	name := ref.String()
	return &Error{Code: "DeadlineExceeded", Desc: `failed to pull and unpack image "` + name + `": failed to resolve reference "` + name +
		`": failed to do request: Head "https://` + host + "/v2/" + ref.Path + "/manifests/" + tag + `": dial tcp: lookup ` + host + `: i/o timeout`}
}

// registryTimeout is how long a pull waits for a registry that does not answer.
const registryTimeout = 10 * sim.Second

// Usage is what a container takes of its machine.
type Usage struct {
	Name         string
	Memory, Disk int64 // bytes
	Processes    int
}

// Usages returns what the running containers of a pod take at an instant.
func (m *Machine) Usages(uid string, now sim.Time) (list []Usage) {
	p := m.pod(uid)
	if p == nil {
		return nil
	}
	for _, ct := range p.containers {
		if ct.State == Running && ct.proc != nil {
			list = append(list, Usage{Name: ct.Config.Name, Memory: ct.proc.Memory(now),
				Disk: max(ct.fs.Root.Used()-ct.base, 0) + int64(ct.log.bytes), Processes: len(ct.proc.List())})
		}
	}
	return list
}

// PruneImages removes the images that no container uses, and returns how many bytes
// that frees.
func (m *Machine) PruneImages(c Call) (freed int64) {
	used := map[*workload.Image]bool{}
	for _, p := range m.pods {
		for _, ct := range p.containers {
			used[ct.Config.Image] = true
		}
	}
	for _, k := range sortedKeys(m.images) {
		if l := m.images[k]; !used[l.image] {
			freed += l.size
			delete(m.images, k)
			c.note(trace.Pulled, "RemoveImage", nil, "removed", trace.Detail{Name: "image", Value: k})
		}
	}
	return freed
}
