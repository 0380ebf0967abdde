package podsecurity

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
)

// seccomp is the baseline's rule: annotations up to v1.18, fields since.
func seccomp(s *subject) *violation {
	if s.minor < 19 {
		return seccompAnnotations(s)
	}
	v, _ := wrongSeccomp(s)
	return v
}

func seccompAnnotations(s *subject) *violation {
	const pod, container = "seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/"
	keys := []string{pod}
	for _, c := range s.list {
		keys = append(keys, container+c.Name)
	}
	var bad []string
	for _, k := range keys {
		v, ok := s.meta.Annotations[k]
		if ok && v != "runtime/default" && v != "docker/default" && !strings.HasPrefix(v, "localhost/") {
			bad = append(bad, k+"="+strconv.Quote(v))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	sort.Strings(bad)
	return &violation{"seccompProfile", "forbidden " + plural("annotation", "annotations", len(bad)) + " " + strings.Join(bad, ", ")}
}

// wrongSeccomp tells who sets a profile that is not allowed, and which containers
// have none of their own.
func wrongSeccomp(s *subject) (*violation, names) {
	var values, without names
	bad := func(p *api.SeccompProfile) bool {
		if p == nil || p.Type == "RuntimeDefault" || p.Type == "Localhost" {
			return false
		}
		values = append(values, p.Type)
		return true
	}
	pod := bad(s.pod().SeccompProfile)
	list := setters(pod, s.where(func(c *api.Container, sc *api.SecurityContext) bool {
		if sc.SeccompProfile == nil {
			without = append(without, c.Name)
		}
		return bad(sc.SeccompProfile)
	}))
	if len(list) == 0 {
		return nil, without
	}
	return &violation{"seccompProfile", strings.Join(list, " and ") + " must not set securityContext.seccompProfile.type to " + values.sorted().quoted()}, without
}

func requiredSeccomp(s *subject) *violation {
	if s.minor >= 25 && s.windows() {
		return nil
	}
	v, without := wrongSeccomp(s)
	if v != nil || s.pod().SeccompProfile != nil || len(without) == 0 {
		return v
	}
	return &violation{"seccompProfile", "pod or " + without.named("container", "containers") +
		` must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`}
}

func escalation(s *subject) *violation {
	if s.minor >= 25 && s.windows() {
		return nil
	}
	list := s.where(func(_ *api.Container, sc *api.SecurityContext) bool {
		return sc.AllowPrivilegeEscalation == nil || *sc.AllowPrivilegeEscalation
	})
	if len(list) == 0 {
		return nil
	}
	return &violation{"allowPrivilegeEscalation != false", list.named("container", "containers") + " must set securityContext.allowPrivilegeEscalation=false"}
}

func droppedCapabilities(s *subject) *violation {
	if s.minor >= 25 && s.windows() {
		return nil
	}
	keeps := s.where(func(_ *api.Container, sc *api.SecurityContext) bool {
		return sc.Capabilities == nil || !slices.Contains(sc.Capabilities.Drop, "ALL")
	})
	var added names
	adds := s.where(func(_ *api.Container, sc *api.SecurityContext) bool {
		return addsBeyond(sc, []string{"NET_BIND_SERVICE"}, &added)
	})
	var list []string
	if len(keeps) > 0 {
		list = append(list, keeps.named("container", "containers")+` must set securityContext.capabilities.drop=["ALL"]`)
	}
	if len(adds) > 0 {
		list = append(list, adds.named("container", "containers")+" must not include "+added.sorted().quoted()+" in securityContext.capabilities.add")
	}
	if len(list) == 0 {
		return nil
	}
	return &violation{"unrestricted capabilities", strings.Join(list, "; ")}
}

func volumeTypes(s *subject) *violation {
	var list, types names
	for i := range s.spec.Volumes {
		if t := restrictedType(&s.spec.Volumes[i]); t != "" {
			list, types = append(list, s.spec.Volumes[i].Name), append(types, t)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &violation{"restricted volume types", list.named("volume", "volumes") + " " + plural("uses", "use", len(list)) + " " +
		types.sorted().named("restricted volume type", "restricted volume types")}
}

// restrictedType names the type of a volume that is not of the allowed ones.
func restrictedType(v *api.Volume) string {
	if v.ConfigMap != nil || v.CSI != nil || v.DownwardAPI != nil || v.EmptyDir != nil || v.Ephemeral != nil ||
		v.Image != nil || v.PersistentVolumeClaim != nil || v.Projected != nil || v.Secret != nil {
		return ""
	}
	for _, t := range []struct {
		on   bool
		name string
	}{
		{v.HostPath != nil, "hostPath"}, {v.GCEPersistentDisk != nil, "gcePersistentDisk"},
		{v.AWSElasticBlockStore != nil, "awsElasticBlockStore"}, {v.GitRepo != nil, "gitRepo"}, {v.NFS != nil, "nfs"},
		{v.ISCSI != nil, "iscsi"}, {v.Glusterfs != nil, "glusterfs"}, {v.RBD != nil, "rbd"}, {v.FlexVolume != nil, "flexVolume"},
		{v.Cinder != nil, "cinder"}, {v.CephFS != nil, "cephfs"}, {v.Flocker != nil, "flocker"}, {v.FC != nil, "fc"},
		{v.AzureFile != nil, "azureFile"}, {v.VsphereVolume != nil, "vsphereVolume"}, {v.Quobyte != nil, "quobyte"},
		{v.AzureDisk != nil, "azureDisk"}, {v.PhotonPersistentDisk != nil, "photonPersistentDisk"},
		{v.PortworxVolume != nil, "portworxVolume"}, {v.ScaleIO != nil, "scaleIO"}, {v.StorageOS != nil, "storageos"},
	} {
		if t.on {
			return t.name
		}
	}
	return "unknown"
}

func nonRoot(s *subject) *violation {
	if s.relaxed() {
		return nil
	}
	const reason = "runAsNonRoot != true"
	choice := s.pod().RunAsNonRoot
	bad := setters(choice != nil && !*choice, s.where(func(_ *api.Container, sc *api.SecurityContext) bool {
		return sc.RunAsNonRoot != nil && !*sc.RunAsNonRoot
	}))
	if len(bad) > 0 {
		return &violation{reason, strings.Join(bad, " and ") + " must not set securityContext.runAsNonRoot=false"}
	}
	open := s.where(func(_ *api.Container, sc *api.SecurityContext) bool { return sc.RunAsNonRoot == nil && choice == nil })
	if len(open) == 0 {
		return nil
	}
	return &violation{reason, "pod or " + open.named("container", "containers") + " must set securityContext.runAsNonRoot=true"}
}

func rootUser(s *subject) *violation {
	if s.relaxed() {
		return nil
	}
	root := func(id *int64) bool { return id != nil && *id == 0 }
	bad := setters(root(s.pod().RunAsUser), s.where(func(_ *api.Container, sc *api.SecurityContext) bool { return root(sc.RunAsUser) }))
	if len(bad) == 0 {
		return nil
	}
	return &violation{"runAsUser=0", strings.Join(bad, " and ") + " must not set runAsUser=0"}
}
