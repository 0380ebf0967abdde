package kubelet

import (
	"strconv"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// hook is a lifecycle handler that runs (pkg/kubelet/lifecycle/handlers.go).
type hook struct {
	container string
	id        string // of the container
	exec      int    // session, 0: none
	argv      []string
	at        sim.Time // when to look again
	done      bool
	err       string // why it failed
	message   string // what the status shows
}

// beginHook starts a handler.
func (s *step) beginHook(c *api.Container, id string, h *api.LifecycleHandler) hook {
	k := hook{container: c.Name, id: id, at: s.now}
	switch {
	case h.Exec != nil:
		k.argv = h.Exec.Command
		n, err := s.machine().ExecSync(s.call(), id, k.argv)
		if err != nil {
			s.failExec(&k, err.Error(), "")
		}
		k.exec = n
	case h.HTTPGet != nil:
		s.httpHook(&k, c, h.HTTPGet)
	case h.Sleep != nil:
		k.at = s.now + sim.Time(min(h.Sleep.Seconds, maxGrace))*sim.Second
	default:
		k.done, k.err = true, "invalid handler"
		k.message = "Cannot run handler: invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:nil,Sleep:nil,}"
	}
	return k
}

func (s *step) failExec(k *hook, err, output string) {
	k.done, k.err = true, err
	k.message = "Exec lifecycle hook (" + goList(k.argv) + ") for Container " + quote(k.container) + " in Pod " + quote(s.w.podName()) +
		" failed - error: " + err + ", message: " + quote(output)
}

// httpHook sends the request of a handler; its answer counts only as an answer.
func (s *step) httpHook(k *hook, c *api.Container, h *api.HTTPGetAction) {
	host := h.Host
	if host == "" {
		host = s.podIP()
	}
	port, err := resolvePort(h.Port, c)
	if err == "" {
		conn := s.machine().Dial(s.call(), host, port)
		if conn.Outcome == workload.Connected {
			k.at = s.now + sim.Time(conn.Delay) + s.answerTime(conn, h, host, port)
			return
		}
		err = "Get " + quote(url(h, host, port)) + ": dial tcp " + host + ":" + strconv.Itoa(int(port)) + ": connect: connection refused"
	}
	k.done, k.err = true, err
	k.message = "HTTP lifecycle hook (" + h.Path + ") for Container " + quote(c.Name) + " in Pod " + quote(s.w.podName()) + " failed - error: " + err
}

func (s *step) answerTime(conn workload.Conn, h *api.HTTPGetAction, host string, port int32) sim.Time {
	if conn.Peer == nil {
		return 0
	}
	res := conn.Peer.Answer(workload.Request{Proto: proto(h.Scheme), Method: "GET", Path: path(h.Path), Host: host + ":" + strconv.Itoa(int(port)), From: s.nodeIP()})
	return sim.Time(res.Delay)
}

// pollHook moves a handler on and reports whether it is done.
func (s *step) pollHook(k *hook) bool {
	if k.done || k.container == "" {
		return true
	}
	if k.exec == 0 {
		if s.now < k.at {
			return false
		}
		k.done = true
		return true
	}
	st := s.machine().ExecPoll(s.call(), k.id, k.exec)
	if !st.Done {
		k.at = st.Next
		return false
	}
	k.done = true
	if st.Code != 0 {
		s.failExec(k, "command '"+join(k.argv, " ")+"' exited with "+strconv.Itoa(st.Code)+": "+st.Output(), st.Output())
	}
	return true
}

// nextHook returns when a hook or the end of a container has to be looked at.
func (s *step) nextHook() sim.Time {
	r := s.w.run
	if r == nil {
		return never
	}
	t := never
	if s.w.state == PostStart && !r.hook.done {
		t = r.hook.at
	}
	if s.w.state == KillContainers {
		for i := range r.kills {
			k := &r.kills[i]
			switch {
			case k.done || k.phase == killStopping:
			case k.phase == killHooking:
				t = min(t, k.hook.at, k.since+sim.Time(k.grace)*sim.Second)
			default:
				t = min(t, k.since+sim.Time(k.grace)*sim.Second)
			}
		}
	}
	return max(t, s.now)
}

// hooksDue moves running hooks on.
func (s *step) hooksDue() bool {
	r := s.w.run
	if r == nil || s.w.state != PostStart || r.hook.done {
		return false
	}
	return s.pollHook(&r.hook)
}

func (s *step) hasPostStart() bool {
	l := s.w.run.cur.Lifecycle
	return l != nil && l.PostStart != nil
}

func (s *step) beginPostStart() {
	r := s.w.run
	s.record(trace.Started, trace.Info, "PostStart", "postStart hook of container "+r.cur.Name)
	r.hook = s.beginHook(r.cur, r.id, r.cur.Lifecycle.PostStart)
}

func (s *step) postStartFailed() bool { return s.w.run.hook.done && s.w.run.hook.err != "" }
func (s *step) postStartDone() bool   { return s.w.run.hook.done }

// killAfterHook kills a container whose postStart hook failed.
func (s *step) killAfterHook() {
	r := s.w.run
	s.event(s.fieldPath(r.cur.Name), "Warning", "FailedPostStartHook", "PostStartHook failed")
	r.then = thenHook
	s.addKill(r.id, r.cur.Name, "FailedPostStartHook", killHook, nil, false)
}

// failHook goes on after such a kill.
func (s *step) failHook() {
	r := s.w.run
	r.kills, r.then = nil, thenGoOn
	r.fail = &startResult{container: r.cur.Name, err: "PostStartHookError", message: r.hook.message}
	s.failStart()
}

// goList prints a list of strings as Go's %v does.
func goList(l []string) string { return "[" + join(l, " ") + "]" }
