package printer

import (
	"podwalk/core/api"
	"podwalk/core/kubectl/age"
)

// PodState is what the columns of kubectl get pods say about a pod
// (printers.go printPod).
type PodState struct {
	Status       string // the STATUS column
	Ready, Total int    // the READY column
	Restarts     int
	LastRestart  api.Time // when the last container ended that was restarted; 0 for never
}

// podColumns reads a PodState out of a pod, one container after the other.
type podColumns struct {
	PodState
	sidecarRestarts int
	sidecarLast     api.Time
}

// StateOf returns the state that kubectl get shows for a pod.
func StateOf(p *api.Pod) PodState {
	s := podColumns{PodState: PodState{Status: or(p.Status.Reason, p.Status.Phase), Total: len(p.Spec.Containers)}}
	if c := condition(p, "PodScheduled"); c != nil && c.Reason == "SchedulingGated" {
		s.Status = "SchedulingGated"
	}
	initializing := s.initContainers(p)
	if c := condition(p, "Initialized"); !initializing || c != nil && c.Status == "True" {
		s.containers(p)
	}
	terminal := p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed"
	switch {
	case p.DeletionTimestamp == nil:
	case p.Status.Reason == "NodeLost":
		s.Status = "Unknown"
	case !terminal:
		s.Status = "Terminating"
	}
	return s.PodState
}

func condition(p *api.Pod, kind string) *api.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

func (s *podColumns) initContainers(p *api.Pod) (initializing bool) {
	sidecars := map[string]bool{}
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == "Always" {
			sidecars[c.Name] = true
			s.Total++
		}
	}
	for i, c := range p.Status.InitContainerStatuses {
		sidecar := sidecars[c.Name]
		s.Restarts += int(c.RestartCount)
		s.LastRestart = max(s.LastRestart, ended(c))
		if sidecar {
			s.sidecarRestarts += int(c.RestartCount)
			s.sidecarLast = max(s.sidecarLast, ended(c))
		}
		if t := c.State.Terminated; t != nil && t.ExitCode == 0 {
			continue
		}
		if sidecar && c.Started != nil && *c.Started {
			if c.Ready {
				s.Ready++
			}
			continue
		}
		s.Status = "Init:" + initReason(c, i, len(p.Spec.InitContainers))
		return true
	}
	return false
}

func ended(c api.ContainerStatus) api.Time {
	if t := c.LastTerminationState.Terminated; t != nil {
		return t.FinishedAt
	}
	return 0
}

func initReason(c api.ContainerStatus, i, n int) string {
	if t := c.State.Terminated; t != nil {
		return exitReason(t)
	}
	if w := c.State.Waiting; w != nil && w.Reason != "" && w.Reason != "PodInitializing" {
		return w.Reason
	}
	return ratio(i, n)
}

func exitReason(t *api.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return "Signal:" + num(t.Signal)
	}
	return "ExitCode:" + num(t.ExitCode)
}

func (s *podColumns) containers(p *api.Pod) {
	s.Restarts, s.LastRestart = s.sidecarRestarts, s.sidecarLast
	running, failure := false, ""
	for i := len(p.Status.ContainerStatuses) - 1; i >= 0; i-- {
		c := p.Status.ContainerStatuses[i]
		s.Restarts += int(c.RestartCount)
		s.LastRestart = max(s.LastRestart, ended(c))
		switch t := c.State.Terminated; {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			s.Status = c.State.Waiting.Reason
		case t != nil:
			s.Status = exitReason(t)
			if t.ExitCode != 0 {
				failure = s.Status
			}
		case c.Ready && c.State.Running != nil:
			running = true
			s.Ready++
		}
	}
	if s.Status == "Completed" {
		s.completed(p, running, failure)
	}
}

// completed corrects the status of a pod of which one container has completed.
func (s *podColumns) completed(p *api.Pod, running bool, failure string) {
	ready := condition(p, "Ready")
	switch {
	case running && ready != nil && ready.Status == "True":
		s.Status = "Running"
	case failure != "":
		s.Status = failure
	case running:
		s.Status = "NotReady"
	}
}

func podCells(p *api.Pod, now int64) []string {
	s := StateOf(p)
	restarts := num(s.Restarts)
	if s.Restarts != 0 && s.LastRestart != 0 {
		restarts += " (" + age.Since(now, s.LastRestart) + " ago)"
	}
	ip := ""
	if len(p.Status.PodIPs) > 0 {
		ip = p.Status.PodIPs[0].IP
	}
	return []string{p.Name, ratio(s.Ready, s.Total), s.Status, restarts, age.Since(now, p.CreationTimestamp),
		or(ip, "<none>"), or(p.Spec.NodeName, "<none>"), or(p.Status.NominatedNodeName, "<none>"), readinessGates(p)}
}

func readinessGates(p *api.Pod) string {
	if len(p.Spec.ReadinessGates) == 0 {
		return "<none>"
	}
	met := 0
	for _, g := range p.Spec.ReadinessGates {
		if c := condition(p, g.ConditionType); c != nil && c.Status == "True" {
			met++
		}
	}
	return ratio(met, len(p.Spec.ReadinessGates))
}
