package describe

import "podwalk/core/api"

// storageVolume describes network storage that pods name themselves.
func (p *page) storageVolume(v *api.Volume) bool {
	switch {
	case v.NFS != nil:
		p.nfs(v.NFS)
	case v.ISCSI != nil:
		p.iscsi(api.ISCSIPersistentVolumeSource{
			TargetPortal: v.ISCSI.TargetPortal, IQN: v.ISCSI.IQN, Lun: v.ISCSI.Lun, ISCSIInterface: v.ISCSI.ISCSIInterface,
			FSType: v.ISCSI.FSType, ReadOnly: v.ISCSI.ReadOnly, Portals: v.ISCSI.Portals, DiscoveryCHAPAuth: v.ISCSI.DiscoveryCHAPAuth,
			SessionCHAPAuth: v.ISCSI.SessionCHAPAuth, InitiatorName: v.ISCSI.InitiatorName,
		}, localRef(v.ISCSI.SecretRef))
	case v.FC != nil:
		p.fc(v.FC)
	case v.RBD != nil:
		r := v.RBD
		p.rbd(r.CephMonitors, r.RBDImage, r.FSType, r.RBDPool, r.RadosUser, r.Keyring, localRef(r.SecretRef), r.ReadOnly)
	case v.CephFS != nil:
		c := v.CephFS
		p.cephFS(c.Monitors, c.Path, c.User, c.SecretFile, localRef(c.SecretRef), c.ReadOnly)
	case v.CSI != nil:
		p.csi(v.CSI.Driver, deref(v.CSI.FSType, ""), "", isTrue(v.CSI.ReadOnly), v.CSI.VolumeAttributes)
	case v.FlexVolume != nil:
		f := v.FlexVolume
		p.flex(f.Driver, f.FSType, localRef(f.SecretRef), f.ReadOnly, f.Options)
	case v.Cinder != nil:
		p.cinder(v.Cinder.VolumeID, v.Cinder.FSType, v.Cinder.ReadOnly, localRef(v.Cinder.SecretRef))
	default:
		return false
	}
	return true
}

// formerVolume describes what the API still accepts but no kubelet mounts any more.
func (p *page) formerVolume(v *api.Volume) bool {
	switch {
	case v.GitRepo != nil:
		p.rows("Type", "GitRepo (a volume that is pulled from git when the pod is created)",
			"Repository", v.GitRepo.Repository, "Revision", v.GitRepo.Revision)
	case v.Glusterfs != nil:
		p.rows("Type", glusterfs, "EndpointsName", v.Glusterfs.EndpointsName, "Path", v.Glusterfs.Path, "ReadOnly", lower(v.Glusterfs.ReadOnly))
	case v.AzureFile != nil:
		p.rows("Type", azureFile, "SecretName", v.AzureFile.SecretName, "ShareName", v.AzureFile.ShareName, "ReadOnly", lower(v.AzureFile.ReadOnly))
	case v.ScaleIO != nil:
		s := v.ScaleIO
		p.rows("Type", scaleIO, "Gateway", s.Gateway, "System", s.System, "Protection Domain", s.ProtectionDomain, "Storage Pool", s.StoragePool,
			"Storage Mode", s.StorageMode, "VolumeName", s.VolumeName, "FSType", s.FSType, "ReadOnly", lower(s.ReadOnly))
	case v.StorageOS != nil:
		p.storageOS(v.StorageOS.VolumeName, v.StorageOS.VolumeNamespace, v.StorageOS.FSType, v.StorageOS.ReadOnly)
	default:
		return p.cloudDisk(&api.PersistentVolumeSpec{
			GCEPersistentDisk: v.GCEPersistentDisk, AWSElasticBlockStore: v.AWSElasticBlockStore, Quobyte: v.Quobyte, AzureDisk: v.AzureDisk,
			VsphereVolume: v.VsphereVolume, PhotonPersistentDisk: v.PhotonPersistentDisk, PortworxVolume: v.PortworxVolume, Flocker: v.Flocker,
		})
	}
	return true
}

// cloudDisk describes sources of which pods and PersistentVolumes share the type.
func (p *page) cloudDisk(v *api.PersistentVolumeSpec) bool {
	switch {
	case v.GCEPersistentDisk != nil:
		d := v.GCEPersistentDisk
		p.rows("Type", "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
			"PDName", d.PDName, "FSType", d.FSType, "Partition", num(d.Partition), "ReadOnly", lower(d.ReadOnly))
	case v.AWSElasticBlockStore != nil:
		d := v.AWSElasticBlockStore
		p.rows("Type", "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
			"VolumeID", d.VolumeID, "FSType", d.FSType, "Partition", num(d.Partition), "ReadOnly", lower(d.ReadOnly))
	case v.Quobyte != nil:
		p.rows("Type", "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
			"Registry", v.Quobyte.Registry, "Volume", v.Quobyte.Volume, "ReadOnly", lower(v.Quobyte.ReadOnly))
	case v.AzureDisk != nil:
		p.azureDisk(v.AzureDisk)
	case v.VsphereVolume != nil:
		p.rows("Type", "vSphereVolume (a Persistent Disk resource in vSphere)", "VolumePath", v.VsphereVolume.VolumePath,
			"FSType", v.VsphereVolume.FSType, "StoragePolicyName", v.VsphereVolume.StoragePolicyName)
	case v.PhotonPersistentDisk != nil:
		p.rows("Type", "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
			"PdID", v.PhotonPersistentDisk.PdID, "FSType", v.PhotonPersistentDisk.FSType)
	case v.PortworxVolume != nil:
		p.rows("Type", "PortworxVolume (a Portworx Volume resource)", "VolumeID", v.PortworxVolume.VolumeID)
	case v.Flocker != nil:
		p.rows("Type", "Flocker (a Flocker volume mounted by the Flocker agent)",
			"DatasetName", v.Flocker.DatasetName, "DatasetUUID", v.Flocker.DatasetUUID)
	default:
		return false
	}
	return true
}

func (p *page) azureDisk(d *api.AzureDiskVolumeSource) {
	p.rows("Type", "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
		"DiskName", d.DiskName, "DiskURI", d.DataDiskURI)
	p.put(2, "Kind: \t", deref(d.Kind, ""), "\n")
	p.rows("FSType", deref(d.FSType, ""), "CachingMode", deref(d.CachingMode, ""), "ReadOnly", lower(isTrue(d.ReadOnly)))
}

// persistentSource describes the source of a PersistentVolume.
func (p *page) persistentSource(v *api.PersistentVolumeSpec) bool {
	switch {
	case v.HostPath != nil:
		p.hostPath(v.HostPath)
	case v.Local != nil:
		p.rows("Type", "LocalVolume (a persistent volume backed by local storage on a node)", "Path", v.Local.Path)
	case v.NFS != nil:
		p.nfs(v.NFS)
	case v.ISCSI != nil:
		p.iscsi(*v.ISCSI, secretRef(v.ISCSI.SecretRef))
	case v.FC != nil:
		p.fc(v.FC)
	case v.CSI != nil:
		p.csi(v.CSI.Driver, v.CSI.FSType, v.CSI.VolumeHandle, v.CSI.ReadOnly, v.CSI.VolumeAttributes)
	case v.RBD != nil:
		r := v.RBD
		p.rbd(r.CephMonitors, r.RBDImage, r.FSType, r.RBDPool, r.RadosUser, r.Keyring, secretRef(r.SecretRef), r.ReadOnly)
	case v.CephFS != nil:
		c := v.CephFS
		p.cephFS(c.Monitors, c.Path, c.User, c.SecretFile, secretRef(c.SecretRef), c.ReadOnly)
	default:
		return p.formerPersistentSource(v)
	}
	return true
}

func (p *page) formerPersistentSource(v *api.PersistentVolumeSpec) bool {
	switch {
	case v.Glusterfs != nil:
		g := v.Glusterfs
		p.rows("Type", glusterfs, "EndpointsName", g.EndpointsName, "EndpointsNamespace", deref(g.EndpointsNamespace, "<unset>"),
			"Path", g.Path, "ReadOnly", lower(g.ReadOnly))
	case v.AzureFile != nil:
		p.rows("Type", azureFile, "SecretName", v.AzureFile.SecretName, "SecretNamespace", deref(v.AzureFile.SecretNamespace, ""),
			"ShareName", v.AzureFile.ShareName, "ReadOnly", lower(v.AzureFile.ReadOnly))
	case v.ScaleIO != nil:
		s, secret := v.ScaleIO, api.SecretReference{}
		if s.SecretRef != nil {
			secret = *s.SecretRef
		}
		p.rows("Type", scaleIO, "Gateway", s.Gateway, "System", s.System, "Protection Domain", s.ProtectionDomain, "Storage Pool", s.StoragePool,
			"Storage Mode", s.StorageMode, "VolumeName", s.VolumeName, "SecretName", secret.Name, "SecretNamespace", secret.Namespace,
			"FSType", s.FSType, "ReadOnly", lower(s.ReadOnly))
	case v.StorageOS != nil:
		p.storageOS(v.StorageOS.VolumeName, v.StorageOS.VolumeNamespace, v.StorageOS.FSType, v.StorageOS.ReadOnly)
	case v.FlexVolume != nil:
		f := v.FlexVolume
		p.flex(f.Driver, f.FSType, secretRef(f.SecretRef), f.ReadOnly, f.Options)
	case v.Cinder != nil:
		p.cinder(v.Cinder.VolumeID, v.Cinder.FSType, v.Cinder.ReadOnly, secretRef(v.Cinder.SecretRef))
	default:
		return p.cloudDisk(v)
	}
	return true
}

const (
	glusterfs = "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)"
	azureFile = "AzureFile (an Azure File Service mount on the host and bind mount to the pod)"
	scaleIO   = "ScaleIO (a persistent volume backed by a block device in ScaleIO)"
)

func (p *page) nfs(n *api.NFSVolumeSource) {
	p.rows("Type", "NFS (an NFS mount that lasts the lifetime of a pod)", "Server", n.Server, "Path", n.Path, "ReadOnly", lower(n.ReadOnly))
}

func (p *page) iscsi(i api.ISCSIPersistentVolumeSource, secret string) {
	p.rows("Type", "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
		"TargetPortal", i.TargetPortal, "IQN", i.IQN, "Lun", num(i.Lun))
	p.put(2, "ISCSIInterface\t", i.ISCSIInterface, "\n")
	p.rows("FSType", i.FSType, "ReadOnly", lower(i.ReadOnly), "Portals", goList(i.Portals),
		"DiscoveryCHAPAuth", lower(i.DiscoveryCHAPAuth), "SessionCHAPAuth", lower(i.SessionCHAPAuth),
		"SecretRef", secret, "InitiatorName", deref(i.InitiatorName, "<none>"))
}

func (p *page) fc(f *api.FCVolumeSource) {
	lun := "<none>"
	if f.Lun != nil {
		lun = num(*f.Lun)
	}
	p.rows("Type", "FC (a Fibre Channel disk)", "TargetWWNs", list(f.TargetWWNs), "LUN", lun, "FSType", f.FSType, "ReadOnly", lower(f.ReadOnly))
}

func (p *page) rbd(monitors []string, image, fsType, pool, user, keyring, secret string, readOnly bool) {
	p.rows("Type", "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)", "CephMonitors", goList(monitors),
		"RBDImage", image, "FSType", fsType, "RBDPool", pool, "RadosUser", user, "Keyring", keyring, "SecretRef", secret,
		"ReadOnly", lower(readOnly))
}

func (p *page) cephFS(monitors []string, path, user, file, secret string, readOnly bool) {
	p.rows("Type", "CephFS (a CephFS mount on the host that shares a pod's lifetime)", "Monitors", goList(monitors), "Path", path,
		"User", user, "SecretFile", file, "SecretRef", secret, "ReadOnly", lower(readOnly))
}

func (p *page) flex(driver, fsType, secret string, readOnly bool, options map[string]string) {
	var parts []string
	for _, k := range sortedKeys(options) {
		parts = append(parts, k+":"+options[k])
	}
	p.rows("Type", "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)", "Driver", driver,
		"FSType", fsType, "SecretRef", secret, "ReadOnly", lower(readOnly), "Options", "map"+goList(parts))
}

func (p *page) cinder(id, fsType string, readOnly bool, secret string) {
	p.rows("Type", "Cinder (a Persistent Disk resource in OpenStack)", "VolumeID", id, "FSType", fsType,
		"ReadOnly", lower(readOnly), "SecretRef", secret)
}

func (p *page) storageOS(name, namespace, fsType string, readOnly bool) {
	p.rows("Type", "StorageOS (a StorageOS Persistent Disk resource)", "VolumeName", name, "VolumeNamespace", namespace,
		"FSType", fsType, "ReadOnly", lower(readOnly))
}

// localRef prints a reference as Go prints the struct, which the real describer does.
func localRef(r *api.LocalObjectReference) string {
	if r == nil {
		return "nil"
	}
	return "&LocalObjectReference{Name:" + r.Name + ",}"
}

func secretRef(r *api.SecretReference) string {
	if r == nil {
		return "nil"
	}
	return "&SecretReference{Name:" + r.Name + ",Namespace:" + r.Namespace + ",}"
}
