package kubectl

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/jsonpath"
)

const setFlags = ` all selector,l= filename,f= dry-run*unchanged output,o= local record show-managed-fields field-manager=`

// set is `kubectl set image`.
func (s *session) set() error {
	if len(s.args) == 0 || s.args[0] != "image" || s.flags.bool("local") {
		return errNotSimulated("kubectl set " + strings.Join(s.args[:min(len(s.args), 1)], "") + " (of set, only image)")
	}
	resources, pairs, err := pairArgs(s.args[1:], "image")
	if err != nil {
		return err
	}
	if len(pairs) == 0 {
		return plain("at least one image update is required")
	}
	items, errs, err := s.targets(resources)
	if err != nil {
		return err
	}
	for n := range items {
		if err := s.setImages(&items[n], pairs); err != nil {
			errs = append(errs, err)
		}
	}
	return join(errs)
}

func (s *session) setImages(i *item, pairs []string) error {
	spec := podSpecOf(i.object)
	if spec == nil {
		return plain(kindName(i.kind) + "/" + i.name + " does not have containers")
	}
	changed := map[string]any{}
	for _, where := range []string{"containers", "initContainers"} {
		list := spec.Containers
		if where == "initContainers" {
			list = spec.InitContainers
		}
		var out []any
		for _, c := range list {
			for _, p := range pairs {
				if name, image, _ := strings.Cut(p, "="); (name == c.Name || name == "*") && image != c.Image {
					out = append(out, map[string]any{"name": c.Name, "image": image})
				}
			}
		}
		if out != nil {
			changed[where] = out
		}
	}
	for _, p := range pairs {
		if name, _, _ := strings.Cut(p, "="); name != "*" && !hasContainer(spec, name) {
			return plain("unable to find container named " + quoted(name))
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if err := s.strategic(i, podPatch(i.kind.Kind, changed)); err != nil {
		return plain("failed to patch image update to pod template: " + err.Error())
	}
	return s.printDone(i, "image updated")
}

func hasContainer(spec *api.PodSpec, name string) bool {
	for _, list := range [][]api.Container{spec.Containers, spec.InitContainers} {
		for _, c := range list {
			if c.Name == name {
				return true
			}
		}
	}
	return false
}

// podPatch puts a change of a pod's spec where a kind keeps it.
func podPatch(kind string, spec map[string]any) map[string]any {
	patch := map[string]any{"spec": spec}
	if kind != "Pod" {
		patch = map[string]any{"spec": map[string]any{"template": patch}}
	}
	if kind == "CronJob" {
		patch = map[string]any{"spec": map[string]any{"jobTemplate": patch}}
	}
	return patch
}

func (s *session) strategic(i *item, patch map[string]any) error {
	if s.dryRunClient() {
		return nil
	}
	resp, err := s.do(api.Request{
		Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, Body: codec.ToJSON(patch), PatchType: strategicPatch,
		FieldManager: "kubectl-" + s.verb, DryRun: s.dryRunServer(),
	})
	if err == nil {
		i.object = resp.Object
	}
	return err
}

const waitFlags = ` for= timeout= all selector,l= field-selector= filename,f= all-namespaces,A output,o= local show-managed-fields`

// wait lets time pass until objects have a condition or are gone.
func (s *session) wait() error {
	what := s.flags.text("for")
	if what == "" {
		return plain("required flag(s) \"for\" not set")
	}
	met, err := s.condition(what)
	if err != nil {
		return err
	}
	timeout, err := s.flags.duration("timeout")
	if err != nil {
		return err
	}
	seconds := int64(timeout.Seconds())
	if !s.flags.has("timeout") {
		seconds = 30
	}
	items, errs, err := s.targets(s.args)
	if err != nil {
		return err
	}
	if what == "delete" {
		errs = nil
	}
	if len(items)+len(errs) == 0 && what != "delete" {
		return plain("no matching resources found")
	}
	for n := range items {
		i := &items[n]
		if !s.waitFor(func() bool { return met(i) }, seconds) {
			errs = append(errs, plain("timed out waiting for the condition on "+i.kind.Resource()+"/"+i.name))
			continue
		}
		s.print(i.shown(), " condition met\n")
	}
	return join(errs)
}

func (s *session) waitFor(done func() bool, seconds int64) bool {
	if done() {
		return true
	}
	w, ok := s.client.(Waiter)
	return ok && seconds > 0 && w.Wait(done, seconds)
}

// condition understands --for: delete, create, condition=TYPE[=STATUS] and
// jsonpath=PATH[=VALUE].
func (s *session) condition(what string) (func(*item) bool, error) {
	kind, rest, _ := strings.Cut(what, "=")
	switch kind {
	case "delete":
		return s.isGone, nil
	case "create":
		return func(i *item) bool { return s.fetch(i) == nil }, nil
	case "condition":
		name, want, ok := strings.Cut(rest, "=")
		if !ok {
			want = "true"
		}
		return func(i *item) bool { return s.fetch(i) == nil && strings.EqualFold(conditionOf(i.object, name), want) }, nil
	case "jsonpath":
		path, want, given := rest, "", false
		if end := strings.LastIndexByte(rest, '}'); end >= 0 {
			path = rest[:end+1]
			want, given = strings.CutPrefix(rest[end+1:], "=")
		}
		t, err := jsonpath.Parse(path)
		if err != nil {
			return nil, plain("error parsing jsonpath " + path + ", " + err.Error())
		}
		return func(i *item) bool { return s.fetch(i) == nil && s.pathHas(t, i, want, given) }, nil
	}
	return nil, plain("unrecognized condition: " + quoted(what))
}

func (s *session) pathHas(t *jsonpath.Template, i *item, want string, given bool) bool {
	found, err := t.Find(s.generic(i.object))
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return false
	}
	return !given || pathText(found[0][0]) == want
}

// conditionOf returns the status of a condition, in any case of its type.
func conditionOf(o api.Object, kind string) string {
	v, _ := codec.ToValue(o).(map[string]any)
	status, _ := v["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	for _, e := range list {
		c, _ := e.(map[string]any)
		if name, _ := c["type"].(string); strings.EqualFold(name, kind) {
			text, _ := c["status"].(string)
			return text
		}
	}
	return ""
}

const replaceFlags = ` filename,f= dry-run*unchanged output,o= validate*strict force grace-period= cascade*background timeout= wait recursive,R save-config show-managed-fields field-manager= raw= subresource=`

// replace is `kubectl replace -f`.
func (s *session) replace() error {
	switch {
	case !s.flags.has("filename"):
		return plain("must specify one of -f and -k")
	case s.flags.bool("force") || s.flags.has("subresource"):
		return errNotSimulated("kubectl replace --force and --subresource")
	}
	items, errs, err := s.fileItems()
	if err != nil {
		return err
	}
	for n := range items {
		i := &items[n]
		object := fileObject(i)
		resp, err := s.do(api.Request{
			Verb: api.Update, Kind: i.kind, Namespace: i.namespace, Name: i.name, Body: codec.ToJSON(object), FieldManager: "kubectl-replace",
			FieldValidation: s.validation(), DryRun: s.dryRunServer(),
		})
		if err != nil {
			errs = append(errs, while("replacing", i.source, err))
			continue
		}
		i.object = resp.Object
		if err := s.printDone(i, "replaced"); err != nil {
			return err
		}
	}
	if len(items)+len(errs) == 0 {
		return plain("no objects passed to replace")
	}
	return join(errs)
}
