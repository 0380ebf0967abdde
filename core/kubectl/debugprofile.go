package kubectl

import "podwalk/core/api"

// profile gives a debugging container the rights of --profile
// (kubectl/pkg/cmd/debug/profiles.go). style is ephemeral, node or copy.
func (s *session) profile(pod *api.Pod, c *api.Container, style string) {
	yes, no := true, false
	add := func(capability string) {
		if c.SecurityContext == nil {
			c.SecurityContext = &api.SecurityContext{}
		}
		if c.SecurityContext.Capabilities == nil {
			c.SecurityContext.Capabilities = &api.Capabilities{}
		}
		c.SecurityContext.Capabilities.Add = append(c.SecurityContext.Capabilities.Add, capability)
	}
	name := or(s.flags.text("profile"), "general")
	switch name {
	case "general":
		if style != "node" {
			add("SYS_PTRACE")
		}
	case "baseline":
		c.SecurityContext = nil
	case "restricted":
		c.SecurityContext = &api.SecurityContext{RunAsNonRoot: &yes, AllowPrivilegeEscalation: &no,
			Capabilities: &api.Capabilities{Drop: []string{"ALL"}}, SeccompProfile: &api.SeccompProfile{Type: "RuntimeDefault"}}
	case "netadmin":
		add("NET_ADMIN")
		add("NET_RAW")
	case "sysadmin":
		c.SecurityContext = &api.SecurityContext{Privileged: &yes}
	}
	switch {
	case style == "node" && name != "baseline" && name != "restricted":
		if name != "netadmin" {
			pod.Spec.Volumes = []api.Volume{{Name: "host-root", HostPath: &api.HostPathVolumeSource{Path: "/"}}}
			c.VolumeMounts = []api.VolumeMount{{Name: "host-root", MountPath: "/host"}}
		}
		pod.Spec.HostNetwork, pod.Spec.HostPID, pod.Spec.HostIPC = true, true, true
	case style == "copy":
		s.strip(pod, name)
	}
}

// strip takes from a copy what would make it take part in the original's work.
func (s *session) strip(pod *api.Pod, profile string) {
	keep := func(flag string) bool { return s.flags.bool(flag) }
	if !keep("keep-labels") {
		pod.Labels = nil
	}
	if profile == "legacy" {
		return
	}
	if !keep("keep-annotations") {
		pod.Annotations = nil
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		if !keep("keep-liveness") {
			c.LivenessProbe = nil
		}
		if !keep("keep-readiness") {
			c.ReadinessProbe = nil
		}
		if !keep("keep-startup") {
			c.StartupProbe = nil
		}
	}
	if s.flags.text("keep-init-containers") == "false" {
		pod.Spec.InitContainers = nil
	}
	share := s.flags.text("share-processes") != "false"
	pod.Spec.ShareProcessNamespace = &share
}
