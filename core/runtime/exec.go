package runtime

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/trace"
	"podwalk/core/workload"
)

// ExecSync starts a command in a running container. It returns the session's
// number, to be given to ExecPoll until it is done.
func (m *Machine) ExecSync(c Call, id string, argv []string) (int, error) {
	p, ct := m.find(id)
	if ct == nil {
		return 0, notFound(id)
	}
	if ct.State != Running {
		return 0, &Error{"Unknown", "failed to exec in container: failed to load task: no running task found: task " + id + " not found"}
	}
	spec := ct.spec
	ct.pids++
	spec.Argv, spec.PID, spec.Stdin, spec.TTY = argv, ct.pids, false, false
	s := &session{id: ct.pids}
	proc, fault := workload.Start(spec, m.world(c, p, ct, s))
	if fault != nil {
		text := "failed to exec in container: failed to start exec " + strconv.Quote(m.rt.id("exec", id+"/"+strconv.Itoa(s.id))) + ": " + fault.Message
		err := &Error{"Unknown", text}
		c.note("", "ExecSync", err, "", trace.Detail{Name: "container", Value: ct.Config.Name}, trace.Detail{Name: "argv", Value: strings.Join(argv, " ")})
		return 0, err
	}
	s.proc = proc
	ct.execs = append(ct.execs, s)
	return s.id, nil
}

// ExecPoll advances a session and says how it stands. A session whose container
// has ended is done with code 137.
func (m *Machine) ExecPoll(c Call, id string, n int) Exec {
	p, ct := m.find(id)
	if ct == nil {
		return Exec{Done: true, Code: 128 + sigkill}
	}
	i := slices.IndexFunc(ct.execs, func(s *session) bool { return s.id == n })
	if i < 0 {
		return Exec{Done: true, Code: 128 + sigkill}
	}
	s := ct.execs[i]
	step := s.proc.Run(m.world(c, p, ct, s))
	if !step.Done {
		return Exec{Next: step.Next}
	}
	ct.execs = slices.Delete(ct.execs, i, i+1)
	x := Exec{Done: true, Code: step.Code, Stdout: string(s.proc.Output(0)), Stderr: string(s.proc.Output(1))}
	c.note("", "ExecSync", nil, "exit "+strconv.Itoa(step.Code), trace.Detail{Name: "container", Value: ct.Config.Name},
		trace.Detail{Name: "session", Value: strconv.Itoa(n)}, trace.Detail{Name: "output", Value: x.Output()})
	return x
}

// ExecKill ends a session that took too long.
func (m *Machine) ExecKill(c Call, id string, n int) {
	if _, ct := m.find(id); ct != nil {
		ct.execs = slices.DeleteFunc(ct.execs, func(s *session) bool { return s.id == n })
	}
}

// Output returns what the command wrote, the errors last.
func (x Exec) Output() string { return x.Stdout + x.Stderr }
