package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// podSecurity checks the security context of a whole pod
// (validatePodSpecSecurityContext).
func (c *check) podSecurity(s *api.PodSpec, p *field.Path) {
	sc := s.SecurityContext
	if sc == nil {
		return
	}
	c.id(sc.FSGroup, p.Child("fsGroup"))
	c.id(sc.RunAsUser, p.Child("runAsUser"))
	c.id(sc.RunAsGroup, p.Child("runAsGroup"))
	for i := range sc.SupplementalGroups {
		c.id(&sc.SupplementalGroups[i], p.Child("supplementalGroups").Index(i))
	}
	c.sysctls(sc.Sysctls, s, p.Child("sysctls"))
	if v := sc.FSGroupChangePolicy; v != nil {
		c.supported(p.Child("fsGroupChangePolicy"), *v, "Always", "OnRootMismatch")
	}
	c.seccomp(sc.SeccompProfile, p.Child("seccompProfile"))
	c.windowsOptions(sc.WindowsOptions, p.Child("windowsOptions"))
	c.appArmor(sc.AppArmorProfile, p.Child("appArmorProfile"))
	if v := sc.SupplementalGroupsPolicy; v != nil {
		c.supported(p.Child("supplementalGroupsPolicy"), *v, "Merge", "Strict")
	}
	if v := sc.SELinuxChangePolicy; v != nil {
		c.supported(p.Child("seLinuxChangePolicy"), *v, "MountOption", "Recursive")
	}
}

// id checks the number of a user or group, if there is one.
func (c *check) id(n *int64, p *field.Path) {
	if n != nil {
		c.each(p, *n, isID(*n))
	}
}

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"

func (c *check) sysctls(list []api.Sysctl, s *api.PodSpec, p *field.Path) {
	seen := map[string]bool{}
	for i, ctl := range list {
		at := p.Index(i).Child("name")
		switch {
		case ctl.Name == "":
			c.required(at, "")
		case !isSysctl(ctl.Name):
			c.invalid(at, ctl.Name, `must have at most 253 characters and match regex ^(`+sysctlSegment+`[\./])*`+sysctlSegment+"$")
		case seen[ctl.Name]:
			c.duplicate(at, ctl.Name)
		}
		seen[ctl.Name] = true
		switch name := strings.ReplaceAll(ctl.Name, "/", "."); {
		case s.HostNetwork && strings.HasPrefix(name, "net."):
			c.invalid(at, ctl.Name, "may not be specified when 'hostNetwork' is true")
		case s.HostIPC && isIPCSysctl(name):
			c.invalid(at, ctl.Name, "may not be specified when 'hostIPC' is true")
		}
	}
}

// isIPCSysctl holds for kernel parameters of the IPC namespace
// (component-helpers/kernel/sysctl).
func isIPCSysctl(name string) bool {
	return name == "kernel.sem" || strings.HasPrefix(name, "kernel.shm") || strings.HasPrefix(name, "kernel.msg") || strings.HasPrefix(name, "fs.mqueue.")
}

func isSysctl(s string) bool {
	if len(s) > 253 {
		return false
	}
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(s, "/", "."), func(r rune) bool { return r == '.' }) {
		edge := part[0]
		if !lowerAlnum(edge) || !lowerAlnum(part[len(part)-1]) ||
			!every(part, func(c byte) bool { return lowerAlnum(c) || c == '-' || c == '_' }) {
			return false
		}
	}
	return !strings.Contains("."+strings.ReplaceAll(s, "/", ".")+".", "..")
}

func (c *check) seccomp(s *api.SeccompProfile, p *field.Path) {
	if s == nil {
		return
	}
	local := p.Child("localhostProfile")
	switch s.Type {
	case "Localhost", "RuntimeDefault", "Unconfined":
	case "":
		c.required(p.Child("type"), "type is required when seccompProfile is set")
	default:
		c.unsupported(p.Child("type"), s.Type, "Localhost", "RuntimeDefault", "Unconfined")
	}
	switch {
	case s.Type == "Localhost" && s.LocalhostProfile == nil:
		c.required(local, "must be set when seccomp type is Localhost")
	case s.Type == "Localhost":
		c.descending(*s.LocalhostProfile, local)
	case s.LocalhostProfile != nil:
		c.invalid(local, internal(s), "can only be set when seccomp type is Localhost")
	}
}

const maxProfilePath = 4095

func (c *check) appArmor(a *api.AppArmorProfile, p *field.Path) {
	if a == nil {
		return
	}
	local := p.Child("localhostProfile")
	switch a.Type {
	case "Localhost":
		c.appArmorFile(a.LocalhostProfile, local)
	case "RuntimeDefault", "Unconfined":
		if a.LocalhostProfile != nil {
			c.invalid(local, *a.LocalhostProfile, "can only be set when AppArmor type is Localhost")
		}
	case "":
		c.required(p.Child("type"), "type is required when appArmorProfile is set")
	default:
		c.unsupported(p.Child("type"), a.Type, "Localhost", "RuntimeDefault", "Unconfined")
	}
}

func (c *check) appArmorFile(name *string, p *field.Path) {
	switch {
	case name == nil || *name == "":
		c.required(p, "must be set when AppArmor type is Localhost")
		return
	case strings.TrimSpace(*name) != *name:
		c.invalid(p, *name, "must not be padded with whitespace")
	}
	if len(*name) > maxProfilePath {
		c.add(field.TooLong(p, "", maxProfilePath))
	}
}

// security checks the security context of a container (ValidateSecurityContext).
func (c *check) security(sc *api.SecurityContext, p *field.Path, hostUsers bool) {
	if sc == nil {
		return
	}
	c.id(sc.RunAsUser, p.Child("runAsUser"))
	c.id(sc.RunAsGroup, p.Child("runAsGroup"))
	if m := sc.ProcMount; m != nil {
		c.supported(p.Child("procMount"), *m, "Default", "Unmasked")
		if hostUsers && *m == "Unmasked" {
			c.invalid(p.Child("procMount"), *m, "`hostUsers` must be false to use `Unmasked`")
		}
	}
	c.seccomp(sc.SeccompProfile, p.Child("seccompProfile"))
	if sc.AllowPrivilegeEscalation != nil && !*sc.AllowPrivilegeEscalation {
		c.escalation(sc, p)
	}
	c.windowsOptions(sc.WindowsOptions, p.Child("windowsOptions"))
	c.appArmor(sc.AppArmorProfile, p.Child("appArmorProfile"))
}

func (c *check) escalation(sc *api.SecurityContext, p *field.Path) {
	if sc.Privileged != nil && *sc.Privileged {
		c.invalid(p, internal(sc), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
	}
	if sc.Capabilities == nil {
		return
	}
	for _, name := range sc.Capabilities.Add {
		if name == "CAP_SYS_ADMIN" {
			c.invalid(p, internal(sc), "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN")
		}
	}
}
