package runtime

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// State is the state of a container.
type State uint8

// The states of the CRI.
const (
	Created State = iota
	Running
	Exited
)

// Container is a container with its process, files and logs.
type Container struct {
	ID       string
	Sandbox  string
	Config   *ContainerConfig
	State    State
	ImageRef string // name@digest
	Created  sim.Time
	Started  sim.Time // sim.Never: it never ran
	Finished sim.Time
	ExitCode int
	Reason   string // Completed, Error, OOMKilled or StartError
	Message  string // of a start error
	Stopping bool   // a StopContainer call waits for its end

	fs     *workload.FS
	proc   *workload.Process
	spec   workload.Spec
	log    logBuffer
	execs  []*session
	killAt sim.Time // 0: no kill is due
	oom    bool
	lost   bool // its machine lost its power, and has not started again
	pids   int
	base   int64 // bytes of the image's own files
}

// ContainerConfig is the request of CreateContainer. It is frozen.
type ContainerConfig struct {
	Name          string
	Attempt       int
	Image         *workload.Image
	ImageRef      string // name@digest
	ImageName     string // as status.image shows it
	SpecImage     string // as the container names it
	Command, Args []string
	Env           []string // "K=V" in order
	WorkingDir    string
	Mounts        []Mount
	Ports         []int32
	UID, GID      int64
	Groups        []int64
	ReadOnlyRoot  bool
	Stdin, TTY    bool
	Amounts       Amounts
	StopSignal    int    // 0 is the image's
	Termination   string // path of the termination message
	Privileged    bool
}

// Amounts are the CPU and memory of a container: thousandths of a CPU and bytes, 0
// is none.
type Amounts struct{ CPURequest, CPULimit, MemoryRequest, MemoryLimit int64 }

// Mount is a volume of the pod, or a part of it, on a path of a container.
type Mount struct {
	Volume   string
	Path     string
	Sub      string
	ReadOnly bool
	Source   string // path on the machine, for messages
}

// CreateContainer makes a container in a ready sandbox. It checks what containerd
// checks before runc runs.
func (m *Machine) CreateContainer(c Call, sandbox string, cfg *ContainerConfig) (*Container, error) {
	p := m.pod(m.where[sandbox])
	s := p.sandbox(sandbox)
	if s == nil {
		err := &Error{"NotFound", "failed to find sandbox id " + strconv.Quote(sandbox) + ": not found"}
		c.note(trace.Started, "CreateContainer", err, "")
		return nil, err
	}
	ct := &Container{Sandbox: sandbox, Config: cfg, ImageRef: cfg.ImageRef, Created: c.Now, Started: sim.Never, pids: 1}
	ct.ID = m.rt.id("container", m.Name+"/"+p.uid+"/"+cfg.Name+"/"+strconv.Itoa(s.Attempt)+"/"+strconv.Itoa(cfg.Attempt))
	ct.fs = m.rootFS(p, s, cfg)
	ct.base = ct.fs.Root.Used()
	m.prune(p, cfg.Name)
	p.containers = append(p.containers, ct)
	m.where[ct.ID] = p.uid
	c.note(trace.Started, "CreateContainer", nil, "created", containerDetail(ct)...)
	return ct, nil
}

func containerDetail(ct *Container) []trace.Detail {
	cfg := ct.Config
	argv := workload.Argv(cfg.Image, cfg.Command, cfg.Args)
	return []trace.Detail{{Name: "container", Value: cfg.Name}, {Name: "id", Value: ct.ID}, {Name: "attempt", Value: strconv.Itoa(cfg.Attempt)},
		{Name: "image", Value: cfg.ImageRef}, {Name: "argv", Value: strings.Join(argv, " ")}}
}

// prune keeps the newest dead container of a name, as the kubelet's garbage
// collector does.
func (m *Machine) prune(p *pod, name string) {
	dead := 0
	for i := len(p.containers) - 1; i >= 0; i-- {
		ct := p.containers[i]
		if ct.Config.Name != name || ct.State == Running {
			continue
		}
		if dead++; dead > 1 {
			delete(m.where, ct.ID)
			p.containers = slices.Delete(p.containers, i, i+1)
		}
	}
}

// rootFS puts the pod's own files into a copy of the image's and mounts its volumes.
func (m *Machine) rootFS(p *pod, s *Sandbox, cfg *ContainerConfig) *workload.FS {
	root := cfg.Image.NewRoot()
	fs := &workload.FS{Root: root, ReadOnly: cfg.ReadOnlyRoot, UID: cfg.UID, GIDs: append([]int64{cfg.GID}, cfg.Groups...)}
	_ = root.Put("etc/hosts", s.hosts, 0o644, 0, 0)
	_ = root.Put("etc/hostname", []byte(s.Config.Hostname+"\n"), 0o644, 0, 0)
	_ = root.Put("etc/resolv.conf", []byte(s.Config.ResolvConf), 0o644, 0, 0)
	switch {
	case cfg.Termination == "":
	case cfg.ReadOnlyRoot:
		t := workload.NewTree()
		_ = t.Put(terminationFile, nil, 0o666, 0, 0)
		fs.Mounts = append(fs.Mounts, workload.Mount{Path: cfg.Termination, Tree: t, Sub: terminationFile})
	default:
		_ = root.Put(cfg.Termination, nil, 0o666, 0, 0)
	}
	for _, mt := range cfg.Mounts {
		if t := m.Volume(p.uid, mt.Volume); t != nil {
			fs.Mounts = append(fs.Mounts, workload.Mount{Path: mt.Path, Tree: t, Sub: mt.Sub, ReadOnly: mt.ReadOnly})
		}
	}
	return fs
}

const terminationFile = "termination-log"

// StartContainer runs the container's process. An error leaves it exited with
// reason StartError and code 128.
func (m *Machine) StartContainer(c Call, id string) error {
	p, ct := m.find(id)
	if ct == nil {
		return notFound(id)
	}
	cfg, w := ct.Config, m.world(c, p, ct, nil)
	ct.spec = workload.Spec{Image: cfg.Image, Argv: workload.Argv(cfg.Image, cfg.Command, cfg.Args),
		Env: slices.Concat([]string{"HOSTNAME=" + w.Hostname()}, cfg.Image.Env, cfg.Env), WorkingDir: cfg.WorkingDir, Ports: cfg.Ports, UID: cfg.UID, GID: cfg.GID,
		Stdin: cfg.Stdin, TTY: cfg.TTY, CPUs: m.cpus, Cache: m.rt.cache, Epoch: time.Unix(0, m.rt.cfg.Start).UTC()}
	var proc *workload.Process
	fault := badMount(ct)
	if fault == nil {
		proc, fault = workload.Start(ct.spec, w)
	}
	p.touch(c.Now)
	if fault != nil {
		ct.State, ct.Started, ct.Finished = Exited, sim.Never, c.Now
		ct.ExitCode, ct.Reason = fault.Code, "StartError"
		ct.Message = fault.Message
		err := &Error{"Unknown", fault.Message}
		c.note(trace.Started, "StartContainer", err, "", containerDetail(ct)[:2]...)
		return err
	}
	ct.proc, ct.State, ct.Started = proc, Running, c.Now
	m.wake(id)
	c.note(trace.Started, "StartContainer", nil, "runs", containerDetail(ct)[:2]...)
	return nil
}

// badMount finds a mount whose source and target are not of the same kind: the
// kernel refuses it (runc, libcontainer/rootfs_linux.go).
func badMount(ct *Container) *workload.StartError {
	image := &workload.FS{Root: ct.fs.Root}
	for i := range ct.Config.Mounts {
		mt := &ct.Config.Mounts[i]
		at, err := image.Stat(mt.Path)
		if err != nil {
			continue
		}
		from, err := ct.fs.Stat(mt.Path)
		if err != nil || from.IsDir() == at.IsDir() {
			continue
		}
		return &workload.StartError{Code: 128, Message: "failed to create containerd task: failed to create shim task: OCI runtime create failed: " +
			"runc create failed: unable to start container process: error during container init: error mounting " + strconv.Quote(mt.Source) +
			" to rootfs at " + strconv.Quote(mt.Path) + ": mount src=" + mt.Source + ", dst=" + mt.Path +
			", dstFd=/proc/thread-self/fd/11, flags=MS_BIND|MS_REC: not a directory"}
	}
	return nil
}

func notFound(id string) *Error {
	return &Error{"NotFound", "an error occurred when try to find container " + strconv.Quote(id) + ": not found"}
}

// StopContainer sends the stop signal and, when the grace period has run out,
// SIGKILL. It returns at once: the container has stopped when its state says so.
func (m *Machine) StopContainer(c Call, id string, grace time.Duration) error {
	p, ct := m.find(id)
	if ct == nil {
		return notFound(id)
	}
	if ct.State != Running {
		return nil
	}
	sig := ct.Config.StopSignal
	if sig == 0 {
		sig = ct.Config.Image.StopSignal
	}
	if sig == 0 {
		sig = sigterm
	}
	c.note(trace.Ended, "StopContainer", nil, "signal "+strconv.Itoa(sig), trace.Detail{Name: "container", Value: ct.Config.Name},
		trace.Detail{Name: "id", Value: id}, trace.Detail{Name: "timeout", Value: grace.String()})
	ct.Stopping = true
	at := c.Now.Add(grace)
	if ct.killAt == 0 || at < ct.killAt {
		ct.killAt = at
	}
	ct.proc.Signal(sig, m.world(c, p, ct, nil))
	m.wake(id)
	return nil
}

// UpdateContainerResources changes what a running container may use.
func (m *Machine) UpdateContainerResources(c Call, id string, a Amounts) error {
	p, ct := m.find(id)
	if ct == nil {
		return notFound(id)
	}
	cfg := *ct.Config
	cfg.Amounts = a
	ct.Config = &cfg
	p.touch(c.Now)
	m.wake(id)
	c.note(trace.Started, "UpdateContainerResources", nil, "updated", trace.Detail{Name: "container", Value: cfg.Name}, trace.Detail{Name: "id", Value: id},
		trace.Detail{Name: "cpu", Value: strconv.FormatInt(a.CPULimit, 10) + "m"}, trace.Detail{Name: "memory", Value: strconv.FormatInt(a.MemoryLimit, 10)})
	return nil
}

// RemoveContainer forgets a container.
func (m *Machine) RemoveContainer(c Call, id string) error {
	p, ct := m.find(id)
	if ct == nil {
		return nil
	}
	if ct.State == Running {
		m.end(p, ct, c.Now, 137, 9)
	}
	p.containers = slices.DeleteFunc(p.containers, func(x *Container) bool { return x == ct })
	delete(m.where, id)
	p.touch(c.Now)
	c.note(trace.Ended, "RemoveContainer", nil, "removed", trace.Detail{Name: "container", Value: ct.Config.Name}, trace.Detail{Name: "id", Value: id})
	return nil
}

// Containers returns the containers of a pod, oldest first. They must not be
// changed and are valid until the next call of the machine.
func (m *Machine) Containers(uid string) []*Container {
	if p := m.pods[uid]; p != nil {
		return p.containers
	}
	return nil
}

// ContainerStatus returns a container, or nil. It must not be changed.
func (m *Machine) ContainerStatus(id string) *Container {
	p := m.pods[m.where[id]]
	if p == nil {
		return nil
	}
	for _, c := range p.containers {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// TerminationMessage returns what the program wrote to its termination message
// path.
func (c *Container) TerminationMessage() string {
	for i := range c.fs.Mounts {
		if m := &c.fs.Mounts[i]; m.Path == c.Config.Termination && m.Sub == terminationFile {
			b, _ := m.Tree.Read(terminationFile)
			return string(b)
		}
	}
	b, _ := c.fs.Root.Read(c.Config.Termination)
	return string(b)
}

func (c *Container) clone(mapped func(*workload.Tree) *workload.Tree) *Container {
	n := *c
	n.fs = c.fs.Clone(mapped)
	if c.proc != nil {
		n.proc = c.proc.Clone()
	}
	n.log = c.log.clone()
	n.execs = make([]*session, len(c.execs))
	for i, s := range c.execs {
		e := *s
		e.proc = s.proc.Clone()
		n.execs[i] = &e
	}
	return &n
}

// Memory returns the bytes that the container's processes hold.
func (c *Container) Memory(now sim.Time) int64 {
	if c.proc == nil || c.State != Running {
		return 0
	}
	n := c.proc.Memory(now)
	for _, s := range c.execs {
		n += s.proc.Memory(now)
	}
	return n
}
