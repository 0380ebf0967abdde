package defaulting

import "podwalk/core/api"

const (
	fileMode     = int32(0o644)
	tokenSeconds = int64(3600)
)

// volume completes one volume; one without a source is an emptyDir
// (SetDefaults_Volume).
func volume(v *api.Volume) {
	if (api.Volume{Name: v.Name}) == *v {
		v.EmptyDir = &api.EmptyDirVolumeSource{}
	}
	if v.HostPath != nil {
		ptr(&v.HostPath.Type, "")
	}
	if v.Secret != nil {
		ptr(&v.Secret.DefaultMode, fileMode)
	}
	if v.ConfigMap != nil {
		ptr(&v.ConfigMap.DefaultMode, fileMode)
	}
	if v.DownwardAPI != nil {
		ptr(&v.DownwardAPI.DefaultMode, fileMode)
		downwardItems(v.DownwardAPI.Items)
	}
	if v.Projected != nil {
		projected(v.Projected)
	}
	if v.Image != nil && v.Image.PullPolicy == "" {
		v.Image.PullPolicy = pullPolicy(v.Image.Reference)
	}
	if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
		claimSpec(&v.Ephemeral.VolumeClaimTemplate.Spec)
	}
	oldVolume(v)
}

// oldVolume completes the sources of storage that is built in no more.
func oldVolume(v *api.Volume) {
	if v.ISCSI != nil {
		str(&v.ISCSI.ISCSIInterface, "default")
	}
	if v.RBD != nil {
		str(&v.RBD.RBDPool, "rbd")
		str(&v.RBD.RadosUser, "admin")
		str(&v.RBD.Keyring, "/etc/ceph/keyring")
	}
	if v.AzureDisk != nil {
		azureDisk(v.AzureDisk)
	}
	if v.ScaleIO != nil {
		str(&v.ScaleIO.StorageMode, "ThinProvisioned")
		str(&v.ScaleIO.FSType, "xfs")
	}
}

func azureDisk(d *api.AzureDiskVolumeSource) {
	ptr(&d.CachingMode, "ReadWrite")
	ptr(&d.FSType, "ext4")
	ptr(&d.ReadOnly, false)
	ptr(&d.Kind, "Shared")
}

func downwardItems(items []api.DownwardAPIVolumeFile) {
	for i := range items {
		fieldRef(items[i].FieldRef)
	}
}

func projected(p *api.ProjectedVolumeSource) {
	ptr(&p.DefaultMode, fileMode)
	for i := range p.Sources {
		s := &p.Sources[i]
		if s.DownwardAPI != nil {
			downwardItems(s.DownwardAPI.Items)
		}
		if s.ServiceAccountToken != nil {
			ptr(&s.ServiceAccountToken.ExpirationSeconds, tokenSeconds)
		}
	}
}

func claimSpec(s *api.PersistentVolumeClaimSpec) {
	ptr(&s.VolumeMode, "Filesystem")
	roundUp(s.Resources.Limits)
	roundUp(s.Resources.Requests)
}

func persistentVolume(v *api.PersistentVolume) {
	str(&v.Status.Phase, "Pending")
	str(&v.Spec.PersistentVolumeReclaimPolicy, "Retain")
	ptr(&v.Spec.VolumeMode, "Filesystem")
	roundUp(v.Spec.Capacity)
	if v.Spec.HostPath != nil {
		ptr(&v.Spec.HostPath.Type, "")
	}
	if v.Spec.ISCSI != nil {
		str(&v.Spec.ISCSI.ISCSIInterface, "default")
	}
	if v.Spec.RBD != nil {
		str(&v.Spec.RBD.RBDPool, "rbd")
		str(&v.Spec.RBD.RadosUser, "admin")
		str(&v.Spec.RBD.Keyring, "/etc/ceph/keyring")
	}
	if v.Spec.AzureDisk != nil {
		azureDisk(v.Spec.AzureDisk)
	}
	if v.Spec.ScaleIO != nil {
		str(&v.Spec.ScaleIO.StorageMode, "ThinProvisioned")
		str(&v.Spec.ScaleIO.FSType, "xfs")
	}
}
