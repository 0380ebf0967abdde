package kubectl

import (
	"maps"
	"slices"
	"strings"

	"podwalk/core/api"
)

// envChange are variables to set and to remove.
type envChange struct {
	set    []api.EnvVar
	remove []string
}

// setEnv is `kubectl set env` (kubectl/pkg/cmd/set/set_env.go).
func (s *session) setEnv() error {
	resources, pairs, err := envArgs(s.args)
	if err != nil {
		return err
	}
	if err := s.checkEnv(resources); err != nil {
		return err
	}
	change, err := s.envChange(append(slices.Clone(s.flags["env"]), pairs...))
	if err != nil {
		return err
	}
	items, errs, err := s.setTargets(resources)
	if err == nil {
		err = join(errs)
	}
	if err != nil {
		return err
	}
	if len(change.set) == 0 && len(pairs) == 0 && !s.flags.bool("list") {
		return nil
	}
	c := &setting{failed: "failed to patch env update to pod template: ", done: "env updated"}
	c.change = func(o api.Object) error { return s.changeEnv(o, change) }
	if !s.flags.bool("list") {
		return s.setAll(items, nil, c)
	}
	for n := range items {
		if err := c.change(api.DeepCopy(items[n].object)); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) checkEnv(resources []string) error {
	switch {
	case !s.flags.has("filename") && len(resources) == 0:
		return plain("one or more resources must be specified as <resource> <name> or <resource>/<name>")
	case s.flags.bool("list") && s.flags.has("output"):
		return plain("--list and --output may not be specified together")
	case s.flags.has("keys") && !s.flags.has("from"):
		return plain("when specifying --keys, a configmap or secret must be provided with --from")
	case s.flags.bool("resolve"):
		return errNotSimulated("kubectl set env --resolve")
	}
	return nil
}

// envArgs separates TYPE NAME from KEY=VALUE and KEY-.
func envArgs(args []string) (resources, pairs []string, err error) {
	for _, a := range args {
		isPair := strings.Index(a, "=") > 0 || strings.HasSuffix(a, "-")
		switch {
		case isPair:
			pairs = append(pairs, a)
		case pairs != nil:
			return nil, nil, plain("all resources must be specified before environment changes: " + strings.Join(args, " "))
		default:
			resources = append(resources, a)
		}
	}
	return resources, pairs, nil
}

func (s *session) envChange(specs []string) (envChange, error) {
	var c envChange
	for _, spec := range specs {
		key, value, ok := strings.Cut(spec, "=")
		switch {
		case spec == "-":
			return c, errNotSimulated("kubectl set env -")
		case ok:
			if bad := badEnvName(key); bad != "" {
				return c, plain(quoted(key) + " is not a valid key name: " + bad)
			}
			c.set = append(c.set, api.EnvVar{Name: key, Value: value})
		case strings.HasSuffix(spec, "-"):
			c.remove = append(c.remove, strings.TrimSuffix(spec, "-"))
		default:
			return c, plain("unknown environment variable: " + spec)
		}
	}
	for _, v := range c.set {
		if slices.Contains(c.remove, v.Name) {
			return c, plain("can not both modify and remove the same environment variable in the same command")
		}
	}
	if err := s.envFrom(&c); err != nil {
		return c, err
	}
	for i := range c.set {
		c.set[i].Name = s.flags.text("prefix") + c.set[i].Name
	}
	return c, nil
}

// badEnvName says what is wrong with the name of a variable
// (apimachinery/pkg/util/validation IsEnvVarName).
func badEnvName(name string) string {
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-._", c) >= 0
		if !letter && (i == 0 || c < '0' || c > '9') {
			return "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
		}
	}
	switch {
	case name == ".":
		return "must not be '.'"
	case name == "..":
		return "must not be '..'"
	case strings.HasPrefix(name, ".."):
		return "must not start with '..'"
	}
	return ""
}

// envFrom adds a variable for each key of the ConfigMap or Secret of --from.
func (s *session) envFrom(c *envChange) error {
	from := s.flags.text("from")
	if from == "" {
		return nil
	}
	sel, err := s.selectArgs([]string{from}, selectOptions{})
	if err != nil {
		return err
	}
	for n := range sel.items {
		i := &sel.items[n]
		if err := s.fetch(i); err != nil {
			return err
		}
		var keys []string
		switch o := i.object.(type) {
		case *api.ConfigMap:
			keys = slices.Sorted(maps.Keys(o.Data))
		case *api.Secret:
			keys = slices.Sorted(maps.Keys(o.Data))
		default:
			return plain("unsupported resource specified in --from")
		}
		for _, key := range keys {
			if only := s.flags.list("keys"); len(only) == 0 || slices.Contains(only, key) {
				c.set = append(c.set, api.EnvVar{Name: s.envName(key), ValueFrom: envSource(i, key)})
			}
		}
	}
	return nil
}

func envSource(i *item, key string) *api.EnvVarSource {
	if i.kind.Kind == "Secret" {
		return &api.EnvVarSource{SecretKeyRef: &api.SecretKeySelector{Name: i.name, Key: key}}
	}
	return &api.EnvVarSource{ConfigMapKeyRef: &api.ConfigMapKeySelector{Name: i.name, Key: key}}
}

// envName makes the name of a variable of a key.
func (s *session) envName(key string) string {
	name := strings.ToUpper(strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, key))
	if name != key {
		s.printErr("Warning: key ", key, " transferred to ", name, "\n")
	}
	return name
}

func (s *session) changeEnv(o api.Object, change envChange) error {
	spec := podSpecOf(o)
	if spec == nil {
		return plain("the object is not a pod or does not have a pod template: " + typeName(o))
	}
	pattern := s.containerPattern()
	containers := selected(spec, pattern)
	if len(containers) == 0 {
		s.printErr("Warning: ", o.ObjectType().Kind, "/", o.Meta().Name, " does not have any containers matching ", quoted(pattern), "\n")
	}
	for _, c := range containers {
		if s.flags.has("overwrite") && !s.flags.bool("overwrite") {
			for _, v := range change.set {
				if old := envNamed(c.Env, v.Name); old != nil {
					return plain("'" + v.Name + "' already has a value (" + old.Value + "), and --overwrite is false")
				}
			}
		}
		c.Env = change.apply(c.Env)
		if s.flags.bool("list") {
			s.listEnv(o, c)
		}
	}
	return nil
}

func envNamed(list []api.EnvVar, name string) *api.EnvVar {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// apply puts new values in the place of old ones and the rest behind them; of
// several new ones with a name the first counts.
func (c envChange) apply(old []api.EnvVar) []api.EnvVar {
	var out []api.EnvVar
	done := slices.Clone(c.remove)
	for _, e := range old {
		if slices.Contains(done, e.Name) {
			continue
		}
		if v := envNamed(c.set, e.Name); v != nil {
			done, e = append(done, e.Name), *v
		}
		out = append(out, e)
	}
	for _, v := range c.set {
		if !slices.Contains(done, v.Name) {
			done, out = append(done, v.Name), append(out, v)
		}
	}
	return out
}

func (s *session) listEnv(o api.Object, c *api.Container) {
	s.print("# ", o.ObjectType().Kind, " ", o.Meta().Name, ", container ", c.Name, "\n")
	for _, e := range c.Env {
		if e.ValueFrom == nil {
			s.print(e.Name, "=", e.Value, "\n")
		} else {
			s.print("# ", e.Name, " from ", refText(e.ValueFrom), "\n")
		}
	}
}

// refText says where a variable's value comes from
// (kubectl/pkg/cmd/set/env/env_resolve.go GetEnvVarRefString).
func refText(f *api.EnvVarSource) string {
	switch {
	case f.ConfigMapKeyRef != nil:
		return "configmap " + f.ConfigMapKeyRef.Name + ", key " + f.ConfigMapKeyRef.Key
	case f.SecretKeyRef != nil:
		return "secret " + f.SecretKeyRef.Name + ", key " + f.SecretKeyRef.Key
	case f.FieldRef != nil:
		return "field path " + f.FieldRef.FieldPath
	case f.ResourceFieldRef != nil && f.ResourceFieldRef.ContainerName != "":
		return "resource field " + f.ResourceFieldRef.ContainerName + "/" + f.ResourceFieldRef.Resource
	case f.ResourceFieldRef != nil:
		return "resource field " + f.ResourceFieldRef.Resource
	}
	return "invalid valueFrom"
}
