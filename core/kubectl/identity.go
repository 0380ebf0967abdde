package kubectl

import (
	"encoding/base64"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// context settles whom the command talks to, as whom, and about which namespace
// (client-go/tools/clientcmd).
func (s *session) context() error {
	s.namespace = or(s.opt.Namespace, "default")
	var err error
	if !strings.HasPrefix(s.path, "config ") && s.path != "" {
		err = s.connect()
	}
	if n := s.flags.text("namespace"); n != "" {
		s.namespace = n
	}
	return err
}

// elsewhere reports whether a flag that chooses another cluster or user is given;
// of some commands a flag of that name means something else.
func (s *session) elsewhere(name string) string {
	if strings.Contains(s.own+" ", " "+name+"= ") {
		return ""
	}
	return s.flags.text(name)
}

func (s *session) connect() error {
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	ctx := &configEntry{values: map[string]any{}}
	if name := or(s.elsewhere("context"), c.current); name != "" {
		if ctx = find(c.contexts, name); ctx == nil {
			return verbatim("Error in configuration: context was not found for specified context: " + name + "\n")
		}
	}
	s.namespace = or(ctx.text("namespace"), s.namespace)
	cluster, user := &configEntry{values: map[string]any{}}, &configEntry{values: map[string]any{}}
	if name := or(s.elsewhere("cluster"), ctx.text("cluster")); name != "" {
		if cluster = find(c.clusters, name); cluster == nil {
			return plain("no server found for cluster " + quoted(name))
		}
	}
	if name := or(s.elsewhere("user"), ctx.text("user")); name != "" {
		if user = find(c.users, name); user == nil {
			return plain("auth info " + quoted(name) + " does not exist")
		}
	}
	if err := s.reach(c, or(s.elsewhere("server"), cluster.text("server"))); err != nil {
		return err
	}
	return s.identify(c, user)
}

// reach notes where the server is that the command talks to. There is one; what
// listens at another port of this machine is nothing.
func (s *session) reach(c *kubeconfig, server string) error {
	host := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(server, "https://"), "http://"), "/")
	own := DefaultServer
	if base, err := s.readConfig(defaultPath); err == nil && len(base.clusters) > 0 {
		own = base.clusters[0].text("server")
	}
	switch {
	case server == "":
		s.server, s.refused = "http://localhost:8080", "127.0.0.1:8080"
		return nil
	case server == own:
		s.server = own
		return nil
	case strings.HasPrefix(host, "127.0.0.1:") || strings.HasPrefix(host, "localhost:"):
		s.server, s.refused = server, strings.Replace(host, "localhost:", "127.0.0.1:", 1)
		return nil
	}
	return errNotSimulated("a server at " + server)
}

// identify settles as whom the command talks.
func (s *session) identify(c *kubeconfig, user *configEntry) error {
	token := or(s.elsewhere("token"), user.text("token"))
	certificate := or(s.elsewhere("client-certificate"), user.text("client-certificate"))
	data := user.text("client-certificate-data")
	switch {
	case token != "":
		s.credential = &api.Credential{Token: token}
	case c.path == defaultPath && (certificate != "" || data != ""):
	case data != "":
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return plain("unable to load client certificate data: " + err.Error())
		}
		s.credential = &api.Credential{Certificate: string(raw)}
	case certificate != "":
		files, err := s.files.Open(certificate)
		if err != nil || len(files) != 1 {
			return plain("unable to read client-cert " + certificate + " for " + user.name + " due to open " + certificate + ": no such file or directory")
		}
		s.credential = &api.Credential{Certificate: string(files[0].Text)}
	case user.text("username") != "" || user.text("password") != "" || s.elsewhere("username") != "":
		s.credential = &api.Credential{Token: "basic"}
	default:
		s.credential = &api.Credential{}
	}
	if as := s.flags.text("as"); as != "" {
		s.impersonate = &api.User{Name: as, Groups: s.flags["as-group"]}
	} else if s.flags.has("as-group") {
		return plain("requesting groups or user-extra for  without impersonating a user")
	}
	return nil
}

// asked is what stands before an answer that a server must give: a prompt where
// there are no credentials, the refusal of a port where nothing listens.
func (s *session) asked() error {
	if s.credential != nil && *s.credential == (api.Credential{}) && s.refused == "" {
		s.print("Please enter Username: ")
		return plain("EOF")
	}
	if s.refused == "" {
		return nil
	}
	if s.path != "version" {
		s.discoveryFails()
	}
	return s.connectionRefused()
}

func (s *session) connectionRefused() error {
	_, host, _ := strings.Cut(s.server, "://")
	return verbatim("The connection to the server " + host + " was refused - did you specify the right host or port?\n")
}

// discoveryFails prints what the program logs of its five tries.
func (s *session) discoveryFails() {
	problem := codec.ToJSON(`Get "` + s.server + `/api?timeout=32s": dial tcp ` + s.refused + `: connect: connection refused`)
	for range 5 {
		s.printErr(s.logHead("E", "memcache.go:381"), `"Couldn't get current server API group list" err=`, string(problem), "\n")
	}
}

// stamp is the present instant as it stands in objects.
func (s *session) stamp() string { return time.Unix(0, s.client.Now()).UTC().Format(time.RFC3339) }

// logHead is what a line of the program's log begins with.
func (s *session) logHead(level, place string) string {
	return level + time.Unix(0, s.client.Now()).UTC().Format("0102 15:04:05.000000") + "       1 " + place + "] "
}

// schema is the server's description of its types, which commands that send files
// read first; the error is what they say if they cannot.
func (s *session) schema(file string) error {
	if s.validation() == "Ignore" {
		return nil
	}
	why := ""
	switch {
	case s.refused != "":
		why = `Get "` + s.server + `/openapi/v2?timeout=32s": dial tcp ` + s.refused + `: connect: connection refused`
	case s.credential != nil:
		_, err := s.do(api.Request{Verb: api.Create, Kind: api.SelfSubjectReview})
		if *s.credential == (api.Credential{}) {
			return err
		}
		if isReason(err, api.ReasonUnauthorized) {
			why = "the server has asked for the client to provide credentials"
		}
	}
	if why == "" {
		return nil
	}
	return plain("error validating " + quoted(file) + ": error validating data: failed to download openapi: " + why +
		"; if you choose to ignore these errors, turn validation off with --validate=false")
}
