package kubectl

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// rawPath is a path of the API as a request.
type rawPath struct {
	kind                         *api.Kind
	namespace, name, subresource string
}

// parseRaw understands /api/v1/namespaces/NS/pods/NAME/SUBRESOURCE and the like.
func (s *session) parseRaw(path string) (rawPath, bool) {
	path, _, _ = strings.Cut(path, "?")
	words := strings.Split(strings.Trim(path, "/"), "/")
	version := ""
	switch {
	case len(words) > 2 && words[0] == "api":
		version, words = words[1], words[2:]
	case len(words) > 3 && words[0] == "apis":
		version, words = words[1]+"/"+words[2], words[3:]
	default:
		return rawPath{}, false
	}
	var p rawPath
	if words[0] == "namespaces" && len(words) > 2 && words[2] != "status" && words[2] != "finalize" {
		p.namespace, words = words[1], words[2:]
	}
	for i := range api.Kinds {
		if k := &api.Kinds[i]; k.Plural == words[0] && k.APIVersion() == version {
			p.kind = k
		}
	}
	for _, k := range s.custom() {
		if k.Plural == words[0] && k.APIVersion() == version {
			p.kind = k
		}
	}
	if len(words) > 1 {
		p.name = words[1]
	}
	if len(words) > 2 {
		p.subresource = words[2]
	}
	return p, p.kind != nil && len(words) < 4
}

// noSuchPath is the server's answer about a path that it does not serve.
func noSuchPath() error {
	return &refusal{status: &api.Status{Status: "Failure", Reason: api.ReasonNotFound, Code: 404, Message: "the server could not find the requested resource"}}
}

// getRaw is `kubectl get --raw`.
func (s *session) getRaw() error {
	path := s.flags.text("raw")
	if len(s.args) > 0 {
		return plain("arguments may not be passed when --raw is specified")
	}
	switch strings.TrimSuffix(path, "/") {
	case "/healthz", "/livez", "/readyz":
		s.print("ok")
		return nil
	case "/version":
		s.print(serverVersion().json("  "))
		return nil
	}
	p, ok := s.parseRaw(path)
	if !ok {
		return noSuchPath()
	}
	req := api.Request{Verb: api.Get, Kind: p.kind, Namespace: p.namespace, Name: p.name, Subresource: p.subresource}
	if p.name == "" {
		req.Verb = api.List
	}
	resp, err := s.do(req)
	switch {
	case err != nil:
		return err
	case p.subresource == "log":
		s.print(resp.Text)
		return nil
	case p.name != "":
		s.print(string(codec.ToJSON(resp.Object)), "\n")
		return nil
	}
	items := make([]any, 0, len(resp.Items))
	for _, o := range resp.Items {
		items = append(items, codec.ToValue(o))
	}
	s.print(string(codec.ToJSON(map[string]any{"kind": p.kind.Name() + "List", "apiVersion": p.kind.APIVersion(),
		"metadata": map[string]any{"resourceVersion": num(int64(resp.Rev))}, "items": items})), "\n")
	return nil
}

// createRaw is `kubectl create --raw PATH -f FILE`: the file is sent as it is.
func (s *session) createRaw() error {
	names := s.flags.list("filename")
	switch {
	case len(names) != 1:
		return plain("--raw can only use a single local file or stdin")
	case len(s.args) > 0:
		return plain("arguments may not be passed when --raw is specified")
	}
	files, err := s.open(names)
	if err != nil {
		return err
	}
	p, ok := s.parseRaw(s.flags.text("raw"))
	if !ok {
		return noSuchPath()
	}
	resp, err := s.do(api.Request{Verb: api.Create, Kind: p.kind, Namespace: p.namespace, Name: p.name, Subresource: p.subresource, Body: files[0].Text})
	if err != nil {
		return err
	}
	if p.subresource == "" && resp.Object != nil {
		s.print(string(codec.ToJSON(resp.Object)), "\n")
		return nil
	}
	s.print(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`, "\n")
	return nil
}
