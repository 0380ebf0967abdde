package kubectl

import (
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/codec"
)

const (
	cordonFlags = ` selector,l= dry-run*unchanged`
	taintFlags  = ` overwrite all selector,l= dry-run*unchanged output,o= show-managed-fields validate*strict field-manager=`
)

func (s *session) cordon() error   { return s.schedulable(false) }
func (s *session) uncordon() error { return s.schedulable(true) }

// schedulable closes or opens nodes for new pods.
func (s *session) schedulable(open bool) error {
	verb := "cordon"
	if open {
		verb = "uncordon"
	}
	if len(s.args) == 0 && !s.flags.has("selector") {
		return plain("USAGE: " + verb + " NODE [flags]\nSee 'kubectl " + verb + " -h' for help and examples")
	}
	args := []string{"nodes"}
	items, errs, err := s.targets(append(args, s.args...))
	if err != nil {
		return err
	}
	if err := s.closeNodes(items, open); err != nil {
		errs = append(errs, err)
	}
	return join(errs)
}

// closeNodes closes or opens nodes and says what was done with each.
func (s *session) closeNodes(items []item, open bool) error {
	verb := "cordoned"
	if open {
		verb = "uncordoned"
	}
	var errs []error
	for n := range items {
		i := &items[n]
		done := verb
		if i.object.(*api.Node).Spec.Unschedulable == !open {
			done = "already " + done
		} else if err := s.mergeInto(i, map[string]any{"spec": map[string]any{"unschedulable": unschedulable(open)}}, ""); err != nil {
			errs = append(errs, err)
			continue
		}
		s.print(i.shown(), " ", done, s.dryRunSuffix(), "\n")
	}
	return join(errs)
}

func unschedulable(open bool) any {
	if open {
		return nil
	}
	return true
}

// taintChange is KEY=VALUE:EFFECT, KEY:EFFECT- or KEY-.
type taintChange struct {
	api.Taint
	remove bool
}

func (s *session) taint() error {
	if len(s.args) == 0 {
		return plain("one or more resources must be specified as <resource> <name>")
	}
	split := slices.IndexFunc(s.args, func(a string) bool {
		return strings.Contains(a, "=") || strings.Contains(a, ":") || strings.HasSuffix(a, "-")
	})
	if split < 0 {
		return plain("at least one taint update is required")
	}
	resources, specs := s.args[:split], s.args[split:]
	if len(resources) > 0 {
		if k, err := s.kindFor(strings.Split(resources[0], "/")[0]); err != nil || k.Kind != "Node" {
			return plain("invalid resource type " + resources[0] + ", only node types are supported")
		}
	}
	list, err := parseTaints(specs)
	if err != nil {
		return plain(err.Error() + "\nSee 'kubectl taint -h' for help and examples")
	}
	if both := taintedTwice(list); both != "" {
		return plain("can not both modify and remove the following taint(s) in the same command: " + both)
	}
	items, errs, err := s.targets(resources)
	if err != nil {
		return err
	}
	for n := range items {
		if err := s.taintOne(&items[n], list); err != nil {
			errs = append(errs, err)
		}
	}
	return join(errs)
}

func parseTaints(specs []string) ([]taintChange, error) {
	var out []taintChange
	for _, spec := range specs {
		text, remove := strings.CutSuffix(spec, "-")
		key, effect, hasEffect := strings.Cut(text, ":")
		key, value, _ := strings.Cut(key, "=")
		if !hasEffect && !remove {
			key = text
		}
		if bad := field.IsLabelKey(key); len(bad) > 0 {
			return nil, plain("invalid taint spec: " + spec + ", " + strings.Join(bad, "; "))
		}
		if hasEffect && !slices.Contains([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}, effect) {
			return nil, plain("invalid taint effect: " + effect + ", unsupported taint effect")
		}
		if !hasEffect && !remove {
			return nil, plain("invalid taint spec: " + spec)
		}
		out = append(out, taintChange{api.Taint{Key: key, Value: value, Effect: effect}, remove})
	}
	return out, nil
}

func taintedTwice(list []taintChange) string {
	for _, a := range list {
		for _, b := range list {
			if a.remove && !b.remove && a.Key == b.Key && (a.Effect == "" || a.Effect == b.Effect) {
				return a.Key + "=" + b.Effect
			}
		}
	}
	return ""
}

func (s *session) taintOne(i *item, list []taintChange) error {
	old := i.object.(*api.Node).Spec.Taints
	now := slices.Clone(old)
	overwritten, removed := false, 0
	for _, c := range list {
		same := func(t api.Taint) bool { return t.Key == c.Key && (c.Effect == "" || t.Effect == c.Effect) }
		had := slices.ContainsFunc(now, same)
		switch {
		case c.remove && !had:
			return plain("taint " + quoted(strings.TrimSuffix(c.Key+":"+c.Effect, ":")) + " not found")
		case had && !c.remove && !s.flags.bool("overwrite"):
			return plain("node " + i.name + " already has " + c.Key + " taint(s) with same effect(s) and --overwrite is false")
		case had && !c.remove:
			overwritten = true
		case c.remove:
			removed++
		}
		now = slices.DeleteFunc(now, same)
		if !c.remove {
			now = append([]api.Taint{c.Taint}, now...)
		}
	}
	if err := s.mergeInto(i, map[string]any{"spec": map[string]any{"taints": taintValue(now)}}, ""); err != nil {
		return err
	}
	done := "tainted"
	switch {
	case overwritten:
		done = "modified"
	case removed == len(list):
		done = "untainted"
	}
	return s.printDone(i, done)
}

func taintValue(list []api.Taint) any {
	if len(list) == 0 {
		return nil
	}
	return codec.ToValue(list)
}
