package kubectl

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const runFlags = printFlags + ` image= port= labels,l= env= restart= command image-pull-policy= annotations= privileged expose dry-run*unchanged save-config record` +
	` overrides= override-type= stdin,i tty,t rm attach quiet,q leave-stdin-open pod-running-timeout= field-manager= grace-period= timeout= force wait cascade*background detach-keys=`

// run is `kubectl run`: one pod, and with --expose a service for it.
func (s *session) run() error {
	if missing := s.missingFlags("image"); missing != nil {
		return missing
	}
	if err := s.checkRun(); err != nil {
		return err
	}
	pod, err := s.newPod(s.args[0])
	if err == nil {
		pod, err = s.overridden(pod)
	}
	if err != nil {
		return err
	}
	if s.attached() {
		return s.runAttached(pod)
	}
	if err := s.sendNew("Pod", pod); err != nil || !s.flags.bool("expose") {
		return err
	}
	port, _ := strconv.Atoi(s.flags.text("port"))
	labels := pod.Labels
	if !s.flags.has("labels") {
		labels = map[string]string{"run": s.args[0]}
	}
	return s.sendNew("Service", &api.Service{ObjectMeta: named(s.args[0]), Spec: api.ServiceSpec{Selector: labels,
		Ports: []api.ServicePort{{Port: int32(port), Protocol: "TCP", TargetPort: api.FromInt(int32(port))}}}})
}

func (s *session) attached() bool {
	return s.flags.bool("attach") || s.flags.bool("stdin") && !s.flags.has("attach")
}

func (s *session) checkRun() error {
	f := s.flags
	if err := s.checkDryRun(); err != nil {
		return err
	}
	policy := or(f.text("restart"), "Always")
	_, badPort := strconv.Atoi(f.text("port"))
	switch {
	case !contains([]string{"Always", "OnFailure", "Never"}, policy):
		return plain("invalid restart policy: " + policy + ", valid values are: Always, OnFailure, Never")
	case !contains([]string{"", "Always", "IfNotPresent", "Never"}, f.text("image-pull-policy")):
		return plain("invalid image pull policy: " + f.text("image-pull-policy"))
	case len(s.args) == 0 || f.text("--") == "0":
		return plain("NAME is required for run")
	case f.text("image") == "":
		return plain("--image is required")
	case badImage(f.text("image")):
		return plain("invalid image name " + quoted(f.text("image")) + ": invalid reference format")
	case f.bool("tty") && !f.bool("stdin"):
		return plain("-i/--stdin is required for containers with -t/--tty=true")
	case f.bool("expose") && f.text("port") == "":
		return plain("--port must be set when exposing a service")
	case f.text("port") != "" && badPort != nil:
		return plain("--port must be a number")
	case !s.attached() && f.bool("rm"):
		return plain("--rm should only be used for attached containers")
	case s.attached() && (s.dryRunClient() || s.dryRunServer()):
		return plain("--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)")
	}
	return nil
}

// overridden changes a generated pod as --overrides says.
func (s *session) overridden(pod *api.Pod) (*api.Pod, error) {
	text := s.flags.text("overrides")
	if text == "" {
		return pod, nil
	}
	kind := or(s.flags.text("override-type"), "merge")
	k := api.KindNamed("Pod")
	pod.ObjectType().APIVersion, pod.ObjectType().Kind = k.APIVersion(), k.Kind
	doc, _ := codec.ToValue(pod).(map[string]any)
	node, err := codec.ParseJSON([]byte(text))
	if err != nil {
		return nil, plain("Invalid JSON Patch")
	}
	patch, _ := codec.ToValue(node).(map[string]any)
	var changed any
	switch kind {
	case "merge":
		changed = codec.PatchMerge(doc, patch)
	case "strategic":
		changed, err = codec.PatchStrategic(doc, patch, k)
	case "json":
		changed, err = codec.PatchJSON(doc, &node)
	default:
		return nil, plain("invalid override type: " + kind)
	}
	if err != nil {
		return nil, err
	}
	n := codec.ToNode(changed)
	o, bad := codec.DecodeObject(&n)
	p, ok := o.(*api.Pod)
	if bad != nil && bad.Type != nil || !ok {
		return nil, plain("couldn't create an object of kind Pod from the overrides")
	}
	return p, nil
}

// runAttached makes the pod, shows what it writes, and ends as its program does.
func (s *session) runAttached(pod *api.Pod) error {
	before := s.out.Len()
	if err := s.sendNew("Pod", pod); err != nil {
		return err
	}
	head := s.out.String()[:before]
	s.out.Reset()
	s.print(head)
	pod.Namespace = s.namespace
	container := pod.Spec.Containers[0].Name
	seen, err := s.attach(pod, container)
	if err == nil {
		err = s.ending(seen, container)
	}
	if s.flags.bool("rm") {
		i := item{kind: api.KindNamed("Pod"), namespace: s.namespace, name: pod.Name}
		if e := s.deleteOne(&i, deletion{propagation: "Background"}); e != nil && err == nil {
			err = e
		}
		s.waitFor(func() bool { return s.isGone(&i) }, 120)
	}
	return err
}

// ending is the exit status of a program that is not started again.
func (s *session) ending(pod *api.Pod, container string) error {
	if pod.Spec.RestartPolicy == "Always" || pod.Spec.RestartPolicy == "" {
		return nil
	}
	for _, c := range pod.Status.ContainerStatuses {
		if t := c.State.Terminated; c.Name == container && t != nil && t.ExitCode != 0 && pod.Spec.RestartPolicy == "Never" {
			text := "pod " + pod.Namespace + "/" + pod.Name + " terminated (" + t.Reason + ")\n" + t.Message
			return exitError{int(t.ExitCode), verbatim(strings.TrimSuffix(text, "\n") + "\n")}
		}
	}
	return nil
}

// envFlags are the variables of --env.
func (s *session) envFlags() ([]api.EnvVar, error) {
	var out []api.EnvVar
	for _, e := range s.flags["env"] {
		key, value, ok := strings.Cut(e, "=")
		if !ok || key == "" || badEnvName(key) != "" {
			return nil, plain("invalid env: " + e)
		}
		out = append(out, api.EnvVar{Name: key, Value: value})
	}
	return out, nil
}

func (s *session) newPod(name string) (*api.Pod, error) {
	pod := &api.Pod{ObjectMeta: api.ObjectMeta{Name: name, Labels: map[string]string{"run": name}}}
	if s.flags.has("labels") {
		pod.Labels = pairMap(s.flags.list("labels"))
	}
	if s.flags.has("annotations") {
		pod.Annotations = pairMap(s.flags.list("annotations"))
	}
	policy := or(s.flags.text("restart"), "Always")
	env, err := s.envFlags()
	if err != nil {
		return nil, err
	}
	c := api.Container{Name: name, Image: s.flags.text("image"), ImagePullPolicy: s.flags.text("image-pull-policy"), Env: env,
		Stdin: s.flags.bool("stdin"), StdinOnce: s.flags.bool("stdin") && !s.flags.bool("leave-stdin-open"), TTY: s.flags.bool("tty")}
	if s.flags.has("port") {
		n, err := strconv.Atoi(s.flags.text("port"))
		if err != nil {
			return nil, plain("--port must be a number")
		}
		c.Ports = []api.ContainerPort{{ContainerPort: int32(n)}}
	}
	if s.flags.bool("privileged") {
		yes := true
		c.SecurityContext = &api.SecurityContext{Privileged: &yes}
	}
	words := s.args[1:]
	if s.flags.bool("command") {
		c.Command = words
	} else {
		c.Args = words
	}
	pod.Spec = api.PodSpec{Containers: []api.Container{c}, DNSPolicy: "ClusterFirst", RestartPolicy: policy}
	return pod, nil
}

func pairMap(list []string) map[string]string {
	out := map[string]string{}
	for _, p := range list {
		k, v, _ := strings.Cut(p, "=")
		out[k] = v
	}
	return out
}

const exposeFlags = ` port= target-port= name= type= protocol= cluster-ip= selector= labels,l= session-affinity= external-ip= load-balancer-ip= dry-run*unchanged output,o= filename,f= field-manager= show-managed-fields`

// expose is `kubectl expose`: a service for the pods of an object.
func (s *session) expose() error {
	selectorFlag := s.flags.text("selector")
	delete(s.flags, "selector")
	items, errs, err := s.targets(s.args)
	if err == nil {
		err = join(errs)
	}
	if err != nil {
		return err
	}
	for n := range items {
		o, err := s.exposed(&items[n], selectorFlag)
		if err != nil {
			return err
		}
		s.verb = "expose"
		if err := s.sendExposed(o); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) sendExposed(o *api.Service) error {
	before := s.out.Len()
	if err := s.sendNew("Service", o); err != nil {
		return err
	}
	if s.flags.text("output") == "" {
		text := strings.Replace(s.out.String()[before:], " created", " exposed", 1)
		head := s.out.String()[:before]
		s.out.Reset()
		s.print(head, text)
	}
	return nil
}

func (s *session) exposed(i *item, selector string) (*api.Service, error) {
	labels, ports, ok := exposable(i.object)
	if !ok {
		return nil, plain("cannot expose a " + i.kind.Name())
	}
	o := &api.Service{ObjectMeta: api.ObjectMeta{Name: or(s.flags.text("name"), i.name), Labels: i.object.Meta().Labels}}
	if s.flags.has("labels") {
		o.Labels = pairMap(s.flags.list("labels"))
	}
	o.Spec.Selector = labels
	if selector != "" {
		o.Spec.Selector = pairMap(strings.Split(selector, ","))
	}
	if s.flags.has("port") {
		ports = nil
		for _, text := range s.flags.list("port") {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, plain(err.Error())
			}
			ports = append(ports, int32(n))
		}
	}
	if len(ports) == 0 {
		return nil, plain("couldn't find port via --port flag or introspection")
	}
	for n, port := range ports {
		p := api.ServicePort{Port: port, Protocol: or(s.flags.text("protocol"), "TCP"), TargetPort: api.FromInt(port)}
		if s.flags.has("target-port") {
			p.TargetPort = portOrName(s.flags.text("target-port"))
		}
		if len(ports) > 1 {
			p.Name = "port-" + strconv.Itoa(n+1)
		}
		o.Spec.Ports = append(o.Spec.Ports, p)
	}
	o.Spec.Type, o.Spec.ClusterIP = s.flags.text("type"), s.flags.text("cluster-ip")
	o.Spec.SessionAffinity, o.Spec.LoadBalancerIP = s.flags.text("session-affinity"), s.flags.text("load-balancer-ip")
	if s.flags.has("external-ip") {
		o.Spec.ExternalIPs = []string{s.flags.text("external-ip")}
	}
	return o, nil
}

// exposable returns by which labels a service finds the pods of an object, and the
// ports that they declare.
func exposable(o api.Object) (labels map[string]string, ports []int32, ok bool) {
	fromTemplate := func(selector *api.LabelSelector, spec api.PodSpec) (map[string]string, []int32, bool) {
		return selector.MatchLabels, podPorts(spec), selector != nil && len(selector.MatchExpressions) == 0
	}
	switch o := o.(type) {
	case *api.Pod:
		return o.Labels, podPorts(o.Spec), len(o.Labels) > 0
	case *api.Service:
		for _, p := range o.Spec.Ports {
			ports = append(ports, p.Port)
		}
		return o.Spec.Selector, ports, true
	case *api.Deployment:
		return fromTemplate(o.Spec.Selector, o.Spec.Template.Spec)
	case *api.ReplicaSet:
		return fromTemplate(o.Spec.Selector, o.Spec.Template.Spec)
	case *api.ReplicationController:
		return o.Spec.Selector, podPorts(o.Spec.Template.Spec), true
	}
	return nil, nil, false
}

func podPorts(spec api.PodSpec) []int32 {
	var out []int32
	for _, c := range spec.Containers {
		for _, p := range c.Ports {
			out = append(out, p.ContainerPort)
		}
	}
	return out
}
