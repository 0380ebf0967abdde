package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

func (c *check) env(vars []api.EnvVar, p *field.Path) {
	for i := range vars {
		c.name(p.Index(i).Child("name"), vars[i].Name, isEnvName)
		if vars[i].ValueFrom != nil {
			c.valueFrom(&vars[i], p.Index(i).Child("valueFrom"))
		}
	}
}

// envFields are the fields of a pod that its environment may show.
var envFields = []string{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
	"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}

func (c *check) valueFrom(v *api.EnvVar, p *field.Path) {
	f, sources := v.ValueFrom, 0
	if f.FieldRef != nil {
		sources++
		c.fieldRef(f.FieldRef, envFields, p.Child("fieldRef"))
	}
	if f.ResourceFieldRef != nil {
		sources++
		c.resourceRef(f.ResourceFieldRef, p.Child("resourceFieldRef"), false)
	}
	if r := f.ConfigMapKeyRef; r != nil {
		sources++
		c.keyRef(r.Name, r.Key, p.Child("configMapKeyRef"))
	}
	if r := f.SecretKeyRef; r != nil {
		sources++
		c.keyRef(r.Name, r.Key, p.Child("secretKeyRef"))
	}
	if r := f.FileKeyRef; r != nil {
		sources++
		c.fileKey(r, p.Child("fileKeyRef"))
	}
	switch {
	case sources == 0:
		c.invalid(p, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`")
	case v.Value != "":
		c.invalid(p, "", "may not be specified when `value` is not empty")
	case sources > 1:
		c.invalid(p, "", "may not have more than one field specified at a time")
	}
}

// downwardFields are the fields that the downward API knows at all
// (ConvertDownwardAPIFieldLabel).
var downwardFields = append([]string{"metadata.annotations", "metadata.labels", "spec.restartPolicy", "spec.schedulerName",
	"status.phase"}, envFields...)

func (c *check) fieldRef(r *api.ObjectFieldSelector, allowed []string, p *field.Path) {
	const converting = "error converting fieldPath: "
	path, key, subscripted := subscript(r.FieldPath)
	if path == "spec.host" {
		path = "spec.nodeName"
	}
	at := p.Child("fieldPath")
	switch {
	case r.APIVersion == "":
		c.required(p.Child("apiVersion"), "")
	case r.FieldPath == "":
		c.required(at, "")
	case r.APIVersion != "v1":
		c.invalid(at, r.FieldPath, converting+"unsupported pod version: "+r.APIVersion)
	case subscripted && path == "metadata.annotations":
		c.labelName(p, strings.ToLower(key))
	case subscripted && path == "metadata.labels":
		c.labelName(p, key)
	case subscripted:
		c.invalid(at, r.FieldPath, converting+"field label does not support subscript: "+r.FieldPath)
	case !contains(downwardFields, path):
		c.invalid(at, r.FieldPath, converting+"field label not supported: "+r.FieldPath)
	case !contains(allowed, path):
		c.unsupported(at, path, allowed...)
	}
}

// subscript splits a path such as metadata.labels['app'] (pkg/fieldpath).
func subscript(s string) (path, key string, ok bool) {
	rest, ok := strings.CutSuffix(s, "']")
	if !ok {
		return s, "", false
	}
	path, key, ok = strings.Cut(rest, "['")
	if !ok || path == "" {
		return s, "", false
	}
	return path, key, true
}

var resourceFields = []string{"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"}

func (c *check) resourceRef(r *api.ResourceFieldSelector, p *field.Path, volume bool) {
	switch huge := isHugeField(r.Resource); {
	case volume && r.ContainerName == "":
		c.required(p.Child("containerName"), "")
	case r.Resource == "":
		c.required(p.Child("resource"), "")
	case !contains(resourceFields, r.Resource) && !huge:
		c.unsupported(p.Child("resource"), r.Resource, resourceFields...)
	}
	if !r.Divisor.IsZero() {
		c.divisor(r.Resource, r.Divisor.String(), p.Child("divisor"))
	}
}

func isHugeField(s string) bool {
	return strings.HasPrefix(s, "requests.hugepages-") || strings.HasPrefix(s, "limits.hugepages-")
}

var sizeDivisors = []string{"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}

func (c *check) divisor(resource, divisor string, p *field.Path) {
	_, what, _ := strings.Cut(resource, ".")
	switch {
	case what == "cpu":
		if divisor != "1m" && divisor != "1" {
			c.invalid(p, resource, "only divisor's values 1m and 1 are supported with the cpu resource")
		}
		return
	case contains(sizeDivisors, divisor):
		return
	case what == "ephemeral-storage":
		what = "local ephemeral storage"
	case isHugeField(resource):
		what = "hugepages"
	case what != "memory":
		return
	}
	c.invalid(p, resource, "only divisor's values "+strings.Join(sizeDivisors, ", ")+" are supported with the "+what+" resource")
}

// keyRef checks a reference to a key of a ConfigMap or Secret.
func (c *check) keyRef(name, key string, p *field.Path) {
	c.each(p.Child("name"), name, isSubdomain(name))
	c.name(p.Child("key"), key, isConfigKey)
}

func (c *check) fileKey(r *api.FileKeySelector, p *field.Path) {
	c.name(p.Child("key"), r.Key, isEnvName)
	c.name(p.Child("volumeName"), r.VolumeName, isDNSLabel)
	if r.Path == "" {
		c.required(p.Child("path"), "")
		return
	}
	c.noBacksteps(r.Path, p.Child("path"))
}

// fileKeyVolumes checks that files with variables lie in emptyDir volumes.
func (c *check) fileKeyVolumes(s *podScope, p *field.Path) {
	visit(s.spec, p, func(ctr *api.Container, at *field.Path) {
		for i := range ctr.Env {
			f := ctr.Env[i].ValueFrom
			if f == nil || f.FileKeyRef == nil {
				continue
			}
			name := at.Child("env").Index(i).Child("valueFrom", "fileKeyRef", "volumeName")
			v := volumeNamed(s.spec, f.FileKeyRef.VolumeName)
			if v == nil {
				c.notFound(name, f.FileKeyRef.VolumeName)
			} else if v.EmptyDir == nil {
				c.invalid(name, f.FileKeyRef.VolumeName, "referenced volume must be of type emptyDir")
			}
		}
	})
}

func volumeNamed(s *api.PodSpec, name string) *api.Volume {
	for i := range s.Volumes {
		if s.Volumes[i].Name == name {
			return &s.Volumes[i]
		}
	}
	return nil
}

func (c *check) envFrom(list []api.EnvFromSource, p *field.Path) {
	for i := range list {
		e, at, sources := &list[i], p.Index(i), 0
		if e.Prefix != "" {
			c.each(at.Child("prefix"), e.Prefix, isEnvName(e.Prefix))
		}
		if e.ConfigMapRef != nil {
			sources++
			c.name(at.Child("configMapRef", "name"), e.ConfigMapRef.Name, isPrefixOrName)
		}
		if e.SecretRef != nil {
			sources++
			c.name(at.Child("secretRef", "name"), e.SecretRef.Name, isPrefixOrName)
		}
		switch {
		case sources == 0:
			c.invalid(p, "", "must specify one of: `configMapRef` or `secretRef`")
		case sources > 1:
			c.invalid(p, "", "may not have more than one field specified at a time")
		}
	}
}

// isPrefixOrName is the rule of names where the server lets a dash be the end.
func isPrefixOrName(s string) []string { return isSubdomain(maskDash(s)) }
