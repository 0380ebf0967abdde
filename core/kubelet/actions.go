package kubelet

import (
	"podwalk/core/api"
	"podwalk/core/runtime"
)

// kind is the kind of a container.
type kind uint8

const (
	mainContainer kind = iota
	initContainer
	ephemeralContainer
)

// actions is what a sync has to do with a pod's sandbox and containers
// (pkg/kubelet/kuberuntime/kuberuntime_manager.go, podActions).
type actions struct {
	killPod       bool
	createSandbox bool
	attempt       int
	sandbox       string
	kills         []toKill
	start         []toStart
}

type toStart struct {
	kind  kind
	index int
}

type toKill struct {
	id, name, message string
	reason            killReason
}

// computeActions compares what runs with what shall run
// (pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions).
func (s *step) computeActions() {
	w, r := s.w, s.w.run
	s.addProbes()
	r.secrets = s.missingPullSecrets()
	a := &r.actions
	changed, attempt, id, _ := sandboxChanged(w.pod, &r.status)
	a.killPod, a.createSandbox, a.attempt, a.sandbox = changed, changed, attempt, id
	r.sandbox = id
	if changed {
		s.actionsForNewSandbox()
		if a.createSandbox && id != "" {
			s.event("", "Normal", "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.")
		}
		return
	}
	for i := range w.pod.Spec.EphemeralContainers {
		if r.status.named(w.pod.Spec.EphemeralContainers[i].Name) == nil {
			a.start = append(a.start, toStart{ephemeralContainer, i})
		}
	}
	ephemeral := len(a.start)
	initialised := s.initActions()
	if a.killPod {
		a.start = a.start[:ephemeral]
		return
	}
	if initialised {
		s.mainActions()
	}
}

// sandboxChanged reports whether the pod needs a new sandbox and why
// (pkg/kubelet/kuberuntime/util/util.go, PodSandboxChanged).
func sandboxChanged(pod *api.Pod, st *podStatus) (changed bool, attempt int, id, why string) {
	if len(st.sandboxes) == 0 {
		return true, 0, "", "no pod sandbox exists"
	}
	ready := 0
	for i := range st.sandboxes {
		if st.sandboxes[i].ready {
			ready++
		}
	}
	box := &st.sandboxes[0]
	switch {
	case ready > 1:
		return true, box.attempt + 1, box.id, "multiple ready sandboxes exist"
	case !box.ready:
		return true, box.attempt + 1, box.id, "pod sandbox is not ready"
	case !pod.Spec.HostNetwork && box.ip == "":
		return true, box.attempt + 1, box.id, "pod sandbox has no IP address"
	}
	return false, box.attempt, box.id, ""
}

func (s *step) actionsForNewSandbox() {
	w, r := s.w, s.w.run
	a := &r.actions
	spec := &w.pod.Spec
	if spec.RestartPolicy == "Never" && a.attempt != 0 && len(r.status.containers) != 0 {
		a.createSandbox = false
		return
	}
	var start []toStart
	for i := range spec.Containers {
		c := &spec.Containers[i]
		once := spec.RestartPolicy == "OnFailure"
		if c.RestartPolicy != nil {
			once = *c.RestartPolicy == "OnFailure"
		}
		if st := r.status.named(c.Name); once && st != nil && st.exited() && st.exitCode == 0 {
			continue
		}
		start = append(start, toStart{mainContainer, i})
	}
	if len(start) == 0 && anyMainCreated(spec, &r.status) {
		a.createSandbox = false
		return
	}
	if len(spec.InitContainers) != 0 {
		start = []toStart{{initContainer, 0}}
	}
	a.start = append(a.start, start...)
}

func anyMainCreated(spec *api.PodSpec, st *podStatus) bool {
	for i := range spec.Containers {
		if st.named(spec.Containers[i].Name) != nil {
			return true
		}
	}
	return false
}

// anyMainStarted reports whether a container of spec.containers has run in the
// present sandbox (pkg/kubelet/container/helpers.go, HasAnyActiveRegularContainerStarted).
func anyMainStarted(spec *api.PodSpec, st *podStatus) bool {
	for i := range spec.Containers {
		if c := st.active(spec.Containers[i].Name); c != nil && (c.running() || c.exited()) {
			return true
		}
	}
	return false
}

// initActions decides on the init containers, from the last to the first, and
// reports whether the pod is initialised
// (pkg/kubelet/kuberuntime/kuberuntime_container.go, computeInitContainerActions).
func (s *step) initActions() bool {
	w, r := s.w, s.w.run
	list := w.pod.Spec.InitContainers
	if len(list) == 0 {
		return true
	}
	x := initScan{s: s, initialised: anyMainStarted(&w.pod.Spec, &r.status)}
	x.previous = x.initialised
	for i := len(list) - 1; i >= 0; i-- {
		if !x.visit(i) {
			return false
		}
	}
	if !x.previous {
		x.start = append(x.start, 0)
	}
	for i := len(x.start) - 1; i >= 0; i-- {
		r.actions.start = append(r.actions.start, toStart{initContainer, x.start[i]})
	}
	return x.initialised
}

type initScan struct {
	s                     *step
	initialised, previous bool
	start                 []int // last first
}

// visit looks at one init container; false means that the pod has failed.
func (x *initScan) visit(i int) bool {
	s := x.s
	c := &s.w.pod.Spec.InitContainers[i]
	st := s.w.run.status.active(c.Name)
	if st == nil {
		if x.previous && isSidecar(c) {
			x.start = append(x.start, i)
		}
		return true
	}
	if x.previous && !isSidecar(c) {
		return true
	}
	switch st.state {
	case runtime.Created:
		x.start = append(x.start, i)
	case runtime.Running:
		if isSidecar(c) {
			x.sidecar(i, c, st)
		}
	case runtime.Exited:
		if !x.exited(i, c, st) {
			return false
		}
	}
	x.previous = true
	return true
}

// sidecar decides on a running sidecar: whether the next container may start, and
// whether its probes demand a restart.
func (x *initScan) sidecar(i int, c *api.Container, st *containerStatus) {
	s, a := x.s, &x.s.w.run.actions
	restart := func(message string, why killReason) {
		a.kills = append(a.kills, toKill{st.id, c.Name, message, why})
		x.start = append(x.start, i)
	}
	if c.StartupProbe != nil {
		v, ok := s.w.result(startupProbe, st.id)
		if ok && v == probeFailure {
			restart("Init container "+c.Name+" failed startup probe", killStartup)
		}
		if !ok || v != probeSuccess {
			return
		}
	}
	if i == len(s.w.pod.Spec.InitContainers)-1 {
		x.initialised = true
	} else if !x.previous {
		x.start = append(x.start, i+1)
	}
	if c.LivenessProbe != nil {
		if v, ok := s.w.result(livenessProbe, st.id); ok && v == probeFailure {
			restart("Init container "+c.Name+" failed liveness probe", killLiveness)
		}
	}
}

// exited decides on an init container that has ended.
func (x *initScan) exited(i int, c *api.Container, st *containerStatus) bool {
	s, a := x.s, &x.s.w.run.actions
	switch {
	case isSidecar(c):
		x.start = append(x.start, i)
	case st.exitCode != 0:
		if !s.shouldRestart(c, &s.w.run.status) {
			a.killPod = true
			return false
		}
		x.start = append(x.start, i)
	case i == len(s.w.pod.Spec.InitContainers)-1:
		x.initialised = true
	default:
		x.start = append(x.start, i+1)
	}
	return true
}

// mainActions decides on the containers of spec.containers.
func (s *step) mainActions() {
	w, r := s.w, s.w.run
	a := &r.actions
	keep, start := 0, 0
	for i := range w.pod.Spec.Containers {
		c := &w.pod.Spec.Containers[i]
		st := r.status.named(c.Name)
		if st == nil || !st.running() {
			if s.shouldRestart(c, &r.status) {
				a.start = append(a.start, toStart{mainContainer, i})
				start++
			}
			continue
		}
		message, why := s.unwanted(c, st)
		if message == "" && s.resizeAction(c, st) {
			a.kills = append(a.kills, toKill{st.id, c.Name, "Container " + c.Name + " resize requires restart", killChanged})
			a.start = append(a.start, toStart{mainContainer, i})
			start++
			continue
		}
		if message == "" {
			keep++
			continue
		}
		restart := w.pod.Spec.RestartPolicy != "Never"
		if c.RestartPolicy != nil {
			restart = *c.RestartPolicy != "Never"
		}
		if why == killChanged {
			restart = true
		}
		if restart {
			message += ", will be restarted"
			a.start = append(a.start, toStart{mainContainer, i})
			start++
		}
		a.kills = append(a.kills, toKill{st.id, c.Name, message, why})
	}
	if keep == 0 && start == 0 {
		a.killPod = true
		a.start = onlyEphemeral(a.start)
	}
}

func onlyEphemeral(list []toStart) []toStart {
	var l []toStart
	for _, x := range list {
		if x.kind == ephemeralContainer {
			l = append(l, x)
		}
	}
	return l
}

// unwanted says why a running container has to go, "" if it may stay.
func (s *step) unwanted(c *api.Container, st *containerStatus) (string, killReason) {
	if was := s.machine().ContainerStatus(st.id); was != nil && was.Config.SpecImage != c.Image {
		return "Container " + c.Name + " definition changed", killChanged
	}
	if v, ok := s.w.result(livenessProbe, st.id); ok && v == probeFailure {
		return "Container " + c.Name + " failed liveness probe", killLiveness
	}
	if v, ok := s.w.result(startupProbe, st.id); ok && v == probeFailure {
		return "Container " + c.Name + " failed startup probe", killStartup
	}
	return "", killUnknown
}

// shouldRestart reports whether a container that does not run has to be started
// (pkg/kubelet/container/helpers.go, ShouldContainerBeRestarted).
func (s *step) shouldRestart(c *api.Container, st *podStatus) bool {
	if s.w.pod.DeletionTimestamp != nil {
		return false
	}
	x := st.named(c.Name)
	switch {
	case x == nil, x.state == runtime.Created:
		return true
	case x.running():
		return false
	}
	return restarts(c, &s.w.pod.Spec, x.exitCode)
}

// restarts reports whether a container that ended with a code is started again
// (pkg/api/v1/pod/util.go, ContainerShouldRestart).
func restarts(c *api.Container, spec *api.PodSpec, code int) bool {
	policy := spec.RestartPolicy
	if c.RestartPolicy != nil {
		for i := range c.RestartPolicyRules {
			if ruleMatches(&c.RestartPolicyRules[i], code) {
				return true
			}
		}
		policy = *c.RestartPolicy
	}
	switch policy {
	case "Never":
		return false
	case "OnFailure":
		return code != 0
	}
	return true
}

func ruleMatches(r *api.ContainerRestartRule, code int) bool {
	if r.ExitCodes == nil {
		return false
	}
	in := false
	for _, v := range r.ExitCodes.Values {
		in = in || int(v) == code
	}
	return in == (r.ExitCodes.Operator == "In")
}

func isSidecar(c *api.Container) bool { return c.RestartPolicy != nil && *c.RestartPolicy == "Always" }
