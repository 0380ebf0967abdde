package kubelet

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/workload"
)

// mountFault is why a volume could not be set up. reason is that of the event; ""
// makes none. retry is when to try again, 0: with the back-off.
type mountFault struct {
	reason, message string
	retry           sim.Time
	unprocessed     bool // what it is made of cannot be found out: the next sync tries again
}

// files is the content of a volume that is made of API objects.
type files struct {
	list []file
	sum  uint64
}

type file struct {
	path string
	data []byte
	mode int32
	user *int64
}

// setUpVolume makes a volume ready on the machine; nil is success.
func (s *step) setUpVolume(v *api.Volume, m *mount) *mountFault {
	switch {
	case refreshable(v):
		fs, err := s.volumeFiles(v)
		if err != "" {
			return setUpFault(v, err)
		}
		s.writeFiles(v, fs)
		m.content, m.source = fs.sum, s.sourceRev(v)
	case v.HostPath != nil:
		return s.mountHostPath(v)
	case v.PersistentVolumeClaim != nil:
		return s.mountClaim(v, v.PersistentVolumeClaim.ClaimName)
	case v.CSI != nil && s.c.Read.Get("CSIDriver", "", v.CSI.Driver) == nil:
		return setUpFault(v, "kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name "+v.CSI.Driver+" not found in the list of registered CSI drivers")
	case v.Ephemeral != nil:
		return s.mountClaim(v, s.w.key.Name+"-"+v.Name)
	default:
		s.mountEmpty(v)
	}
	return nil
}

func setUpFault(v *api.Volume, err string) *mountFault {
	return &mountFault{reason: "FailedMount", message: "MountVolume.SetUp failed for volume " + quote(v.Name) + " : " + err}
}

// mountEmpty makes an empty directory that lives as long as the pod.
func (s *step) mountEmpty(v *api.Volume) {
	if s.machine().Volume(s.w.uid, v.Name) != nil {
		return
	}
	t := workload.NewTree()
	t.SetMode(0o777, 0, s.fsGroup())
	s.machine().SetVolume(s.w.uid, v.Name, t)
}

func (s *step) fsGroup() int64 {
	if sc := s.w.pod.Spec.SecurityContext; sc != nil && sc.FSGroup != nil {
		return *sc.FSGroup
	}
	return 0
}

// mountHostPath checks the type of a path of the node
// (pkg/volume/hostpath/host_path.go).
func (s *step) mountHostPath(v *api.Volume) *mountFault {
	m, h := s.machine(), v.HostPath
	host := m.Host()
	is, found := m.HostKind(h.Path)
	want := deref(h.Type)
	text := map[string]string{"Directory": "directory", "File": "file", "Socket": "socket file", "CharDevice": "character device", "BlockDevice": "block device"}
	kind := strings.TrimSuffix(want, "OrCreate")
	expected := text[kind]
	switch {
	case want == "" && !found, want == "DirectoryOrCreate" && !found:
		_ = host.PutDir(h.Path, 0o755, 0, 0)
	case want == "":
	case want == "FileOrCreate" && !found:
		if _, ok := m.HostKind(parent(h.Path)); !ok {
			return setUpFault(v, "open "+h.Path+": no such file or directory")
		}
		_ = host.Put(h.Path, nil, 0o644, 0, 0)
	case !found:
		return setUpFault(v, "hostPath type check failed, "+h.Path+" is not a "+expected+", unable to determine its type: path "+quote(h.Path)+" does not exist")
	case is != kind:
		return setUpFault(v, "hostPath type check failed: "+h.Path+" is not a "+expected+", it's a "+is)
	}
	m.SetSharedVolume(s.w.uid, v.Name, "host")
	return nil
}

func parent(p string) string {
	i := strings.LastIndexByte(strings.TrimRight(p, "/"), '/')
	return p[:max(i, 0)]
}

// writeFiles puts the files of a volume onto the machine.
func (s *step) writeFiles(v *api.Volume, fs files) {
	t := workload.NewTree()
	group := s.fsGroup()
	for _, f := range fs.list {
		mode := uint32(f.mode)
		if group != 0 {
			mode |= 0o040
		}
		_ = t.Put(f.path, f.data, mode, deref(f.user), group)
	}
	t.SetMode(0o777, 0, group)
	s.machine().SetVolume(s.w.uid, v.Name, t)
}

// volumeFiles collects the files of a volume that is made of API objects; the
// text is the plugin's error.
func (s *step) volumeFiles(v *api.Volume) (files, string) {
	var fs files
	var err string
	switch {
	case v.ConfigMap != nil:
		x := v.ConfigMap
		err = s.configMapFiles(&fs, x.Name, x.Items, x.Optional, deref(x.DefaultMode), x.DefaultUser)
	case v.Secret != nil:
		x := v.Secret
		err = s.secretFiles(&fs, x.SecretName, x.Items, x.Optional, deref(x.DefaultMode), x.DefaultUser)
	case v.DownwardAPI != nil:
		err = s.downwardFiles(&fs, v.DownwardAPI.Items, deref(v.DownwardAPI.DefaultMode), v.DownwardAPI.DefaultUser)
	case v.Projected != nil:
		err = s.projectedFiles(&fs, v.Projected)
	}
	fs.sum = sumFiles(fs.list)
	return fs, err
}

// sumFiles is a number that changes with the files.
func sumFiles(list []file) uint64 {
	h := uint64(14695981039346656037)
	mix := func(s string) {
		for i := 0; i < len(s); i++ {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	for i := range list {
		mix(list[i].path)
		mix(string(list[i].data))
	}
	return h
}

// configMapFiles mirrors pkg/volume/configmap/configmap.go, MakePayload.
func (s *step) configMapFiles(fs *files, name string, items []api.KeyToPath, optional *bool, mode int32, user *int64) string {
	cm := s.configMap(name)
	if cm == nil {
		if deref(optional) {
			return ""
		}
		return notFoundText("configmap", name)
	}
	if len(items) == 0 {
		for _, k := range sortedNames(cm.Data) {
			fs.list = append(fs.list, file{k, []byte(cm.Data[k]), mode, user})
		}
		for _, k := range sortedNames(cm.BinaryData) {
			fs.list = append(fs.list, file{k, cm.BinaryData[k], mode, user})
		}
		return ""
	}
	for i := range items {
		data, ok := cm.BinaryData[items[i].Key]
		if text, is := cm.Data[items[i].Key]; is {
			data, ok = []byte(text), true
		}
		if !ok && !deref(optional) {
			return "configmap references non-existent config key: " + items[i].Key
		}
		if ok {
			fs.list = append(fs.list, itemFile(&items[i], data, mode, user))
		}
	}
	return ""
}

func itemFile(k *api.KeyToPath, data []byte, mode int32, user *int64) file {
	f := file{k.Path, data, mode, user}
	if k.Mode != nil {
		f.mode = *k.Mode
	}
	if k.User != nil {
		f.user = k.User
	}
	return f
}

// secretFiles mirrors pkg/volume/secret/secret.go, MakePayload.
func (s *step) secretFiles(fs *files, name string, items []api.KeyToPath, optional *bool, mode int32, user *int64) string {
	sec := s.secret(name)
	if sec == nil {
		if deref(optional) {
			return ""
		}
		return notFoundText("secret", name)
	}
	if len(items) == 0 {
		for _, k := range sortedNames(sec.Data) {
			fs.list = append(fs.list, file{k, sec.Data[k], mode, user})
		}
		return ""
	}
	for i := range items {
		data, ok := sec.Data[items[i].Key]
		if !ok && !deref(optional) {
			return "references non-existent secret key: " + items[i].Key
		}
		if ok {
			fs.list = append(fs.list, itemFile(&items[i], data, mode, user))
		}
	}
	return ""
}

// downwardFiles mirrors pkg/volume/downwardapi/downwardapi.go, CollectData.
func (s *step) downwardFiles(fs *files, items []api.DownwardAPIVolumeFile, mode int32, user *int64) string {
	for i := range items {
		it := &items[i]
		f := itemFile(&api.KeyToPath{Path: it.Path, Mode: it.Mode, User: it.User}, nil, mode, user)
		var text, err string
		switch {
		case it.FieldRef != nil:
			text, err = fieldPathValue(s.w.pod, it.FieldRef.FieldPath)
		case it.ResourceFieldRef != nil:
			text, err = s.resourceValue(it.ResourceFieldRef, containerSpec(s.w.pod, it.ResourceFieldRef.ContainerName))
		}
		if err != "" {
			return err
		}
		f.data = []byte(text)
		fs.list = append(fs.list, f)
	}
	return ""
}

// projectedFiles mirrors pkg/volume/projected/projected.go, collectData: what can be
// collected is, and all errors are named.
func (s *step) projectedFiles(fs *files, p *api.ProjectedVolumeSource) string {
	var errs []string
	mode := deref(p.DefaultMode)
	for i := range p.Sources {
		x := &p.Sources[i]
		err := ""
		switch {
		case x.Secret != nil:
			err = s.secretFiles(fs, x.Secret.Name, x.Secret.Items, x.Secret.Optional, mode, p.DefaultUser)
		case x.ConfigMap != nil:
			err = s.configMapFiles(fs, x.ConfigMap.Name, x.ConfigMap.Items, x.ConfigMap.Optional, mode, p.DefaultUser)
		case x.DownwardAPI != nil:
			err = s.downwardFiles(fs, x.DownwardAPI.Items, mode, p.DefaultUser)
		case x.ServiceAccountToken != nil:
			err = s.tokenFile(fs, x.ServiceAccountToken.Path, mode, p.DefaultUser)
		case x.ClusterTrustBundle != nil:
			fs.list = append(fs.list, file{x.ClusterTrustBundle.Path, nil, mode, p.DefaultUser})
		}
		if err != "" {
			errs = append(errs, err)
		}
	}
	switch len(errs) {
	case 0:
		return ""
	case 1:
		return errs[0]
	}
	return "[" + join(errs, ", ") + "]"
}

// tokenFile is the pod's ServiceAccount token; its text names whom it is for and is
// no credential anywhere.
func (s *step) tokenFile(fs *files, path string, mode int32, user *int64) string {
	name := s.w.pod.Spec.ServiceAccountName
	if s.c.Read.Get("ServiceAccount", s.w.key.Namespace, name) == nil {
		return "failed to fetch token: serviceaccounts " + quote(name) + " not found"
	}
	fs.list = append(fs.list, file{path, []byte("simulated-token." + s.w.key.Namespace + "." + name), mode, user})
	return ""
}

func notFoundText(kind, name string) string { return kind + " " + quote(name) + " not found" }

func (s *step) configMap(name string) *api.ConfigMap {
	o, _ := s.c.Read.Get("ConfigMap", s.w.key.Namespace, name).(*api.ConfigMap)
	return o
}

func (s *step) secret(name string) *api.Secret {
	o, _ := s.c.Read.Get("Secret", s.w.key.Namespace, name).(*api.Secret)
	return o
}

// volumeKind names the source of a volume.
func volumeKind(v *api.Volume) string {
	switch {
	case v.ConfigMap != nil:
		return "configMap " + v.ConfigMap.Name
	case v.Secret != nil:
		return "secret " + v.Secret.SecretName
	case v.Projected != nil:
		return "projected"
	case v.DownwardAPI != nil:
		return "downwardAPI"
	case v.HostPath != nil:
		return "hostPath " + v.HostPath.Path
	case v.PersistentVolumeClaim != nil:
		return "persistentVolumeClaim " + v.PersistentVolumeClaim.ClaimName
	case v.EmptyDir != nil:
		return "emptyDir"
	}
	return "volume"
}
