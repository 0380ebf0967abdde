package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// The disks are in groups that stand together in the server's order, for
// volumes of pods. Most of them are served by CSI drivers today.

func (c *check) cloudDisks(v *api.Volume, s *sources) {
	s.next("gcePersistentDisk", v.GCEPersistentDisk != nil, func(*field.Path) {
		at := s.at.Child("persistentDisk")
		c.filled(at.Child("pdName"), v.GCEPersistentDisk.PDName)
		c.partition(v.GCEPersistentDisk.Partition, at)
	})
	s.next("awsElasticBlockStore", v.AWSElasticBlockStore != nil, func(at *field.Path) {
		c.filled(at.Child("volumeID"), v.AWSElasticBlockStore.VolumeID)
		c.partition(v.AWSElasticBlockStore.Partition, at)
	})
}

func (c *check) partition(n int32, p *field.Path) {
	if n < 0 || n > 255 {
		c.invalid(p.Child("partition"), n, between(1, 255))
	}
}

func (c *check) networkDisks(v *api.Volume, s *sources) {
	s.next("nfs", v.NFS != nil, func(at *field.Path) { c.nfs(v.NFS.Server, v.NFS.Path, at) })
	s.next("iscsi", v.ISCSI != nil, func(at *field.Path) { c.iscsi(podISCSI(v.ISCSI), at) })
	s.next("glusterfs", v.Glusterfs != nil, func(at *field.Path) {
		c.filled(at.Child("endpoints"), v.Glusterfs.EndpointsName)
		c.filled(at.Child("path"), v.Glusterfs.Path)
	})
	s.next("flocker", v.Flocker != nil, func(at *field.Path) { c.flocker(v.Flocker.DatasetName, v.Flocker.DatasetUUID, at) })
}

func (c *check) nfs(server, path string, p *field.Path) {
	c.filled(p.Child("server"), server)
	c.filled(p.Child("path"), path)
	if !strings.HasPrefix(path, "/") {
		c.invalid(p.Child("path"), path, "must be an absolute path")
	}
}

func (c *check) flocker(name, uuid string, p *field.Path) {
	switch {
	case name == "" && uuid == "":
		c.required(p, "one of datasetName and datasetUUID is required")
	case name != "" && uuid != "":
		c.invalid(p, "resource", "datasetName and datasetUUID can not be specified simultaneously")
	}
	if strings.Contains(name, "/") {
		c.invalid(p.Child("datasetName"), name, "must not contain '/'")
	}
}

func (c *check) clusterDisks(v *api.Volume, s *sources) {
	s.next("rbd", v.RBD != nil, func(at *field.Path) {
		c.monitors(v.RBD.CephMonitors, at)
		c.filled(at.Child("image"), v.RBD.RBDImage)
	})
	s.next("cinder", v.Cinder != nil, func(at *field.Path) {
		c.filled(at.Child("volumeID"), v.Cinder.VolumeID)
		c.secretName(v.Cinder.SecretRef, at)
	})
	s.next("cephFS", v.CephFS != nil, func(*field.Path) { c.monitors(v.CephFS.Monitors, s.at.Child("cephfs")) })
	s.next("quobyte", v.Quobyte != nil, func(at *field.Path) { c.quobyte(v.Quobyte.Registry, v.Quobyte.Tenant, v.Quobyte.Volume, at) })
}

func (c *check) monitors(list []string, p *field.Path) {
	if len(list) == 0 {
		c.required(p.Child("monitors"), "")
	}
}

func (c *check) secretName(ref *api.LocalObjectReference, p *field.Path) {
	if ref != nil {
		c.filled(p.Child("secretRef", "name"), ref.Name)
	}
}

func (c *check) quobyte(registry, tenant, volume string, p *field.Path) {
	const pairs = "must be a host:port pair or multiple pairs separated by commas"
	switch {
	case registry == "":
		c.required(p.Child("registry"), pairs)
	case len(tenant) >= 65:
		c.required(p.Child("tenant"), "must be a UUID and may not exceed a length of 64 characters")
	default:
		for _, pair := range strings.Split(registry, ",") {
			if strings.Count(pair, ":") != 1 {
				c.invalid(p.Child("registry"), registry, pairs)
			}
		}
	}
	c.filled(p.Child("volume"), volume)
}

func (c *check) fibreChannel(v *api.Volume, s *sources) {
	s.next("fc", v.FC != nil, func(at *field.Path) { c.fc(v.FC, at) })
	s.next("flexVolume", v.FlexVolume != nil, func(at *field.Path) { c.flex(v.FlexVolume.Driver, v.FlexVolume.Options, at) })
}

func (c *check) fc(f *api.FCVolumeSource, p *field.Path) {
	switch {
	case len(f.TargetWWNs) == 0 && len(f.WWIDs) == 0:
		c.required(p.Child("targetWWNs"), "must specify either targetWWNs or wwids, but not both")
	case len(f.TargetWWNs) != 0 && len(f.WWIDs) != 0:
		c.invalid(p.Child("targetWWNs"), f.TargetWWNs, "targetWWNs and wwids can not be specified simultaneously")
	}
	switch at := p.Child("lun"); {
	case len(f.TargetWWNs) == 0:
	case f.Lun == nil:
		c.required(at, "lun is required if targetWWNs is specified")
	case *f.Lun < 0 || *f.Lun > 255:
		c.invalid(at, *f.Lun, between(0, 255))
	}
}

func (c *check) flex(driver string, options map[string]string, p *field.Path) {
	c.filled(p.Child("driver"), driver)
	for _, k := range sorted(options) {
		namespace, _, _ := strings.Cut(k, "/")
		if n := "." + strings.ToLower(namespace); strings.HasSuffix(n, ".kubernetes.io") || strings.HasSuffix(n, ".k8s.io") {
			c.invalid(p.Child("options").Key(k), k, "kubernetes.io and k8s.io namespaces are reserved")
		}
	}
}

func (c *check) vendorDisks(v *api.Volume, s *sources) {
	s.next("azureFile", v.AzureFile != nil, func(at *field.Path) {
		c.filled(at.Child("secretName"), v.AzureFile.SecretName)
		c.filled(at.Child("shareName"), v.AzureFile.ShareName)
	})
	s.next("vsphereVolume", v.VsphereVolume != nil, func(at *field.Path) { c.filled(at.Child("volumePath"), v.VsphereVolume.VolumePath) })
	s.next("photonPersistentDisk", v.PhotonPersistentDisk != nil, func(at *field.Path) { c.filled(at.Child("pdID"), v.PhotonPersistentDisk.PdID) })
	s.next("portworxVolume", v.PortworxVolume != nil, func(at *field.Path) { c.filled(at.Child("volumeID"), v.PortworxVolume.VolumeID) })
	s.next("azureDisk", v.AzureDisk != nil, func(at *field.Path) { c.azureDisk(v.AzureDisk, at) })
	s.next("storageos", v.StorageOS != nil, func(at *field.Path) {
		c.storageOS(v.StorageOS.VolumeName, v.StorageOS.VolumeNamespace, at)
		c.secretName(v.StorageOS.SecretRef, at)
	})
}

func (c *check) storageOS(name, namespace string, p *field.Path) {
	c.name(p.Child("volumeName"), name, isDNSLabel)
	if namespace != "" {
		c.each(p.Child("volumeNamespace"), namespace, isDNSLabel(namespace))
	}
}

func (c *check) azureDisk(d *api.AzureDiskVolumeSource, p *field.Path) {
	c.filled(p.Child("diskName"), d.DiskName)
	c.filled(p.Child("diskURI"), d.DataDiskURI)
	if d.CachingMode != nil {
		c.supported(p.Child("cachingMode"), *d.CachingMode, "None", "ReadOnly", "ReadWrite")
	}
	if d.Kind == nil {
		return
	}
	c.supported(p.Child("kind"), *d.Kind, "Dedicated", "Managed", "Shared")
	switch managed := *d.Kind == "Managed"; {
	case managed && !strings.HasPrefix(d.DataDiskURI, "/subscriptions/"):
		c.unsupported(p.Child("diskURI"), d.DataDiskURI, "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}")
	case !managed && !strings.HasPrefix(d.DataDiskURI, "https://"):
		c.unsupported(p.Child("diskURI"), d.DataDiskURI, "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd")
	}
}

func (c *check) lastDisks(v *api.Volume, s *sources) {
	s.next("scaleIO", v.ScaleIO != nil, func(at *field.Path) { c.scaleIO(v.ScaleIO.Gateway, v.ScaleIO.System, v.ScaleIO.VolumeName, at) })
	s.next("csi", v.CSI != nil, func(at *field.Path) {
		c.driver(v.CSI.Driver, at.Child("driver"))
		if r := v.CSI.NodePublishSecretRef; r != nil && r.Name == "" {
			c.required(at.Child("nodePublishSecretRef", "name"), "")
		} else if r != nil {
			c.each(at.Child("name"), r.Name, isSubdomain(r.Name))
		}
	})
}

func (c *check) scaleIO(gateway, system, volume string, p *field.Path) {
	c.filled(p.Child("gateway"), gateway)
	c.filled(p.Child("system"), system)
	c.filled(p.Child("volumeName"), volume)
}

// driver checks the name of a CSI driver (ValidateCSIDriverName).
func (c *check) driver(name string, p *field.Path) {
	if name == "" {
		c.required(p, "")
		return
	}
	if len(name) > 63 {
		c.add(field.TooLong(p, "", 63))
	}
	c.each(p, name, isSubdomain(strings.ToLower(name)))
}
