package kubectl

import (
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/jsonpath"
)

const waitFlags = printFlags + ` for= timeout= all selector,l= field-selector= filename,f= all-namespaces,A recursive,R local`

// wait lets time pass until objects have each of the conditions of --for, or are gone
// (kubectl/pkg/cmd/wait).
func (s *session) wait() error {
	conditions := s.flags["for"]
	if len(conditions) == 0 {
		return plain("unrecognized condition: []")
	}
	var met []func(*item) (bool, error)
	forDelete, forCreate := false, false
	for _, what := range conditions {
		f, err := s.condition(what)
		if err != nil {
			return err
		}
		met = append(met, f)
		forDelete, forCreate = forDelete || strings.EqualFold(what, "delete"), forCreate || strings.EqualFold(what, "create")
	}
	timeout, err := s.flags.duration("timeout")
	if err != nil {
		return err
	}
	seconds := int64(timeout.Seconds())
	switch {
	case !s.flags.has("timeout"):
		seconds = 30
	case seconds < 0:
		seconds = 7 * 24 * 3600
	}
	end := s.client.Now() + seconds*1e9
	if forCreate && !s.waitFor(s.anyThere, seconds) {
		return plain("timed out waiting for the condition")
	}
	items, errs, err := s.targets(s.args)
	if err != nil {
		return err
	}
	if forDelete {
		errs = slices.DeleteFunc(errs, isNotFound)
	}
	if len(items)+len(errs) == 0 && !forDelete {
		return plain("no matching resources found")
	}
	for n := range items {
		for _, f := range met {
			if err := s.waitOne(&items[n], f, end); err != nil {
				return err
			}
		}
	}
	return join(errs)
}

// anyThere reports whether something is there of what --for=create waits for.
func (s *session) anyThere() bool {
	items, errs, err := s.targets(s.args)
	return err == nil && len(items) > 0 && len(errs) == 0
}

func (s *session) waitOne(i *item, met func(*item) (bool, error), end int64) error {
	var failed error
	done := func() bool {
		ok, err := met(i)
		failed = err
		return ok || err != nil
	}
	if !s.waitFor(done, max(0, (end-s.client.Now())/1e9)) {
		if s.flags.text("timeout") == "0" || s.flags.text("timeout") == "0s" {
			return plain("condition not met for " + i.kind.Plural + "/" + i.name)
		}
		return plain("timed out waiting for the condition on " + i.kind.Plural + "/" + i.name)
	}
	if failed != nil {
		return failed
	}
	return s.printDone(i, "condition met")
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
func (s *session) condition(what string) (func(*item) (bool, error), error) {
	lower := strings.ToLower(what)
	switch {
	case lower == "delete":
		return func(i *item) (bool, error) { return s.isGone(i), nil }, nil
	case lower == "create":
		return func(*item) (bool, error) { return true, nil }, nil
	case strings.HasPrefix(what, "condition="):
		name, want, ok := strings.Cut(what[len("condition="):], "=")
		if !ok {
			want = "true"
		}
		return func(i *item) (bool, error) {
			if err := s.fetch(i); err != nil {
				return false, err
			}
			return strings.EqualFold(conditionOf(i.object, name), want), nil
		}, nil
	case strings.HasPrefix(what, "jsonpath="):
		return s.pathCondition(what[len("jsonpath="):])
	}
	return nil, plain("unrecognized condition: " + quoted(what))
}

func (s *session) pathCondition(text string) (func(*item) (bool, error), error) {
	path, want, given := text, "", false
	if end := strings.LastIndexByte(text, '}'); end >= 0 {
		path = text[:end+1]
		want, given = strings.CutPrefix(text[end+1:], "=")
	} else {
		path, want, given = strings.Cut(text, "=")
	}
	want = strings.Trim(want, "'\"")
	switch {
	case path == "":
		return nil, plain("jsonpath expression cannot be empty")
	case given && want == "":
		return nil, plain("jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3")
	}
	path, err := jsonpath.Relaxed(path)
	if err != nil {
		return nil, err
	}
	t, err := jsonpath.Parse(path)
	if err != nil {
		return nil, err
	}
	return func(i *item) (bool, error) {
		if err := s.fetch(i); err != nil {
			return false, err
		}
		return s.pathHas(t, i, want, given)
	}, nil
}

func (s *session) pathHas(t *jsonpath.Template, i *item, want string, given bool) (bool, error) {
	found, err := t.Find(s.generic(i.object))
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return false, nil
	}
	switch {
	case len(found) > 1:
		return false, plain("given jsonpath expression matches more than one list")
	case len(found[0]) > 1:
		return false, plain("given jsonpath expression matches more than one value")
	case !given:
		return true, nil
	}
	switch found[0][0].(type) {
	case map[string]any, []any:
		return false, plain("jsonpath leads to a nested object or list which is not supported")
	}
	return pathText(found[0][0]) == want, nil
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
