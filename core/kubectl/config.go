package kubectl

import (
	"strings"

	"podwalk/core/kubectl/printer"
)

const (
	contextName = "podwalk"

	configViewFlags     = printFlags + ` minify raw flatten merge`
	getContextsFlags    = ` output,o= no-headers`
	setContextFlags     = ` cluster= user= current`
	setClusterFlags     = ` server= certificate-authority= embed-certs insecure-skip-tls-verify proxy-url= tls-server-name=`
	setCredentialsFlags = ` client-certificate= client-key= token= username= password= embed-certs auth-provider= auth-provider-arg= exec-command= exec-arg= exec-env= exec-api-version=`
)

// configArgs checks the number of arguments of a config command; the help comes with
// the error.
func (s *session) configArgs(least, most int) error {
	if len(s.args) >= least && len(s.args) <= most {
		return nil
	}
	if err := s.help(s.path); err != nil {
		return err
	}
	return plain("Unexpected args: [" + strings.Join(s.args, " ") + "]")
}

func (s *session) configCurrent() error {
	c, err := s.loadConfig()
	switch {
	case err != nil:
		return err
	case c.current == "":
		return plain("current-context is not set")
	}
	s.print(c.current, "\n")
	return nil
}

func (s *session) configContexts() error {
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	names := s.args
	if len(names) == 0 {
		for _, e := range c.contexts {
			names = append(names, e.name)
		}
	}
	var errs []error
	var rows [][]string
	for _, name := range names {
		e := find(c.contexts, name)
		if e == nil {
			errs = append(errs, plain("context "+name+" not found"))
			continue
		}
		mark := ""
		if name == c.current {
			mark = "*"
		}
		rows = append(rows, []string{mark, name, e.text("cluster"), e.text("user"), e.text("namespace")})
	}
	switch form := s.flags.text("output"); form {
	case "":
		s.print(printer.Plain("CURRENT|NAME|CLUSTER|AUTHINFO|NAMESPACE", rows, s.flags.bool("no-headers")))
	case "name":
		for _, row := range rows {
			s.print(row[1], "\n")
		}
	default:
		return plain("--output " + form + " is not available in kubectl config get-contexts; resetting to default output format")
	}
	return join(errs)
}

func (s *session) configClusters() error {
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	s.print("NAME\n")
	for _, e := range c.clusters {
		s.print(e.name, "\n")
	}
	return nil
}

func (s *session) configUsers() error {
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	s.print("NAME\n")
	for _, e := range c.users {
		s.print(e.name, "\n")
	}
	return nil
}

// configView prints the file; what is secret is left out unless --raw is given.
func (s *session) configView() error {
	if len(s.args) > 0 {
		return plain("unexpected arguments: [" + strings.Join(s.args, " ") + "]\nSee 'kubectl config view -h' for help and examples")
	}
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	if s.flags.bool("minify") {
		if err := c.minify(s.flags.text("context")); err != nil {
			return err
		}
	}
	if !s.flags.bool("raw") {
		c.hide()
	}
	o := s.output()
	o.form = or(o.form, "yaml")
	if err := o.check(formatsOfChanges); err != nil {
		return err
	}
	return s.printWhole(o, c.value())
}

func (c *kubeconfig) hide() {
	hidden := map[string]string{"client-key-data": "DATA+OMITTED", "client-certificate-data": "DATA+OMITTED", "certificate-authority-data": "DATA+OMITTED",
		"token": "REDACTED", "password": "REDACTED"}
	for _, list := range [][]configEntry{c.users, c.clusters} {
		for _, e := range list {
			for key, text := range hidden {
				if e.text(key) != "" {
					e.values[key] = text
				}
			}
		}
	}
}

func (s *session) configUse() error {
	if err := s.configArgs(1, 1); err != nil {
		return err
	}
	c, err := s.loadConfig()
	switch {
	case err != nil:
		return err
	case s.args[0] == "":
		return plain("empty context names are not allowed")
	case find(c.contexts, s.args[0]) == nil:
		return plain("no context exists with the name: " + quoted(s.args[0]))
	}
	c.current = s.args[0]
	if err := s.save(c); err != nil {
		return err
	}
	s.print("Switched to context ", quoted(c.current), ".\n")
	return nil
}

func (s *session) configRename() error {
	if err := s.configArgs(2, 2); err != nil {
		return err
	}
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	from, to := s.args[0], s.args[1]
	e := find(c.contexts, from)
	switch {
	case to == "":
		return plain("You must specify a new non-empty context name")
	case e == nil:
		return plain("cannot rename the context " + quoted(from) + ", it's not in " + c.path)
	case find(c.contexts, to) != nil:
		return plain("cannot rename the context " + quoted(from) + ", the context " + quoted(to) + " already exists in " + c.path)
	}
	values := e.values
	remove(&c.contexts, from)
	put(&c.contexts, to, values)
	if c.current == from {
		c.current = to
	}
	if err := s.save(c); err != nil {
		return err
	}
	s.print("Context ", quoted(from), " renamed to ", quoted(to), ".\n")
	return nil
}

// configDelete takes a cluster, context or user out of the file.
func (s *session) configDelete() error {
	what := strings.TrimPrefix(s.path, "config delete-")
	if err := s.configArgs(1, 1); err != nil {
		return err
	}
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	name := s.args[0]
	list := map[string]*[]configEntry{"cluster": &c.clusters, "context": &c.contexts, "user": &c.users}[what]
	if !remove(list, name) {
		return plain("cannot delete " + what + " " + name + ", not in " + c.path)
	}
	if what == "context" && c.current == name {
		s.printErr("warning: this removed your active context, use \"kubectl config use-context\" to select a different one\n")
	}
	if err := s.save(c); err != nil {
		return err
	}
	s.print("deleted ", what, " ", name, " from ", c.path, "\n")
	return nil
}

// given are the values of flags under the names of the file.
func (s *session) given(names ...string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		switch {
		case !s.flags.has(name):
		case name == "insecure-skip-tls-verify":
			out[name] = s.flags.bool(name)
		default:
			out[name] = s.flags.text(name)
		}
	}
	return out
}

func (s *session) configSetContext() error {
	if err := s.configArgs(0, 1); err != nil {
		return err
	}
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	name := strings.Join(s.args, "")
	switch current := s.flags.bool("current"); {
	case name == "" && !current:
		return plain("you must specify a non-empty context name or --current")
	case name != "" && current:
		return plain("you cannot specify both a context name and --current")
	case current && c.current == "":
		return plain("no current context is set")
	case current:
		name = c.current
	}
	known := put(&c.contexts, name, s.given("cluster", "user", "namespace"))
	if err := s.save(c); err != nil {
		return err
	}
	done := " created.\n"
	if known {
		done = " modified.\n"
	}
	s.print("Context ", quoted(name), done)
	return nil
}

func (s *session) configSetCluster() error {
	if err := s.configArgs(1, 1); err != nil {
		return err
	}
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	put(&c.clusters, s.args[0], s.given("server", "certificate-authority", "insecure-skip-tls-verify", "proxy-url", "tls-server-name"))
	if err := s.save(c); err != nil {
		return err
	}
	s.print("Cluster ", quoted(s.args[0]), " set.\n")
	return nil
}

func (s *session) configSetCredentials() error {
	if err := s.configArgs(1, 1); err != nil {
		return err
	}
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	put(&c.users, s.args[0], s.given("client-certificate", "client-key", "token", "username", "password"))
	if err := s.save(c); err != nil {
		return err
	}
	s.print("User ", quoted(s.args[0]), " set.\n")
	return nil
}

// configSet is `kubectl config set PROPERTY VALUE`, and configUnset takes one away.
func (s *session) configSet() error   { return s.property(2, "set") }
func (s *session) configUnset() error { return s.property(1, "unset") }

func (s *session) property(args int, done string) error {
	if err := s.configArgs(args, args); err != nil {
		return err
	}
	c, err := s.loadConfig()
	if err != nil {
		return err
	}
	value := any("")
	if args == 2 {
		value = s.args[1]
	}
	words := strings.Split(s.args[0], ".")
	lists := map[string]*[]configEntry{"clusters": &c.clusters, "contexts": &c.contexts, "users": &c.users}
	list := lists[words[0]]
	switch {
	case s.args[0] == "":
		return plain("you must specify a property")
	case s.args[0] == "current-context":
		c.current, _ = value.(string)
	case list == nil:
		return plain("unable to parse " + s.args[0] + " after [] at api.Config")
	case len(words) == 1 && args == 1:
		*list = nil
	case len(words) == 2 && args == 1:
		remove(list, words[1])
	case len(words) < 3:
		return plain("can't set a map to a value: map[]")
	default:
		put(list, strings.Join(words[1:len(words)-1], "."), map[string]any{words[len(words)-1]: value})
	}
	if err := s.save(c); err != nil {
		return err
	}
	s.print("Property ", quoted(s.args[0]), " ", done, ".\n")
	return nil
}
