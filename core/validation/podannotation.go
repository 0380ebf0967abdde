package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// podAnnotations checks the annotations of a pod or template that mean something
// (ValidatePodSpecificAnnotations).
func (c *check) podAnnotations(all map[string]string, s *api.PodSpec, at *field.Path) {
	if len(all) == 0 {
		return
	}
	if v, mirror := all["kubernetes.io/config.mirror"]; mirror && s.NodeName == "" {
		c.invalid(at.Key("kubernetes.io/config.mirror"), v, "must set spec.nodeName if mirror pod annotation is set")
	}
	if v, ok := all["controller.kubernetes.io/pod-deletion-cost"]; ok {
		if _, err := strconv.ParseInt(v, 10, 32); err != nil || strings.HasPrefix(v, "+") {
			c.invalid(at.Key("controller.kubernetes.io/pod-deletion-cost"), v, "must be a 32bit integer")
		}
	}
	if v, ok := all[seccompPod]; ok {
		c.seccompAnnotation(v, at.Child(seccompPod))
	}
	for _, k := range sorted(all) {
		if strings.HasPrefix(k, seccompContainer) {
			c.seccompAnnotation(all[k], at.Child(k))
		}
	}
	for _, k := range sorted(all) {
		if name, ok := strings.CutPrefix(k, appArmor); ok {
			c.appArmorAnnotation(name, all[k], s, at.Key(k))
		}
	}
}

func (c *check) seccompAnnotation(v string, p *field.Path) {
	local, ok := strings.CutPrefix(v, "localhost/")
	switch {
	case v == "runtime/default" || v == "docker/default" || v == "unconfined":
	case ok:
		c.descending(local, p)
	default:
		c.invalid(p, v, "must be a valid seccomp profile")
	}
}

func (c *check) appArmorAnnotation(name, v string, s *api.PodSpec, p *field.Path) {
	found := false
	visit(s, specPath, func(ctr *api.Container, _ *field.Path) { found = found || ctr.Name == name })
	if !found {
		c.invalid(p, name, "container not found")
	}
	if v != "" && v != "runtime/default" && v != "unconfined" && !strings.HasPrefix(v, "localhost/") {
		c.invalid(p, v, "invalid AppArmor profile name: "+strconv.Quote(v))
	}
}

// profilesAgree compares the annotations by which profiles were chosen once with
// the fields that replaced them.
func (c *check) profilesAgree(all map[string]string, s *api.PodSpec, p *field.Path) {
	if len(all) == 0 {
		return
	}
	var ofPod *api.AppArmorProfile
	if sc := s.SecurityContext; sc != nil {
		ofPod = sc.AppArmorProfile
		if v, ok := all[seccompPod]; ok && sc.SeccompProfile != nil {
			c.agree(v, sc.SeccompProfile.Type, sc.SeccompProfile.LocalhostProfile, "seccomp", p.Child("securityContext", "seccompProfile"))
		}
	}
	visit(s, p, func(ctr *api.Container, at *field.Path) {
		sc := ctr.SecurityContext
		if v, ok := all[seccompContainer+ctr.Name]; ok && sc != nil && sc.SeccompProfile != nil {
			c.agree(v, sc.SeccompProfile.Type, sc.SeccompProfile.LocalhostProfile, "seccomp", at.Child("securityContext", "seccompProfile"))
		}
	})
	if s.OS != nil && s.OS.Name == "windows" {
		return
	}
	visit(s, p, func(ctr *api.Container, at *field.Path) {
		profile := ofPod
		if sc := ctr.SecurityContext; sc != nil && sc.AppArmorProfile != nil {
			profile = sc.AppArmorProfile
		}
		if v, ok := all[appArmor+ctr.Name]; ok && profile != nil {
			c.agree(v, profile.Type, profile.LocalhostProfile, "apparmor", at.Child("securityContext", "appArmorProfile"))
		}
	})
}

func (c *check) agree(annotation, kind string, local *string, what string, p *field.Path) {
	path, isLocal := strings.CutPrefix(annotation, "localhost/")
	var same bool
	switch kind {
	case "Unconfined":
		same = annotation == "unconfined"
	case "RuntimeDefault":
		same = annotation == "runtime/default" || what == "seccomp" && annotation == "docker/default"
	case "Localhost":
		same = isLocal
	default:
		return
	}
	switch {
	case !same:
		c.forbidden(p.Child("type"), what+" type in annotation and field must match")
	case kind == "Localhost" && (local == nil || *local != path):
		c.forbidden(p.Child("localhostProfile"), what+" profile in annotation and field must match")
	}
}
