package runtime

import (
	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// world is what a process sees: the files of its container, the network of its
// pod. It lives for one call.
type world struct {
	*workload.FS
	m    *Machine
	call Call
	pod  *pod
	ct   *Container
	exec *session // nil: the main process
}

func (m *Machine) world(c Call, p *pod, ct *Container, s *session) *world {
	return &world{FS: ct.fs, m: m, call: c, pod: p, ct: ct, exec: s}
}

func (w *world) Now() sim.Time { return w.call.Now }

func (w *world) Hostname() string {
	if s := w.pod.sandbox(w.ct.Sandbox); s != nil {
		return s.Config.Hostname
	}
	return w.m.Name
}

func (w *world) Random(purpose string, n uint64) uint64 {
	return w.m.rt.cfg.Random.Uint64("program/"+purpose, w.pod.namespace+"/"+w.pod.name+"/"+w.ct.Config.Name, n)
}

func (w *world) Log(stream, line string) {
	w.ct.log.add(LogLine{At: w.call.Now, Stderr: stream == "stderr", Text: line})
}

func (w *world) NotSimulated(what string) { w.record(trace.NotSimulated, what) }

func (w *world) Assumed(what string) { w.record(trace.Assumed, what) }

func (w *world) record(v trace.Verdict, what string) {
	if w.call.Record != nil {
		w.call.Record(trace.Record{At: w.call.Now, Source: "runtime", Stage: trace.Started, Ref: w.call.Ref, Verdict: v, Reason: "Program",
			Message: "container " + w.ct.Config.Name + ": " + what})
	}
}

// Processes lists what runs in the container.
func (w *world) Processes() []workload.ProcessInfo {
	var list []workload.ProcessInfo
	if w.ct.proc != nil {
		list = w.ct.proc.List()
	}
	for _, s := range w.ct.execs {
		if s.proc != nil {
			list = append(list, s.proc.List()...)
		}
	}
	return list
}

// Kill signals a process of the container outside the calling one.
func (w *world) Kill(pid, sig int) bool {
	if pid == 1 && w.ct.proc != nil && w.exec != nil {
		if sig != 0 {
			w.ct.proc.Signal(sig, w.m.world(w.call, w.pod, w.ct, nil))
			w.m.wake(w.ct.ID)
		}
		return true
	}
	for _, s := range w.ct.execs {
		if s.id == pid && s != w.exec {
			if sig != 0 {
				s.proc.Signal(sig, w.m.world(w.call, w.pod, w.ct, s))
			}
			return true
		}
	}
	return false
}
