package validation

import (
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// volumes checks the volumes of a pod and returns those that are right, by name.
// meta is nil for a template (ValidateVolumes).
func (c *check) volumes(list []api.Volume, meta *api.ObjectMeta, p *field.Path) map[string]*api.Volume {
	names, good := map[string]bool{}, map[string]*api.Volume{}
	made := claimsMade(list, meta)
	for i := range list {
		v, at := &list[i], p.Index(i)
		before := len(c.errs)
		c.source(v, at, meta)
		c.name(at.Child("name"), v.Name, isDNSLabel)
		if names[v.Name] {
			c.duplicate(at.Child("name"), v.Name)
		}
		if len(c.errs) == before {
			names[v.Name] = true
			good[v.Name] = v
		}
		if v.PersistentVolumeClaim != nil && made[v.PersistentVolumeClaim.ClaimName] {
			c.invalid(at.Child("persistentVolumeClaim", "claimName"), v.PersistentVolumeClaim.ClaimName,
				"must not reference a PVC that gets created for an ephemeral volume")
		}
	}
	return good
}

// claimsMade names the claims that are created for ephemeral volumes.
func claimsMade(list []api.Volume, meta *api.ObjectMeta) map[string]bool {
	made := map[string]bool{}
	for i := range list {
		if list[i].Ephemeral != nil && meta != nil && meta.Name != "" {
			made[meta.Name+"-"+list[i].Name] = true
		}
	}
	return made
}

// source checks that a volume has exactly one source, and that it is right
// (validateVolumeSource).
func (c *check) source(v *api.Volume, p *field.Path, meta *api.ObjectMeta) {
	s := &sources{c: c, at: p}
	s.next("emptyDir", v.EmptyDir != nil, func(at *field.Path) { c.emptyDir(v.EmptyDir, at) })
	s.next("hostPath", v.HostPath != nil, func(at *field.Path) { c.hostPath(v.HostPath, at) })
	s.next("gitRepo", v.GitRepo != nil, func(at *field.Path) {
		c.filled(at.Child("repository"), v.GitRepo.Repository)
		c.descending(v.GitRepo.Directory, at.Child("directory"))
	})
	c.cloudDisks(v, s)
	s.next("secret", v.Secret != nil, func(at *field.Path) {
		c.filled(at.Child("secretName"), v.Secret.SecretName)
		c.files(v.Secret.DefaultMode, v.Secret.Items, at)
	})
	c.networkDisks(v, s)
	s.next("persistentVolumeClaim", v.PersistentVolumeClaim != nil, func(at *field.Path) {
		c.filled(at.Child("claimName"), v.PersistentVolumeClaim.ClaimName)
	})
	c.clusterDisks(v, s)
	s.next("downwarAPI", v.DownwardAPI != nil, func(*field.Path) { c.downward(v.DownwardAPI, s.at.Child("downwardAPI")) })
	c.fibreChannel(v, s)
	s.next("configMap", v.ConfigMap != nil, func(at *field.Path) {
		c.filled(at.Child("name"), v.ConfigMap.Name)
		c.files(v.ConfigMap.DefaultMode, v.ConfigMap.Items, at)
	})
	c.vendorDisks(v, s)
	s.next("projected", v.Projected != nil, func(at *field.Path) { c.projected(v.Projected, at) })
	c.lastDisks(v, s)
	s.next("ephemeral", v.Ephemeral != nil, func(at *field.Path) { c.ephemeralClaim(v, at, p, meta) })
	s.next("image", v.Image != nil, func(at *field.Path) {
		c.filled(at.Child("reference"), v.Image.Reference)
		c.oneOf(at.Child("pullPolicy"), v.Image.PullPolicy, "Always", "IfNotPresent", "Never")
	})
	if s.count == 0 {
		c.required(p, "must specify a volume type")
	}
}

// sources counts the sources of a volume while they are checked.
type sources struct {
	c     *check
	at    *field.Path
	count int
}

func (s *sources) next(name string, set bool, rule func(*field.Path)) {
	switch {
	case !set:
	case s.count > 0:
		s.c.forbidden(s.at.Child(name), "may not specify more than 1 volume type")
	default:
		s.count++
		rule(s.at.Child(name))
	}
}

func (c *check) emptyDir(e *api.EmptyDirVolumeSource, p *field.Path) {
	if e.SizeLimit != nil && e.SizeLimit.Sign() < 0 {
		c.forbidden(p.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity")
	}
}

func (c *check) hostPath(h *api.HostPathVolumeSource, p *field.Path) {
	if h.Path == "" {
		c.required(p.Child("path"), "")
		return
	}
	c.noBacksteps(h.Path, p.Child("path"))
	if h.Type != nil {
		c.supported(p.Child("type"), *h.Type, "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
	}
}

// mode checks the permission bits of files, if there are any.
func (c *check) mode(m *int32, p *field.Path) {
	if m != nil && (*m > 0o777 || *m < 0) {
		c.invalid(p, *m, "must be a number between 0 and 0777 (octal), both inclusive")
	}
}

func (c *check) files(mode *int32, items []api.KeyToPath, p *field.Path) {
	c.mode(mode, p.Child("defaultMode"))
	for i := range items {
		c.keyToPath(&items[i], p.Child("items").Index(i))
	}
}

func (c *check) keyToPath(k *api.KeyToPath, p *field.Path) {
	c.filled(p.Child("key"), k.Key)
	c.filled(p.Child("path"), k.Path)
	c.nonReserved(k.Path, p.Child("path"))
	c.mode(k.Mode, p.Child("mode"))
}

var volumeFields = []string{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"}

func (c *check) downward(d *api.DownwardAPIVolumeSource, p *field.Path) {
	c.mode(d.DefaultMode, p.Child("defaultMode"))
	for i := range d.Items {
		c.downwardFile(&d.Items[i], p)
	}
}

func (c *check) downwardFile(f *api.DownwardAPIVolumeFile, p *field.Path) {
	c.filled(p.Child("path"), f.Path)
	c.nonReserved(f.Path, p.Child("path"))
	switch {
	case f.FieldRef != nil:
		c.fieldRef(f.FieldRef, volumeFields, p.Child("fieldRef"))
		if f.ResourceFieldRef != nil {
			c.invalid(p, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
		}
	case f.ResourceFieldRef != nil:
		c.resourceRef(f.ResourceFieldRef, p.Child("resourceFieldRef"), true)
	default:
		c.required(p, "one of fieldRef and resourceFieldRef is required")
	}
	c.mode(f.Mode, p.Child("mode"))
}

func (c *check) ephemeralClaim(v *api.Volume, at, volume *field.Path, meta *api.ObjectMeta) {
	t := v.Ephemeral.VolumeClaimTemplate
	if t == nil {
		c.required(at.Child("volumeClaimTemplate"), "")
	} else {
		p := at.Child("volumeClaimTemplate")
		c.annotations(p.Child("metadata", "annotations"), t.Annotations)
		c.labels(p.Child("metadata", "labels"), t.Labels)
		c.templateMeta(&t.ObjectMeta, p.Child("metadata"))
		c.claimSpec(&t.Spec, p.Child("spec"))
	}
	if meta == nil || meta.Name == "" || v.Name == "" {
		return
	}
	name := meta.Name + "-" + v.Name
	for _, m := range isSubdomain(name) {
		c.invalid(volume.Child("name"), v.Name, "PVC name "+strconv.Quote(name)+": "+m)
	}
}

// templateMeta lets a template have no other metadata than labels and annotations.
func (c *check) templateMeta(m *api.ObjectMeta, p *field.Path) {
	for _, f := range []struct {
		name string
		set  bool
	}{{"name", m.Name != ""}, {"generateName", m.GenerateName != ""}, {"namespace", m.Namespace != ""}, {"selfLink", m.SelfLink != ""},
		{"uID", m.UID != ""}, {"resourceVersion", m.ResourceVersion != ""}, {"generation", m.Generation != 0},
		{"creationTimestamp", m.CreationTimestamp != 0}, {"deletionTimestamp", m.DeletionTimestamp != nil},
		{"deletionGracePeriodSeconds", m.DeletionGracePeriodSeconds != nil}, {"ownerReferences", m.OwnerReferences != nil},
		{"finalizers", m.Finalizers != nil}, {"managedFields", m.ManagedFields != nil}} {
		if f.set {
			c.forbidden(p.Child(f.name), "cannot be set")
		}
	}
}

// projected checks a volume that several sources share (validateProjectionSources).
func (c *check) projected(v *api.ProjectedVolumeSource, p *field.Path) {
	c.mode(v.DefaultMode, p.Child("defaultMode"))
	paths := &pathSet{c: c, at: p, seen: map[string]bool{}}
	for i := range v.Sources {
		s, at := &v.Sources[i], p.Child("sources").Index(i)
		count := 0
		if s.Secret != nil {
			count++
			c.projectedKeys(s.Secret.Name, s.Secret.Items, at.Child("secret"), paths)
		}
		if s.ConfigMap != nil {
			count++
			c.projectedKeys(s.ConfigMap.Name, s.ConfigMap.Items, at.Child("configMap"), paths)
		}
		if s.DownwardAPI != nil {
			count++
			for j := range s.DownwardAPI.Items {
				f := &s.DownwardAPI.Items[j]
				c.downwardFile(f, at.Child("downwardAPI"))
				paths.take(f.Path, f.Path)
			}
		}
		if s.ServiceAccountToken != nil {
			count++
			c.token(s.ServiceAccountToken, at.Child("serviceAccountToken"), p)
		}
		if s.ClusterTrustBundle != nil {
			count++
			c.trustBundle(s.ClusterTrustBundle, at.Child("clusterTrustBundle"), paths)
		}
		if s.PodCertificate != nil {
			count++
			c.certificate(s.PodCertificate, at.Child("podCertificate"), paths)
		}
		if count > 1 {
			c.forbidden(at, "may not specify more than 1 volume type per source")
		}
	}
}

// pathSet finds files of a projected volume that two sources write.
type pathSet struct {
	c    *check
	at   *field.Path
	seen map[string]bool
}

func (s *pathSet) take(path, shown string) {
	if path == "" {
		return
	}
	if s.seen[path] {
		s.c.invalid(s.at, shown, "conflicting duplicate paths")
	}
	s.seen[path] = true
}

func (c *check) projectedKeys(name string, items []api.KeyToPath, p *field.Path, paths *pathSet) {
	c.filled(p.Child("name"), name)
	for i := range items {
		c.keyToPath(&items[i], p.Child("items").Index(i))
		paths.take(items[i].Path, name)
	}
}

func (c *check) token(t *api.ServiceAccountTokenProjection, p, volume *field.Path) {
	at := p.Child("expirationSeconds")
	switch n := t.ExpirationSeconds; {
	case n == nil:
		c.required(at, "")
	case *n < 600:
		c.invalid(at, *n, "may not specify a duration less than 10 minutes")
	case *n > 1<<32:
		c.invalid(at, *n, "may not specify a duration larger than 2^32 seconds")
	}
	if t.Path == "" {
		c.required(volume.Child("path"), "")
	} else {
		c.nonReserved(t.Path, volume.Child("path"))
	}
	c.fileOwner(t.User, p.Child("user"))
}

// owner checks the number of a user to whom files belong.
func (c *check) fileOwner(user *int64, p *field.Path) {
	if user != nil {
		c.each(p, *user, isID(*user))
	}
}
