package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
)

var rbacVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use", "bind", "impersonate", "*",
	"approve", "sign", "escalate", "attest"}

// policyRules makes the rules of --verb, --resource and --resource-name: one for each
// API group (kubectl/pkg/cmd/create/create_role.go).
func (s *session) policyRules() ([]api.PolicyRule, error) {
	verbs, resources := s.flags.list("verb"), s.flags.list("resource")
	switch {
	case len(verbs) == 0:
		return nil, plain("at least one verb must be specified")
	case len(resources) == 0:
		return nil, plain("at least one resource must be specified")
	}
	for _, v := range verbs {
		if !slices.Contains(rbacVerbs, v) {
			s.printErr("Warning: '", v, "' is not a standard resource verb\n")
		}
	}
	var rules []api.PolicyRule
	for _, r := range resources {
		name, sub, _ := strings.Cut(r, "/")
		group, plural := "", name
		if name != "*" {
			k, err := s.kindFor(name)
			if err != nil {
				return nil, verbatim(err.Error() + "\n")
			}
			group, plural = k.Group, k.Plural
		}
		if sub != "" {
			plural += "/" + sub
		}
		i := slices.IndexFunc(rules, func(p api.PolicyRule) bool { return p.APIGroups[0] == group })
		if i < 0 {
			rules = append(rules, api.PolicyRule{Verbs: verbs, APIGroups: []string{group}})
			i = len(rules) - 1
			if s.flags.has("resource-name") {
				rules[i].ResourceNames = s.flags.list("resource-name")
			}
		}
		rules[i].Resources = append(rules[i].Resources, plural)
	}
	return rules, nil
}

func (s *session) newRole(name string) (api.Object, error) {
	rules, err := s.policyRules()
	return &api.Role{ObjectMeta: named(name), Rules: rules}, err
}

// newClusterRole may also be about paths that are no resources, or gather others.
func (s *session) newClusterRole(name string) (api.Object, error) {
	o := &api.ClusterRole{ObjectMeta: named(name)}
	urls := s.flags.list("non-resource-url")
	if s.flags.has("aggregation-rule") {
		if len(urls) > 0 || s.flags.has("verb") || s.flags.has("resource") || s.flags.has("resource-name") {
			return nil, plain("aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames")
		}
		o.AggregationRule = &api.AggregationRule{ClusterRoleSelectors: []api.LabelSelector{{MatchLabels: pairMap(s.flags.list("aggregation-rule"))}}}
		return o, nil
	}
	verbs := s.flags.list("verb")
	switch {
	case len(verbs) == 0:
		return nil, plain("at least one verb must be specified")
	case !s.flags.has("resource") && len(urls) == 0:
		return nil, plain("one of resource or nonResourceURL must be specified")
	}
	if s.flags.has("resource") {
		var err error
		if o.Rules, err = s.policyRules(); err != nil {
			return nil, err
		}
	}
	if len(urls) == 0 {
		return o, nil
	}
	if err := checkURLs(urls, verbs); err != nil {
		return nil, err
	}
	o.Rules = append(o.Rules, api.PolicyRule{Verbs: verbs, NonResourceURLs: urls})
	return o, nil
}

func checkURLs(urls, verbs []string) error {
	for _, v := range verbs {
		if !slices.Contains([]string{"get", "put", "post", "head", "options", "delete", "patch", "*"}, v) {
			return plain("invalid verb: '" + v + "' for nonResourceURL")
		}
	}
	for _, u := range urls {
		switch {
		case u == "*":
		case !strings.HasPrefix(u, "/"):
			return plain("nonResourceURL should start with /")
		case strings.Contains(u[:len(u)-1], "*"):
			return plain("nonResourceURL only supports wildcard matches when '*' is at the end")
		}
	}
	return nil
}

func (s *session) subjects() ([]api.RBACSubject, error) {
	const group = "rbac.authorization.k8s.io"
	var out []api.RBACSubject
	for _, name := range s.flags.list("user") {
		out = append(out, api.RBACSubject{APIGroup: group, Kind: "User", Name: name})
	}
	for _, name := range s.flags.list("group") {
		out = append(out, api.RBACSubject{APIGroup: group, Kind: "Group", Name: name})
	}
	for _, account := range s.flags.list("serviceaccount") {
		namespace, name, ok := strings.Cut(account, ":")
		if !ok || namespace == "" || name == "" {
			return nil, plain("serviceaccount must be <namespace>:<name>")
		}
		out = append(out, api.RBACSubject{Kind: "ServiceAccount", Namespace: namespace, Name: name})
	}
	return out, nil
}

func (s *session) newRoleBinding(name string) (api.Object, error) {
	role, cluster := s.flags.text("role"), s.flags.text("clusterrole")
	if role == "" == (cluster == "") {
		return nil, plain("exactly one of clusterrole or role must be specified")
	}
	ref := api.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: role}
	if cluster != "" {
		ref.Kind, ref.Name = "ClusterRole", cluster
	}
	subjects, err := s.subjects()
	return &api.RoleBinding{ObjectMeta: named(name), RoleRef: ref, Subjects: subjects}, err
}

func (s *session) newClusterRoleBinding(name string) (api.Object, error) {
	cluster := s.flags.text("clusterrole")
	subjects, err := s.subjects()
	ref := api.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: cluster}
	return &api.ClusterRoleBinding{ObjectMeta: named(name), RoleRef: ref, Subjects: subjects}, err
}

// newService makes a service of --tcp; headless ones need none.
func (s *session) newService(name, kind string) (*api.Service, error) {
	o := &api.Service{ObjectMeta: labelledApp(name)}
	o.Spec.Type = kind
	o.Spec.Selector = map[string]string{"app": name}
	nodePort, err := s.flags.number("node-port", 0)
	if err != nil {
		return nil, err
	}
	for _, text := range s.flags.list("tcp") {
		port, target, ok := strings.Cut(text, ":")
		if !ok {
			target = port
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, plain(err.Error())
		}
		p := api.ServicePort{Name: strings.ReplaceAll(text, ":", "-"), Port: int32(n), Protocol: "TCP", TargetPort: portOrName(target)}
		if kind == "NodePort" {
			p.NodePort = int32(nodePort)
		}
		o.Spec.Ports = append(o.Spec.Ports, p)
	}
	return o, nil
}

func portOrName(s string) api.IntOrString {
	if n, err := strconv.ParseUint(s, 10, 16); err == nil {
		return api.FromInt(int32(n))
	}
	return api.FromString(s)
}

func (s *session) newClusterIP(name string) (api.Object, error) {
	o, err := s.newService(name, "ClusterIP")
	if err != nil {
		return nil, err
	}
	o.Spec.ClusterIP = s.flags.text("clusterip")
	if len(o.Spec.Ports) == 0 && o.Spec.ClusterIP != "None" {
		return nil, plain("at least one tcp port specifier must be provided")
	}
	return o, nil
}

func (s *session) newNodePort(name string) (api.Object, error) { return s.withPorts(name, "NodePort") }
func (s *session) newLoadBalancer(name string) (api.Object, error) {
	return s.withPorts(name, "LoadBalancer")
}

func (s *session) withPorts(name, kind string) (api.Object, error) {
	o, err := s.newService(name, kind)
	if err == nil && len(o.Spec.Ports) == 0 {
		err = plain("at least one tcp port specifier must be provided")
	}
	return o, err
}

func (s *session) newExternalName(name string) (api.Object, error) {
	o, err := s.newService(name, "ExternalName")
	if err != nil {
		return nil, err
	}
	if o.Spec.ExternalName = s.flags.text("external-name"); o.Spec.ExternalName == "" {
		return nil, plain("required flag(s) \"external-name\" not set")
	}
	return o, nil
}
