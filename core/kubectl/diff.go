package kubectl

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/unified"
)

const diffFlags = ` filename,f= recursive,R kustomize,k= selector,l= server-side field-manager= force-conflicts prune prune-allowlist= show-managed-fields show-secrets concurrency=`

// diff is `kubectl diff`: what apply would change, as `diff -u -N` of the objects as
// they are with what a dry run of the server makes of them. It exits with 1 if there
// is a difference and with 2 after an error.
func (s *session) diff() error {
	differs, err := s.compareFiles()
	switch {
	case err != nil:
		return exitError{2, err}
	case differs:
		return exitError{code: 1}
	}
	return nil
}

func (s *session) compareFiles() (bool, error) {
	switch {
	case !s.flags.has("filename"):
		return false, plain("must specify one of -f and -k")
	case s.flags.bool("prune"):
		return false, errNotSimulated("kubectl diff --prune")
	}
	items, errs, err := s.fileItems()
	if err == nil {
		err = join(errs)
	}
	if err != nil {
		return false, err
	}
	var texts []string
	for n := range items {
		text, err := s.compare(&items[n])
		if err != nil {
			return false, err
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	s.print(texts...)
	return len(texts) > 0, nil
}

func (s *session) compare(i *item) (string, error) {
	live, merged, err := s.liveAndMerged(i)
	if err != nil {
		return "", err
	}
	if i.kind.Kind == "Secret" && !s.flags.bool("show-secrets") {
		maskSecrets(live, merged)
	}
	from := ""
	if live != nil {
		from = codec.ToYAML(live)
	}
	hunks := unified.Diff(from, codec.ToYAML(merged))
	if hunks == "" {
		return "", nil
	}
	name := i.kind.Version + "." + i.kind.Name() + "." + i.namespace + "." + i.name
	if i.kind.Group != "" {
		name = i.kind.Group + "." + name
	}
	at := time.Unix(0, s.client.Now()).UTC()
	stamp := "\t" + at.Format("2006-01-02 15:04:05.000000000 -0700") + "\n"
	number := strconv.FormatInt(s.client.Now()/1000%4_000_000_000, 10)
	left, right := "LIVE-"+number+"/"+name, "MERGED-"+number+"/"+name
	return "diff -u -N " + left + " " + right + "\n--- " + left + stamp + "+++ " + right + stamp + hunks, nil
}

// liveAndMerged reads an object and lets the server apply the file's one dry.
func (s *session) liveAndMerged(i *item) (live, merged map[string]any, err error) {
	object := fileObject(i)
	err = s.fetch(i)
	if err != nil && !isNotFound(err) {
		return nil, nil, err
	}
	req := api.Request{Verb: api.Create, Kind: i.kind, Namespace: i.namespace, Body: codec.ToJSON(object), DryRun: true, FieldManager: applyManager, FieldValidation: "Strict"}
	if err == nil {
		live = s.generic(i.object)
		req.Verb, req.Name = api.Patch, i.name
		if req.PatchType, req.Body, err = s.diffPatch(i, object); err != nil {
			return nil, nil, err
		}
	} else if s.flags.bool("server-side") {
		req.Verb, req.Name, req.PatchType = api.Patch, i.name, applyPatch
	}
	if s.flags.bool("server-side") {
		req.FieldManager = or(s.flags.text("field-manager"), serverSideManager)
		req.Options = map[string]string{"force": s.flags.text("force-conflicts")}
	}
	resp, err := s.do(req)
	if err != nil {
		return nil, nil, err
	}
	return live, s.generic(resp.Object), nil
}

func (s *session) diffPatch(i *item, object map[string]any) (kind string, body []byte, err error) {
	if s.flags.bool("server-side") {
		return applyPatch, codec.ToJSON(object), nil
	}
	lastAppliedText(object)
	patch, err := threeWay(i, object)
	if kind = strategicPatch; i.kind.Definition != nil {
		kind = mergePatch
	}
	return kind, []byte(patch), err
}

// maskSecrets hides the values of secrets, and which of them change.
func maskSecrets(live, merged map[string]any) {
	for _, field := range []string{"data", "stringData"} {
		from, _ := live[field].(map[string]any)
		to, _ := merged[field].(map[string]any)
		for key := range from {
			if next, ok := to[key]; ok && next != from[key] {
				from[key], to[key] = "*** (before)", "*** (after)"
			} else {
				from[key] = "***"
			}
		}
		for key, v := range to {
			if text, _ := v.(string); !strings.HasPrefix(text, "***") {
				to[key] = "***"
			}
		}
	}
}
