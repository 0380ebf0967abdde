package kubectl

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/reference"
	"podwalk/core/validation/structural"
)

const explainFlags = ` api-version= max-depth= output,o= recursive,R`

// explain is `kubectl explain`.
func (s *session) explain() error {
	switch {
	case len(s.args) == 0:
		return plain("You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.\n")
	case len(s.args) > 1:
		return plain("We accept only this format: explain RESOURCE\nSee 'kubectl explain -h' for help and examples")
	case s.flags.has("output") && s.flags.text("output") != "plaintext":
		return errNotSimulated("kubectl explain -o " + s.flags.text("output"))
	}
	depth, err := s.flags.number("max-depth", 0)
	if err != nil {
		return err
	}
	words := strings.Split(s.args[0], ".")
	k, err := s.kindFor(words[0])
	if err != nil {
		return verbatim(err.Error() + "\n")
	}
	page, ok := pageOf(k)
	if !ok {
		return errNotSimulated("kubectl explain in this build")
	}
	if k.Group != "" {
		s.print("GROUP:      ", k.Group, "\n")
	}
	s.print("KIND:       ", k.Name(), "\nVERSION:    ", k.Version, "\n\n")
	page.Recursive, page.MaxDepth = s.flags.bool("recursive"), int(depth)
	text, ok := page.Text(words[1:])
	if !ok {
		return plain("field " + quoted(words[len(words)-1]) + " does not exist")
	}
	s.print(text, "\n")
	return nil
}

func pageOf(k *api.Kind) (*reference.Page, bool) {
	v := k.Custom()
	if v == nil {
		return reference.Kind(k.Kind)
	}
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return reference.Custom(nil), true
	}
	return reference.Custom(structural.Parse(*v.Schema.OpenAPIV3Schema)), true
}
