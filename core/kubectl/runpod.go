package kubectl

import (
	"strconv"
	"strings"

	"podwalk/core/api"
)

const runFlags = ` image= port= labels,l= env= restart= command image-pull-policy= annotations= privileged expose dry-run*unchanged output,o=` +
	` overrides= override-type= stdin,i tty,t rm attach quiet,q leave-stdin-open pod-running-timeout= field-manager= show-managed-fields grace-period= timeout= force wait cascade=`

// run is `kubectl run`: one pod.
func (s *session) run() error {
	for _, name := range []string{"stdin", "tty", "attach", "rm", "overrides", "expose"} {
		if s.flags.has(name) && s.flags.text(name) != "false" {
			return errNotSimulated("kubectl run --" + name)
		}
	}
	names := s.args
	if s.flags.has("--") {
		n, _ := strconv.Atoi(s.flags.text("--"))
		names = s.args[:min(n, 1)]
	}
	switch {
	case !s.flags.has("image"):
		return plain("required flag(s) \"image\" not set")
	case len(names) == 0:
		return plain("NAME is required for run\nSee 'kubectl run -h' for help and examples")
	case s.flags.text("image") == "":
		return plain("--image is required")
	case strings.ContainsAny(s.flags.text("image"), " \t") || strings.ToLower(imageName(s.flags.text("image"))) != imageName(s.flags.text("image")):
		return plain("invalid image name " + quoted(s.flags.text("image")) + ": invalid reference format")
	}
	pod, err := s.newPod(names[0])
	if err != nil {
		return err
	}
	return s.sendNew("Pod", pod)
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
	if !contains([]string{"Always", "OnFailure", "Never"}, policy) {
		return nil, plain("invalid restart policy: " + policy + ", valid values are: Always, OnFailure, Never")
	}
	c := api.Container{Name: name, Image: s.flags.text("image"), ImagePullPolicy: s.flags.text("image-pull-policy")}
	for _, e := range s.flags["env"] {
		key, value, ok := strings.Cut(e, "=")
		if !ok || key == "" {
			return nil, plain("invalid env: " + e)
		}
		c.Env = append(c.Env, api.EnvVar{Name: key, Value: value})
	}
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
		return nil, plain("cannot expose a " + i.kind.Kind)
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
