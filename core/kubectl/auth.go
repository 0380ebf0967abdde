package kubectl

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/kubectl/align"
	"podwalk/core/kubectl/printer"
)

const (
	canIFlags   = ` all-namespaces,A list no-headers quiet,q subresource=`
	whoamiFlags = printFlags
)

// ask sends a question about the session's user.
func (s *session) ask(k *api.Kind, namespace string, options map[string]string) (*api.SubjectReview, error) {
	resp, err := s.do(api.Request{Verb: api.Create, Kind: k, Namespace: namespace, Options: options})
	if err != nil {
		return nil, err
	}
	return resp.Object.(*api.SubjectReview), nil
}

const tokenFlags = printFlags + ` audience= bound-object-kind= bound-object-name= bound-object-uid= duration=`

// token is `kubectl create token`: a token of a service account.
func (s *session) token() error {
	duration, err := s.flags.duration("duration")
	switch {
	case len(s.args) != 1:
		return plain("exactly one NAME is required, got " + strconv.Itoa(len(s.args)) + "\nSee 'kubectl create token -h' for help and examples")
	case err != nil:
		return err
	case duration < 0:
		return plain("--duration must be greater than or equal to 0")
	case duration%time.Second != 0:
		return plain("--duration cannot be expressed in units less than seconds")
	case s.flags.has("output") || s.flags.has("bound-object-kind"):
		return errNotSimulated("kubectl create token -o and --bound-object-kind")
	}
	options := map[string]string{"audiences": strings.Join(s.flags["audience"], ",")}
	if duration > 0 {
		options["expirationSeconds"] = strconv.FormatInt(int64(duration/time.Second), 10)
	}
	resp, err := s.do(api.Request{Verb: api.Create, Kind: api.KindNamed("ServiceAccount"), Namespace: s.namespace, Name: s.args[0], Subresource: "token", Options: options})
	if err != nil {
		return plain("failed to create token: " + err.Error())
	}
	s.print(resp.Text)
	return nil
}

// whoami is `kubectl auth whoami`.
func (s *session) whoami() error {
	if len(s.args) > 0 {
		return plain("unknown command " + quoted(s.args[0]) + " for \"kubectl auth whoami\"")
	}
	r, err := s.ask(api.SelfSubjectReview, "", nil)
	if err != nil {
		return err
	}
	o := s.output()
	if o.form == "" {
		rows := [][]string{{"Username", r.User.Name}, {"Groups", "[" + strings.Join(r.User.Groups, " ") + "]"}}
		s.print(printer.Plain("ATTRIBUTE|VALUE", rows, false))
		return nil
	}
	if err := o.check(formatsOfChanges); err != nil {
		return err
	}
	groups := make([]any, len(r.User.Groups))
	for i := range groups {
		groups[i] = r.User.Groups[i]
	}
	return s.printWhole(o, map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview",
		"metadata": map[string]any{"creationTimestamp": s.stamp()},
		"status":   map[string]any{"userInfo": map[string]any{"username": r.User.Name, "groups": groups}},
	})
}

// canI is `kubectl auth can-i` (kubectl/pkg/cmd/auth/cani.go).
func (s *session) canI() error {
	list, quiet := s.flags.bool("list"), s.flags.bool("quiet")
	switch {
	case list && len(s.args) > 0:
		return plain("list option must be specified with no arguments")
	case list && (quiet || s.flags.bool("all-namespaces") || s.flags.has("subresource")):
		return plain("list option can't be specified with neither quiet, all-namespaces nor subresource options")
	case list:
		return s.listAccess()
	case len(s.args) != 2:
		return plain("you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.")
	}
	options, err := s.canIQuestion(s.args[0], s.args[1])
	if err != nil {
		return err
	}
	namespace := s.namespace
	if s.flags.bool("all-namespaces") {
		namespace = ""
	}
	r, err := s.ask(api.SelfSubjectAccessReview, namespace, options)
	switch {
	case err != nil:
		return err
	case quiet && r.Allowed:
		return nil
	case quiet:
		return exitError{code: 1}
	case r.Allowed:
		s.print("yes\n")
		return nil
	}
	s.print("no\n")
	return exitError{code: 1}
}

var (
	knownVerbs       = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use", "bind", "impersonate", "*", "approve", "sign", "escalate", "attest"}
	knownURLVerbs    = []string{"get", "put", "post", "head", "options", "delete", "patch", "*"}
	specialResources = []string{"users", "groups"}
)

func (s *session) canIQuestion(verb, object string) (map[string]string, error) {
	options := map[string]string{"verb": verb, "subresource": s.flags.text("subresource")}
	known := knownVerbs
	if strings.HasPrefix(object, "/") {
		if s.flags.has("subresource") {
			return nil, plain("--subresource can not be used with NonResourceURL")
		}
		options["path"], known = object, knownURLVerbs
	} else {
		word, name, _ := strings.Cut(object, "/")
		options["name"] = name
		s.canIResource(word, options)
	}
	if !slices.Contains(known, verb) {
		s.warn("verb '" + verb + "' is not a known verb\n")
	}
	if s.flags.bool("no-headers") {
		return nil, plain("--no-headers cannot be set without --list specified")
	}
	return options, nil
}

func (s *session) canIResource(word string, options map[string]string) {
	options["resource"] = word
	if word == "*" {
		return
	}
	name, group, _ := strings.Cut(strings.ToLower(word), ".")
	k, err := s.kindFor(word)
	switch {
	case err == nil:
		options["resource"], options["group"] = k.Plural, k.Group
		if k.Namespaced || s.flags.bool("all-namespaces") {
			return
		}
		text := "resource '" + k.Plural + "' is not namespace scoped"
		if k.Group != "" {
			text += " in group '" + k.Group + "'"
		}
		s.warn(text + "\n")
	case slices.Contains(specialResources, word) || strings.HasPrefix(word, "userextras"):
	case group != "":
		s.warn("the server doesn't have a resource type '" + name + "' in group '" + group + "'\n")
	default:
		s.warn("the server doesn't have a resource type '" + name + "'\n")
	}
}

func (s *session) warn(text string) { s.printErr("Warning: ", text, "\n") }

// listAccess prints the rules that hold for the user, one line for each resource
// (kubectl/pkg/util/rbac BreakdownRule and CompactRules).
func (s *session) listAccess() error {
	r, err := s.ask(api.SelfSubjectRulesReview, s.namespace, nil)
	if err != nil {
		return err
	}
	var rows accessRows
	for _, rule := range r.Rules {
		rows = rows.add(rule)
	}
	sort.Stable(rows)
	text := ""
	if !s.flags.bool("no-headers") {
		text = "Resources\tNon-Resource URLs\tResource Names\tVerbs\n"
	}
	for _, row := range rows {
		text += row.resourceText() + "\t" + bracketed(row.urls) + "\t" + bracketed(row.names) + "\t" + bracketed(row.verbs) + "\n"
	}
	s.print(align.Text(text, 6, 3))
	return nil
}

// accessRow is what may be done with one resource, or one path.
type accessRow struct {
	group, resource    string
	names, urls, verbs []string
}

type accessRows []accessRow

func (l accessRows) Len() int           { return len(l) }
func (l accessRows) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l accessRows) Less(i, j int) bool { return l[i].key() < l[j].key() }

// key orders the rows as the real program orders the text of its rules.
func (r *accessRow) key() string {
	groups, resources := "[]", "[]"
	if r.urls == nil {
		groups, resources = "["+r.group+"]", "["+r.resource+"]"
	}
	return "Verbs:" + bracketed(r.verbs) + ",APIGroups:" + groups + ",Resources:" + resources + ",ResourceNames:" + bracketed(r.names) + ",NonResourceURLs:" + bracketed(r.urls)
}

func bracketed(list []string) string { return "[" + strings.Join(list, " ") + "]" }

func (r *accessRow) resourceText() string {
	name, sub, isSub := strings.Cut(r.resource, "/")
	if r.group != "" {
		name += "." + r.group
	}
	if isSub {
		name += "/" + sub
	}
	return name
}

// add breaks a rule up and joins the verbs of one resource.
func (l accessRows) add(rule api.PolicyRule) accessRows {
	for _, url := range rule.NonResourceURLs {
		for _, v := range rule.Verbs {
			l = append(l, accessRow{urls: []string{url}, verbs: []string{v}})
		}
	}
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, name := range names {
				l = l.join(group, resource, name, rule.Verbs)
			}
		}
	}
	return l
}

func (l accessRows) join(group, resource, name string, verbs []string) accessRows {
	row := accessRow{group: group, resource: resource}
	if name != "" {
		row.names = []string{name}
	}
	i := slices.IndexFunc(l, func(r accessRow) bool {
		return r.urls == nil && r.group == group && r.resource == resource && slices.Equal(r.names, row.names)
	})
	if i < 0 {
		l, i = append(l, row), len(l)
	}
	for _, v := range verbs {
		if !slices.Contains(l[i].verbs, v) {
			l[i].verbs = append(l[i].verbs, v)
		}
	}
	return l
}
