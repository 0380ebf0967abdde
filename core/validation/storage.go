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
	c.sameSource(s, p)
	if n := s.VolumeAttributesClassName; n != nil && *n != "" {
		c.each(p.Child("volumeAttributesClassName"), *n, isSubdomain(*n))
	}
}

// sameSource wants the two ways to say where data comes from to agree. The server
// prints a path as the value, which JSON shows empty.
func (c *check) sameSource(s *api.PersistentVolumeClaimSpec, p *field.Path) {
	d, r := s.DataSource, s.DataSourceRef
	switch {
	case d == nil || r == nil:
	case r.Namespace != nil && *r.Namespace != "":
		c.invalid(p, field.JSON("{}"), "may not be specified when dataSourceRef.namespace is specified")
	case d.Name != r.Name || d.Kind != r.Kind || textOf(d.APIGroup) != textOf(r.APIGroup):
		c.invalid(p, field.JSON("{}"), "must match dataSourceRef")
	}
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
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
	c.volumeSpec(&v.Spec, v.Name, false, specPath)
}

// volumeSpec checks a volume, or one that stands in an attachment
// (ValidatePersistentVolumeSpec).
func (c *check) volumeSpec(s *api.PersistentVolumeSpec, name string, inline bool, p *field.Path) {
	if inline {
		c.inlineVolume(s, p)
	}
	if len(s.AccessModes) == 0 {
		c.required(p.Child("accessModes"), "")
	}
	c.modes(s.AccessModes, p.Child("accessModes"))
	if !inline {
		c.capacity(s.Capacity, p.Child("capacity"))
	}
	c.reclaimPolicy(s.PersistentVolumeReclaimPolicy, inline, p.Child("persistentVolumeReclaimPolicy"))
	switch a, at := s.NodeAffinity, p.Child("nodeAffinity"); {
	case a == nil:
	case inline:
		c.forbidden(at, notInline)
	case a.Required == nil:
		c.required(at.Child("required"), "must specify required node constraints")
	default:
		c.nodeSelector(a.Required, at.Child("required"))
	}
	c.volumeSource(s, name, p)
	if h := s.HostPath; h != nil && strings.Trim(h.Path, "/.") == "" && s.PersistentVolumeReclaimPolicy == "Recycle" {
		c.forbidden(p.Child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'")
	}
	switch at := p.Child("storageClassName"); {
	case s.StorageClassName == "":
	case inline:
		c.forbidden(at, notInline)
	default:
		c.each(at, s.StorageClassName, isSubdomain(s.StorageClassName))
	}
	switch m, at := s.VolumeMode, p.Child("volumeMode"); {
	case m == nil:
	case !inline:
		c.supported(at, *m, "Block", "Filesystem")
	case *m != "Filesystem":
		c.forbidden(at, "may not specify volumeMode other than Filesystem in the context of inline volumes")
	}
	if n := s.VolumeAttributesClassName; n != nil && !inline {
		c.attributesClass(*n, s.CSI != nil, p)
	}
}

const notInline = "may not be specified in the context of inline volumes"

func (c *check) inlineVolume(s *api.PersistentVolumeSpec, p *field.Path) {
	if s.ClaimRef != nil {
		c.forbidden(p.Child("claimRef"), notInline)
	}
	if len(s.Capacity) != 0 {
		c.forbidden(p.Child("capacity"), notInline)
	}
	if s.CSI == nil {
		c.required(p.Child("csi"), "has to be specified in the context of inline volumes")
	}
}

func (c *check) reclaimPolicy(policy string, inline bool, p *field.Path) {
	switch {
	case policy == "":
	case !inline:
		c.supported(p, policy, "Delete", "Recycle", "Retain")
	case policy != "Retain":
		c.forbidden(p, "may only be Retain in the context of inline volumes")
	}
}

func (c *check) attributesClass(name string, csi bool, p *field.Path) {
	if at := p.Child("volumeAttributesClassName"); name == "" {
		c.required(at, "an empty string is disallowed")
	} else {
		c.each(at, name, isSubdomain(name))
	}
	if !csi {
		c.required(p.Child("csi"), "has to be specified when using volumeAttributesClassName")
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

func (c *check) volumeSource(v *api.PersistentVolumeSpec, name string, p *field.Path) {
	s := &sources{c: c, at: p}
	s.next("hostPath", v.HostPath != nil, func(at *field.Path) { c.hostPath(v.HostPath, at) })
	s.next("gcePersistentDisk", v.GCEPersistentDisk != nil, func(*field.Path) {
		c.filled(p.Child("persistentDisk", "pdName"), v.GCEPersistentDisk.PDName)
		c.partition(v.GCEPersistentDisk.Partition, p.Child("persistentDisk"))
	})
	s.next("awsElasticBlockStore", v.AWSElasticBlockStore != nil, func(at *field.Path) {
		c.filled(at.Child("volumeID"), v.AWSElasticBlockStore.VolumeID)
		c.partition(v.AWSElasticBlockStore.Partition, at)
	})
	s.next("glusterfs", v.Glusterfs != nil, func(at *field.Path) {
		c.filled(at.Child("endpoints"), v.Glusterfs.EndpointsName)
		c.filled(at.Child("path"), v.Glusterfs.Path)
		switch n := v.Glusterfs.EndpointsNamespace; {
		case n == nil:
		case *n == "":
			c.invalid(at.Child("endpointsNamespace"), "", "if the endpointnamespace is set, it must be a valid namespace name")
		default:
			c.each(at.Child("endpointsNamespace"), *n, isDNSLabel(*n))
		}
	})
	s.next("flocker", v.Flocker != nil, func(at *field.Path) { c.flocker(v.Flocker.DatasetName, v.Flocker.DatasetUUID, at) })
	s.next("nfs", v.NFS != nil, func(at *field.Path) { c.nfs(v.NFS.Server, v.NFS.Path, at) })
	s.next("rbd", v.RBD != nil, func(at *field.Path) {
		c.monitors(v.RBD.CephMonitors, at)
		c.filled(at.Child("image"), v.RBD.RBDImage)
	})
	s.next("quobyte", v.Quobyte != nil, func(at *field.Path) { c.quobyte(v.Quobyte.Registry, v.Quobyte.Tenant, v.Quobyte.Volume, at) })
	s.next("cephFS", v.CephFS != nil, func(*field.Path) { c.monitors(v.CephFS.Monitors, p.Child("cephfs")) })
	s.next("iscsi", v.ISCSI != nil, func(at *field.Path) { c.iscsi(volumeISCSI(v.ISCSI, name), at) })
	s.next("cinder", v.Cinder != nil, func(at *field.Path) {
		c.filled(at.Child("volumeID"), v.Cinder.VolumeID)
		c.secretIn(v.Cinder.SecretRef, at)
	})
	s.next("fc", v.FC != nil, func(at *field.Path) { c.fc(v.FC, at) })
	if v.FlexVolume != nil { // which no other source forbids
		s.count++
		c.flex(v.FlexVolume.Driver, v.FlexVolume.Options, p.Child("flexVolume"))
	}
	s.next("azureFile", v.AzureFile != nil, func(at *field.Path) {
		c.filled(at.Child("secretName"), v.AzureFile.SecretName)
		c.filled(at.Child("shareName"), v.AzureFile.ShareName)
		if n := v.AzureFile.SecretNamespace; n != nil {
			c.filled(at.Child("secretNamespace"), *n)
		}
	})
	s.next("vsphereVolume", v.VsphereVolume != nil, func(at *field.Path) { c.filled(at.Child("volumePath"), v.VsphereVolume.VolumePath) })
	s.next("photonPersistentDisk", v.PhotonPersistentDisk != nil, func(at *field.Path) { c.filled(at.Child("pdID"), v.PhotonPersistentDisk.PdID) })
	s.next("portworxVolume", v.PortworxVolume != nil, func(at *field.Path) { c.filled(at.Child("volumeID"), v.PortworxVolume.VolumeID) })
	s.next("azureDisk", v.AzureDisk != nil, func(at *field.Path) { c.azureDisk(v.AzureDisk, at) })
	s.next("scaleIO", v.ScaleIO != nil, func(at *field.Path) { c.scaleIO(v.ScaleIO.Gateway, v.ScaleIO.System, v.ScaleIO.VolumeName, at) })
	s.next("local", v.Local != nil, func(at *field.Path) { c.local(v, at, p) })
	s.next("storageos", v.StorageOS != nil, func(at *field.Path) {
		c.storageOS(v.StorageOS.VolumeName, v.StorageOS.VolumeNamespace, at)
		if r := v.StorageOS.SecretRef; r != nil {
			c.secretIn(&api.SecretReference{Name: r.Name, Namespace: r.Namespace}, at)
		}
	})
	s.next("csi", v.CSI != nil, func(at *field.Path) {
		c.csi(v.CSI, at)
	})
	if s.count == 0 {
		c.required(p, "must specify a volume type")
	}
}

// secretIn wants a reference to a Secret to be whole.
func (c *check) secretIn(r *api.SecretReference, p *field.Path) {
	if r != nil {
		c.filled(p.Child("secretRef", "name"), r.Name)
		c.filled(p.Child("secretRef", "namespace"), r.Namespace)
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
