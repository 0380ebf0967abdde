package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// oldNodeLabels are labels of nodes that have other names now
// (pkg/api/node/util.go).
var oldNodeLabels = map[string]string{
	"beta.kubernetes.io/arch":                       `deprecated since v1.14; use "kubernetes.io/arch" instead`,
	"beta.kubernetes.io/os":                         `deprecated since v1.14; use "kubernetes.io/os" instead`,
	"failure-domain.beta.kubernetes.io/region":      `deprecated since v1.17; use "topology.kubernetes.io/region" instead`,
	"failure-domain.beta.kubernetes.io/zone":        `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
	"beta.kubernetes.io/instance-type":              `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`,
	"app.kubernetes.io/created-by":                  `deprecated since v1.9`,
	"scheduler.alpha.kubernetes.io/preferAvoidPods": `deprecated since v1.22; use Taints and Tolerations instead`,
	"node-role.kubernetes.io/master":                `use "node-role.kubernetes.io/control-plane" instead`,
}

// oldPodAnnotations are annotations of pods that do nothing any more.
var oldPodAnnotations = []struct{ key, text string }{
	{"scheduler.alpha.kubernetes.io/critical-pod", `non-functional in v1.16+; use the "priorityClassName" field instead`},
	{"security.alpha.kubernetes.io/sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
	{"security.alpha.kubernetes.io/unsafe-sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
}

const (
	seccompPod       = "seccomp.security.alpha.kubernetes.io/pod"
	seccompContainer = "container.seccomp.security.alpha.kubernetes.io/"
	appArmor         = "container.apparmor.security.beta.kubernetes.io/"
	seccompText      = `non-functional in v1.27+; use the "seccompProfile" field instead`
	nullSelector     = "a null labelSelector results in matching no pod"
)

// pod notes what is doubtful in a pod or template; p is nil for a pod
// (pkg/api/pod/warnings.go).
func (n *notes) pod(s *api.PodSpec, m *api.ObjectMeta, p *field.Path) {
	if m == nil {
		m = &api.ObjectMeta{}
	}
	at, spec := p.Child("metadata", "annotations"), p.Child("spec")
	n.placement(s, spec)
	for _, old := range oldPodAnnotations {
		if _, ok := m.Annotations[old.key]; ok {
			n.at(at.Key(old.key), old.text)
		}
	}
	for i := range s.Volumes {
		n.volume(&s.Volumes[i], spec.Child("volumes").Index(i))
	}
	for i := range s.Volumes {
		n.overlaps(&s.Volumes[i])
	}
	n.repeats(s, spec)
	n.fraction(s.Overhead, "memory", spec, "overhead")
	n.fraction(s.Overhead, "ephemeral-storage", spec, "overhead")
	if _, ok := m.Annotations[seccompPod]; ok && (s.SecurityContext == nil || s.SecurityContext.SeccompProfile == nil) {
		n.at(at.Key(seccompPod), seccompText)
	}
	visit(s, spec, func(c *api.Container, where *field.Path) { n.container(c, where, s, m, p) })
	n.ports(s, spec)
	if g := s.TerminationGracePeriodSeconds; g != nil && *g < 0 {
		n.at(spec.Child("terminationGracePeriodSeconds"), "must be >= 0; negative values are invalid and will be treated as 1")
	}
	n.affinity(s.Affinity, spec.Child("affinity"))
	n.addresses(s, spec)
}

func (n *notes) placement(s *api.PodSpec, p *field.Path) {
	for _, k := range sorted(s.NodeSelector) {
		if text := oldNodeLabels[k]; text != "" {
			n.at(p.Child("nodeSelector").Key(k), text)
		}
	}
	if s.Affinity != nil && s.Affinity.NodeAffinity != nil {
		n.nodeAffinity(s.Affinity.NodeAffinity, p.Child("affinity", "nodeAffinity"))
	}
	for i, t := range s.TopologySpreadConstraints {
		at := p.Child("topologySpreadConstraints").Index(i)
		if text := oldNodeLabels[t.TopologyKey]; text != "" {
			n.at(at.Child("topologyKey"), t.TopologyKey+" is "+text)
		}
		if t.LabelSelector == nil {
			n.at(at.Child("labelSelector"), nullSelector)
		}
	}
}

func (n *notes) nodeAffinity(a *api.NodeAffinity, p *field.Path) {
	if r := a.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		for i := range r.NodeSelectorTerms {
			n.nodeTerm(&r.NodeSelectorTerms[i], false, p.Child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms").Index(i))
		}
	}
	for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		n.nodeTerm(&a.PreferredDuringSchedulingIgnoredDuringExecution[i].Preference, true,
			p.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i).Child("preference"))
	}
}

func (n *notes) nodeTerm(t *api.NodeSelectorTerm, values bool, p *field.Path) {
	for i, e := range t.MatchExpressions {
		at := p.Child("matchExpressions").Index(i)
		if text := oldNodeLabels[e.Key]; text != "" {
			n.at(at.Child("key"), e.Key+" is "+text)
		}
		if !values {
			continue
		}
		for j, v := range e.Values {
			for _, bad := range field.IsLabelValue(v) {
				n.at(at.Child("values").Index(j), v+" is invalid, "+bad)
			}
		}
	}
}

func (n *notes) affinity(a *api.Affinity, p *field.Path) {
	if a == nil {
		return
	}
	if x := a.PodAffinity; x != nil {
		n.podTerms(x.RequiredDuringSchedulingIgnoredDuringExecution, x.PreferredDuringSchedulingIgnoredDuringExecution, p.Child("podAffinity"))
	}
	if x := a.PodAntiAffinity; x != nil {
		n.podTerms(x.RequiredDuringSchedulingIgnoredDuringExecution, x.PreferredDuringSchedulingIgnoredDuringExecution, p.Child("podAntiAffinity"))
	}
}

func (n *notes) podTerms(required []api.PodAffinityTerm, preferred []api.WeightedPodAffinityTerm, p *field.Path) {
	for i := range required {
		if required[i].LabelSelector == nil {
			n.at(p.Child("requiredDuringSchedulingIgnoredDuringExecution").Index(i).Child("labelSelector"), nullSelector)
		}
	}
	for i := range preferred {
		if preferred[i].PodAffinityTerm.LabelSelector == nil {
			n.at(p.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i).Child("podAffinityTerm", "labelSelector"), nullSelector)
		}
	}
}

// repeats notes what is given twice.
func (n *notes) repeats(s *api.PodSpec, p *field.Path) {
	ips := map[string]bool{}
	for i, a := range s.HostAliases {
		if ips[a.IP] {
			n.at(p.Child("hostAliases").Index(i).Child("ip"), "duplicate ip "+strconv.Quote(a.IP))
		}
		ips[a.IP] = true
	}
	names := map[string]bool{}
	for i, r := range s.ImagePullSecrets {
		if names[r.Name] {
			n.at(p.Child("imagePullSecrets").Index(i).Child("name"), "duplicate name "+strconv.Quote(r.Name))
		}
		names[r.Name] = true
	}
	for i, r := range s.ImagePullSecrets {
		if r.Name == "" {
			n.at(p.Child("imagePullSecrets").Index(i).Child("name"), `invalid empty name ""`)
		}
	}
}

func (n *notes) container(c *api.Container, at *field.Path, s *api.PodSpec, m *api.ObjectMeta, p *field.Path) {
	annotations := p.Child("metadata", "annotations")
	if _, ok := m.Annotations[seccompContainer+c.Name]; ok && (c.SecurityContext == nil || c.SecurityContext.SeccompProfile == nil) {
		n.at(annotations.Key(seccompContainer+c.Name), seccompText)
	}
	if v, ok := m.Annotations[appArmor+c.Name]; ok && p != nil && (c.SecurityContext == nil || c.SecurityContext.AppArmorProfile == nil) {
		if s.SecurityContext == nil || !sameProfile(s.SecurityContext.AppArmorProfile, AppArmorProfile(v)) {
			n.at(annotations.Key(appArmor+c.Name), `deprecated since v1.30; use the "appArmorProfile" field instead`)
		}
	}
	for _, name := range []string{"memory", "ephemeral-storage"} {
		n.fraction(c.Resources.Limits, name, at.Child("resources"), "limits")
		n.fraction(c.Resources.Requests, name, at.Child("resources"), "requests")
	}
	n.hiddenEnv(c.Env, at.Child("env"))
}

// hiddenEnv notes variables that are set again without using what was set before.
func (n *notes) hiddenEnv(list []api.EnvVar, p *field.Path) {
	if len(list) < 2 {
		return
	}
	seen := make(map[string]bool, len(list))
	for i, e := range list {
		ref := "$(" + e.Name + ")"
		if seen[e.Name] && (e.ValueFrom != nil || e.Value == ref || !strings.Contains(e.Value, ref)) {
			n.at(p.Index(i), "hides previous definition of "+strconv.Quote(e.Name)+", which may be dropped when using apply")
		}
		seen[e.Name] = true
	}
}

// AppArmorProfile reads the annotation by which profiles were chosen once; nil if
// it is no profile (pkg/api/pod/util.go ApparmorFieldForAnnotation).
func AppArmorProfile(annotation string) *api.AppArmorProfile {
	switch local, ok := strings.CutPrefix(annotation, "localhost/"); {
	case annotation == "unconfined":
		return &api.AppArmorProfile{Type: "Unconfined"}
	case annotation == "runtime/default":
		return &api.AppArmorProfile{Type: "RuntimeDefault"}
	case ok && local != "":
		return &api.AppArmorProfile{Type: "Localhost", LocalhostProfile: &local}
	}
	return nil
}

func sameProfile(a, b *api.AppArmorProfile) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Type == b.Type && (a.LocalhostProfile == nil) == (b.LocalhostProfile == nil) &&
		(a.LocalhostProfile == nil || *a.LocalhostProfile == *b.LocalhostProfile)
}
