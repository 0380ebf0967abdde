package podsecurity

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
)

func appArmor(s *subject) *violation {
	const annotation = "container.apparmor.security.beta.kubernetes.io/"
	var values names
	bad := func(p *api.AppArmorProfile) bool {
		if p == nil || p.Type == "RuntimeDefault" || p.Type == "Localhost" {
			return false
		}
		values = append(values, p.Type)
		return true
	}
	pod := bad(s.pod().AppArmorProfile)
	list := setters(pod, s.where(func(_ *api.Container, sc *api.SecurityContext) bool { return bad(sc.AppArmorProfile) }))
	var keys names
	for _, k := range slices.Sorted(maps.Keys(s.meta.Annotations)) {
		v := s.meta.Annotations[k]
		if strings.HasPrefix(k, annotation) && v != "" && v != "runtime/default" && !strings.HasPrefix(v, "localhost/") {
			keys = append(keys, k+"="+strconv.Quote(v))
		}
	}
	all := append(values.sorted(), keys...)
	if len(keys) > 0 {
		list = append(list, plural("annotation", "annotations", len(keys)))
	}
	if len(list) == 0 {
		return nil
	}
	return &violation{plural("forbidden AppArmor profile", "forbidden AppArmor profiles", len(all)),
		strings.Join(list, " and ") + " must not set AppArmor profile type to " + all.quoted()}
}

var defaultCapabilities = []string{"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
	"NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}

func capabilities(s *subject) *violation {
	var added names
	list := s.where(func(_ *api.Container, sc *api.SecurityContext) bool {
		return addsBeyond(sc, defaultCapabilities, &added)
	})
	if len(list) == 0 {
		return nil
	}
	return &violation{"non-default capabilities", list.named("container", "containers") +
		" must not include " + added.sorted().quoted() + " in securityContext.capabilities.add"}
}

// addsBeyond collects the capabilities that a container adds beyond the allowed.
func addsBeyond(sc *api.SecurityContext, allowed []string, added *names) (bad bool) {
	if sc.Capabilities == nil {
		return false
	}
	for _, c := range sc.Capabilities.Add {
		if !slices.Contains(allowed, c) {
			*added, bad = append(*added, c), true
		}
	}
	return bad
}

func hostNamespaces(s *subject) *violation {
	var list []string
	for _, n := range []struct {
		on   bool
		name string
	}{{s.spec.HostNetwork, "hostNetwork=true"}, {s.spec.HostPID, "hostPID=true"}, {s.spec.HostIPC, "hostIPC=true"}} {
		if n.on {
			list = append(list, n.name)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &violation{"host namespaces", strings.Join(list, ", ")}
}

func hostPaths(s *subject) *violation {
	var list names
	for i := range s.spec.Volumes {
		if s.spec.Volumes[i].HostPath != nil {
			list = append(list, s.spec.Volumes[i].Name)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &violation{"hostPath volumes", list.named("volume", "volumes")}
}

func hostPorts(s *subject) *violation {
	var ports names
	list := s.where(func(c *api.Container, _ *api.SecurityContext) bool {
		before := len(ports)
		for _, p := range c.Ports {
			if p.HostPort != 0 {
				ports = append(ports, strconv.Itoa(int(p.HostPort)))
			}
		}
		return len(ports) > before
	})
	if len(list) == 0 {
		return nil
	}
	ports = ports.sorted()
	return &violation{"hostPort", list.named("container", "containers") + " " + plural("uses", "use", len(list)) + " " +
		plural("hostPort", "hostPorts", len(ports)) + " " + strings.Join(ports, ", ")}
}

func probeHosts(s *subject) *violation {
	var hosts names
	list := s.where(func(c *api.Container, _ *api.SecurityContext) bool {
		before := len(hosts)
		for _, p := range []*api.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			if p != nil {
				hosts.host(p.HTTPGet, p.TCPSocket)
			}
		}
		if c.Lifecycle != nil {
			for _, h := range []*api.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
				if h != nil {
					hosts.host(h.HTTPGet, h.TCPSocket)
				}
			}
		}
		return len(hosts) > before
	}).sorted()
	if len(list) == 0 {
		return nil
	}
	const what = "probe or lifecycle host"
	hosts = hosts.sorted()
	return &violation{what, list.named("container", "containers") + " " + plural("uses", "use", len(list)) + " " + hosts.named(what, what+"s")}
}

func (n *names) host(get *api.HTTPGetAction, tcp *api.TCPSocketAction) {
	if get != nil && get.Host != "" {
		*n = append(*n, get.Host)
	}
	if tcp != nil && tcp.Host != "" {
		*n = append(*n, tcp.Host)
	}
}

func privilegedContainers(s *subject) *violation {
	list := s.where(func(_ *api.Container, sc *api.SecurityContext) bool { return isTrue(sc.Privileged) })
	if len(list) == 0 {
		return nil
	}
	return &violation{"privileged", list.named("container", "containers") + " must not set securityContext.privileged=true"}
}

func procMountOfUserNamespace(s *subject) *violation {
	if s.relaxed() {
		return nil
	}
	return procMount(s)
}

func procMount(s *subject) *violation {
	var types names
	list := s.where(func(_ *api.Container, sc *api.SecurityContext) bool {
		if sc.ProcMount == nil || *sc.ProcMount == "Default" {
			return false
		}
		types = append(types, *sc.ProcMount)
		return true
	})
	if len(list) == 0 {
		return nil
	}
	return &violation{"procMount", list.named("container", "containers") + " must not set securityContext.procMount to " + types.sorted().quoted()}
}

func seLinux(s *subject) *violation {
	allowed := []string{"", "container_t", "container_init_t", "container_kvm_t"}
	if s.minor >= 31 {
		allowed = append(allowed, "container_engine_t")
	}
	var types names
	user, role := false, false
	bad := func(o *api.SELinuxOptions) bool {
		if o == nil {
			return false
		}
		wrong := !slices.Contains(allowed, o.Type)
		if wrong {
			types = append(types, o.Type)
		}
		user, role = user || o.User != "", role || o.Role != ""
		return wrong || o.User != "" || o.Role != ""
	}
	pod := bad(s.pod().SELinuxOptions)
	list := setters(pod, s.where(func(_ *api.Container, sc *api.SecurityContext) bool { return bad(sc.SELinuxOptions) }))
	if len(list) == 0 {
		return nil
	}
	var data []string
	if types = types.sorted(); len(types) > 0 {
		data = append(data, types.named("type", "types"))
	}
	if user {
		data = append(data, "user may not be set")
	}
	if role {
		data = append(data, "role may not be set")
	}
	return &violation{"seLinuxOptions", strings.Join(list, " and ") + " set forbidden securityContext.seLinuxOptions: " + strings.Join(data, "; ")}
}

// safeSysctls lists what may be set, by the minor version since which it may.
var safeSysctls = map[string]int{
	"kernel.shm_rmid_forced": 0, "net.ipv4.ip_local_port_range": 0, "net.ipv4.tcp_syncookies": 0,
	"net.ipv4.ping_group_range": 0, "net.ipv4.ip_unprivileged_port_start": 0, "net.ipv4.ip_local_reserved_ports": 27,
	"net.ipv4.tcp_keepalive_time": 29, "net.ipv4.tcp_fin_timeout": 29, "net.ipv4.tcp_keepalive_intvl": 29,
	"net.ipv4.tcp_keepalive_probes": 29, "net.ipv4.tcp_rmem": 32, "net.ipv4.tcp_wmem": 32,
	"net.ipv4.tcp_slow_start_after_idle": 37, "net.ipv4.tcp_notsent_lowat": 37,
}

func sysctls(s *subject) *violation {
	var list []string
	for _, c := range s.pod().Sysctls {
		if from, ok := safeSysctls[c.Name]; !ok || s.minor < from {
			list = append(list, c.Name)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &violation{"forbidden sysctls", strings.Join(list, ", ")}
}

func hostProcess(s *subject) *violation {
	bad := func(o *api.WindowsSecurityContextOptions) bool { return o != nil && isTrue(o.HostProcess) }
	list := setters(bad(s.pod().WindowsOptions), s.where(func(_ *api.Container, sc *api.SecurityContext) bool { return bad(sc.WindowsOptions) }))
	if len(list) == 0 {
		return nil
	}
	return &violation{"hostProcess", strings.Join(list, " and ") + " must not set securityContext.windowsOptions.hostProcess=true"}
}
