package describe

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/printer"
)

// containers describes containers and, where it has one, the status of each. pod
// resolves fieldRef variables; nil for a template.
func (p *page) containers(label string, list []api.Container, statuses []api.ContainerStatus, pod *api.Pod, space string) {
	none := ""
	if len(list) == 0 {
		none = " <none>"
	}
	p.put(0, space, label, ":", none, "\n")
	indent := ""
	if space != "" {
		indent = " "
	}
	for i := range list {
		c, status := &list[i], (*api.ContainerStatus)(nil)
		for j := range statuses {
			if statuses[j].Name == c.Name {
				status = &statuses[j]
			}
		}
		p.put(1, indent, c.Name, ":\n")
		p.containerHead(c, status)
		p.lines("Command", c.Command)
		p.lines("Args", c.Args)
		p.containerState(status)
		p.resources(2, &c.Resources)
		p.probes(c)
		p.envFrom(c.EnvFrom)
		p.env(c, pod)
		p.mounts(c)
	}
}

func (p *page) containerHead(c *api.Container, status *api.ContainerStatus) {
	if status != nil {
		p.field(2, "Container ID", status.ContainerID)
	}
	p.field(2, "Image", c.Image)
	if status != nil {
		p.field(2, "Image ID", status.ImageID)
	}
	p.ports("Port", c.Ports, func(c api.ContainerPort) int32 { return c.ContainerPort })
	p.ports("Host Port", c.Ports, func(c api.ContainerPort) int32 { return c.HostPort })
	if s := c.SecurityContext; s != nil && s.SeccompProfile != nil {
		p.seccomp(2, 3, s.SeccompProfile)
	}
}

func (p *page) ports(title string, ports []api.ContainerPort, number func(api.ContainerPort) int32) {
	var texts []string
	for _, port := range ports {
		text := num(number(port)) + "/" + port.Protocol
		if port.Name != "" {
			text += " (" + port.Name + ")"
		}
		texts = append(texts, text)
	}
	if len(texts) > 1 {
		title += "s"
	}
	p.field(2, title, or(strings.Join(texts, ", "), "<none>"))
}

func (p *page) lines(title string, values []string) {
	if len(values) > 0 {
		p.put(2, title, ":\n")
	}
	for _, v := range values {
		for _, line := range strings.Split(v, "\n") {
			p.put(3, line, "\n")
		}
	}
}

func (p *page) containerState(s *api.ContainerStatus) {
	if s == nil {
		return
	}
	p.state("State", s.State)
	if s.LastTerminationState.Terminated != nil {
		p.state("Last State", s.LastTerminationState)
	}
	p.field(2, "Ready", truth(s.Ready))
	p.field(2, "Restart Count", num(s.RestartCount))
}

func (p *page) state(title string, s api.ContainerState) {
	switch {
	case s.Running != nil:
		p.field(2, title, "Running")
		p.field(3, "Started", date(s.Running.StartedAt))
	case s.Waiting != nil:
		p.field(2, title, "Waiting")
		if s.Waiting.Reason != "" {
			p.field(3, "Reason", s.Waiting.Reason)
		}
	case s.Terminated != nil:
		p.field(2, title, "Terminated")
		p.terminated(s.Terminated)
	default:
		p.field(2, title, "Waiting")
	}
}

func (p *page) terminated(t *api.ContainerStateTerminated) {
	if t.Reason != "" {
		p.field(3, "Reason", t.Reason)
	}
	if t.Message != "" {
		p.field(3, "Message", t.Message)
	}
	p.field(3, "Exit Code", num(t.ExitCode))
	if t.Signal > 0 {
		p.field(3, "Signal", num(t.Signal))
	}
	p.field(3, "Started", date(t.StartedAt))
	p.field(3, "Finished", date(t.FinishedAt))
}

func (p *page) resources(level int, r *api.ResourceRequirements) {
	p.amounts(level, "Limits", r.Limits)
	p.amounts(level, "Requests", r.Requests)
}

func (p *page) amounts(level int, title string, list map[string]api.Quantity) {
	if len(list) > 0 {
		p.put(level, title, ":\n")
	}
	for _, name := range sortedKeys(list) {
		p.field(level+1, name, list[name].String())
	}
}

func (p *page) probes(c *api.Container) {
	for _, probe := range []struct {
		title string
		*api.Probe
	}{{"Liveness", c.LivenessProbe}, {"Readiness", c.ReadinessProbe}, {"Startup", c.StartupProbe}} {
		if probe.Probe != nil {
			p.field(2, probe.title, probeText(probe.Probe))
		}
	}
}

func probeText(p *api.Probe) string {
	attrs := " delay=" + num(p.InitialDelaySeconds) + "s timeout=" + num(p.TimeoutSeconds) + "s period=" + num(p.PeriodSeconds) +
		"s successThreshold=" + num(p.SuccessThreshold) + " failureThreshold=" + num(p.FailureThreshold)
	switch {
	case p.Exec != nil:
		return "exec " + goList(p.Exec.Command) + attrs
	case p.HTTPGet != nil:
		return "http-get " + probeURL(p.HTTPGet) + attrs
	case p.TCPSocket != nil:
		return "tcp-socket " + p.TCPSocket.Host + ":" + p.TCPSocket.Port.String() + attrs
	case p.GRPC != nil:
		return "grpc <pod>:" + num(p.GRPC.Port) + " " + deref(p.GRPC.Service, "") + attrs
	}
	return "unknown" + attrs
}

// probeURL prints the URL as net/url does, with the path escaped.
func probeURL(h *api.HTTPGetAction) string {
	host, path := h.Host, escapePath(h.Path)
	if port := h.Port.String(); port != "" {
		host = printer.HostPort(escapeHost(h.Host), port)
	}
	if path != "" && path[0] != '/' && host != "" {
		path = "/" + path
	}
	if scheme := strings.ToLower(h.Scheme); scheme != "" {
		return scheme + "://" + host + path
	}
	return "//" + host + path
}

func escapePath(s string) string {
	if s == "*" {
		return s
	}
	return percent(s, "$&+,/:;=@-_.~")
}

func escapeHost(s string) string { return percent(s, "!$&'()*+,;=:[]<>\"-_.~") }

// percent escapes the bytes that are neither alphanumeric nor kept.
func percent(s, kept string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte(kept, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + strings.ToUpper(strconv.FormatInt(int64(c)+256, 16)[1:]))
	}
	return b.String()
}

func (p *page) envFrom(list []api.EnvFromSource) {
	if len(list) > 0 {
		p.put(2, "Environment Variables from:\n")
	}
	for _, e := range list {
		name, from, optional := "", "", false
		switch {
		case e.ConfigMapRef != nil:
			name, from, optional = e.ConfigMapRef.Name, "ConfigMap", isTrue(e.ConfigMapRef.Optional)
		case e.SecretRef != nil:
			name, from, optional = e.SecretRef.Name, "Secret", isTrue(e.SecretRef.Optional)
		}
		if e.Prefix != "" {
			from += " with prefix '" + e.Prefix + "'"
		}
		p.put(3, name, "\t", from, "\tOptional: ", lower(optional), "\n")
	}
}

func (p *page) env(c *api.Container, pod *api.Pod) {
	if len(c.Env) == 0 {
		p.put(2, "Environment:\t<none>\n")
		return
	}
	p.put(2, "Environment:\n")
	for _, e := range c.Env {
		if e.ValueFrom != nil {
			p.envSource(e, c, pod)
			continue
		}
		for i, line := range strings.Split(e.Value, "\n") {
			if i == 0 {
				p.field(3, e.Name, line)
			} else {
				p.put(3, "\t", line, "\n")
			}
		}
	}
}

func (p *page) envSource(e api.EnvVar, c *api.Container, pod *api.Pod) {
	switch from := e.ValueFrom; {
	case from.FieldRef != nil:
		p.field(3, e.Name, podField(pod, from.FieldRef.FieldPath)+" ("+from.FieldRef.APIVersion+":"+from.FieldRef.FieldPath+")")
	case from.ResourceFieldRef != nil:
		value, resource := resourceField(c, from.ResourceFieldRef), from.ResourceFieldRef.Resource
		if value == "0" && (resource == "limits.cpu" || resource == "limits.memory") {
			value = "node allocatable"
		}
		p.field(3, e.Name, value+" ("+resource+")")
	case from.SecretKeyRef != nil:
		r := from.SecretKeyRef
		p.put(3, e.Name, ":\t<set to the key '", r.Key, "' in secret '", r.Name, "'>\tOptional: ", lower(isTrue(r.Optional)), "\n")
	case from.ConfigMapKeyRef != nil:
		r := from.ConfigMapKeyRef
		p.put(3, e.Name, ":\t<set to the key '", r.Key, "' of config map '", r.Name, "'>\tOptional: ", lower(isTrue(r.Optional)), "\n")
	}
}

func (p *page) mounts(c *api.Container) {
	none := ""
	if len(c.VolumeMounts) == 0 {
		none = "\t<none>"
	}
	p.put(2, "Mounts:", none, "\n")
	mounts := slices.Clone(c.VolumeMounts)
	sort.Slice(mounts, func(i, j int) bool { return mounts[i].MountPath < mounts[j].MountPath })
	for _, m := range mounts {
		flags := "rw"
		if m.ReadOnly {
			flags = "ro"
		}
		if m.SubPath != "" {
			flags += ",path=" + strconv.Quote(m.SubPath)
		}
		p.put(3, m.MountPath, " from ", m.Name, " (", flags, ")\n")
	}
	if len(c.VolumeDevices) == 0 {
		return
	}
	p.put(2, "Devices:", none, "\n")
	devices := slices.Clone(c.VolumeDevices)
	sort.Slice(devices, func(i, j int) bool { return devices[i].DevicePath < devices[j].DevicePath })
	for _, d := range devices {
		p.put(3, d.DevicePath, " from ", d.Name, "\n")
	}
}
