package kubectl

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/jsonpath"
)

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
