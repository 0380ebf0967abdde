package validation

import (
	"slices"
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// containers checks the regular containers (validateContainers).
func (c *check) containers(s *podScope, p *field.Path) {
	list := s.spec.Containers
	if len(list) == 0 {
		c.required(p, "")
		return
	}
	seen := map[string]bool{}
	for i := range list {
		ctr, at := &list[i], p.Index(i)
		c.container(ctr, at, s)
		if seen[ctr.Name] {
			c.duplicate(at.Child("name"), ctr.Name)
		}
		seen[ctr.Name] = true
		c.lifecycleAndProbes(ctr, at, s)
		c.restartRules(ctr, at)
	}
	c.hostPortConflicts(list, p)
}

// initContainers checks the init containers and sidecars (validateInitContainers).
func (c *check) initContainers(s *podScope, p *field.Path) {
	seen := map[string]bool{}
	for i := range s.spec.Containers {
		seen[s.spec.Containers[i].Name] = true
	}
	for i := range s.spec.InitContainers {
		ctr, at := &s.spec.InitContainers[i], p.Index(i)
		c.container(ctr, at, s)
		c.restartRules(ctr, at)
		if seen[ctr.Name] {
			c.duplicate(at.Child("name"), ctr.Name)
		} else if ctr.Name != "" {
			seen[ctr.Name] = true
		}
		c.hostPortConflicts(s.spec.InitContainers[i:i+1], p)
		if isSidecar(ctr) {
			c.lifecycleAndProbes(ctr, at, s)
			continue
		}
		c.noProbes(ctr, at)
	}
}

func isSidecar(ctr *api.Container) bool {
	return ctr.RestartPolicy != nil && *ctr.RestartPolicy == "Always"
}

func (c *check) noProbes(ctr *api.Container, at *field.Path) {
	for _, f := range []struct {
		name string
		set  bool
	}{{"lifecycle", ctr.Lifecycle != nil}, {"livenessProbe", ctr.LivenessProbe != nil},
		{"readinessProbe", ctr.ReadinessProbe != nil}, {"startupProbe", ctr.StartupProbe != nil}} {
		if f.set {
			c.forbidden(at.Child(f.name), "may not be set for init containers without restartPolicy=Always")
		}
	}
	for j, r := range ctr.ResizePolicy {
		if r.RestartPolicy == "RestartContainer" {
			c.invalid(at.Child("resizePolicy").Index(j).Child("restartPolicy"), r.RestartPolicy,
				"must not be set to 'RestartContainer' for non-sidecar initContainers")
		}
	}
}

// ephemeralContainers checks the containers of kubectl debug
// (validateEphemeralContainers).
func (c *check) ephemeralContainers(s *podScope, p *field.Path) {
	seen, targets := map[string]bool{}, map[string]bool{}
	for _, list := range [][]api.Container{s.spec.Containers, s.spec.InitContainers} {
		for i := range list {
			seen[list[i].Name], targets[list[i].Name] = true, true
		}
	}
	for i := range s.spec.EphemeralContainers {
		e, at := &s.spec.EphemeralContainers[i], p.Index(i)
		ctr := common(e)
		c.container(&ctr, at, s)
		c.imageSpace(&ctr, at)
		if seen[e.Name] {
			c.duplicate(at.Child("name"), e.Name)
		}
		seen[e.Name] = true
		if e.TargetContainerName != "" && !targets[e.TargetContainerName] {
			c.notFound(at.Child("targetContainerName"), e.TargetContainerName)
		}
		c.notForEphemeral(&ctr, at)
	}
}

func (c *check) imageSpace(ctr *api.Container, at *field.Path) {
	one := []api.Container{*ctr}
	before := len(c.errs)
	c.imagesOnlyForPod(one, at)
	for _, e := range c.errs[before:] {
		e.Field = at.Child("image").String()
	}
}

func (c *check) notForEphemeral(ctr *api.Container, at *field.Path) {
	const cannot = "cannot be set for an Ephemeral Container"
	for _, f := range []struct {
		name string
		set  bool
	}{{"ports", ctr.Ports != nil}, {"resources", len(ctr.Resources.Limits)+len(ctr.Resources.Requests)+len(ctr.Resources.Claims) > 0},
		{"resizePolicy", ctr.ResizePolicy != nil}, {"restartPolicy", ctr.RestartPolicy != nil},
		{"restartPolicyRules", ctr.RestartPolicyRules != nil}, {"livenessProbe", ctr.LivenessProbe != nil},
		{"readinessProbe", ctr.ReadinessProbe != nil}, {"startupProbe", ctr.StartupProbe != nil}, {"lifecycle", ctr.Lifecycle != nil}} {
		if f.set {
			c.forbidden(at.Child(f.name), cannot)
		}
	}
	for j, m := range ctr.VolumeMounts {
		if m.SubPath != "" {
			c.forbidden(at.Child("volumeMounts").Index(j).Child("subPath"), cannot)
		}
		if m.SubPathExpr != "" {
			c.forbidden(at.Child("volumeMounts").Index(j).Child("subPathExpr"), cannot)
		}
	}
}

// common returns what an ephemeral container shares with the others.
func common(e *api.EphemeralContainer) api.Container {
	return api.Container{Args: e.Args, Command: e.Command, Env: e.Env, EnvFrom: e.EnvFrom, Image: e.Image,
		ImagePullPolicy: e.ImagePullPolicy, Lifecycle: e.Lifecycle, LivenessProbe: e.LivenessProbe, Name: e.Name,
		Ports: e.Ports, ReadinessProbe: e.ReadinessProbe, ResizePolicy: e.ResizePolicy, Resources: e.Resources,
		RestartPolicy: e.RestartPolicy, RestartPolicyRules: e.RestartPolicyRules, SecurityContext: e.SecurityContext,
		StartupProbe: e.StartupProbe, Stdin: e.Stdin, StdinOnce: e.StdinOnce, TerminationMessagePath: e.TerminationMessagePath,
		TerminationMessagePolicy: e.TerminationMessagePolicy, TTY: e.TTY, VolumeDevices: e.VolumeDevices,
		VolumeMounts: e.VolumeMounts, WorkingDir: e.WorkingDir}
}

// container checks what all kinds of containers have (validateContainerCommon).
func (c *check) container(ctr *api.Container, at *field.Path, s *podScope) {
	c.name(at.Child("name"), ctr.Name, isDNSLabel)
	c.filled(at.Child("image"), ctr.Image)
	c.oneOf(at.Child("terminationMessagePolicy"), ctr.TerminationMessagePolicy, "File", "FallbackToLogsOnError")
	c.ports(ctr.Ports, at.Child("ports"))
	c.env(ctr.Env, at.Child("env"))
	c.envFrom(ctr.EnvFrom, at.Child("envFrom"))
	c.mounts(ctr, at.Child("volumeMounts"), s)
	c.devices(ctr, at.Child("volumeDevices"), s)
	c.oneOf(at.Child("imagePullPolicy"), ctr.ImagePullPolicy, "Always", "IfNotPresent", "Never")
	c.resources(&ctr.Resources, at.Child("resources"), s.claims, c.containerResource)
	c.resizePolicy(ctr.ResizePolicy, at.Child("resizePolicy"), s.spec.RestartPolicy)
	c.security(ctr.SecurityContext, at.Child("securityContext"), s.hostUsers)
}

func (c *check) ports(ports []api.ContainerPort, p *field.Path) {
	names := map[string]bool{}
	for i := range ports {
		port, at := &ports[i], p.Index(i)
		if port.Name != "" {
			if msgs := isPortName(port.Name); len(msgs) > 0 {
				c.each(at.Child("name"), port.Name, msgs)
			} else if names[port.Name] {
				c.duplicate(at.Child("name"), port.Name)
			}
			names[port.Name] = true
		}
		if port.ContainerPort == 0 {
			c.required(at.Child("containerPort"), "")
		} else {
			c.each(at.Child("containerPort"), port.ContainerPort, isPort(port.ContainerPort))
		}
		if port.HostPort != 0 {
			c.each(at.Child("hostPort"), port.HostPort, isPort(port.HostPort))
		}
		c.oneOf(at.Child("protocol"), port.Protocol, "SCTP", "TCP", "UDP")
	}
}

func (c *check) hostPortConflicts(list []api.Container, p *field.Path) {
	seen := map[string]bool{}
	for i := range list {
		for j, port := range list[i].Ports {
			if port.HostPort == 0 {
				continue
			}
			key := port.Protocol + "/" + port.HostIP + "/" + strconv.Itoa(int(port.HostPort))
			if seen[key] {
				c.duplicate(p.Index(i).Child("ports").Index(j).Child("hostPort"), key)
			}
			seen[key] = true
		}
	}
}

func (c *check) resizePolicy(list []api.ContainerResizePolicy, p *field.Path, restart string) {
	seen := map[string]bool{}
	for i, r := range list {
		if seen[r.ResourceName] {
			c.duplicate(p.Index(i), r.ResourceName)
		}
		seen[r.ResourceName] = true
		c.oneOf(p, r.ResourceName, "cpu", "memory")
		c.oneOf(p, r.RestartPolicy, "NotRequired", "RestartContainer")
		if restart == "Never" && r.RestartPolicy != "NotRequired" {
			c.invalid(p, r.RestartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")
		}
	}
}

const (
	maxRestartRules = 20
	maxExitCodes    = 255
)

// restartRules checks a container's own restart policy
// (validateContainerRestartPolicy).
func (c *check) restartRules(ctr *api.Container, at *field.Path) {
	switch p := ctr.RestartPolicy; {
	case p == nil && len(ctr.RestartPolicyRules) == 0:
		return
	case p == nil:
		c.required(at.Child("restartPolicy"), "must specify restartPolicy when restart rules are used")
	case !slices.Contains([]string{"Always", "Never", "OnFailure"}, *p):
		c.unsupported(at.Child("restartPolicy"), *p, "Always", "Never", "OnFailure")
	}
	rules := at.Child("restartPolicyRules")
	if n := len(ctr.RestartPolicyRules); n > maxRestartRules {
		c.add(field.TooMany(rules, n, maxRestartRules))
	}
	for i, r := range ctr.RestartPolicyRules {
		c.supported(rules.Index(i).Child("action"), r.Action, "Restart", "RestartAllContainers")
		codes := rules.Index(i).Child("exitCodes")
		if r.ExitCodes == nil {
			c.required(codes, "must be specified")
			continue
		}
		c.supported(codes.Child("operator"), r.ExitCodes.Operator, "In", "NotIn")
		if n := len(r.ExitCodes.Values); n > maxExitCodes {
			c.add(field.TooMany(codes.Child("values"), n, maxExitCodes))
		}
	}
}
