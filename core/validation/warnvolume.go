package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// volume notes kinds of volumes that nothing mounts any more.
func (n *notes) volume(v *api.Volume, p *field.Path) {
	for _, old := range []struct {
		on         bool
		name, text string
	}{
		{v.PhotonPersistentDisk != nil, "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
		{v.GitRepo != nil, "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
		{v.ScaleIO != nil, "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
		{v.Flocker != nil, "flocker", "deprecated in v1.22, non-functional in v1.25+"},
		{v.StorageOS != nil, "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
		{v.Quobyte != nil, "quobyte", "deprecated in v1.22, non-functional in v1.25+"},
		{v.Glusterfs != nil, "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
	} {
		if old.on {
			n.at(p.Child(old.name), old.text)
		}
	}
	if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
		n.claim(&v.Ephemeral.VolumeClaimTemplate.Spec, p.Child("ephemeral", "volumeClaimTemplate", "spec"))
	}
	const gone = "deprecated in v1.28, non-functional in v1.31+"
	if v.CephFS != nil {
		n.at(p.Child("cephfs"), gone)
	}
	if v.RBD != nil {
		n.at(p.Child("rbd"), gone)
	}
}

// volumeFile is a path in a volume and, in a projected one, where it comes from.
type volumeFile struct{ path, source string }

func (f volumeFile) String() string {
	if f.source == "" {
		return strconv.Quote(f.path)
	}
	return strconv.Quote(f.path) + " (" + f.source + ")"
}

// overlaps notes files of a volume that hide each other.
func (n *notes) overlaps(v *api.Volume) {
	switch {
	case v.ConfigMap != nil:
		n.overlap(v.Name, "ConfigMap "+strconv.Quote(v.ConfigMap.Name), nil, keyFiles(v.ConfigMap.Items, ""))
	case v.Secret != nil:
		n.overlap(v.Name, "Secret "+strconv.Quote(v.Secret.SecretName), nil, keyFiles(v.Secret.Items, ""))
	case v.DownwardAPI != nil:
		n.overlap(v.Name, "DownwardAPI", nil, downwardFiles(v.DownwardAPI.Items, ""))
	case v.Projected != nil:
		var all []volumeFile
		for i := range v.Projected.Sources {
			src := &v.Projected.Sources[i]
			if *src == (api.VolumeProjection{}) {
				n.add("volume " + strconv.Quote(v.Name) + " (Projected) has no sources provided")
				continue
			}
			all = n.overlap(v.Name, "Projected", all, projectedFiles(src))
		}
	}
}

// overlap compares files with those before them and returns all.
func (n *notes) overlap(volume, what string, before, files []volumeFile) []volumeFile {
	for _, f := range files {
		f.path = strings.TrimRight(f.path, "/")
		for _, o := range before {
			if f.path != "" && o.path != "" && (strings.HasPrefix(o.path+"/", f.path+"/") || strings.HasPrefix(f.path+"/", o.path+"/")) {
				n.add("volume " + strconv.Quote(volume) + " (" + what + "): overlapping paths: " + f.String() + " with " + o.String())
			}
		}
		before = append(before, f)
	}
	return before
}

func keyFiles(items []api.KeyToPath, source string) []volumeFile {
	out := make([]volumeFile, len(items))
	for i, it := range items {
		out[i] = volumeFile{it.Path, source}
	}
	return out
}

func downwardFiles(items []api.DownwardAPIVolumeFile, source string) []volumeFile {
	out := make([]volumeFile, len(items))
	for i, it := range items {
		out[i] = volumeFile{it.Path, source}
	}
	return out
}

func projectedFiles(s *api.VolumeProjection) (out []volumeFile) {
	switch {
	case s.ConfigMap != nil:
		return keyFiles(s.ConfigMap.Items, "ConfigMap "+strconv.Quote(s.ConfigMap.Name))
	case s.Secret != nil:
		return keyFiles(s.Secret.Items, "Secret "+strconv.Quote(s.Secret.Name))
	case s.DownwardAPI != nil:
		return downwardFiles(s.DownwardAPI.Items, "DownwardAPI")
	case s.ServiceAccountToken != nil:
		return []volumeFile{{s.ServiceAccountToken.Path, "ServiceAccountToken"}}
	case s.ClusterTrustBundle != nil:
		name := s.ClusterTrustBundle.SignerName
		if s.ClusterTrustBundle.Name != nil {
			name = s.ClusterTrustBundle.Name
		}
		if name != nil {
			return []volumeFile{{s.ClusterTrustBundle.Path, "ClusterTrustBundle " + strconv.Quote(*name)}}
		}
	case s.PodCertificate != nil:
		for _, f := range []volumeFile{{s.PodCertificate.CertificateChainPath, "PodCertificate chain"}, {s.PodCertificate.KeyPath, "PodCertificate key"},
			{s.PodCertificate.CredentialBundlePath, "PodCertificate credential bundle"}} {
			if f.path != "" {
				out = append(out, f)
			}
		}
	}
	return out
}
