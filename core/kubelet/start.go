package kubelet

import (
	"slices"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
)

// current moves to the container that is started next.
func (s *step) noneLeft() bool {
	w, r := s.w, s.w.run
	if r.abort || r.err != "" || r.i >= len(r.actions.start) || r.sandbox == "" {
		return true
	}
	at := r.actions.start[r.i]
	spec := &w.pod.Spec
	switch at.kind {
	case mainContainer:
		r.cur = &spec.Containers[at.index]
	case initContainer:
		r.cur = &spec.InitContainers[at.index]
	case ephemeralContainer:
		c := ephemeralAsContainer(&spec.EphemeralContainers[at.index])
		r.cur = &c
	}
	r.kind, r.fail, r.pull, r.conf, r.id = at.kind, nil, pulling{}, nil, ""
	return false
}

// crashed returns the newest dead instance of the current container, or nil.
func (s *step) crashed() *containerStatus {
	r := s.w.run
	for i := range r.status.containers {
		if c := &r.status.containers[i]; c.name == r.cur.Name && c.exited() {
			return c
		}
	}
	return nil
}

// inBackOff reports whether the container crashed too recently
// (pkg/kubelet/kuberuntime/kuberuntime_manager.go, doBackOff).
func (s *step) inBackOff() bool {
	dead := s.crashed()
	return dead != nil && find(s.w.crash, backOffKey(s.w.run.cur)).sinceEvent(dead.finishedAt, s.now)
}

// backOffKey changes with what a user would change to mend the container.
func backOffKey(c *api.Container) string {
	key := c.Name + "/" + c.Image
	for _, l := range []map[string]api.Quantity{c.Resources.Limits, c.Resources.Requests} {
		for _, n := range sortedNames(l) {
			q := l[n]
			key += "/" + n + "=" + q.String()
		}
	}
	return key
}

// backOff reports that a container waits, and goes on to the next.
func (s *step) backOff() {
	w, r := s.w, s.w.run
	b := find(w.crash, backOffKey(r.cur))
	s.event(s.fieldPath(r.cur.Name), "Warning", "BackOff", "Back-off restarting failed container "+r.cur.Name+" in pod "+w.podName())
	r.results = append(r.results, startResult{r.cur.Name, "CrashLoopBackOff",
		"back-off " + spanText(b.wait) + " restarting failed container=" + r.cur.Name + " pod=" + w.podName(), s.crashed().finishedAt + b.wait})
	s.nextContainer(true)
}

// failStart notes that the current container could not be started, and goes on.
func (s *step) failStart() {
	r := s.w.run
	r.results = append(r.results, *r.fail)
	s.nextContainer(true)
}

// started notes that the current container runs, and goes on.
func (s *step) started() {
	r := s.w.run
	r.results = append(r.results, startResult{container: r.cur.Name})
	s.nextContainer(false)
}

// nextContainer goes on; an init container that could not be started ends the run.
func (s *step) nextContainer(failed bool) {
	r := s.w.run
	if failed && r.kind == initContainer && !isSidecar(r.cur) {
		r.abort = true
	}
	r.i++
}

// fails notes what went wrong with the current container. The event's text is that
// of the error without its gRPC code.
func (s *step) fails(reason, message, event string) {
	s.w.run.fail = &startResult{container: s.w.run.cur.Name, err: reason, message: message}
	if event != "" {
		s.event(s.fieldPath(s.w.run.cur.Name), "Warning", "Failed", "Error: "+event)
	}
}

// makeConfig makes the request that creates the container
// (pkg/kubelet/kuberuntime/kuberuntime_container.go, generateContainerConfig).
func (s *step) makeConfig() {
	w, r := s.w, s.w.run
	if dead := s.crashed(); dead != nil {
		w.crash = grow(w.crash, backOffKey(r.cur), dead.finishedAt, s.now)
	}
	conf, err := s.containerConfig()
	if err != nil {
		s.fails("CreateContainerConfigError", err.Error(), err.Error())
		return
	}
	r.conf = conf
}

// createContainer asks the machine for the container.
func (s *step) createContainer() {
	r := s.w.run
	r.acted = true
	ct, err := s.machine().CreateContainer(s.call(), r.sandbox, r.conf)
	if err != nil {
		text := description(err)
		s.fails("CreateContainerError", text, text)
		return
	}
	r.id = ct.ID
	s.event(s.fieldPath(r.cur.Name), "Normal", "Created", "Container created")
}

// startContainer asks the machine to run the container's process.
func (s *step) startContainer() {
	r := s.w.run
	if err := s.machine().StartContainer(s.call(), r.id); err != nil {
		text := description(err)
		s.fails("RunContainerError", text, text)
		return
	}
	s.event(s.fieldPath(r.cur.Name), "Normal", "Started", "Container started")
}

// description is the text of a CRI error without its code.
func description(err error) string {
	if e, ok := err.(*runtime.Error); ok {
		return e.Desc
	}
	return err.Error()
}

// restartCount is the number that the next instance of the current container gets.
func (s *step) restartCount() int {
	if st := s.w.run.status.named(s.w.run.cur.Name); st != nil {
		return st.restarts + 1
	}
	return 0
}

// fieldPath is how events name a container
// (pkg/kubelet/container/ref.go, fieldPath).
func (s *step) fieldPath(name string) string {
	spec := &s.w.pod.Spec
	switch {
	case slices.ContainsFunc(spec.Containers, func(c api.Container) bool { return c.Name == name }):
		return "spec.containers{" + name + "}"
	case slices.ContainsFunc(spec.InitContainers, func(c api.Container) bool { return c.Name == name }):
		return "spec.initContainers{" + name + "}"
	}
	return "spec.ephemeralContainers{" + name + "}"
}

// spanText prints a span as Go does, such as 1m20s.
func spanText(t sim.Time) string { return t.Sub(0).String() }

func quote(s string) string { return strconv.Quote(s) }

func ephemeralAsContainer(e *api.EphemeralContainer) api.Container {
	return api.Container{Args: e.Args, Command: e.Command, Env: e.Env, EnvFrom: e.EnvFrom, Image: e.Image, ImagePullPolicy: e.ImagePullPolicy,
		Name: e.Name, Ports: e.Ports, Resources: e.Resources, SecurityContext: e.SecurityContext, Stdin: e.Stdin, StdinOnce: e.StdinOnce,
		TerminationMessagePath: e.TerminationMessagePath, TerminationMessagePolicy: e.TerminationMessagePolicy, TTY: e.TTY,
		VolumeDevices: e.VolumeDevices, VolumeMounts: e.VolumeMounts, WorkingDir: e.WorkingDir, RestartPolicy: ptr("Never")}
}

func ptr[T any](v T) *T { return &v }

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// containerSpec returns the container of a name of any kind, or nil.
func containerSpec(pod *api.Pod, name string) *api.Container {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i]
		}
	}
	for i := range pod.Spec.InitContainers {
		if pod.Spec.InitContainers[i].Name == name {
			return &pod.Spec.InitContainers[i]
		}
	}
	for i := range pod.Spec.EphemeralContainers {
		if pod.Spec.EphemeralContainers[i].Name == name {
			c := ephemeralAsContainer(&pod.Spec.EphemeralContainers[i])
			return &c
		}
	}
	return nil
}
