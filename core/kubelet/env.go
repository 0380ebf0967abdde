package kubelet

import (
	"errors"
	"strconv"
	"strings"

	"podwalk/core/api"
)

// environment makes the variables of the current container, in a fixed order
// (pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables; the real kubelet's order
// is that of Go maps).
func (s *step) environment(c *api.Container) ([]string, error) {
	e := &envs{s: s, values: map[string]string{}, service: s.serviceEnv()}
	for i := range c.EnvFrom {
		if err := e.from(&c.EnvFrom[i]); err != nil {
			return nil, err
		}
	}
	for i := range c.Env {
		v := &c.Env[i]
		text, ok, err := v.Value, true, error(nil)
		if text != "" {
			text = expand(text, e.lookup)
		} else if v.ValueFrom != nil {
			text, ok, err = e.source(v.ValueFrom, c)
		}
		if err != nil {
			return nil, err
		}
		if ok {
			e.set(v.Name, text)
		}
	}
	return e.list(), nil
}

type envs struct {
	s       *step
	values  map[string]string
	order   []string
	service map[string]string
}

func (e *envs) set(name, value string) {
	if _, ok := e.values[name]; !ok {
		e.order = append(e.order, name)
	}
	e.values[name] = value
}

func (e *envs) lookup(name string) (string, bool) {
	if v, ok := e.values[name]; ok {
		return v, true
	}
	v, ok := e.service[name]
	return v, ok
}

func (e *envs) list() []string {
	l := make([]string, 0, len(e.order)+len(e.service))
	for _, n := range sortedNames(e.service) {
		if _, ok := e.values[n]; !ok {
			l = append(l, n+"="+e.service[n])
		}
	}
	for _, n := range e.order {
		l = append(l, n+"="+e.values[n])
	}
	return l
}

func (e *envs) from(f *api.EnvFromSource) error {
	switch {
	case f.ConfigMapRef != nil:
		cm := e.s.configMap(f.ConfigMapRef.Name)
		if cm == nil {
			return missing("configmap", f.ConfigMapRef.Name, f.ConfigMapRef.Optional)
		}
		for _, k := range sortedNames(cm.Data) {
			e.set(f.Prefix+k, cm.Data[k])
		}
	case f.SecretRef != nil:
		sec := e.s.secret(f.SecretRef.Name)
		if sec == nil {
			return missing("secret", f.SecretRef.Name, f.SecretRef.Optional)
		}
		for _, k := range sortedNames(sec.Data) {
			e.set(f.Prefix+k, string(sec.Data[k]))
		}
	}
	return nil
}

func missing(kind, name string, optional *bool) error {
	if deref(optional) {
		return nil
	}
	return errors.New(notFoundText(kind, name))
}

// source finds the value of a variable that is taken from elsewhere; false leaves
// the variable out.
func (e *envs) source(f *api.EnvVarSource, c *api.Container) (string, bool, error) {
	s := e.s
	switch {
	case f.FieldRef != nil:
		v, err := s.fieldValue(f.FieldRef.FieldPath)
		return v, true, faultOf(err)
	case f.ResourceFieldRef != nil:
		of := c
		if f.ResourceFieldRef.ContainerName != "" {
			of = containerSpec(s.w.pod, f.ResourceFieldRef.ContainerName)
		}
		v, err := s.resourceValue(f.ResourceFieldRef, of)
		return v, true, faultOf(err)
	case f.ConfigMapKeyRef != nil:
		r := f.ConfigMapKeyRef
		cm := s.configMap(r.Name)
		if cm == nil {
			return "", false, missing("configmap", r.Name, r.Optional)
		}
		v, ok := cm.Data[r.Key]
		if !ok && !deref(r.Optional) {
			return "", false, errors.New("couldn't find key " + r.Key + " in ConfigMap " + s.w.key.Namespace + "/" + r.Name)
		}
		return v, ok, nil
	case f.SecretKeyRef != nil:
		r := f.SecretKeyRef
		sec := s.secret(r.Name)
		if sec == nil {
			return "", false, missing("secret", r.Name, r.Optional)
		}
		v, ok := sec.Data[r.Key]
		if !ok && !deref(r.Optional) {
			return "", false, errors.New("couldn't find key " + r.Key + " in Secret " + s.w.key.Namespace + "/" + r.Name)
		}
		return string(v), ok, nil
	case f.FileKeyRef != nil:
		return s.fileValue(f.FileKeyRef)
	}
	return "", true, nil
}

func faultOf(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// fileValue reads a variable from an env file of a volume.
func (s *step) fileValue(r *api.FileKeySelector) (string, bool, error) {
	t := s.machine().Volume(s.w.uid, r.VolumeName)
	if t == nil {
		return "", false, errors.New("cannot find the volume " + quote(r.VolumeName) + " referenced by FileKeyRef")
	}
	b, _ := t.Read(r.Path)
	for line := range strings.SplitSeq(string(b), "\n") {
		k, v, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(k) == r.Key {
			return strings.Trim(strings.TrimSpace(v), "'\""), true, nil
		}
	}
	if deref(r.Optional) {
		return "", false, nil
	}
	return "", false, errors.New("environment variable key " + quote(r.Key) + " not found in file " +
		quote(s.podDir()+"/volumes/kubernetes.io~empty-dir/"+r.VolumeName+"/"+r.Path))
}

// expand replaces $(NAME) by values; $$ is a dollar sign and what is unknown stays
// (third_party/forked/golang/expansion/expand.go).
func expand(text string, value func(string) (string, bool)) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		switch text[i+1] {
		case '$':
			b.WriteByte('$')
			i++
		case '(':
			end := strings.IndexByte(text[i:], ')')
			if end < 0 {
				b.WriteString("$(")
				i++
				continue
			}
			name := text[i+2 : i+end]
			if v, ok := value(name); ok {
				b.WriteString(v)
			} else {
				b.WriteString(text[i : i+end+1])
			}
			i += end
		default:
			b.WriteByte('$')
			b.WriteByte(text[i+1])
			i++
		}
	}
	return b.String()
}

// staticEnv looks a variable up among those with a literal value
// (pkg/kubelet/container/helpers.go, ExpandContainerCommandOnlyStatic).
func staticEnv(list []api.EnvVar) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := "", false
		for i := range list {
			if list[i].Name == name {
				v, ok = list[i].Value, true
			}
		}
		return v, ok
	}
}

// serviceEnv makes the variables that name services: those of the pod's namespace
// and the API server's (pkg/kubelet/envvars/envvars.go, FromServices).
func (s *step) serviceEnv() map[string]string {
	m := map[string]string{}
	add := func(svc *api.Service) {
		ip := svc.Spec.ClusterIP
		if ip == "" || ip == "None" || len(svc.Spec.Ports) == 0 {
			return
		}
		name := strings.ToUpper(strings.ReplaceAll(svc.Name, "-", "_"))
		m[name+"_SERVICE_HOST"] = ip
		m[name+"_SERVICE_PORT"] = strconv.Itoa(int(svc.Spec.Ports[0].Port))
		for i := range svc.Spec.Ports {
			serviceLinks(m, name, ip, &svc.Spec.Ports[i], i == 0)
		}
	}
	if deref(s.w.pod.Spec.EnableServiceLinks) {
		s.c.Read.Each("Service", s.w.key.Namespace, func(o api.Object) bool {
			add(o.(*api.Service))
			return true
		})
	}
	if svc, ok := s.c.Read.Get("Service", "default", "kubernetes").(*api.Service); ok {
		add(svc)
	}
	return m
}

func serviceLinks(m map[string]string, name, ip string, p *api.ServicePort, first bool) {
	port := strconv.Itoa(int(p.Port))
	if p.Name != "" {
		m[name+"_SERVICE_PORT_"+strings.ToUpper(strings.ReplaceAll(p.Name, "-", "_"))] = port
	}
	protocol := p.Protocol
	if protocol == "" {
		protocol = "TCP"
	}
	to := strings.ToLower(protocol) + "://" + ip + ":" + port
	if first {
		m[name+"_PORT"] = to
	}
	prefix := name + "_PORT_" + port + "_" + protocol
	m[prefix] = to
	m[prefix+"_PROTO"] = strings.ToLower(protocol)
	m[prefix+"_PORT"] = port
	m[prefix+"_ADDR"] = ip
}
