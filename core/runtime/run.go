package runtime

import (
	"strconv"

	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

const (
	sigkill = 9
	sigterm = 15
)

// Changed is a pod whose state changed while processes ran.
type Changed struct {
	Key  sim.Key // the kubelet's key: Pod, namespace, name
	Node string
	Now  bool // a call of the kubelet waits for it: do not wait for the next relist
}

// Run advances the processes of the container that the key names (see Key) and
// returns when to call again, whether that call could change anything, and whose
// state has changed.
func (r *Runtime) Run(now sim.Time, key sim.Key, rec func(trace.Record) sim.Cause) (sim.Time, bool, []Changed) {
	if r.machines[key.Namespace] == nil {
		return sim.Never, false, nil
	}
	m := r.Node(key.Namespace)
	p, ct := m.find(key.Name)
	if ct == nil || ct.State != Running {
		return sim.Never, false, nil
	}
	c := Call{Now: now, Record: rec, Ref: trace.Ref{Kind: "Pod", Namespace: p.namespace, Name: p.name}}
	next, periodic := m.advance(c, p, ct)
	over := p.limits != nil && p.measure(now)
	if ct.State == Running && !over {
		return next, periodic, nil
	}
	return next, periodic, []Changed{{Key: sim.Key{Kind: "Pod", Namespace: p.namespace, Name: p.name}, Node: m.Name, Now: ct.Stopping || over}}
}

// advance runs the main process of a container, kills it when its time is over,
// and watches its memory.
func (m *Machine) advance(c Call, p *pod, ct *Container) (sim.Time, bool) {
	if ct.killAt != 0 && c.Now >= ct.killAt {
		m.finish(c, p, ct, 128+sigkill, sigkill)
		return sim.Never, false
	}
	step := ct.proc.Run(m.world(c, p, ct, nil))
	if step.Limit != "" {
		m.limit(c, ct, step.Limit)
	}
	if step.Done {
		m.finish(c, p, ct, step.Code, step.Signal)
		return sim.Never, false
	}
	next, periodic := step.Next, step.Periodic
	if ct.Config.Amounts.MemoryLimit > 0 {
		at := ct.proc.Exceeds(ct.Config.Amounts.MemoryLimit, c.Now)
		if at <= c.Now {
			ct.oom = true
			m.finish(c, p, ct, 128+sigkill, sigkill)
			return sim.Never, false
		}
		if at < next || at == next && periodic {
			next, periodic = at, false
		}
	}
	if ct.killAt != 0 && ct.killAt < next {
		return ct.killAt, false
	}
	return next, periodic && ct.killAt == 0
}

func (m *Machine) limit(c Call, ct *Container, what string) {
	if c.Record != nil {
		c.Record(trace.Record{At: c.Now, Source: "runtime", Stage: trace.Started, Ref: c.Ref, Verdict: trace.NotSimulated, Reason: "Limit",
			Message: "container " + ct.Config.Name + ": " + what})
	}
}

// finish ends a container and leaves a record.
func (m *Machine) finish(c Call, p *pod, ct *Container, code, signal int) {
	m.end(p, ct, c.Now, code, signal)
	if c.Record == nil {
		return
	}
	v := trace.Info
	if ct.ExitCode != 0 {
		v = trace.Failed
	}
	detail := []trace.Detail{{Name: "container", Value: ct.Config.Name}, {Name: "id", Value: ct.ID}, {Name: "exit code", Value: strconv.Itoa(ct.ExitCode)}}
	if signal != 0 {
		detail = append(detail, trace.Detail{Name: "signal", Value: strconv.Itoa(signal)})
	}
	p.cause = c.Record(trace.Record{At: c.Now, Source: "runtime", Stage: trace.Ended, Ref: c.Ref, Verdict: v, Reason: ct.Reason,
		Message: "container " + ct.Config.Name + " has ended", Detail: detail})
}

// end takes a container out of the running ones.
func (m *Machine) end(p *pod, ct *Container, now sim.Time, code, signal int) {
	ct.State, ct.Finished, ct.ExitCode = Exited, now, code
	switch {
	case ct.oom:
		ct.Reason = "OOMKilled"
	case code == 0:
		ct.Reason = "Completed"
	default:
		ct.Reason = "Error"
	}
	ct.proc, ct.execs, ct.killAt = nil, nil, 0
	p.closeAll(ct.ID)
	p.touch(now)
}

// Exec is an exec session as the kubelet sees it.
type Exec struct {
	Done   bool
	Code   int
	Stdout string
	Stderr string
	Next   sim.Time // when to poll again
}

// session is a program that was started in a container beside its main process.
type session struct {
	id   int
	proc *workload.Process
}
