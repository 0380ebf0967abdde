package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

const (
	maxCredentialSpec = 64 * 1024
	maxWindowsUser    = 104
	maxWindowsDomain  = 256
)

func (c *check) windowsOptions(w *api.WindowsSecurityContextOptions, p *field.Path) {
	if w == nil {
		return
	}
	if n := w.GMSACredentialSpecName; n != nil {
		c.each(p.Child("gmsaCredentialSpecName"), *n, isSubdomain(*n))
	}
	if s := w.GMSACredentialSpec; s != nil {
		switch at := p.Child("gmsaCredentialSpec"); {
		case *s == "":
			c.invalid(at, "", "gmsaCredentialSpec cannot be an empty string")
		case len(*s) > maxCredentialSpec:
			c.invalid(at, *s, "gmsaCredentialSpec size must be under 64 KiB")
		}
	}
	if n := w.RunAsUserName; n != nil {
		c.each(p.Child("runAsUserName"), *n, isWindowsUser(*n))
	}
}

func isWindowsUser(s string) (errs []string) {
	domain, user, hasDomain := strings.Cut(s, `\`)
	switch {
	case s == "":
		return []string{"runAsUserName cannot be an empty string"}
	case !every(s, func(c byte) bool { return c >= ' ' && c != 0x7f }):
		return []string{"runAsUserName cannot contain control characters"}
	case strings.Count(s, `\`) > 1:
		return []string{"runAsUserName cannot contain more than one backslash"}
	case !hasDomain:
		domain, user = "", s
	}
	if len(domain) >= maxWindowsDomain {
		errs = append(errs, "runAsUserName's Domain length must be under 256 characters")
	}
	if hasDomain && !isWindowsDomain(domain) {
		errs = append(errs, "runAsUserName's Domain doesn't match the NetBios nor the DNS format")
	}
	if user == "" {
		errs = append(errs, "runAsUserName's User cannot be empty")
	} else if len(user) > maxWindowsUser {
		errs = append(errs, "runAsUserName's User length must not be longer than 104 characters")
	}
	if user != "" && strings.Trim(user, ". ") == "" {
		errs = append(errs, "runAsUserName's User cannot contain only periods or spaces")
	}
	if strings.ContainsAny(user, `"/\:;|=,+*?<>@[]`) {
		errs = append(errs, `runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]`)
	}
	return errs
}

func isWindowsDomain(s string) bool {
	if s != "" && len(s) <= 15 && s[0] != '.' && !strings.ContainsAny(s, `\/:*?"<>|`) {
		return true
	}
	return len(field.IsDNS1123Subdomain(strings.ToLower(s))) == 0
}

// hostProcess checks the pods that run as processes of a Windows host
// (validateWindowsHostProcessPod).
func (c *check) hostProcess(s *api.PodSpec, p *field.Path) {
	var whole *bool
	if s.SecurityContext != nil && s.SecurityContext.WindowsOptions != nil {
		whole = s.SecurityContext.WindowsOptions.HostProcess
	}
	all, host := 0, 0
	visit(s, p, func(ctr *api.Container, at *field.Path) {
		all++
		own := whole
		if sc := ctr.SecurityContext; sc != nil && sc.WindowsOptions != nil && sc.WindowsOptions.HostProcess != nil {
			own = sc.WindowsOptions.HostProcess
			if whole != nil && *whole != *own {
				c.invalid(at.Child("securityContext", "windowsOptions", "hostProcess"), *own,
					"pod hostProcess value must be identical if both are specified, was "+strconv.FormatBool(*whole))
			}
		}
		if own != nil && *own {
			host++
		}
	})
	if host == 0 {
		return
	}
	if host != all {
		c.invalid(p, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers")
	}
	if !s.HostNetwork {
		c.invalid(p.Child("hostNetwork"), false, "hostNetwork must be true if pod contains any hostProcess containers")
	}
}

// podOS checks what the operating system of a pod forbids.
func (c *check) podOS(s *api.PodSpec, p *field.Path) {
	switch at := p.Child("os"); {
	case s.OS == nil:
	case s.OS.Name == "":
		c.required(at.Child("name"), "")
	case s.OS.Name == "linux":
		c.onLinux(s, p)
	case s.OS.Name == "windows":
		c.onWindows(s, p)
	default:
		c.unsupported(at, s.OS.Name, "linux", "windows")
	}
}

func (c *check) onLinux(s *api.PodSpec, p *field.Path) {
	const cannot = "windows options cannot be set for a linux pod"
	if s.SecurityContext != nil && s.SecurityContext.WindowsOptions != nil {
		c.forbidden(p.Child("securityContext", "windowsOptions"), cannot)
	}
	visit(s, p, func(ctr *api.Container, at *field.Path) {
		if ctr.SecurityContext != nil && ctr.SecurityContext.WindowsOptions != nil {
			c.forbidden(at.Child("securityContext", "windowsOptions"), cannot)
		}
	})
}

// named is a field and whether it is set.
type named struct {
	name string
	set  bool
}

func (c *check) noneOnWindows(p *field.Path, fields ...named) {
	for _, f := range fields {
		if f.set {
			c.forbidden(p.Child(f.name), "cannot be set for a windows pod")
		}
	}
}

func (c *check) onWindows(s *api.PodSpec, p *field.Path) {
	if sc := s.SecurityContext; sc != nil {
		c.noneOnWindows(p.Child("securityContext"), named{"appArmorProfile", sc.AppArmorProfile != nil},
			named{"seLinuxOptions", sc.SELinuxOptions != nil}, named{"seccompProfile", sc.SeccompProfile != nil},
			named{"fsGroup", sc.FSGroup != nil}, named{"fsGroupChangePolicy", sc.FSGroupChangePolicy != nil},
			named{"sysctls", len(sc.Sysctls) > 0}, named{"runAsUser", sc.RunAsUser != nil},
			named{"runAsGroup", sc.RunAsGroup != nil}, named{"supplementalGroups", sc.SupplementalGroups != nil},
			named{"supplementalGroupsPolicy", sc.SupplementalGroupsPolicy != nil},
			named{"seLinuxChangePolicy", sc.SELinuxChangePolicy != nil})
	}
	c.noneOnWindows(p, named{"hostUsers", s.HostUsers != nil}, named{"hostPID", s.HostPID}, named{"hostIPC", s.HostIPC},
		named{"shareProcessNamespace", s.ShareProcessNamespace != nil})
	visit(s, p, func(ctr *api.Container, at *field.Path) {
		sc := ctr.SecurityContext
		if sc == nil {
			return
		}
		c.noneOnWindows(at.Child("securityContext"), named{"appArmorProfile", sc.AppArmorProfile != nil},
			named{"seLinuxOptions", sc.SELinuxOptions != nil}, named{"seccompProfile", sc.SeccompProfile != nil},
			named{"capabilities", sc.Capabilities != nil}, named{"readOnlyRootFilesystem", sc.ReadOnlyRootFilesystem != nil},
			named{"privileged", sc.Privileged != nil}, named{"allowPrivilegeEscalation", sc.AllowPrivilegeEscalation != nil},
			named{"procMount", sc.ProcMount != nil}, named{"runAsUser", sc.RunAsUser != nil}, named{"runAsGroup", sc.RunAsGroup != nil})
	})
}
