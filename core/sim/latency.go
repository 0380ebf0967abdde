package sim

// Latency is the table of waiting times of a run. A scenario may change it.
type Latency struct {
	Request         Time // a client's request and its answer
	Watch           Time // from a commit to a watcher's cache
	SandboxCreate   Time // RunPodSandbox, the CNI call included
	ContainerCreate Time
	ContainerStart  Time
	Exec            Time  // round trip of an exec, beside what the program takes
	Probe           Time  // round trip of a network probe
	PullResolve     Time  // resolving a reference at the registry
	PullPerSecond   int64 // bytes a second
	Pull            Time  // if not 0: what every pull takes, whatever its size
}

// DefaultLatency is a small cluster in one room with a fast registry.
func DefaultLatency() Latency {
	return Latency{
		Request: 4 * Millisecond, Watch: 2 * Millisecond,
		SandboxCreate: 150 * Millisecond, ContainerCreate: 20 * Millisecond, ContainerStart: 30 * Millisecond,
		Exec: 20 * Millisecond, Probe: 2 * Millisecond,
		PullResolve: 400 * Millisecond, PullPerSecond: 40 << 20,
	}
}
