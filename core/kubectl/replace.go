package kubectl

import (
	"podwalk/core/api"
	"podwalk/core/codec"
)

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
