package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// annotationLimit is how many bytes all annotations of an object may have.
const annotationLimit = 256 * 1024

var metaPath = field.NewPath("metadata")

// meta checks the metadata of a new object of the kinds that are as old as
// finalizers without a domain (pkg/apis/core/validation).
func (c *check) meta(m *api.ObjectMeta, namespaced bool, rule func(string) []string) {
	c.metaFree(m, namespaced, rule)
	c.kubeFinalizers(m.Finalizers)
}

// metaFree is meta for kinds whose finalizers may have any name
// (apimachinery/pkg/api/validation/objectmeta.go).
func (c *check) metaFree(m *api.ObjectMeta, namespaced bool, rule func(string) []string) {
	if m.GenerateName != "" {
		c.each(metaPath.Child("generateName"), m.GenerateName, rule(maskDash(m.GenerateName)))
	}
	if m.Name == "" {
		c.required(metaPath.Child("name"), "name or generateName is required")
	} else {
		c.each(metaPath.Child("name"), m.Name, rule(m.Name))
	}
	c.metaCommon(m, namespaced)
}

// maskDash lets a prefix end with a dash, behind which the suffix comes.
func maskDash(s string) string {
	if len(s) > 1 && strings.HasSuffix(s, "-") {
		return s[:len(s)-2] + "a"
	}
	return s
}

func (c *check) metaCommon(m *api.ObjectMeta, namespaced bool) {
	switch p := metaPath.Child("namespace"); {
	case namespaced && m.Namespace == "":
		c.required(p, "")
	case namespaced:
		c.each(p, m.Namespace, isDNSLabel(m.Namespace))
	case m.Namespace != "":
		c.forbidden(p, "not allowed on this type")
	}
	c.nonNegative(metaPath.Child("generation"), m.Generation)
	c.labels(metaPath.Child("labels"), m.Labels)
	c.annotations(metaPath.Child("annotations"), m.Annotations)
	c.owners(m.OwnerReferences)
	c.finalizers(m.Finalizers)
}

func (c *check) labelName(p *field.Path, key string) { c.each(p, key, field.IsLabelKey(key)) }

func (c *check) labels(p *field.Path, labels map[string]string) {
	for _, k := range sorted(labels) {
		c.labelName(p, k)
		c.each(p, labels[k], field.IsLabelValue(labels[k]))
	}
}

func (c *check) annotations(p *field.Path, annotations map[string]string) {
	size := 0
	for _, k := range sorted(annotations) {
		c.each(p, k, field.IsLabelKey(strings.ToLower(k)))
		size += len(k) + len(annotations[k])
	}
	if size > annotationLimit {
		c.add(field.TooLong(p, "", annotationLimit))
	}
}

func (c *check) owners(refs []api.OwnerReference) {
	p := metaPath.Child("ownerReferences")
	controller := ""
	for i := range refs {
		r := &refs[i]
		c.owner(p.Index(i), r)
		if r.Controller == nil || !*r.Controller {
			continue
		}
		if name := r.Kind + "/" + r.Name; controller == "" {
			controller = name
		} else {
			c.invalid(p, refs, `Only one reference can have Controller set to true. Found "true" in references for `+controller+" and "+name)
		}
	}
}

func (c *check) owner(p *field.Path, r *api.OwnerReference) {
	const empty = "must not be empty"
	switch {
	case r.APIVersion == "":
		c.required(p.Child("apiVersion"), empty)
	case strings.Count(r.APIVersion, "/") > 1:
		c.invalid(p.Child("apiVersion"), r.APIVersion, "must be <group>/<version> or <version>")
	}
	for _, f := range []struct{ name, value string }{{"kind", r.Kind}, {"name", r.Name}, {"uid", r.UID}} {
		if f.value == "" {
			c.required(p.Child(f.name), empty)
		}
	}
	if r.Kind == "Event" && r.APIVersion == "v1" {
		c.invalid(p, r, "/v1, Kind=Event is disallowed from being an owner")
	}
}

func (c *check) finalizers(list []string) {
	p := metaPath.Child("finalizers")
	orphan, foreground := false, false
	for _, f := range list {
		c.each(p, f, field.IsLabelKey(f))
		orphan = orphan || f == "orphan"
		foreground = foreground || f == "foregroundDeletion"
	}
	if orphan && foreground {
		c.invalid(p, list, "finalizer orphan and foregroundDeletion cannot be both set")
	}
}

const noDomain = "name is neither a standard finalizer name nor is it fully qualified"

// kubeFinalizers lets only the old standard finalizers be without a domain.
func (c *check) kubeFinalizers(list []string) {
	for i, f := range list {
		if !strings.Contains(f, "/") && f != "kubernetes" && f != "orphan" && f != "foregroundDeletion" {
			c.invalid(metaPath.Child("finalizers").Index(i), f, noDomain)
		}
	}
}

// metaUpdate checks the metadata of a new state.
func (c *check) metaUpdate(m, old *api.ObjectMeta) {
	if old.DeletionTimestamp != nil {
		c.noNewFinalizers(m.Finalizers, old.Finalizers)
	}
	if m.ResourceVersion == "" {
		c.invalid(metaPath.Child("resourceVersion"), "", "must be specified for an update")
	}
	for _, f := range []struct{ name, value, old string }{{"name", m.Name, old.Name}, {"namespace", m.Namespace, old.Namespace}, {"uid", m.UID, old.UID}} {
		if f.value != f.old {
			c.invalid(metaPath.Child(f.name), f.value, immutableText)
		}
	}
	c.fixedTimes(m, old)
	c.labels(metaPath.Child("labels"), m.Labels)
	c.annotations(metaPath.Child("annotations"), m.Annotations)
	c.owners(m.OwnerReferences)
}

func (c *check) fixedTimes(m, old *api.ObjectMeta) {
	if (m.DeletionTimestamp == nil) != (old.DeletionTimestamp == nil) || m.DeletionTimestamp != nil && *m.DeletionTimestamp != *old.DeletionTimestamp {
		c.invalid(metaPath.Child("deletionTimestamp"), m.DeletionTimestamp, immutableText)
	}
	g, was := m.DeletionGracePeriodSeconds, old.DeletionGracePeriodSeconds
	if (g == nil) != (was == nil) || g != nil && *g != *was {
		c.invalid(metaPath.Child("deletionGracePeriodSeconds"), g, immutableText)
	}
}

func (c *check) noNewFinalizers(list, old []string) {
	var extra []string
	for _, f := range list {
		if !contains(old, f) {
			extra = append(extra, strconv.Quote(f))
		}
	}
	if len(extra) > 0 {
		c.forbidden(metaPath.Child("finalizers"), "no new finalizers can be added if the object is being deleted, found new finalizers []string{"+
			strings.Join(extra, ", ")+"}")
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// selector checks a label selector (apimachinery/pkg/apis/meta/v1/validation).
func (c *check) selector(p *field.Path, s *api.LabelSelector) {
	if s == nil {
		return
	}
	c.labels(p.Child("matchLabels"), s.MatchLabels)
	for i := range s.MatchExpressions {
		c.requirement(p.Child("matchExpressions").Index(i), &s.MatchExpressions[i])
	}
}

func (c *check) requirement(p *field.Path, r *api.LabelSelectorRequirement) {
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			c.required(p.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'")
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			c.forbidden(p.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
		}
	default:
		c.invalid(p.Child("operator"), r.Operator, "not a valid selector operator")
	}
	c.labelName(p.Child("key"), r.Key)
	for i, v := range r.Values {
		c.each(p.Child("values").Index(i), v, field.IsLabelValue(v))
	}
}
