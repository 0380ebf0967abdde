package describe

import (
	"slices"
	"sort"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
)

func (p *page) pod(pod *api.Pod) {
	p.podHead(pod)
	p.podStatus(pod)
	p.podContainers(pod)
	p.podConditions(pod)
	p.volumes(pod.Spec.Volumes, "")
	p.field(0, "QoS Class", or(pod.Status.QOSClass, qosClass(pod)))
	p.labels("Node-Selectors", pod.Spec.NodeSelector)
	p.list("Tolerations", tolerations(pod.Spec.Tolerations))
	p.spreadConstraints(pod.Spec.TopologySpreadConstraints, "")
	p.schedulingGroup(pod.Spec.SchedulingGroup, "")
}

func (p *page) podHead(pod *api.Pod) {
	p.field(0, "Name", pod.Name)
	p.field(0, "Namespace", pod.Namespace)
	if pod.Spec.Priority != nil {
		p.field(0, "Priority", num(*pod.Spec.Priority))
	}
	p.optional("Priority Class Name", pod.Spec.PriorityClassName)
	p.optional("Runtime Class Name", deref(pod.Spec.RuntimeClassName, ""))
	p.optional("Service Account", pod.Spec.ServiceAccountName)
	if pod.Spec.NodeName == "" {
		p.field(0, "Node", "<none>")
	} else {
		p.field(0, "Node", pod.Spec.NodeName+"/"+pod.Status.HostIP)
	}
	if pod.Status.StartTime != nil {
		p.field(0, "Start Time", date(*pod.Status.StartTime))
	}
	p.labels("Labels", pod.Labels)
	p.annotations("Annotations", pod.Annotations)
}

func (p *page) optional(title, value string) {
	if value != "" {
		p.field(0, title, value)
	}
}

func (p *page) podStatus(pod *api.Pod) {
	s := &pod.Status
	if pod.DeletionTimestamp != nil && s.Phase != "Failed" && s.Phase != "Succeeded" {
		p.field(0, "Status", "Terminating (lasts "+age.Since(p.now, *pod.DeletionTimestamp)+")")
		p.field(0, "Termination Grace Period", num(deref(pod.DeletionGracePeriodSeconds, 0))+"s")
	} else {
		p.field(0, "Status", s.Phase)
	}
	p.optional("Reason", s.Reason)
	p.optional("Message", s.Message)
	if c := pod.Spec.SecurityContext; c != nil && c.SeccompProfile != nil {
		p.seccomp(0, 0, c.SeccompProfile)
	}
	p.field(0, "IP", s.PodIP)
	if len(s.PodIPs) == 0 {
		p.field(0, "IPs", "<none>")
	} else {
		p.put(0, "IPs:\n")
	}
	for _, ip := range s.PodIPs {
		p.field(1, "IP", ip.IP)
	}
	p.controlledBy(&pod.ObjectMeta)
	p.optional("NominatedNodeName", s.NominatedNodeName)
}

func (p *page) seccomp(level, local int, s *api.SeccompProfile) {
	p.field(level, "SeccompProfile", s.Type)
	if s.Type == "Localhost" {
		p.field(local, "LocalhostProfile", deref(s.LocalhostProfile, ""))
	}
}

func (p *page) podContainers(pod *api.Pod) {
	if pod.Spec.Resources != nil {
		p.put(0, "Resources:\n")
		p.resources(1, pod.Spec.Resources)
	}
	if len(pod.Spec.InitContainers) > 0 {
		p.containers("Init Containers", pod.Spec.InitContainers, pod.Status.InitContainerStatuses, pod, "")
	}
	p.containers("Containers", pod.Spec.Containers, pod.Status.ContainerStatuses, pod, "")
	if len(pod.Spec.EphemeralContainers) == 0 {
		return
	}
	var list []api.Container
	for _, e := range pod.Spec.EphemeralContainers {
		list = append(list, plainContainer(e))
	}
	p.containers("Ephemeral Containers", list, pod.Status.EphemeralContainerStatuses, pod, "")
}

// plainContainer takes over the fields of an ephemeral container that are shown.
func plainContainer(e api.EphemeralContainer) api.Container {
	return api.Container{
		Name: e.Name, Image: e.Image, Command: e.Command, Args: e.Args, Env: e.Env, EnvFrom: e.EnvFrom, Ports: e.Ports,
		Resources: e.Resources, LivenessProbe: e.LivenessProbe, ReadinessProbe: e.ReadinessProbe, StartupProbe: e.StartupProbe,
		SecurityContext: e.SecurityContext, VolumeMounts: e.VolumeMounts, VolumeDevices: e.VolumeDevices,
	}
}

func (p *page) podConditions(pod *api.Pod) {
	if len(pod.Spec.ReadinessGates) > 0 {
		p.put(0, "Readiness Gates:\n  Type\tStatus\n")
	}
	for _, g := range pod.Spec.ReadinessGates {
		i := slices.IndexFunc(pod.Status.Conditions, func(c api.PodCondition) bool { return c.Type == g.ConditionType })
		status := "<none>"
		if i >= 0 {
			status = pod.Status.Conditions[i].Status
		}
		p.put(1, g.ConditionType, " \t", status, " \n")
	}
	if len(pod.Status.Conditions) > 0 {
		p.put(0, "Conditions:\n  Type\tStatus\n")
	}
	for _, c := range pod.Status.Conditions {
		p.put(1, c.Type, " \t", c.Status, " \n")
	}
}

func (p *page) spreadConstraints(list []api.TopologySpreadConstraint, space string) {
	if len(list) == 0 {
		return
	}
	list = slices.Clone(list)
	sort.Slice(list, func(i, j int) bool { return list[i].TopologyKey < list[j].TopologyKey })
	p.put(0, space, "Topology Spread Constraints:\t")
	for i, c := range list {
		if i > 0 {
			p.put(0, space, "\t")
		}
		p.put(0, c.TopologyKey, ":", c.WhenUnsatisfiable, " when max skew ", num(c.MaxSkew), " is exceeded")
		if c.LabelSelector != nil {
			p.put(0, " for selector ", api.FormatLabelSelector(c.LabelSelector))
		}
		p.put(0, "\n")
	}
}

func (p *page) schedulingGroup(g *api.PodSchedulingGroup, space string) {
	if g == nil {
		return
	}
	p.put(0, space, "SchedulingGroup:\n")
	p.field(1, "PodGroupName", deref(g.PodGroupName, ""))
}

func tolerations(list []api.Toleration) []string {
	list = slices.Clone(list)
	sort.Slice(list, func(i, j int) bool { return list[i].Key < list[j].Key })
	var out []string
	for _, t := range list {
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		if t.Effect != "" {
			text += ":" + t.Effect
		}
		if t.Operator == "Exists" && t.Value == "" {
			text = strings.TrimPrefix(text+" op=Exists", " ")
		}
		if t.TolerationSeconds != nil {
			text += " for " + num(*t.TolerationSeconds) + "s"
		}
		out = append(out, text)
	}
	return out
}

// podTemplate describes the template of a controller; nil is shown as unset.
func (p *page) podTemplate(t *api.PodTemplateSpec) {
	p.put(0, "Pod Template:\n")
	if t == nil {
		p.put(1, "<unset>")
		return
	}
	p.labels("  Labels", t.Labels)
	if len(t.Annotations) > 0 {
		p.annotations("  Annotations", t.Annotations)
	}
	if t.Spec.ServiceAccountName != "" {
		p.field(1, "Service Account", t.Spec.ServiceAccountName)
	}
	if len(t.Spec.InitContainers) > 0 {
		p.containers("Init Containers", t.Spec.InitContainers, nil, nil, "  ")
	}
	p.containers("Containers", t.Spec.Containers, nil, nil, "  ")
	p.volumes(t.Spec.Volumes, "  ")
	p.spreadConstraints(t.Spec.TopologySpreadConstraints, "  ")
	if t.Spec.PriorityClassName != "" {
		p.field(1, "Priority Class Name", t.Spec.PriorityClassName)
	}
	p.labels("  Node-Selectors", t.Spec.NodeSelector)
	p.list("  Tolerations", tolerations(t.Spec.Tolerations))
	p.schedulingGroup(t.Spec.SchedulingGroup, "  ")
}
