package kubectl

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const patchFlags = ` patch,p= patch-file= type= subresource= filename,f= dry-run*unchanged output,o= local record show-managed-fields field-manager=`

// patch is `kubectl patch`; the patch may be YAML.
func (s *session) patch() error {
	text := s.flags.text("patch")
	kinds := map[string]string{"": strategicPatch, "strategic": strategicPatch, "merge": mergePatch, "json": "application/json-patch+json"}
	kind, ok := kinds[strings.ToLower(s.flags.text("type"))]
	switch {
	case s.flags.has("patch-file") || s.flags.bool("local"):
		return errNotSimulated("kubectl patch --patch-file and --local")
	case text == "":
		return plain("must specify --patch or --patch-file containing the contents of the patch")
	case !ok:
		return plain("--type must be one of [json merge strategic], not " + quoted(s.flags.text("type")))
	}
	docs, err := codec.Read([]byte(text))
	if err != nil || len(docs) == 0 {
		return plain("unable to parse " + quoted(text) + ": " + errorText(err))
	}
	items, errs, err := s.targets(s.args)
	if err != nil {
		return err
	}
	for n := range items {
		if err := s.patchOne(&items[n], kind, codec.ToJSON(docs[0])); err != nil {
			errs = append(errs, err)
		}
	}
	return join(errs)
}

func errorText(err error) string {
	if err == nil {
		return "nothing there"
	}
	return err.Error()
}

func (s *session) patchOne(i *item, kind string, body []byte) error {
	before := codec.ToJSON(i.object)
	if !s.dryRunClient() {
		resp, err := s.do(api.Request{
			Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, Subresource: s.flags.text("subresource"), Body: body,
			PatchType: kind, FieldManager: "kubectl-patch", DryRun: s.dryRunServer(),
		})
		if isReason(err, api.ReasonUnsupportedMediaType) {
			return plain(kind + " is not supported by " + i.kind.APIVersion() + ", Kind=" + i.kind.Name() + ": " + resp.Status.Message)
		}
		if err != nil {
			return err
		}
		i.object = resp.Object
	}
	done := "patched"
	if string(codec.ToJSON(i.object)) == string(before) && !s.dryRunClient() {
		done = "patched (no change)"
	}
	if s.flags.text("output") == "" {
		s.print(i.shown(), " ", done, "\n")
		return nil
	}
	return s.printDone(i, done)
}
