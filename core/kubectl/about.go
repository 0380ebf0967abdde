package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/printer"
)

const apiResourceFlags = ` output,o= namespaced api-group= no-headers sort-by= verbs= cached categories= show-managed-fields`

// apiResources lists the kinds of the simulated API.
func (s *session) apiResources() error {
	if len(s.args) > 0 {
		return plain("unexpected arguments: [" + strings.Join(s.args, " ") + "]\nSee 'kubectl api-resources -h' for help and examples")
	}
	for _, name := range []string{"verbs", "categories", "sort-by"} {
		if s.flags.has(name) {
			return errNotSimulated("kubectl api-resources --" + name)
		}
	}
	var rows [][]string
	for i := range api.Kinds {
		k := &api.Kinds[i]
		if s.flags.has("namespaced") && s.flags.bool("namespaced") != k.Namespaced || s.flags.has("api-group") && s.flags.text("api-group") != k.Group {
			continue
		}
		if s.flags.text("output") == "name" {
			s.print(k.Resource(), "\n")
			continue
		}
		row := []string{k.Plural, strings.Join(k.Short, ","), k.APIVersion(), strconv.FormatBool(k.Namespaced), k.Kind}
		if s.flags.text("output") == "wide" {
			row = append(row, resourceVerbs(k), strings.Join(k.Categories, ","))
		}
		rows = append(rows, row)
	}
	header := "NAME|SHORTNAMES|APIVERSION|NAMESPACED|KIND"
	switch s.flags.text("output") {
	case "wide":
		header += "|VERBS|CATEGORIES"
	case "name":
		return nil
	}
	s.print(printer.Plain(header, rows, s.flags.bool("no-headers")))
	return nil
}

// resourceVerbs are the verbs that discovery names for a kind.
func resourceVerbs(k *api.Kind) string {
	if k.Kind == "Namespace" {
		return "create,delete,get,list,patch,update,watch"
	}
	return "create,delete,deletecollection,get,list,patch,update,watch"
}

func (s *session) apiVersions() error {
	var out []string
	for i := range api.Kinds {
		if v := api.Kinds[i].APIVersion(); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	s.print(strings.Join(out, "\n"), "\n")
	return nil
}

const versionFlags = ` client output,o= short`

// Version is the version of Kubernetes that is simulated.
const Version = "v1.37.2"

func (s *session) version() error {
	switch {
	case len(s.args) > 0:
		return plain("extra arguments: [" + strings.Join(s.args, " ") + "]")
	case s.flags.has("output"):
		return errNotSimulated("kubectl version -o " + s.flags.text("output"))
	}
	s.print("Client Version: ", Version, "\nKustomize Version: v5.8.1\n")
	if !s.flags.bool("client") {
		s.print("Server Version: ", Version, "\n")
	}
	return nil
}

const (
	configFlags = ` output,o= no-headers minify raw flatten`
	contextName = "podwalk"
)

// config shows the one context that there is.
func (s *session) config() error {
	what := ""
	if len(s.args) > 0 {
		what = s.args[0]
	}
	user := or(s.opt.User.Name, "admin")
	switch what {
	case "current-context":
		s.print(contextName, "\n")
	case "get-contexts":
		if s.flags.text("output") == "name" {
			s.print(contextName, "\n")
			return nil
		}
		s.print(printer.Plain("CURRENT|NAME|CLUSTER|AUTHINFO|NAMESPACE", [][]string{{"*", contextName, contextName, user, s.opt.Namespace}}, s.flags.bool("no-headers")))
	case "get-clusters":
		s.print("NAME\n", contextName, "\n")
	case "get-users":
		s.print("NAME\n", user, "\n")
	default:
		return errNotSimulated(strings.TrimSpace("kubectl config " + what))
	}
	return nil
}

const authFlags = ` output,o= all-namespaces,A list no-headers quiet,q subresource=`

// auth is `kubectl auth whoami`.
func (s *session) auth() error {
	if len(s.args) != 1 || s.args[0] != "whoami" || s.flags.has("output") {
		return errNotSimulated("kubectl auth " + strings.Join(s.args, " "))
	}
	u := s.opt.User
	s.print(printer.Plain("ATTRIBUTE|VALUE", [][]string{{"Username", u.Name}, {"Groups", "[" + strings.Join(u.Groups, " ") + "]"}}, false))
	return nil
}
