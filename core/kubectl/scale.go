package kubectl

import (
	"strconv"
	"time"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const scaleFlags = ` replicas= current-replicas= resource-version= timeout= all selector,l= filename,f= dry-run*unchanged output,o= record show-managed-fields all-namespaces,A`

// scale sets the size of workloads (kubectl/pkg/cmd/scale/scale.go).
func (s *session) scale() error {
	if missing := s.missingFlags("replicas"); missing != nil {
		return missing
	}
	count, err := s.flags.number("replicas", -1)
	if err != nil {
		return err
	}
	expected, err := s.flags.number("current-replicas", -1)
	if err != nil {
		return err
	}
	timeout, err := s.flags.duration("timeout")
	switch {
	case err != nil:
		return err
	case count < 0:
		return plain("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
	case expected < -1:
		return plain("The --current-replicas must specify an integer of -1 or greater")
	}
	items, errs, err := s.targets(s.args)
	switch {
	case err != nil:
		return err
	case len(items) > 1 && s.flags.text("resource-version") != "":
		return plain("cannot use --resource-version with multiple resources")
	case len(items)+len(errs) == 0:
		return plain("no objects passed to scale")
	}
	for i := range items {
		if err := s.scaleOne(&items[i], count, expected, timeout); err != nil {
			return err
		}
		if err := s.printDone(&items[i], "scaled"); err != nil {
			return err
		}
	}
	return join(errs)
}

// scaleOne sets one size and, with a timeout, waits until there are so many
// replicas.
func (s *session) scaleOne(i *item, count, expected int64, timeout time.Duration) error {
	if have := replicasOf(i.object, "spec"); expected >= 0 && have != expected && !s.dryRunClient() {
		return plain("Expected replicas to be " + strconv.FormatInt(expected, 10) + ", was " + strconv.FormatInt(have, 10))
	}
	if err := s.mergeInto(i, map[string]any{"spec": map[string]any{"replicas": count}}, "scale"); err != nil {
		return err
	}
	if timeout == 0 || s.dryRunClient() || s.dryRunServer() {
		return nil
	}
	done := func() bool {
		seen := item{kind: i.kind, namespace: i.namespace, name: i.name}
		return s.fetch(&seen) == nil && replicasOf(seen.object, "spec") == count && replicasOf(seen.object, "status") == count
	}
	if !s.waitFor(done, int64((timeout+time.Second-1)/time.Second)) {
		return plain("timed out waiting for " + quoted(i.name) + " to be synced")
	}
	return nil
}

// replicasOf is how many pods a controller shall have (of its spec), or has.
func replicasOf(o api.Object, part string) int64 {
	v, _ := codec.ToValue(o).(map[string]any)
	fields, _ := v[part].(map[string]any)
	n, _ := fields["replicas"].(int64)
	return n
}
