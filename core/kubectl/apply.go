package kubectl

import (
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const (
	strategicPatch = "application/strategic-merge-patch+json"
	mergePatch     = "application/merge-patch+json"
	applyPatch     = "application/apply-patch+yaml"

	serverSideManager = "kubectl"
	applyManager      = "kubectl-client-side-apply"
	applyFlags        = printFlags + ` filename,f= kustomize,k= dry-run*unchanged validate*strict selector,l= wait overwrite force server-side prune all recursive,R` +
		` field-manager= record prune-allowlist= applyset= force-conflicts subresource= cascade*background grace-period= timeout= openapi-patch`
)

// Apply is `kubectl apply -f FILE` for one file, told document by document: between
// is called with the number of each document before it is applied, and leaves it out
// by false. The entries, joined, are what kubectl prints.
func Apply(c Client, f File, opt Options, between func(n int) bool) []Applied {
	s := &session{client: c, opt: opt, warned: map[string]bool{}, verb: "apply", flags: flags{}, between: between}
	s.context()             //nolint:errcheck // there are no flags
	s.applyFiles([]File{f}) //nolint:errcheck // the entries hold it
	return s.entries
}

func (s *session) apply() error {
	if s.flags.has("applyset") || s.flags.has("subresource") {
		return errNotSimulated("kubectl apply --applyset and --subresource")
	}
	if err := s.checkDryRun(); err != nil {
		return err
	}
	if !s.flags.has("filename") {
		return plain("must specify one of -f and -k")
	}
	p, err := s.newPruner()
	if err != nil {
		return err
	}
	if s.flags.bool("force-conflicts") && !s.flags.bool("server-side") {
		return plain("--force-conflicts only works with --server-side")
	}
	files, err := s.open(s.flags.list("filename"))
	if err != nil {
		return err
	}
	s.pruner = p
	if err := s.applyFiles(files); err != nil || p == nil {
		return err
	}
	return p.prune(s)
}

func (s *session) applyFiles(files []File) error {
	var b batch
	for _, f := range files {
		for _, d := range s.read(f) {
			d.items = s.matching(d.items)
			b.docs = append(b.docs, outcome{document: d, early: d.errs})
		}
	}
	if len(b.docs) > 0 && len(b.docs[0].items) > 0 {
		if err := s.schema(b.docs[0].file); err != nil {
			return err
		}
	}
	for n := range b.docs {
		if s.between != nil && !s.between(n) {
			continue
		}
		s.observe(&b.docs[n], s.applyAndNote)
	}
	name := ""
	if len(files) > 0 {
		name = files[0].Name
	}
	return s.finish(&b, name, "no objects passed to apply")
}

func (s *session) applyAndNote(i *item) error {
	err := s.applyOne(i)
	if err == nil && s.pruner != nil {
		s.pruner.note(i)
	}
	return err
}

// applyOne creates or patches one object (kubectl/pkg/cmd/apply applyOneObject).
func (s *session) applyOne(i *item) error {
	object := fileObject(i)
	if generate, _ := metadataOf(object)["generateName"].(string); i.name == "" && generate != "" {
		return plain("from " + generate + ": cannot use generate name with apply")
	}
	if s.flags.bool("server-side") {
		return s.applyServerSide(i, object)
	}
	applied := lastAppliedText(object)
	err := s.fetch(i)
	switch {
	case err != nil && !isNotFound(err):
		return while("retrieving current configuration of:\n"+i.String()+"\nfrom server for:", i.source, err)
	case err != nil:
		setLastApplied(object, applied)
		pruneNulls(object)
		return s.create(i, object, applyManager)
	}
	setLastApplied(object, applied)
	return s.patchApplied(i, object)
}

// matching leaves out the objects that --selector does not choose.
func (s *session) matching(items []item) []item {
	sel, err := api.ParseSelector(s.flags.text("selector"))
	if err != nil || sel.Empty() {
		return items
	}
	return slices.DeleteFunc(items, func(i item) bool {
		meta, _ := codec.DecodeMeta(i.node)
		return !sel.Matches(meta.Labels)
	})
}

func (s *session) patchApplied(i *item, modified map[string]any) error {
	m := i.object.Meta()
	if _, ok := m.Annotations[lastApplied]; !ok {
		s.printErr("Warning: resource ", i.kind.Plural, "/", i.name, " is missing the ", lastApplied,
			" annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n")
	}
	patch, err := threeWay(i, modified)
	if err == nil && patch != "{}" && !s.dryRunClient() {
		err = s.sendPatch(i, patch)
	}
	if s.flags.bool("force") && (isReason(err, api.ReasonInvalid) || isReason(err, api.ReasonConflict)) {
		err = s.recreate(i, modified)
	}
	if err != nil {
		return while("applying patch:\n"+patch+"\nto:\n"+i.String()+"\nfor:", i.source, while("patching", i.source, err))
	}
	if i.object.Meta().DeletionTimestamp != nil {
		s.printErr("Warning: Detected changes to resource ", i.name, " which is currently being deleted.\n")
	}
	if patch == "{}" {
		return s.printDone(i, "unchanged")
	}
	return s.printDone(i, "configured")
}

// threeWay makes the patch of an apply. Kinds without a struct are merged as JSON.
func threeWay(i *item, modified map[string]any) (string, error) {
	current, _ := codec.ToValue(i.object).(map[string]any)
	var original map[string]any
	if text := i.object.Meta().Annotations[lastApplied]; text != "" {
		node, err := codec.ParseJSON([]byte(text))
		if err != nil {
			return "", err
		}
		original, _ = codec.ToValue(node).(map[string]any)
	}
	var patch map[string]any
	var err error
	if i.kind.Definition != nil {
		patch, err = codec.PatchThreeWayMerge(original, modified, current)
	} else {
		patch, err = codec.PatchThreeWay(original, modified, current, i.kind)
	}
	if err != nil {
		return "", err
	}
	return string(codec.ToJSON(patch)), nil
}

// recreate puts a new object in the place of one that cannot be changed.
func (s *session) recreate(i *item, object map[string]any) error {
	if _, err := s.do(api.Request{Verb: api.Delete, Kind: i.kind, Namespace: i.namespace, Name: i.name, Propagation: "Background", DryRun: s.dryRunServer()}); err != nil {
		return err
	}
	if !s.dryRunServer() && !s.waitFor(func() bool { return s.isGone(i) }, 60) {
		return plain("timed out waiting for the condition")
	}
	resp, err := s.do(api.Request{Verb: api.Create, Kind: i.kind, Namespace: i.namespace, Body: codec.ToJSON(object), FieldManager: applyManager,
		FieldValidation: s.validation(), DryRun: s.dryRunServer()})
	if err == nil {
		i.object = resp.Object
	}
	return err
}

func (s *session) sendPatch(i *item, patch string) error {
	kind := strategicPatch
	if i.kind.Definition != nil {
		kind = mergePatch
	}
	resp, err := s.do(api.Request{
		Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, Body: []byte(patch), PatchType: kind,
		FieldManager: applyManager, FieldValidation: s.validation(), DryRun: s.dryRunServer(),
	})
	if err == nil {
		i.object = resp.Object
	}
	return err
}

// create sends an object and says that it is made.
func (s *session) create(i *item, object map[string]any, manager string) error {
	if meta := metadataOf(object); meta["resourceVersion"] != nil {
		delete(meta, "resourceVersion")
	}
	if !s.dryRunClient() {
		resp, err := s.do(api.Request{
			Verb: api.Create, Kind: i.kind, Namespace: i.namespace, Body: codec.ToJSON(object),
			FieldManager: manager, FieldValidation: s.validation(), DryRun: s.dryRunServer(),
		})
		if err != nil {
			return while("creating", i.source, err)
		}
		i.object, i.name = resp.Object, resp.Object.Meta().Name
	}
	i.local = object
	return s.printDone(i, "created")
}

// validation is what the server shall do about unknown fields.
func (s *session) validation() string {
	switch strings.ToLower(s.flags.text("validate")) {
	case "warn":
		return "Warn"
	case "false", "ignore":
		return "Ignore"
	}
	return "Strict"
}

func (s *session) checkDryRun() error {
	switch v := s.flags.text("dry-run"); v {
	case "unchanged":
		s.printErr(s.logHead("W", "helpers.go:714"), "--dry-run is deprecated and can be replaced with --dry-run=client.\n")
		return nil
	case "", "none", "client", "server", "true", "false":
		return nil
	default:
		return plain("Invalid dry-run value (" + v + "). Must be \"none\", \"server\", or \"client\".")
	}
}

func (s *session) dryRunClient() bool {
	v := s.flags.text("dry-run")
	return v == "client" || v == "unchanged" || v == "true"
}

func (s *session) dryRunServer() bool { return s.flags.text("dry-run") == "server" }

// dryRunSuffix stands behind what would have been done.
func (s *session) dryRunSuffix() string {
	switch {
	case s.dryRunClient():
		return " (dry run)"
	case s.dryRunServer():
		return " (server dry run)"
	}
	return ""
}

// createFiles is `kubectl create -f`.
func (s *session) createFiles() error {
	files, err := s.open(s.flags.list("filename"))
	if err != nil {
		return err
	}
	if err := s.schema(files[0].Name); err != nil {
		return err
	}
	var b batch
	for _, f := range files {
		for _, d := range s.read(f) {
			o := outcome{document: d, late: d.errs}
			s.observe(&o, s.createOne)
			b.docs = append(b.docs, o)
		}
	}
	return s.finish(&b, files[0].Name, "no objects passed to create")
}

func (s *session) createOne(i *item) error {
	object := fileObject(i)
	annotations, _ := metadataOf(object)["annotations"].(map[string]any)
	if s.flags.bool("save-config") || annotations[lastApplied] != nil {
		setLastApplied(object, lastAppliedText(object))
	}
	return s.create(i, object, "kubectl-create")
}
