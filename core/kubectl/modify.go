package kubectl

import (
	"maps"
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/codec"
)

const modifyFlags = ` overwrite all selector,l= all-namespaces,A filename,f= list resource-version= dry-run*unchanged output,o= field-selector= local record field-manager= show-managed-fields`

// pairArgs separates TYPE NAME... from KEY=VALUE and KEY- (kubectl/pkg/cmd/util
// GetResourcesAndPairs).
func pairArgs(args []string, what string) (resources, pairs []string, err error) {
	for _, a := range args {
		isPair := strings.Contains(a, "=") && a[0] != '=' || strings.HasSuffix(a, "-") && a != "-"
		switch {
		case isPair:
			pairs = append(pairs, a)
		case len(pairs) > 0:
			return nil, nil, plain("all resources must be specified before " + what + " changes: " + a)
		default:
			resources = append(resources, a)
		}
	}
	return resources, pairs, nil
}

// changes are keys to set and to remove.
type changes struct {
	set    map[string]string
	order  []string // of the keys that are set
	remove []string
}

func parseChanges(pairs []string) changes {
	c := changes{set: map[string]string{}}
	for _, p := range pairs {
		if key, value, ok := strings.Cut(p, "="); ok {
			c.set[key] = value
			c.order = append(c.order, key)
		} else {
			c.remove = append(c.remove, strings.TrimSuffix(p, "-"))
		}
	}
	return c
}

// both returns the keys that are set and removed in one command.
func (c changes) both() []string {
	var out []string
	for _, key := range c.remove {
		if _, ok := c.set[key]; ok {
			out = append(out, key)
		}
	}
	return out
}

func (c changes) apply(old map[string]string) map[string]string {
	m := maps.Clone(old)
	if m == nil {
		m = map[string]string{}
	}
	maps.Copy(m, c.set)
	for _, key := range c.remove {
		delete(m, key)
	}
	return m
}

// patch is the merge patch that makes the changes.
func (c changes) patch(where string, old map[string]string) map[string]any {
	m := map[string]any{}
	for k, v := range c.set {
		if have, ok := old[k]; !ok || have != v {
			m[k] = v
		}
	}
	for _, k := range c.remove {
		if _, ok := old[k]; ok {
			m[k] = nil
		}
	}
	return map[string]any{"metadata": map[string]any{where: m}}
}

// targets finds the existing objects that arguments or files name.
func (s *session) targets(args []string) ([]item, []error, error) {
	o := s.selectOptions()
	if s.flags.has("filename") {
		items, errs, err := s.fileItems()
		if err != nil {
			return nil, nil, err
		}
		items, more := s.everything(selection{items: items}, o, true)
		return items, append(errs, more...), nil
	}
	sel, err := s.selectArgs(args, o)
	if err != nil {
		return nil, nil, err
	}
	items, errs := s.everything(sel, o, true)
	return items, errs, nil
}

// mergeInto sends a merge patch for an object.
func (s *session) mergeInto(i *item, patch map[string]any, subresource string) error {
	if s.dryRunClient() {
		return nil
	}
	if rev := s.flags.text("resource-version"); rev != "" {
		metadataOf(patch)["resourceVersion"] = rev
	}
	resp, err := s.do(api.Request{
		Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, Subresource: subresource, Body: codec.ToJSON(patch),
		PatchType: mergePatch, FieldManager: "kubectl-" + s.verb, DryRun: s.dryRunServer(),
	})
	if err == nil {
		i.object = resp.Object
	}
	return err
}

func (s *session) label() error {
	resources, pairs, err := pairArgs(s.args, "label")
	if err != nil {
		return err
	}
	c := parseChanges(pairs)
	switch {
	case len(resources) == 0 && !s.flags.has("filename"):
		return plain("one or more resources must be specified as <resource> <name> or <resource>/<name>")
	case len(pairs) == 0 && !s.flags.bool("list"):
		return plain("at least one label update is required")
	case len(c.both()) > 0:
		return plain("can not both modify and remove a label in the same command")
	}
	for _, p := range pairs {
		if key, value, ok := strings.Cut(p, "="); ok && len(field.IsLabelValue(value)) > 0 {
			return plain("invalid label value: " + quoted(key+"="+value) + ": " + strings.Join(field.IsLabelValue(value), ";"))
		}
	}
	items, errs, err := s.targets(resources)
	if err != nil {
		return err
	}
	for i := range items {
		if err := s.labelOne(&items[i], c); err != nil {
			errs = append(errs, err)
		}
	}
	return join(errs)
}

func (s *session) labelOne(i *item, c changes) error {
	old := i.object.Meta().Labels
	if s.flags.bool("list") {
		s.listPairs(old)
		return nil
	}
	overwrite := s.flags.bool("overwrite")
	if !overwrite {
		for _, key := range c.order {
			if have, ok := old[key]; ok && have != c.set[key] {
				return plain("'" + key + "' already has a value (" + have + "), and --overwrite is false")
			}
		}
	}
	for _, key := range c.remove {
		if _, ok := old[key]; !ok {
			s.print("label ", quoted(key), " not found.\n")
		}
	}
	now := c.apply(old)
	done := "labeled"
	switch {
	case maps.Equal(old, now):
		done = "not labeled"
	case !overwrite && len(codec.ToJSON(labelled(now))) < len(codec.ToJSON(labelled(old))):
		done = "unlabeled"
	}
	if done != "not labeled" || s.flags.has("resource-version") {
		if err := s.mergeInto(i, c.patch("labels", old), ""); err != nil {
			return err
		}
	}
	return s.printDone(i, done)
}

// labelled is as long as an object with these labels, but for what stays the same.
func labelled(m map[string]string) any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	if len(out) == 0 {
		return ""
	}
	return map[string]any{"labels": out}
}

func (s *session) listPairs(m map[string]string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		s.print(k, "=", m[k], "\n")
	}
}

func (s *session) annotate() error {
	resources, pairs, err := pairArgs(s.args, "annotation")
	if err != nil {
		return err
	}
	c := parseChanges(pairs)
	switch both := c.both(); {
	case len(resources) == 0 && !s.flags.has("filename"):
		return plain("one or more resources must be specified as <resource> <name> or <resource>/<name>")
	case len(pairs) == 0 && !s.flags.bool("list"):
		return plain("at least one annotation update is required")
	case len(both) > 0:
		return plain("can not both modify and remove the following annotation(s) in the same command: " + strings.Join(both, ", "))
	}
	items, errs, err := s.targets(resources)
	if err != nil {
		return err
	}
	for i := range items {
		if err := s.annotateOne(&items[i], c); err != nil {
			errs = append(errs, err)
		}
	}
	return join(errs)
}

func (s *session) annotateOne(i *item, c changes) error {
	old := i.object.Meta().Annotations
	if s.flags.bool("list") {
		s.listPairs(old)
		return nil
	}
	var taken []string
	for _, key := range c.order {
		if have, ok := old[key]; ok && have != c.set[key] && !s.flags.bool("overwrite") {
			taken = append(taken, "'"+key+"' already has a value ("+have+")")
		}
	}
	if taken != nil {
		return plain("--overwrite is false but found the following declared annotation(s): " + strings.Join(taken, "; "))
	}
	if err := s.mergeInto(i, c.patch("annotations", old), ""); err != nil {
		return err
	}
	return s.printDone(i, "annotated")
}
