package describe

import (
	"strings"

	"podwalk/core/api"
)

// rows writes the lines of a volume source: title, value, title, value, ...
func (p *page) rows(cells ...string) {
	for i := 0; i+1 < len(cells); i += 2 {
		p.field(2, cells[i], cells[i+1])
	}
}

// volumes describes the volumes of a pod, or with a space those of a template.
func (p *page) volumes(list []api.Volume, space string) {
	if len(list) == 0 {
		p.put(0, space, "Volumes:\t<none>\n")
		return
	}
	p.put(0, space, "Volumes:\n")
	indent := ""
	if space != "" {
		indent = " "
	}
	for i := range list {
		p.put(1, indent, list[i].Name, ":\n")
		v := &list[i]
		if !p.commonVolume(v) && !p.storageVolume(v) && !p.formerVolume(v) {
			p.put(1, "<unknown>\n")
		}
	}
}

func (p *page) commonVolume(v *api.Volume) bool {
	switch {
	case v.HostPath != nil:
		p.hostPath(v.HostPath)
	case v.EmptyDir != nil:
		p.emptyDir(v.EmptyDir)
	case v.Secret != nil:
		p.rows("Type", "Secret (a volume populated by a Secret)", "SecretName", v.Secret.SecretName,
			"Optional", lower(isTrue(v.Secret.Optional)))
	case v.ConfigMap != nil:
		p.rows("Type", "ConfigMap (a volume populated by a ConfigMap)", "Name", v.ConfigMap.Name,
			"Optional", lower(isTrue(v.ConfigMap.Optional)))
	case v.PersistentVolumeClaim != nil:
		p.rows("Type", "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
			"ClaimName", v.PersistentVolumeClaim.ClaimName, "ReadOnly", lower(v.PersistentVolumeClaim.ReadOnly))
	case v.Ephemeral != nil:
		p.ephemeral(v.Ephemeral)
	case v.DownwardAPI != nil:
		p.downwardAPI(v.DownwardAPI)
	case v.Projected != nil:
		p.projected(v.Projected)
	case v.Image != nil:
		p.rows("Type", "Image (a container image or OCI artifact)", "Reference", v.Image.Reference, "PullPolicy", v.Image.PullPolicy)
	default:
		return false
	}
	return true
}

func (p *page) hostPath(h *api.HostPathVolumeSource) {
	p.rows("Type", "HostPath (bare host directory volume)", "Path", h.Path, "HostPathType", deref(h.Type, "<none>"))
}

func (p *page) emptyDir(e *api.EmptyDirVolumeSource) {
	limit := "<unset>"
	if e.SizeLimit != nil && e.SizeLimit.Sign() > 0 {
		limit = e.SizeLimit.String()
	}
	p.rows("Type", "EmptyDir (a temporary directory that shares a pod's lifetime)", "Medium", e.Medium, "SizeLimit", limit)
}

func (p *page) ephemeral(e *api.EphemeralVolumeSource) {
	p.rows("Type", "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)")
	if t := e.VolumeClaimTemplate; t != nil {
		p.base += 2
		p.claim(&api.PersistentVolumeClaim{ObjectMeta: t.ObjectMeta, Spec: t.Spec}, false)
		p.base -= 2
	}
}

func (p *page) downwardAPI(d *api.DownwardAPIVolumeSource) {
	p.rows("Type", "DownwardAPI (a volume populated by information about the pod)")
	p.put(2, "Items:\n")
	for _, m := range d.Items {
		if m.FieldRef != nil {
			p.put(3, m.FieldRef.FieldPath, " -> ", m.Path, "\n")
		}
		if m.ResourceFieldRef != nil {
			p.put(3, m.ResourceFieldRef.Resource, " -> ", m.Path, "\n")
		}
	}
}

func (p *page) projected(v *api.ProjectedVolumeSource) {
	p.rows("Type", "Projected (a volume that contains injected data from multiple sources)")
	for _, s := range v.Sources {
		switch {
		case s.Secret != nil:
			p.rows("SecretName", s.Secret.Name, "Optional", lower(isTrue(s.Secret.Optional)))
		case s.DownwardAPI != nil:
			p.rows("DownwardAPI", "true")
		case s.ConfigMap != nil:
			p.rows("ConfigMapName", s.ConfigMap.Name, "Optional", lower(isTrue(s.ConfigMap.Optional)))
		case s.ServiceAccountToken != nil:
			p.rows("TokenExpirationSeconds", num(deref(s.ServiceAccountToken.ExpirationSeconds, 3600)))
		}
	}
}

func (p *page) csi(driver, fsType, handle string, readOnly bool, attributes map[string]string) {
	p.rows("Type", "CSI (a Container Storage Interface (CSI) volume source)", "Driver", driver, "FSType", fsType)
	if handle != "" {
		p.rows("VolumeHandle", handle)
	}
	p.rows("ReadOnly", lower(readOnly))
	p.put(2, "VolumeAttributes:\t")
	if len(attributes) == 0 {
		p.put(0, "<none>\n")
	}
	for i, line := range pairs(attributes) {
		if i > 0 {
			p.put(2)
			p.put(2, "\t")
		}
		if len(line) > maxAnnotation {
			line = line[:maxAnnotation] + "..."
		}
		p.put(2, line, "\n")
	}
}

func list(values []string) string { return strings.Join(values, ", ") }
