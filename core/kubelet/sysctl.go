package kubelet

import "strings"

// safeSysctls are those that a kubelet allows by default, with the namespace of the
// kernel that keeps them apart (pkg/kubelet/sysctl/safe_sysctls.go).
var safeSysctls = map[string]string{
	"kernel.shm_rmid_forced":              "IPC",
	"net.ipv4.ip_local_port_range":        "Net",
	"net.ipv4.tcp_syncookies":             "Net",
	"net.ipv4.ping_group_range":           "Net",
	"net.ipv4.ip_unprivileged_port_start": "Net",
	"net.ipv4.ip_local_reserved_ports":    "Net",
	"net.ipv4.tcp_keepalive_time":         "Net",
	"net.ipv4.tcp_fin_timeout":            "Net",
	"net.ipv4.tcp_keepalive_intvl":        "Net",
	"net.ipv4.tcp_keepalive_probes":       "Net",
	"net.ipv4.tcp_rmem":                   "Net",
	"net.ipv4.tcp_wmem":                   "Net",
	"net.ipv4.tcp_slow_start_after_idle":  "Net",
	"net.ipv4.tcp_notsent_lowat":          "Net",
}

// forbiddenSysctl refuses a pod that wants a sysctl which its node does not allow
// (pkg/kubelet/sysctl/allowlist.go, Admit).
func (s *step) forbiddenSysctl() *refusal {
	spec := &s.w.pod.Spec
	if spec.SecurityContext == nil {
		return nil
	}
	for _, x := range spec.SecurityContext.Sysctls {
		name := strings.ReplaceAll(x.Name, "/", ".")
		space, safe := safeSysctls[name]
		switch {
		case !safe:
			return &refusal{"SysctlForbidden", "forbidden sysctl: " + quote(name) + " not allowlisted"}
		case space == "IPC" && spec.HostIPC, space == "Net" && spec.HostNetwork:
			return &refusal{"SysctlForbidden", "forbidden sysctl: " + quote(name) + " not allowed with host " + space + " enabled"}
		}
	}
	return nil
}
