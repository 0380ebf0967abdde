package podsecurity

import (
	"slices"
	"strings"

	"podwalk/core/api"
)

// violation is why a pod is beyond a level.
type violation struct{ reason, detail string }

// check is one rule of the standards.
type check struct {
	from     int    // the minor version since which it holds
	override string // the rule of the baseline that it replaces
	name     string
	run      func(*subject) *violation
}

// subject is a pod under examination.
type subject struct {
	meta  *api.ObjectMeta
	spec  *api.PodSpec
	minor int
	list  []*api.Container
}

// The rules in the order in which they are told: by name, those of the baseline
// first.
var (
	baselineChecks = []check{
		{name: "appArmorProfile", run: appArmor},
		{name: "capabilities_baseline", run: capabilities},
		{name: "hostNamespaces", run: hostNamespaces},
		{name: "hostPathVolumes", run: hostPaths},
		{name: "hostPorts", run: hostPorts},
		{name: "hostProbesAndHostLifecycle", from: 34, run: probeHosts},
		{name: "privileged", run: privilegedContainers},
		{name: "procMount", run: procMountOfUserNamespace},
		{name: "seLinuxOptions", run: seLinux},
		{name: "seccompProfile_baseline", run: seccomp},
		{name: "sysctls", run: sysctls},
		{name: "windowsHostProcess", run: hostProcess},
	}
	restrictedChecks = []check{
		{name: "allowPrivilegeEscalation", from: 8, run: escalation},
		{name: "capabilities_restricted", from: 22, override: "capabilities_baseline", run: droppedCapabilities},
		{name: "procMount_restricted", from: 35, override: "procMount", run: procMount},
		{name: "restrictedVolumes", override: "hostPathVolumes", run: volumeTypes},
		{name: "runAsNonRoot", run: nonRoot},
		{name: "runAsUser", from: 23, run: rootUser},
		{name: "seccompProfile_restricted", from: 19, override: "seccompProfile_baseline", run: requiredSeccomp},
	}
)

// evaluate lists what of a level a pod does not keep.
func evaluate(lv levelVersion, meta *api.ObjectMeta, spec *api.PodSpec) (bad []violation) {
	if lv.level == privileged {
		return nil
	}
	s := &subject{meta: meta, spec: spec, minor: lv.minor(), list: containers(spec)}
	replaced := map[string]bool{}
	list := slices.Clone(baselineChecks)
	if lv.level == restricted {
		for _, c := range restrictedChecks {
			if s.minor >= c.from {
				replaced[c.override] = true
			}
		}
		list = append(list, restrictedChecks...)
	}
	for _, c := range list {
		if s.minor < c.from || replaced[c.name] {
			continue
		}
		if v := c.run(s); v != nil {
			bad = append(bad, *v)
		}
	}
	return bad
}

// containers returns all containers of a pod; ephemeral ones as far as the rules
// look at them.
func containers(spec *api.PodSpec) (list []*api.Container) {
	for i := range spec.InitContainers {
		list = append(list, &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		list = append(list, &spec.Containers[i])
	}
	for i := range spec.EphemeralContainers {
		e := &spec.EphemeralContainers[i]
		list = append(list, &api.Container{Name: e.Name, SecurityContext: e.SecurityContext, Ports: e.Ports,
			LivenessProbe: e.LivenessProbe, ReadinessProbe: e.ReadinessProbe, StartupProbe: e.StartupProbe, Lifecycle: e.Lifecycle})
	}
	return list
}

func details(bad []violation) string {
	texts := make([]string, len(bad))
	for i, v := range bad {
		texts[i] = v.reason
		if v.detail != "" {
			texts[i] += " (" + v.detail + ")"
		}
	}
	return strings.Join(texts, ", ")
}

func reasons(bad []violation) string {
	texts := make([]string, len(bad))
	for i, v := range bad {
		texts[i] = v.reason
	}
	return strings.Join(texts, ", ")
}

// names are the names of containers, in order and each as often as it was added.
type names []string

// named prints the names behind their kind: containers "a", "b".
func (n names) named(one, many string) string { return plural(one, many, len(n)) + " " + n.quoted() }

func (n names) quoted() string { return `"` + strings.Join(n, `", "`) + `"` }

// sorted returns the distinct names in order.
func (n names) sorted() names { return slices.Compact(slices.Sorted(slices.Values(n))) }

func plural(one, many string, n int) string {
	if n == 1 {
		return one
	}
	return many
}

// setters names the pod, where it is to blame, and the containers.
func setters(pod bool, list names) []string {
	var all []string
	if pod {
		all = append(all, "pod")
	}
	if len(list) > 0 {
		all = append(all, list.named("container", "containers"))
	}
	return all
}

// where returns the names of the containers for which bad holds.
func (s *subject) where(bad func(*api.Container, *api.SecurityContext) bool) (list names) {
	for _, c := range s.list {
		sc := c.SecurityContext
		if sc == nil {
			sc = &api.SecurityContext{}
		}
		if bad(c, sc) {
			list = append(list, c.Name)
		}
	}
	return list
}

// pod returns the security context of the pod, never nil.
func (s *subject) pod() *api.PodSecurityContext {
	if s.spec.SecurityContext == nil {
		return &api.PodSecurityContext{}
	}
	return s.spec.SecurityContext
}

func (s *subject) windows() bool { return s.spec.OS != nil && s.spec.OS.Name == "windows" }

// relaxed holds for pods with a user namespace of their own, which newer versions
// trust with more.
func (s *subject) relaxed() bool {
	return s.minor >= 35 && s.spec.HostUsers != nil && !*s.spec.HostUsers
}

func isTrue(b *bool) bool { return b != nil && *b }
