package validation

import (
	"math"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

var specPath = field.NewPath("spec")

// podCreate checks a new pod (ValidatePodCreate).
func (c *check) podCreate(p *api.Pod) {
	c.pod(p)
	if len(p.Spec.EphemeralContainers) > 0 {
		c.forbidden(specPath.Child("ephemeralContainers"), "cannot be set on create")
	}
	if p.Spec.NodeName != "" && len(p.Spec.SchedulingGates) > 0 {
		c.forbidden(specPath.Child("nodeName"), "cannot be set until all schedulingGates have been cleared")
	}
	c.profilesAgree(p.Annotations, &p.Spec, specPath)
}

// pod checks what holds of new and changed pods (validatePodMetadataAndSpec).
func (c *check) pod(p *api.Pod) {
	c.meta(&p.ObjectMeta, true, isSubdomain)
	c.podAnnotations(p.Annotations, &p.Spec, metaPath.Child("annotations"))
	c.podSpec(&p.Spec, &p.ObjectMeta, specPath, true)
	if p.Spec.ServiceAccountName == "" {
		c.tokensWithoutAccount(&p.Spec)
	}
	if g := p.Spec.TerminationGracePeriodSeconds; g != nil {
		c.nonNegative(specPath.Child("terminationGracePeriodSeconds"), *g)
	}
	c.imagesOnlyForPod(p.Spec.Containers, specPath.Child("containers"))
	c.imagesOnlyForPod(p.Spec.InitContainers, specPath.Child("initContainers"))
}

func (c *check) tokensWithoutAccount(s *api.PodSpec) {
	for i := range s.Volumes {
		if s.Volumes[i].Projected == nil {
			continue
		}
		for j, src := range s.Volumes[i].Projected.Sources {
			if src.ServiceAccountToken != nil {
				c.forbidden(specPath.Child("volumes").Index(i).Child("projected", "sources").Index(j).Child("serviceAccountToken"),
					"must not be specified when serviceAccountName is not set")
			}
		}
	}
}

func (c *check) imagesOnlyForPod(list []api.Container, p *field.Path) {
	for i := range list {
		if strings.TrimSpace(list[i].Image) != list[i].Image {
			c.invalid(p.Index(i).Child("image"), list[i].Image, "must not have leading or trailing whitespace")
		}
	}
}

// podScope is what the parts of a spec are checked against.
type podScope struct {
	spec      *api.PodSpec
	volumes   map[string]*api.Volume
	claims    []string
	hostUsers bool
	isPod     bool // not a template
}

// podSpec checks the spec of a pod or of a template; meta is nil for a template
// (ValidatePodSpec).
func (c *check) podSpec(s *api.PodSpec, meta *api.ObjectMeta, p *field.Path, isPod bool) {
	if s.TerminationGracePeriodSeconds == nil {
		c.required(p.Child("terminationGracePeriodSeconds"), "")
	}
	scope := &podScope{spec: s, hostUsers: s.HostUsers == nil || *s.HostUsers, isPod: isPod}
	scope.volumes = c.volumes(s.Volumes, meta, p.Child("volumes"))
	c.resourceClaims(s.ResourceClaims, p.Child("resourceClaims"), scope)
	c.containers(scope, p.Child("containers"))
	c.initContainers(scope, p.Child("initContainers"))
	c.ephemeralContainers(scope, p.Child("ephemeralContainers"))
	c.podResources(s, p.Child("resources"))
	c.hostPortsMatch(scope, p.Child("containers"))
	c.oneOf(p.Child("restartPolicy"), s.RestartPolicy, "Always", "OnFailure", "Never")
	c.oneOf(p.Child("dnsPolicy"), s.DNSPolicy, "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
	c.labels(p.Child("nodeSelector"), s.NodeSelector)
	c.podSecurity(s, p.Child("securityContext"))
	if s.ShareProcessNamespace != nil && *s.ShareProcessNamespace && s.HostPID {
		c.invalid(p.Child("shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled")
	}
	c.affinity(s.Affinity, p.Child("affinity"))
	c.dnsConfig(s, p.Child("dnsConfig"))
	c.gates(s, p)
	c.spread(s.TopologySpreadConstraints, p.Child("topologySpreadConstraints"))
	c.hostProcess(s, p)
	c.userNamespace(s, p)
	c.hostnameOverride(s, p.Child("hostnameOverride"))
	c.podNames(s, p)
	c.podRest(s, p, scope)
	c.podOS(s, p)
	c.fileKeyVolumes(scope, p)
}

// podNames checks the fields that name something.
func (c *check) podNames(s *api.PodSpec, p *field.Path) {
	if s.ServiceAccountName != "" {
		c.each(p.Child("serviceAccountName"), s.ServiceAccountName, isSubdomain(s.ServiceAccountName))
	}
	if s.NodeName != "" {
		c.each(p.Child("nodeName"), s.NodeName, isSubdomain(s.NodeName))
	}
	if d := s.ActiveDeadlineSeconds; d != nil && (*d < 1 || *d > math.MaxInt32) {
		c.invalid(p.Child("activeDeadlineSeconds"), *d, between(1, math.MaxInt32))
	}
	if s.Hostname != "" {
		c.each(p.Child("hostname"), s.Hostname, isDNSLabel(s.Hostname))
	}
	if s.Subdomain != "" {
		c.each(p.Child("subdomain"), s.Subdomain, isDNSLabel(s.Subdomain))
	}
}

// podRest checks the fields that come last.
func (c *check) podRest(s *api.PodSpec, p *field.Path, scope *podScope) {
	c.tolerations(s.Tolerations, p.Child("tolerations"))
	for i, a := range s.HostAliases {
		at := p.Child("hostAliases").Index(i)
		c.each(at.Child("ip"), a.IP, isIP(a.IP))
		for j, h := range a.Hostnames {
			c.each(at.Child("hostnames").Index(j), h, isSubdomain(h))
		}
	}
	if s.PriorityClassName != "" {
		c.each(p.Child("priorityClassName"), s.PriorityClassName, isSubdomain(s.PriorityClassName))
	}
	if s.RuntimeClassName != nil {
		c.each(p.Child("runtimeClassName"), *s.RuntimeClassName, isSubdomain(*s.RuntimeClassName))
	}
	if s.PreemptionPolicy != nil {
		c.oneOf(p.Child("preemptionPolicy"), *s.PreemptionPolicy, "PreemptLowerPriority", "Never")
	}
	if s.Overhead != nil {
		c.resources(&api.ResourceRequirements{Limits: s.Overhead}, p.Child("overhead"), scope.claims, c.containerResource)
	}
}

func (c *check) hostPortsMatch(scope *podScope, p *field.Path) {
	if !scope.spec.HostNetwork {
		return
	}
	for i := range scope.spec.Containers {
		for j, port := range scope.spec.Containers[i].Ports {
			if (scope.isPod || port.HostPort != 0) && port.HostPort != port.ContainerPort {
				c.invalid(p.Index(i).Child("ports").Index(j).Child("hostPort"), port.HostPort, "must match `containerPort` when `hostNetwork` is true")
			}
		}
	}
}

const (
	maxNameservers = 3
	maxSearchPaths = 32
	maxSearchChars = 2048
)

func (c *check) dnsConfig(s *api.PodSpec, p *field.Path) {
	d := s.DNSConfig
	switch {
	case s.DNSPolicy == "None" && d == nil:
		c.required(p, "must provide `dnsConfig` when `dnsPolicy` is None")
	case s.DNSPolicy == "None" && len(d.Nameservers) == 0:
		c.required(p.Child("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None")
	case d != nil:
		c.dnsLists(d, p)
	}
}

func (c *check) dnsLists(d *api.PodDNSConfig, p *field.Path) {
	servers, searches := p.Child("nameservers"), p.Child("searches")
	if len(d.Nameservers) > maxNameservers {
		c.invalid(servers, d.Nameservers, "must not have more than 3 nameservers")
	}
	for i, n := range d.Nameservers {
		c.each(servers.Index(i), n, isIP(n))
	}
	if len(d.Searches) > maxSearchPaths {
		c.invalid(searches, d.Searches, "must not have more than 32 search paths")
	}
	if len(strings.Join(d.Searches, " ")) > maxSearchChars {
		c.invalid(searches, d.Searches, "must not have more than 2048 characters (including spaces) in the search list")
	}
	for i, s := range d.Searches {
		if s = strings.TrimSuffix(s, "."); s != "" || d.Searches[i] == "" {
			c.each(searches.Index(i), s, isSearchDomain(s))
		}
	}
	for i, o := range d.Options {
		if o.Name == "" {
			c.required(p.Child("options").Index(i), "must not be empty")
		}
	}
}

func (c *check) gates(s *api.PodSpec, p *field.Path) {
	for i, g := range s.ReadinessGates {
		c.labelName(p.Child("readinessGates").Index(i).Child("conditionType"), g.ConditionType)
	}
	seen := map[string]bool{}
	for i, g := range s.SchedulingGates {
		at := p.Child("schedulingGates").Index(i)
		c.labelName(at, g.Name)
		if seen[g.Name] {
			c.duplicate(at, g.Name)
		}
		seen[g.Name] = true
	}
}

// userNamespace checks what a pod with its own user namespace cannot have.
func (c *check) userNamespace(s *api.PodSpec, p *field.Path) {
	const when = "when `hostUsers` is false"
	if s.HostUsers == nil || *s.HostUsers {
		return
	}
	for _, f := range []struct {
		name string
		on   bool
	}{{"hostNetwork", s.HostNetwork}, {"HostPID", s.HostPID}, {"HostIPC", s.HostIPC}} {
		if f.on {
			c.forbidden(p.Child(f.name), when)
		}
	}
	visit(s, p, func(ctr *api.Container, at *field.Path) {
		if len(ctr.VolumeDevices) > 0 {
			c.forbidden(at.Child("volumeDevices"), when)
		}
	})
}

func (c *check) hostnameOverride(s *api.PodSpec, p *field.Path) {
	name := s.HostnameOverride
	if name == nil {
		return
	}
	if s.SetHostnameAsFQDN != nil && *s.SetHostnameAsFQDN {
		c.forbidden(p, "may not be specified when setHostnameAsFQDN is true")
	}
	if s.HostNetwork {
		c.forbidden(p, "may not be specified when hostNetwork is true")
	}
	if len(*name) > 64 {
		c.add(field.TooLong(p, "", 64))
	}
	c.each(p, *name, isSubdomain(*name))
}

// visit calls f with each container of a spec, in the server's order.
func visit(s *api.PodSpec, p *field.Path, f func(*api.Container, *field.Path)) {
	for i := range s.InitContainers {
		f(&s.InitContainers[i], p.Child("initContainers").Index(i))
	}
	for i := range s.Containers {
		f(&s.Containers[i], p.Child("containers").Index(i))
	}
	for i := range s.EphemeralContainers {
		ctr := common(&s.EphemeralContainers[i])
		f(&ctr, p.Child("ephemeralContainers").Index(i))
	}
}
