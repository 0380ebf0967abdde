package validation

import (
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

var accessModes = []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}

func (c *check) claim(v *api.PersistentVolumeClaim) {
	c.meta(&v.ObjectMeta, true, isSubdomain)
	c.claimSpec(&v.Spec, specPath)
}

// claimSpec checks what a claim asks for (ValidatePersistentVolumeClaimSpec).
func (c *check) claimSpec(s *api.PersistentVolumeClaimSpec, p *field.Path) {
	if len(s.AccessModes) == 0 {
		c.required(p.Child("accessModes"), "at least 1 access mode is required")
	}
	c.selector(p.Child("selector"), s.Selector)
	c.modes(s.AccessModes, p.Child("accessModes"))
	at := p.Child("resources").Key("storage")
	if q, ok := s.Resources.Requests["storage"]; !ok {
		c.required(at, "")
	} else if q.Sign() <= 0 {
		c.invalid(at, q.String(), positiveText)
	}
	if n := s.StorageClassName; n != nil && *n != "" {
		c.each(p.Child("storageClassName"), *n, isSubdomain(*n))
	}
	if m := s.VolumeMode; m != nil {
		c.supported(p.Child("volumeMode"), *m, "Block", "Filesystem")
	}
	if d := s.DataSource; d != nil {
		c.dataSource(d.Name, d.Kind, d.APIGroup, p.Child("dataSource"))
	}
	if d := s.DataSourceRef; d != nil {
		c.dataSource(d.Name, d.Kind, d.APIGroup, p.Child("dataSourceRef"))
		if d.Namespace != nil && *d.Namespace != "" {
			c.each(p.Child("dataSourceRef", "namespace"), *d.Namespace, isDNSLabel(*d.Namespace))
		}
	}
	if n := s.VolumeAttributesClassName; n != nil && *n != "" {
		c.each(p.Child("volumeAttributesClassName"), *n, isSubdomain(*n))
	}
}

func (c *check) modes(modes []string, p *field.Path) {
	single, other := false, false
	for _, m := range modes {
		c.supported(p, m, accessModes...)
		single = single || m == "ReadWriteOncePod"
		other = other || m != "ReadWriteOncePod" && slices.Contains(accessModes, m)
	}
	if single && other {
		c.forbidden(p, "may not use ReadWriteOncePod with other access modes")
	}
}

func (c *check) dataSource(name, kind string, group *string, p *field.Path) {
	c.filled(p.Child("name"), name)
	c.filled(p.Child("kind"), kind)
	if group == nil || *group == "" {
		if kind != "PersistentVolumeClaim" {
			c.invalid(p, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
		}
		return
	}
	c.each(p.Child("apiGroup"), *group, isSubdomain(*group))
}

func (c *check) volume(v *api.PersistentVolume) {
	c.meta(&v.ObjectMeta, false, isSubdomain)
	s, p := &v.Spec, specPath
	if len(s.AccessModes) == 0 {
		c.required(p.Child("accessModes"), "")
	}
	c.modes(s.AccessModes, p.Child("accessModes"))
	c.capacity(s.Capacity, p.Child("capacity"))
	if s.PersistentVolumeReclaimPolicy != "" {
		c.supported(p.Child("persistentVolumeReclaimPolicy"), s.PersistentVolumeReclaimPolicy, "Delete", "Recycle", "Retain")
	}
	if a := s.NodeAffinity; a != nil {
		if a.Required == nil {
			c.required(p.Child("nodeAffinity", "required"), "must specify required node constraints")
		} else {
			c.nodeSelector(a.Required, p.Child("nodeAffinity", "required"))
		}
	}
	c.volumeSource(s, p)
	if h := s.HostPath; h != nil && strings.Trim(h.Path, "/.") == "" && s.PersistentVolumeReclaimPolicy == "Recycle" {
		c.forbidden(p.Child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'")
	}
	if s.StorageClassName != "" {
		c.each(p.Child("storageClassName"), s.StorageClassName, isSubdomain(s.StorageClassName))
	}
	if m := s.VolumeMode; m != nil {
		c.supported(p.Child("volumeMode"), *m, "Block", "Filesystem")
	}
}

func (c *check) capacity(list map[string]api.Quantity, p *field.Path) {
	if len(list) == 0 {
		c.required(p, "")
	}
	if _, ok := list["storage"]; !ok || len(list) > 1 {
		c.unsupported(p, list, "storage")
	}
	for _, k := range sorted(list) {
		if q := list[k]; q.Sign() < 0 && q.Value() < 0 {
			c.invalid(p.Key(k), q.Value(), "must be a valid resource quantity")
		}
		if q := list[k]; q.Sign() <= 0 {
			c.invalid(p.Key(k), q.String(), positiveText)
		}
	}
}

func (c *check) volumeSource(v *api.PersistentVolumeSpec, p *field.Path) {
	s := &sources{c: c, at: p}
	s.next("hostPath", v.HostPath != nil, func(at *field.Path) { c.hostPath(v.HostPath, at) })
	s.next("gcePersistentDisk", v.GCEPersistentDisk != nil, func(*field.Path) { c.filled(p.Child("persistentDisk", "pdName"), v.GCEPersistentDisk.PDName) })
	s.next("awsElasticBlockStore", v.AWSElasticBlockStore != nil, func(at *field.Path) { c.filled(at.Child("volumeID"), v.AWSElasticBlockStore.VolumeID) })
	s.next("glusterfs", v.Glusterfs != nil, func(at *field.Path) {
		c.filled(at.Child("endpoints"), v.Glusterfs.EndpointsName)
		c.filled(at.Child("path"), v.Glusterfs.Path)
	})
	s.next("flocker", v.Flocker != nil, func(at *field.Path) { c.flocker(v.Flocker.DatasetName, v.Flocker.DatasetUUID, at) })
	s.next("nfs", v.NFS != nil, func(at *field.Path) { c.nfs(v.NFS.Server, v.NFS.Path, at) })
	s.next("rbd", v.RBD != nil, func(at *field.Path) {
		c.monitors(v.RBD.CephMonitors, at)
		c.filled(at.Child("image"), v.RBD.RBDImage)
	})
	s.next("quobyte", v.Quobyte != nil, func(at *field.Path) { c.quobyte(v.Quobyte.Registry, v.Quobyte.Tenant, v.Quobyte.Volume, at) })
	s.next("cephFS", v.CephFS != nil, func(*field.Path) { c.monitors(v.CephFS.Monitors, p.Child("cephfs")) })
	s.next("iscsi", v.ISCSI != nil, func(at *field.Path) {
		i := v.ISCSI
		c.iscsi(i.TargetPortal, i.IQN, i.Lun, (i.DiscoveryCHAPAuth || i.SessionCHAPAuth) && i.SecretRef == nil, at)
	})
	s.next("cinder", v.Cinder != nil, func(at *field.Path) { c.filled(at.Child("volumeID"), v.Cinder.VolumeID) })
	s.next("fc", v.FC != nil, func(at *field.Path) { c.fc(v.FC, at) })
	s.next("flexVolume", v.FlexVolume != nil, func(at *field.Path) { c.flex(v.FlexVolume.Driver, v.FlexVolume.Options, at) })
	s.next("azureFile", v.AzureFile != nil, func(at *field.Path) {
		c.filled(at.Child("secretName"), v.AzureFile.SecretName)
		c.filled(at.Child("shareName"), v.AzureFile.ShareName)
	})
	s.next("vsphereVolume", v.VsphereVolume != nil, func(at *field.Path) { c.filled(at.Child("volumePath"), v.VsphereVolume.VolumePath) })
	s.next("photonPersistentDisk", v.PhotonPersistentDisk != nil, func(at *field.Path) { c.filled(at.Child("pdID"), v.PhotonPersistentDisk.PdID) })
	s.next("portworxVolume", v.PortworxVolume != nil, func(at *field.Path) { c.filled(at.Child("volumeID"), v.PortworxVolume.VolumeID) })
	s.next("azureDisk", v.AzureDisk != nil, func(at *field.Path) { c.azureDisk(v.AzureDisk, at) })
	s.next("scaleIO", v.ScaleIO != nil, func(at *field.Path) { c.scaleIO(v.ScaleIO.Gateway, v.ScaleIO.System, v.ScaleIO.VolumeName, at) })
	s.next("local", v.Local != nil, func(at *field.Path) { c.local(v, at, p) })
	s.next("storageos", v.StorageOS != nil, func(at *field.Path) { c.storageOS(v.StorageOS.VolumeName, v.StorageOS.VolumeNamespace, at) })
	s.next("csi", v.CSI != nil, func(at *field.Path) {
		c.csi(v.CSI, at)
	})
	if s.count == 0 {
		c.required(p, "must specify a volume type")
	}
}

func (c *check) csi(s *api.CSIPersistentVolumeSource, p *field.Path) {
	c.driver(s.Driver, p.Child("driver"))
	c.filled(p.Child("volumeHandle"), s.VolumeHandle)
	c.secretOf(s.ControllerPublishSecretRef, p.Child("controllerPublishSecretRef"))
	c.secretOf(s.ControllerExpandSecretRef, p.Child("controllerExpandSecretRef"))
	c.secretOf(s.NodePublishSecretRef, p.Child("nodePublishSecretRef"))
	c.secretOf(s.NodeExpandSecretRef, p.Child("nodeExpandSecretRef"))
}

func (c *check) secretOf(r *api.SecretReference, p *field.Path) {
	if r == nil {
		return
	}
	c.name(p.Child("name"), r.Name, isSubdomain)
	c.name(p.Child("namespace"), r.Namespace, isDNSLabel)
}

func (c *check) local(v *api.PersistentVolumeSpec, at, p *field.Path) {
	if v.Local.Path == "" {
		c.required(at.Child("path"), "")
	} else {
		c.noBacksteps(v.Local.Path, at.Child("path"))
	}
	if v.NodeAffinity == nil {
		c.required(p.Child("nodeAffinity"), "Local volume requires node affinity")
	}
}

func (c *check) storageClass(s *api.StorageClass) {
	c.meta(&s.ObjectMeta, false, isSubdomain)
	if p := field.NewPath("provisioner"); s.Provisioner == "" {
		c.last(func() { c.required(p, "") })
	} else {
		c.each(p, strings.ToLower(s.Provisioner), field.IsLabelKey(strings.ToLower(s.Provisioner)))
	}
	for _, k := range sorted(s.Parameters) {
		if k == "" {
			c.invalid(field.NewPath("parameters"), k, "field can not be empty.")
		}
	}
	if r := s.ReclaimPolicy; r != nil && *r != "" {
		c.supported(field.NewPath("reclaimPolicy"), *r, "Delete", "Retain")
	}
	if m := s.VolumeBindingMode; m == nil {
		c.required(field.NewPath("volumeBindingMode"), "")
	} else {
		c.supported(field.NewPath("volumeBindingMode"), *m, "Immediate", "WaitForFirstConsumer")
	}
}
