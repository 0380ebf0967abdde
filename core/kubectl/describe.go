package kubectl

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/describe"
)

const describeFlags = ` all-namespaces,A selector,l= filename,f= show-events chunk-size= recursive,R`

// reader reads for the describers as the session's user.
type reader struct{ s *session }

func (r reader) Get(kind, namespace, name string) (api.Object, error) {
	resp, err := r.s.do(api.Request{Verb: api.Get, Kind: api.KindNamed(kind), Namespace: namespace, Name: name})
	if err != nil {
		return nil, err
	}
	return resp.Object, nil
}

func (r reader) List(kind, namespace string, q describe.Query) ([]api.Object, error) {
	resp, err := r.s.do(api.Request{
		Verb: api.List, Kind: api.KindNamed(kind), Namespace: namespace, LabelSelector: q.Labels, FieldSelector: q.Fields,
	})
	return resp.Items, err
}

func (s *session) describe() error {
	if len(s.args) == 0 && !s.flags.has("filename") {
		return plain("You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.\n")
	}
	g, err := s.gather()
	if err != nil {
		return err
	}
	items := g.all()
	opt := describe.Options{Now: s.client.Now(), HideEvents: len(items) > 1 || len(g.errs) > 0}
	if s.flags.has("show-events") {
		opt.HideEvents = !s.flags.bool("show-events")
	}
	if len(g.errs) == 1 && isNotFound(g.errs[0]) && len(s.args) == 2 {
		return s.describePrefix(g.errs[0], opt)
	}
	for n, i := range items {
		if n > 0 {
			s.print("\n\n")
		}
		s.print(describe.Object(reader{s}, i.object, opt))
	}
	if len(items) == 0 && len(g.errs) == 0 {
		s.printNothing(!s.flags.bool("all-namespaces"))
	}
	return join(g.errs)
}

// describePrefix describes the objects whose names begin with the one that was not
// found.
func (s *session) describePrefix(notFound error, opt describe.Options) error {
	k, err := s.kindFor(s.args[0])
	if err != nil {
		return err
	}
	list, err := s.list(k, "", "")
	if err != nil {
		return err
	}
	found := false
	for _, i := range list {
		if strings.HasPrefix(i.name, s.args[1]) {
			s.print(describe.Object(reader{s}, i.object, opt), "\n")
			found = true
		}
	}
	if !found {
		return notFound
	}
	return nil
}
