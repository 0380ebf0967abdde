package kubelet

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/workload"
)

// sandboxConfig makes the request of RunPodSandbox
// (pkg/kubelet/kuberuntime/kuberuntime_sandbox.go, generatePodSandboxConfig).
func (s *step) sandboxConfig(attempt int) (runtime.SandboxConfig, error) {
	pod := s.w.pod
	cfg := runtime.SandboxConfig{UID: s.w.uid, Namespace: pod.Namespace, Name: pod.Name, Attempt: attempt, Hostname: hostname(pod),
		HostNetwork: pod.Spec.HostNetwork, SharePID: deref(pod.Spec.ShareProcessNamespace), ResolvConf: s.resolvConf(), Hosts: hostAliases(pod)}
	if pod.Spec.HostNetwork {
		cfg.Hostname = s.w.node
	} else if pod.Spec.Subdomain != "" && pod.Spec.HostnameOverride == nil {
		cfg.Domain = pod.Spec.Subdomain + "." + pod.Namespace + ".svc.cluster.local"
	}
	for i := range pod.Spec.Containers {
		for _, p := range pod.Spec.Containers[i].Ports {
			if p.HostPort != 0 {
				cfg.HostPorts = append(cfg.HostPorts, runtime.HostPort{Host: p.HostPort, Container: p.ContainerPort, IP: p.HostIP, Protocol: p.Protocol})
			}
		}
	}
	if name := deref(pod.Spec.RuntimeClassName); name != "" {
		rc, ok := s.c.Read.Get("RuntimeClass", "", name).(*api.RuntimeClass)
		if !ok {
			return cfg, errors.New("RuntimeClass " + quote(name) + " not found")
		}
		cfg.Handler = rc.Handler
	}
	return cfg, nil
}

// hostname is the pod's host name (pkg/kubelet/kubelet_pods.go,
// GeneratePodHostNameAndDomain).
func hostname(pod *api.Pod) string {
	name := pod.Name
	switch {
	case pod.Spec.HostnameOverride != nil:
		name = *pod.Spec.HostnameOverride
	case pod.Spec.Hostname != "":
		name = pod.Spec.Hostname
	}
	if len(name) > 63 {
		name = strings.TrimRight(name[:63], "-.")
	}
	return name
}

func hostAliases(pod *api.Pod) string {
	if len(pod.Spec.HostAliases) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n# Entries added by HostAliases.\n")
	for _, a := range pod.Spec.HostAliases {
		b.WriteString(a.IP + "\t" + strings.Join(a.Hostnames, "\t") + "\n")
	}
	return b.String()
}

// clusterDNS is the address of the cluster's name service.
const clusterDNS = "10.96.0.10"

// resolvConf is the content of /etc/resolv.conf
// (pkg/kubelet/network/dns/dns.go, GetPodDNS).
func (s *step) resolvConf() string {
	spec := &s.w.pod.Spec
	var servers, searches, options []string
	switch {
	case spec.DNSPolicy == "None":
	case spec.DNSPolicy == "Default", spec.HostNetwork && spec.DNSPolicy == "ClusterFirst":
		servers = []string{"192.0.2.53"}
	default:
		servers = []string{clusterDNS}
		searches = []string{s.w.key.Namespace + ".svc.cluster.local", "svc.cluster.local", "cluster.local"}
		options = []string{"ndots:5"}
	}
	if d := spec.DNSConfig; d != nil {
		servers = append(servers, d.Nameservers...)
		searches = append(searches, d.Searches...)
		for _, o := range d.Options {
			text := o.Name
			if o.Value != nil {
				text += ":" + *o.Value
			}
			options = append(options, text)
		}
	}
	var b strings.Builder
	if len(searches) > 0 {
		b.WriteString("search " + join(searches, " ") + "\n")
	}
	for _, n := range servers {
		b.WriteString("nameserver " + n + "\n")
	}
	if len(options) > 0 {
		b.WriteString("options " + join(options, " ") + "\n")
	}
	return b.String()
}

// containerConfig makes the request of CreateContainer for the current container
// (pkg/kubelet/kuberuntime/kuberuntime_container.go, generateContainerConfig).
func (s *step) containerConfig() (*runtime.ContainerConfig, error) {
	r := s.w.run
	c := r.cur
	env, err := s.environment(c)
	if err != nil {
		return nil, err
	}
	img := r.pull.info.Image
	cfg := &runtime.ContainerConfig{Name: c.Name, Attempt: s.restartCount(), Image: img, ImageRef: r.pull.info.Ref, ImageName: imageName(&r.pull),
		SpecImage: c.Image, Env: env, WorkingDir: c.WorkingDir, Stdin: c.Stdin, TTY: c.TTY, Termination: c.TerminationMessagePath,
		StopSignal: stopSignal(c)}
	if err := s.setUser(cfg, c, img); err != nil {
		return nil, err
	}
	if err := s.setMounts(cfg, c, env); err != nil {
		return nil, err
	}
	value := envLookup(env)
	for _, a := range c.Command {
		cfg.Command = append(cfg.Command, expand(a, value))
	}
	for _, a := range c.Args {
		cfg.Args = append(cfg.Args, expand(a, value))
	}
	for _, p := range c.Ports {
		cfg.Ports = append(cfg.Ports, p.ContainerPort)
	}
	cfg.Amounts = amountsOf(c)
	if sc := c.SecurityContext; sc != nil {
		cfg.ReadOnlyRoot, cfg.Privileged = deref(sc.ReadOnlyRootFilesystem), deref(sc.Privileged)
	}
	return cfg, nil
}

// imageName is the name that the runtime reports: with its registry and tag.
func imageName(p *pulling) string {
	if p.ref.Tag != "" {
		return p.ref.Name() + ":" + p.ref.Tag
	}
	return p.ref.Name() + "@" + p.ref.Digest
}

func stopSignal(c *api.Container) int {
	if c.Lifecycle == nil || c.Lifecycle.StopSignal == nil {
		return 0
	}
	return map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGKILL": 9, "SIGUSR1": 10, "SIGUSR2": 12, "SIGTERM": 15}[*c.Lifecycle.StopSignal]
}

// envLookup finds a variable in a list; of several the last counts.
func envLookup(env []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := len(env) - 1; i >= 0; i-- {
			if k, v, _ := strings.Cut(env[i], "="); k == name {
				return v, true
			}
		}
		return "", false
	}
}

// setUser decides who runs the container, and refuses root where it is unwanted
// (pkg/kubelet/kuberuntime/security_context_others.go, verifyRunAsNonRoot).
func (s *step) setUser(cfg *runtime.ContainerConfig, c *api.Container, img *workload.Image) error {
	var user, group *int64
	nonRoot := false
	if p := s.w.pod.Spec.SecurityContext; p != nil {
		user, group, nonRoot = p.RunAsUser, p.RunAsGroup, deref(p.RunAsNonRoot)
		cfg.Groups = append(cfg.Groups, p.SupplementalGroups...)
		if p.FSGroup != nil {
			cfg.Groups = append(cfg.Groups, *p.FSGroup)
		}
	}
	if sc := c.SecurityContext; sc != nil {
		if sc.RunAsUser != nil {
			user = sc.RunAsUser
		}
		if sc.RunAsGroup != nil {
			group = sc.RunAsGroup
		}
		if sc.RunAsNonRoot != nil {
			nonRoot = *sc.RunAsNonRoot
		}
	}
	uid, gid, _ := img.IDs()
	if nonRoot {
		if err := s.verifyNonRoot(c, user, img, uid); err != nil {
			return err
		}
	}
	cfg.UID, cfg.GID = uid, gid
	if user != nil {
		cfg.UID, cfg.GID = *user, 0
	}
	if group != nil {
		cfg.GID = *group
	}
	return nil
}

func (s *step) verifyNonRoot(c *api.Container, user *int64, img *workload.Image, uid int64) error {
	where := " (pod: " + quote(s.w.podName()) + ", container: " + c.Name + ")"
	name, _, _ := strings.Cut(img.User, ":")
	_, numeric := strconv.ParseInt(name, 10, 64)
	switch {
	case user != nil && *user == 0:
		return errors.New("container's runAsUser breaks non-root policy" + where)
	case user != nil:
		return nil
	case name == "" || numeric == nil && uid == 0:
		return errors.New("container has runAsNonRoot and image will run as root" + where)
	case numeric != nil:
		return errors.New("container has runAsNonRoot and image has non-numeric user (" + name + "), cannot verify user is non-root" + where)
	}
	return nil
}

// setMounts lists the volumes of a container (pkg/kubelet/kubelet_pods.go, makeMounts).
func (s *step) setMounts(cfg *runtime.ContainerConfig, c *api.Container, env []string) error {
	for i := range c.VolumeMounts {
		m := &c.VolumeMounts[i]
		sub := m.SubPath
		if m.SubPathExpr != "" {
			text, bad := expandStrict(m.SubPathExpr, envLookup(env))
			if bad != "" {
				return errors.New("missing value for " + bad)
			}
			sub = text
		}
		v := volumeNamed(s.w.pod, m.Name)
		if v == nil {
			return errors.New("cannot find volume " + quote(m.Name) + " to mount into container " + quote(c.Name))
		}
		source := s.volumePath(v)
		if sub != "" {
			source = s.podDir() + "/volume-subpaths/" + v.Name + "/" + c.Name + "/" + strconv.Itoa(i)
		}
		if v.HostPath != nil {
			sub = strings.TrimSuffix(v.HostPath.Path, "/") + "/" + sub
		} else if sub != "" {
			if err := s.prepareSubPath(m, sub); err != nil {
				return err
			}
		}
		cfg.Mounts = append(cfg.Mounts, runtime.Mount{Volume: m.Name, Path: m.MountPath, Sub: sub, ReadOnly: m.ReadOnly, Source: source})
	}
	return nil
}

func (s *step) podDir() string { return "/var/lib/kubelet/pods/" + s.w.uid }

// volumePath is where the kubelet keeps a volume (pkg/kubelet/kubelet_getters.go).
func (s *step) volumePath(v *api.Volume) string {
	plugin := "empty-dir"
	switch {
	case v.HostPath != nil:
		return v.HostPath.Path
	case v.ConfigMap != nil:
		plugin = "configmap"
	case v.Secret != nil:
		plugin = "secret"
	case v.Projected != nil:
		plugin = "projected"
	case v.DownwardAPI != nil:
		plugin = "downward-api"
	case v.PersistentVolumeClaim != nil, v.Ephemeral != nil:
		plugin = "local-volume"
	}
	return s.podDir() + "/volumes/kubernetes.io~" + plugin + "/" + v.Name
}

// prepareSubPath makes the directory of a subPath that is not there.
func (s *step) prepareSubPath(m *api.VolumeMount, sub string) error {
	t := s.machine().Volume(s.w.uid, m.Name)
	if t == nil {
		return nil
	}
	fs := &workload.FS{Root: t}
	if _, err := fs.Stat("/" + sub); err == nil {
		return nil
	}
	if err := t.PutDir(sub, 0o777, 0, s.fsGroup()); err != nil {
		return errors.New("failed to create subPath directory for volumeMount " + quote(m.Name) + " of container " + quote(s.w.run.cur.Name))
	}
	return nil
}

// expandStrict expands $(NAME) and names the variables that are not set
// (pkg/kubelet/container/helpers.go, ExpandContainerVolumeMounts).
func expandStrict(text string, value func(string) (string, bool)) (string, string) {
	var bad []string
	out := expand(text, func(name string) (string, bool) {
		v, ok := value(name)
		if !ok {
			bad = append(bad, name)
		}
		return v, ok
	})
	slices.Sort(bad)
	return out, join(slices.Compact(bad), ", ")
}

// pullSecrets returns the pull secrets of the pod that exist and the names of the
// others (pkg/kubelet/kubelet_pods.go, getPullSecretsForPod).
func (s *step) pullSecrets() (have []*api.Secret, missing []string) {
	for _, r := range s.w.pod.Spec.ImagePullSecrets {
		if r.Name == "" {
			continue
		}
		if sec := s.secret(r.Name); sec != nil {
			have = append(have, sec)
		} else {
			missing = append(missing, r.Name)
		}
	}
	return have, missing
}

func (s *step) missingPullSecrets() []string {
	_, missing := s.pullSecrets()
	return missing
}

// hasCredentials reports whether a pull secret of the pod names the registry.
func (s *step) hasCredentials(ref workload.Reference) bool {
	have, _ := s.pullSecrets()
	for _, sec := range have {
		for _, k := range []string{".dockerconfigjson", ".dockercfg"} {
			text := string(sec.Data[k])
			if strings.Contains(text, ref.Domain) || ref.Domain == "docker.io" && strings.Contains(text, "index.docker.io") {
				return true
			}
		}
	}
	return false
}
