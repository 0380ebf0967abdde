package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// mounts checks where a container mounts volumes (ValidateVolumeMounts). The
// paths of some errors lack the index, as upstream's.
func (c *check) mounts(ctr *api.Container, p *field.Path, s *podScope) {
	devices := map[string]string{}
	for _, d := range ctr.VolumeDevices {
		devices[d.Name] = d.DevicePath
	}
	points := map[string]bool{}
	for i := range ctr.VolumeMounts {
		m, at := &ctr.VolumeMounts[i], p.Index(i)
		c.filled(at.Child("name"), m.Name)
		if s.volumes[m.Name] == nil {
			c.notFound(at.Child("name"), m.Name)
		}
		c.filled(at.Child("mountPath"), m.MountPath)
		if points[m.MountPath] {
			c.invalid(at.Child("mountPath"), m.MountPath, "must be unique")
		}
		points[m.MountPath] = true
		if _, ok := devices[m.Name]; ok {
			c.invalid(at.Child("name"), m.Name, "must not already exist in volumeDevices")
		}
		if hasValue(devices, m.MountPath) {
			c.invalid(at.Child("mountPath"), m.MountPath, "must not already exist as a path in volumeDevices")
		}
		c.subPaths(m, at, p)
		c.propagation(m, ctr, p.Child("mountPropagation"))
		c.recursiveReadOnly(m, p.Child("recursiveReadOnly"))
	}
}

func hasValue(m map[string]string, value string) bool {
	for _, v := range m {
		if v == value {
			return true
		}
	}
	return false
}

func (c *check) subPaths(m *api.VolumeMount, at, p *field.Path) {
	if m.SubPath != "" {
		c.descending(m.SubPath, p.Child("subPath"))
	}
	if m.SubPathExpr == "" {
		return
	}
	if m.SubPath != "" {
		c.invalid(at.Child("subPathExpr"), m.SubPathExpr, "subPathExpr and subPath are mutually exclusive")
	}
	c.descending(m.SubPathExpr, p.Child("subPathExpr"))
}

// descending checks a path that must stay inside the volume.
func (c *check) descending(path string, p *field.Path) {
	if strings.HasPrefix(path, "/") {
		c.invalid(p, path, "must be a relative path")
	}
	c.noBacksteps(path, p)
}

func (c *check) noBacksteps(path string, p *field.Path) {
	if backsteps(path) {
		c.invalid(p, path, "must not contain '..'")
	}
}

func backsteps(path string) bool { return contains(strings.Split(path, "/"), "..") }

// nonReserved checks the path of a file that the kubelet writes.
func (c *check) nonReserved(path string, p *field.Path) {
	c.descending(path, p)
	if strings.HasPrefix(path, "..") && !strings.HasPrefix(path, "../") {
		c.invalid(p, path, "must not start with '..'")
	}
}

func (c *check) propagation(m *api.VolumeMount, ctr *api.Container, p *field.Path) {
	if m.MountPropagation == nil {
		return
	}
	c.supported(p, *m.MountPropagation, "Bidirectional", "HostToContainer", "None")
	privileged := ctr.SecurityContext != nil && ctr.SecurityContext.Privileged != nil && *ctr.SecurityContext.Privileged
	if *m.MountPropagation == "Bidirectional" && !privileged {
		c.forbidden(p, "Bidirectional mount propagation is available only to privileged containers")
	}
}

func (c *check) recursiveReadOnly(m *api.VolumeMount, p *field.Path) {
	if m.RecursiveReadOnly == nil || *m.RecursiveReadOnly == "Disabled" {
		return
	}
	if v := *m.RecursiveReadOnly; v != "Enabled" && v != "IfPossible" {
		c.unsupported(p, v, "Disabled", "Enabled", "IfPossible")
		return
	}
	if !m.ReadOnly {
		c.forbidden(p, "may only be specified when readOnly is true")
	}
	if m.MountPropagation != nil && *m.MountPropagation != "None" {
		c.forbidden(p, "may only be specified when mountPropagation is None or not specified")
	}
}

// devices checks the block devices of a container (ValidateVolumeDevices).
func (c *check) devices(ctr *api.Container, p *field.Path, s *podScope) {
	mounts := map[string]string{}
	for _, m := range ctr.VolumeMounts {
		mounts[m.Name] = m.MountPath
	}
	paths, names := map[string]bool{}, map[string]bool{}
	for i := range ctr.VolumeDevices {
		d, at := &ctr.VolumeDevices[i], p.Index(i)
		c.filled(at.Child("name"), d.Name)
		if names[d.Name] {
			c.invalid(at.Child("name"), d.Name, "must be unique")
		}
		c.deviceVolume(s.volumes[d.Name], d.Name, at.Child("name"))
		c.filled(at.Child("devicePath"), d.DevicePath)
		if paths[d.DevicePath] {
			c.invalid(at.Child("devicePath"), d.DevicePath, "must be unique")
		}
		if backsteps(d.DevicePath) {
			c.invalid(at.Child("devicePath"), d.DevicePath, "can not contain backsteps ('..')")
		} else {
			paths[d.DevicePath] = true
		}
		if _, ok := mounts[d.Name]; ok {
			c.invalid(at.Child("name"), d.Name, "must not already exist in volumeMounts")
		}
		if hasValue(mounts, d.DevicePath) {
			c.invalid(at.Child("devicePath"), d.DevicePath, "must not already exist as a path in volumeMounts")
		}
		names[d.Name] = names[d.Name] || d.Name != ""
	}
}

func (c *check) deviceVolume(v *api.Volume, name string, p *field.Path) {
	switch {
	case v == nil:
		c.notFound(p, name)
	case v.PersistentVolumeClaim == nil && v.Ephemeral == nil:
		c.invalid(p, name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")
	}
}
