package defaulting

import "podwalk/core/api"

// Pod completes a pod (SetDefaults_Pod and SetObjectDefaults_Pod).
func Pod(p *api.Pod) {
	Spec(&p.Spec)
	if g := p.Spec.TerminationGracePeriodSeconds; g != nil && *g < 0 {
		one := int64(1)
		p.Spec.TerminationGracePeriodSeconds = &one
	}
	for _, list := range [][]api.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range list {
			if r := &list[i].Resources; r.Limits != nil {
				r.Requests = missing(r.Requests, r.Limits)
			}
			if p.Spec.HostNetwork {
				hostPorts(list[i].Ports)
			}
		}
	}
	ptr(&p.Spec.EnableServiceLinks, true)
	podIPs(&p.Status)
}

func hostPorts(ports []api.ContainerPort) {
	for i := range ports {
		number(&ports[i].HostPort, ports[i].ContainerPort)
	}
}

// podIPs keeps the first address and the list of addresses the same.
func podIPs(s *api.PodStatus) {
	switch {
	case s.PodIP != "" && (len(s.PodIPs) == 0 || s.PodIPs[0].IP != s.PodIP):
		s.PodIPs = []api.PodIP{{IP: s.PodIP}}
	case s.PodIP == "" && len(s.PodIPs) > 0:
		s.PodIP = s.PodIPs[0].IP
	}
}

func template(t *api.PodTemplateSpec) { Spec(&t.Spec) }

// Spec completes a pod spec, of a pod or of a template.
func Spec(s *api.PodSpec) {
	str(&s.ServiceAccountName, s.DeprecatedServiceAccount)
	s.DeprecatedServiceAccount = s.ServiceAccountName
	str(&s.DNSPolicy, "ClusterFirst")
	str(&s.RestartPolicy, "Always")
	ptr(&s.SecurityContext, api.PodSecurityContext{})
	ptr(&s.TerminationGracePeriodSeconds, int64(30))
	str(&s.SchedulerName, "default-scheduler")
	for i := range s.Volumes {
		volume(&s.Volumes[i])
	}
	for i := range s.InitContainers {
		container(&s.InitContainers[i])
	}
	for i := range s.Containers {
		container(&s.Containers[i])
	}
	for i := range s.EphemeralContainers {
		ephemeral(&s.EphemeralContainers[i])
	}
	roundUp(s.Overhead)
	if s.Resources != nil {
		resources(s.Resources)
	}
}

func container(c *api.Container) {
	str(&c.ImagePullPolicy, pullPolicy(c.Image))
	str(&c.TerminationMessagePath, "/dev/termination-log")
	str(&c.TerminationMessagePolicy, "File")
	inside(c.Ports, c.Env, c.Lifecycle)
	probes(c.LivenessProbe, c.ReadinessProbe, c.StartupProbe)
	resources(&c.Resources)
}

func ephemeral(c *api.EphemeralContainer) {
	str(&c.ImagePullPolicy, pullPolicy(c.Image))
	str(&c.TerminationMessagePath, "/dev/termination-log")
	str(&c.TerminationMessagePolicy, "File")
	inside(c.Ports, c.Env, c.Lifecycle)
	probes(c.LivenessProbe, c.ReadinessProbe, c.StartupProbe)
	resources(&c.Resources)
}

func inside(ports []api.ContainerPort, env []api.EnvVar, l *api.Lifecycle) {
	for i := range ports {
		str(&ports[i].Protocol, "TCP")
	}
	for i := range env {
		if f := env[i].ValueFrom; f != nil {
			fieldRef(f.FieldRef)
			if f.FileKeyRef != nil {
				ptr(&f.FileKeyRef.Optional, false)
			}
		}
	}
	if l != nil {
		for _, h := range []*api.LifecycleHandler{l.PostStart, l.PreStop} {
			if h != nil {
				httpGet(h.HTTPGet)
			}
		}
	}
}

func fieldRef(f *api.ObjectFieldSelector) {
	if f != nil {
		str(&f.APIVersion, "v1")
	}
}

func httpGet(a *api.HTTPGetAction) {
	if a != nil {
		str(&a.Path, "/")
		str(&a.Scheme, "HTTP")
	}
}

func probes(list ...*api.Probe) {
	for _, p := range list {
		if p == nil {
			continue
		}
		number(&p.TimeoutSeconds, 1)
		number(&p.PeriodSeconds, 10)
		number(&p.SuccessThreshold, 1)
		number(&p.FailureThreshold, 3)
		httpGet(p.HTTPGet)
		if p.GRPC != nil {
			ptr(&p.GRPC.Service, "")
		}
	}
}
