package kubectl

import (
	"bytes"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const editFlags = printFlags + ` filename,f= kustomize,k= recursive,R field-manager= validate*strict save-config subresource= output-patch windows-line-endings`

// Editor is implemented by Files whose user has a text editor.
type Editor interface {
	// Edit lets the user change a text. printed is what the editor wrote to the
	// terminal; the error is kubectl's about an editor that failed.
	Edit(text []byte) (after []byte, printed string, err error)
}

// editing is one object in the editor, opened again while it is not valid.
type editing struct {
	i       *item
	reasons []string // why the file is open again
	edited  []byte   // as the user left it
}

// edit is `kubectl edit` (kubectl/pkg/cmd/util/editor).
func (s *session) edit() error {
	items, errs, err := s.targets(s.args)
	if err == nil {
		err = join(errs)
	}
	switch {
	case err != nil:
		return err
	case len(items) == 0:
		return plain("edit cancelled, no objects found")
	case len(items) > 1 || s.flags.has("subresource") || s.flags.has("output"):
		return errNotSimulated("kubectl edit of several objects, --subresource and -o")
	}
	editor, ok := s.files.(Editor)
	if !ok {
		return errNotSimulated("kubectl edit: there is no editor here")
	}
	e := &editing{i: &items[0]}
	original := []byte(codec.ToYAML(s.generic(e.i.object)))
	for {
		text := append([]byte(e.header()), original...)
		if e.reasons != nil {
			text = append([]byte(e.header()), withoutComments(e.edited)...)
		}
		after, printed, err := editor.Edit(text)
		s.print(printed)
		if err != nil {
			return plain(err.Error())
		}
		if e.reasons != nil && bytes.Equal(withoutComments(e.edited), withoutComments(after)) {
			s.printErr("A copy of your changes has been stored to ", quoted("kubectl-edit-"+strconv.FormatInt(s.client.Now()/1000%4_000_000_000, 10)+".yaml"), "\n")
			return plain("Edit cancelled, no valid changes were saved.")
		}
		again := e.reasons != nil
		e.edited, e.reasons = after, nil
		if done, err := s.saveEdit(e, original, again); done || err != nil {
			return err
		}
	}
}

func (e *editing) header() string {
	text := "# Please edit the object below. Lines beginning with a '#' will be ignored,\n# and an empty file will abort the edit. If an error occurs while saving this file will be\n# reopened with the relevant failures.\n#\n"
	for _, r := range e.reasons {
		text += "# " + r + ":\n#\n"
	}
	return text
}

func withoutComments(text []byte) []byte {
	var out []byte
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
			out = append(out, line...)
		}
	}
	return out
}

// saveEdit sends what was changed; it is not done where the file must be opened
// again.
func (s *session) saveEdit(e *editing, original []byte, again bool) (done bool, err error) {
	text := withoutComments(e.edited)
	docs, bad := codec.Read(text)
	if bad != nil || len(docs) == 0 || len(typeErrors(&docs[0])) > 0 {
		s.printErr("error: ", e.i.kind.Plural, " ", quoted(e.i.name), " is invalid\n")
		e.reasons = []string{e.i.kind.Plural + " " + quoted(e.i.name) + " was not valid"}
		return false, nil
	}
	if !again && bytes.Equal(original, text) {
		s.printErr("Edit cancelled, no changes made.\n")
		return true, nil
	}
	if strings.TrimSpace(string(text)) == "" {
		s.printErr("Edit cancelled, saved file was empty.\n")
		return true, nil
	}
	if s.mapped(docs[0].Str("apiVersion"), docs[0].Str("kind")) == nil {
		e.reasons = []string{"The edited file had a syntax error: unable to recognize \"edited-file\": " + noMatch(&docs[0])}
		return false, nil
	}
	before, _ := codec.ToValue(e.i.object).(map[string]any)
	after, _ := codec.ToValue(docs[0]).(map[string]any)
	delete(metadataOf(before), "managedFields")
	patch, err := codec.PatchTwoWay(before, after, e.i.kind)
	if err != nil {
		return true, err
	}
	if len(patch) == 0 {
		return true, s.printDone(e.i, "skipped")
	}
	return s.sendEdit(e, codec.ToJSON(patch))
}

func (s *session) sendEdit(e *editing, patch []byte) (bool, error) {
	resp, err := s.do(api.Request{Verb: api.Patch, Kind: e.i.kind, Namespace: e.i.namespace, Name: e.i.name, Body: patch, PatchType: strategicPatch,
		FieldManager: s.manager(), FieldValidation: s.validation()})
	what := e.i.kind.Resource() + " " + quoted(e.i.name)
	switch {
	case err == nil:
		e.i.object = resp.Object
		return true, s.printDone(e.i, "edited")
	case isReason(err, api.ReasonInvalid):
		s.printErr("error: ", what, " is invalid\n")
		e.reasons = []string{what + " was not valid"}
		return false, nil
	case isNotFound(err):
		s.printErr("error: ", what, " could not be found on the server\n")
		s.printErr("The edits you made on deleted resources have been saved to \"kubectl-edit.yaml\"\n")
		return true, exitError{code: 1}
	}
	s.printErr("error: ", what, " could not be patched: ", err.Error(), "\nYou can run `kubectl replace -f kubectl-edit.yaml` to try this update again.\n")
	return true, exitError{code: 1}
}
