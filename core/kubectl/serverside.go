package kubectl

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// applyServerSide is `kubectl apply --server-side` of one object: the server merges.
func (s *session) applyServerSide(i *item, object map[string]any) error {
	if s.dryRunClient() {
		return plain("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
	}
	before := s.fetch(i)
	if before != nil && !isNotFound(before) {
		return before
	}
	resp, err := s.do(api.Request{
		Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, Body: codec.ToJSON(object), PatchType: applyPatch,
		FieldManager: or(s.flags.text("field-manager"), serverSideManager), FieldValidation: s.validation(), DryRun: s.dryRunServer(),
		Options: map[string]string{"force": s.flags.text("force-conflicts")},
	})
	switch {
	case isReason(err, api.ReasonConflict):
		return plain(err.Error() + conflictHelp)
	case err != nil:
		return err
	}
	i.object = resp.Object
	return s.printDone(i, "serverside-applied")
}

// conflictHelp stands below the conflicts of a server-side apply.
var conflictHelp = strings.Join([]string{
	"",
	"Please review the fields above--they currently have other managers. Here",
	"are the ways you can resolve this warning:",
	"* If you intend to manage all of these fields, please re-run the apply",
	"  command with the `--force-conflicts` flag.",
	"* If you do not intend to manage all of the fields, please edit your",
	"  manifest to remove references to the fields that should keep their",
	"  current managers.",
	"* You may co-own fields by updating your manifest to match the existing",
	"  value; in this case, you'll become the manager if the other manager(s)",
	"  stop managing the field (remove it from their configuration).",
	"See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts",
}, "\n")
