package kubectl

import (
	"slices"
	"strings"

	"podwalk/core/api"
)

const deleteFlags = ` filename,f= selector,l= field-selector= all all-namespaces,A grace-period= force now wait timeout= ignore-not-found` +
	` cascade*background dry-run*unchanged output,o= interactive,i recursive,R raw=`

// deletion is what a delete asks of each object.
type deletion struct {
	grace       *int64
	propagation string
	force       bool
}

func (s *session) delete() error {
	if s.flags.bool("interactive") || s.flags.has("raw") {
		return errNotSimulated("kubectl delete --interactive and --raw")
	}
	how, err := s.deletion()
	if err != nil {
		return err
	}
	o := s.selectOptions()
	items, errs, err := s.toDelete(o)
	if err != nil {
		return err
	}
	if err := s.checkDelete(o, how); err != nil {
		return err
	}
	found := len(items)
	var gone []item
	for i := range items {
		if err := s.deleteOne(&items[i], how); err != nil {
			errs = append(errs, err)
			continue
		}
		gone = append(gone, items[i])
	}
	if s.flags.bool("ignore-not-found") || o.selected && !s.flags.has("ignore-not-found") {
		errs = slices.DeleteFunc(errs, isNotFound)
	}
	if len(errs) > 0 {
		return join(errs)
	}
	if found == 0 {
		s.print("No resources found\n")
		return nil
	}
	return s.waitGone(gone)
}

// toDelete finds what is named; single names are not read first.
func (s *session) toDelete(o selectOptions) ([]item, []error, error) {
	if s.flags.has("filename") {
		if len(s.args) > 0 {
			return nil, nil, plain("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
		}
		return s.fileItems()
	}
	sel, err := s.selectArgs(s.args, o)
	if err != nil {
		return nil, nil, err
	}
	items, errs := s.everything(sel, o, false)
	return items, errs, nil
}

func (s *session) deletion() (deletion, error) {
	d := deletion{force: s.flags.bool("force")}
	grace, err := s.flags.number("grace-period", -1)
	if err != nil {
		return d, err
	}
	if s.flags.bool("now") {
		if grace != -1 {
			return d, plain("--now and --grace-period cannot be specified together")
		}
		grace = 1
	}
	if grace == 0 && !d.force {
		grace = 1
	}
	if d.force && grace < 0 {
		grace = 0
	}
	if grace >= 0 {
		d.grace = &grace
	}
	switch c := or(s.flags.text("cascade"), "background"); c {
	case "background", "foreground", "orphan":
		d.propagation = strings.ToUpper(c[:1]) + c[1:]
	case "true":
		d.propagation = "Background"
	case "false":
		d.propagation = "Orphan"
	default:
		return d, plain("invalid cascade value (" + c + "). Must be \"background\", \"foreground\", or \"orphan\"")
	}
	return d, s.checkDryRun()
}

func (s *session) checkDelete(o selectOptions, how deletion) error {
	if form := s.flags.text("output"); form != "" && form != "name" {
		return plain("unexpected -o output mode: " + form + ". We only support '-o name'")
	}
	switch {
	case o.all && o.labels != "":
		return plain("cannot set --all and --selector at the same time")
	case o.all && o.fields != "":
		return plain("cannot set --all and --field-selector at the same time")
	case how.force && *how.grace > 0:
		return plain("--force and --grace-period greater than 0 cannot be specified together")
	case how.force:
		s.printErr("Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n")
	}
	return nil
}

func (s *session) deleteOne(i *item, how deletion) error {
	if !s.dryRunClient() {
		resp, err := s.do(api.Request{
			Verb: api.Delete, Kind: i.kind, Namespace: i.namespace, Name: i.name,
			GracePeriodSeconds: how.grace, Propagation: how.propagation, DryRun: s.dryRunServer(),
		})
		if err != nil {
			return while("deleting", i.source, err)
		}
		i.object = resp.Object
	}
	if s.flags.text("output") == "name" {
		s.print(i.shown(), "\n")
		return nil
	}
	done := "deleted"
	if how.force && *how.grace == 0 {
		done = "force deleted"
	}
	s.print(kindName(i.kind), " ", quoted(i.name), " ", done)
	if i.namespace != "" {
		s.print(" from ", i.namespace, " namespace")
	}
	s.print(s.dryRunSuffix(), "\n")
	return nil
}

// waitGone lets time pass until the objects are gone, as kubectl waits.
func (s *session) waitGone(items []item) error {
	w, ok := s.client.(Waiter)
	if !ok || s.dryRunClient() || s.dryRunServer() || s.flags.has("wait") && !s.flags.bool("wait") {
		return nil
	}
	timeout, err := s.flags.duration("timeout")
	if err != nil {
		return err
	}
	seconds := int64(timeout.Seconds())
	if seconds == 0 {
		seconds = 7 * 24 * 3600
	}
	for i := range items {
		before := &items[i]
		if !w.Wait(func() bool { return s.isGone(before) }, seconds) {
			return plain("timed out waiting for the condition on " + before.kind.Plural + "/" + before.name)
		}
	}
	return nil
}

func (s *session) isGone(before *item) bool {
	now := *before
	if err := s.fetch(&now); err != nil {
		return true
	}
	return before.object != nil && now.object.Meta().UID != before.object.Meta().UID
}
