package kubectl

import (
	"podwalk/core/api"
	"podwalk/core/codec"
)

const replaceFlags = printFlags + ` filename,f= kustomize,k= dry-run*unchanged validate*strict force grace-period= cascade*background timeout= wait recursive,R save-config field-manager= raw= subresource= record`

// replace is `kubectl replace -f`.
func (s *session) replace() error {
	force := s.flags.bool("force")
	grace, err := s.flags.number("grace-period", -1)
	switch {
	case err != nil:
		return err
	case grace >= 0 && !force:
		return plain("--grace-period must have --force specified")
	case s.flags.has("timeout") && !force:
		return plain("--timeout must have --force specified")
	case force && s.flags.has("dry-run"):
		return plain("--dry-run can not be used when --force is set")
	case !s.flags.has("filename"):
		return plain("must specify one of -f and -k")
	case s.flags.has("raw"):
		return errNotSimulated("kubectl replace --raw")
	}
	if err := s.checkDryRun(); err != nil {
		return err
	}
	items, errs, err := s.fileItems()
	if err != nil {
		return err
	}
	if len(items)+len(errs) == 0 {
		return plain("no objects passed to replace")
	}
	if force {
		if err := s.deleteBefore(items, grace); err != nil {
			return err
		}
	}
	for n := range items {
		i := &items[n]
		if err := s.replaceOne(i, force); err != nil {
			errs = append(errs, while("replacing", i.source, err))
			continue
		}
		if err := s.printDone(i, "replaced"); err != nil {
			return err
		}
	}
	return join(errs)
}

func (s *session) replaceOne(i *item, force bool) error {
	object := fileObject(i)
	if s.flags.bool("save-config") {
		setLastApplied(object, lastAppliedText(object))
	}
	if i.local = object; s.dryRunClient() {
		return nil
	}
	req := api.Request{
		Verb: api.Update, Kind: i.kind, Namespace: i.namespace, Name: i.name, Body: codec.ToJSON(object), Subresource: s.flags.text("subresource"),
		FieldManager: or(s.flags.text("field-manager"), "kubectl-replace"), FieldValidation: s.validation(), DryRun: s.dryRunServer(),
	}
	if force {
		req.Verb, req.Name = api.Create, ""
	}
	resp, err := s.do(req)
	if err == nil {
		i.object = resp.Object
	}
	return err
}

// deleteBefore deletes the objects and waits until they are gone.
func (s *session) deleteBefore(items []item, grace int64) error {
	how, err := s.deletion()
	if err != nil {
		return err
	}
	if grace < 0 {
		how.grace, how.force = nil, false
	} else {
		s.printErr("Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n")
	}
	output := s.flags["output"]
	delete(s.flags, "output")
	for n := range items {
		i := &items[n]
		if err := s.deleteOne(i, how); err != nil && !isNotFound(err) {
			return err
		}
	}
	s.flags["output"] = output
	return s.waitGone(items)
}
