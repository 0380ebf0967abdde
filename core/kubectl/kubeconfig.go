package kubectl

import (
	"errors"
	"slices"
	"strings"

	"podwalk/core/codec"
)

// defaultPath is the file that kubectl reads where no flag names another.
const defaultPath = ".kube/config"

// Writer is implemented by Files that can be written to: config changes kubeconfigs.
type Writer interface {
	Write(name string, text []byte) error
}

// kubeconfig is a file of clusters, contexts and users.
type kubeconfig struct {
	path                      string
	clusters, contexts, users []configEntry
	current                   string
}

// configEntry is one cluster, context or user.
type configEntry struct {
	name   string
	values map[string]any
}

func (e *configEntry) text(key string) string {
	v, _ := e.values[key].(string)
	return v
}

func find(list []configEntry, name string) *configEntry {
	for i := range list {
		if list[i].name == name {
			return &list[i]
		}
	}
	return nil
}

// DefaultServer is where the simulated API server listens in a kubeconfig that
// nobody gave.
const DefaultServer = "https://127.0.0.1:6443"

// builtIn is the kubeconfig of the one cluster that there is.
func (s *session) builtIn() *kubeconfig {
	user := or(s.opt.User.Name, "kubernetes-admin")
	context := map[string]any{"cluster": contextName, "user": user}
	if s.opt.Namespace != "" {
		context["namespace"] = s.opt.Namespace
	}
	return &kubeconfig{
		path: defaultPath, current: contextName,
		clusters: []configEntry{{contextName, map[string]any{"certificate-authority-data": "c2ltdWxhdGVk", "server": DefaultServer}}},
		contexts: []configEntry{{contextName, context}},
		users:    []configEntry{{user, map[string]any{"client-certificate-data": "c2ltdWxhdGVk", "client-key-data": "c2ltdWxhdGVk"}}},
	}
}

// loadConfig reads the kubeconfig of --kubeconfig or, without the flag, the default
// one.
func (s *session) loadConfig() (*kubeconfig, error) {
	path := s.flags.text("kubeconfig")
	if path == "" {
		c, err := s.readConfig(defaultPath)
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, ErrNotExist) {
			return nil, err
		}
		return s.builtIn(), nil
	}
	c, err := s.readConfig(path)
	if errors.Is(err, ErrNotExist) {
		return nil, plain("stat " + path + ": no such file or directory")
	}
	return c, err
}

func (s *session) readConfig(path string) (*kubeconfig, error) {
	if s.files == nil {
		return nil, ErrNotExist
	}
	files, err := s.files.Open(path)
	if err != nil || len(files) != 1 {
		return nil, ErrNotExist
	}
	c := &kubeconfig{path: path}
	docs, err := codec.Read(files[0].Text)
	switch {
	case err != nil:
		text := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
		return nil, plain("error loading config file " + quoted(path) + ": " + text)
	case len(docs) == 0:
		return c, nil
	}
	v, _ := codec.ToValue(docs[0]).(map[string]any)
	c.current, _ = v["current-context"].(string)
	c.clusters, c.contexts, c.users = configList(v["clusters"], "cluster"), configList(v["contexts"], "context"), configList(v["users"], "user")
	return c, nil
}

func configList(v any, key string) []configEntry {
	list, _ := v.([]any)
	var out []configEntry
	for _, e := range list {
		m, _ := e.(map[string]any)
		name, _ := m["name"].(string)
		values, _ := m[key].(map[string]any)
		if values == nil {
			values = map[string]any{}
		}
		out = append(out, configEntry{name, values})
	}
	slices.SortStableFunc(out, func(a, b configEntry) int { return strings.Compare(a.name, b.name) })
	return out
}

// value is the file as it is written.
func (c *kubeconfig) value() map[string]any {
	always := map[string][]string{"cluster": {"server"}, "context": {"cluster", "user"}}
	list := func(entries []configEntry, key string) any {
		if len(entries) == 0 {
			return nil
		}
		out := []any{}
		for _, e := range entries {
			for _, k := range always[key] {
				if e.values[k] == nil {
					e.values[k] = ""
				}
			}
			out = append(out, map[string]any{"name": e.name, key: e.values})
		}
		return out
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": c.current,
		"clusters": list(c.clusters, "cluster"), "contexts": list(c.contexts, "context"), "users": list(c.users, "user"),
	}
}

// save writes the file back.
func (s *session) save(c *kubeconfig) error {
	w, ok := s.files.(Writer)
	if !ok {
		return errNotSimulated("kubectl " + s.path + ": there is no file to write to")
	}
	return w.Write(c.path, []byte(codec.ToYAML(c.value())))
}

// put adds an entry or changes the values of one, and reports whether it was there.
func put(list *[]configEntry, name string, values map[string]any) bool {
	e := find(*list, name)
	known := e != nil
	if !known {
		*list = append(*list, configEntry{name, map[string]any{}})
		slices.SortStableFunc(*list, func(a, b configEntry) int { return strings.Compare(a.name, b.name) })
		e = find(*list, name)
	}
	for k, v := range values {
		if v == "" {
			delete(e.values, k)
		} else {
			e.values[k] = v
		}
	}
	return known
}

// remove takes an entry out and reports whether it was there.
func remove(list *[]configEntry, name string) bool {
	n := len(*list)
	*list = slices.DeleteFunc(*list, func(e configEntry) bool { return e.name == name })
	return len(*list) < n
}

// minify keeps what the current context needs.
func (c *kubeconfig) minify(context string) error {
	if c.current == "" && context == "" {
		return plain("current-context must exist in order to minify")
	}
	name := or(context, c.current)
	ctx := find(c.contexts, name)
	if ctx == nil {
		return plain("cannot locate context " + name)
	}
	keep := func(list *[]configEntry, name string) {
		*list = slices.DeleteFunc(*list, func(e configEntry) bool { return e.name != name })
	}
	cluster, user := ctx.text("cluster"), ctx.text("user")
	c.current = name
	keep(&c.contexts, name)
	keep(&c.clusters, cluster)
	keep(&c.users, user)
	return nil
}
