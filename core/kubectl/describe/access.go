package describe

import (
	"slices"
	"sort"
	"strings"

	"podwalk/core/api"
)

func (p *page) role(m *api.ObjectMeta, rules []api.PolicyRule) {
	p.field(0, "Name", m.Name)
	p.meta(m)
	p.put(0, "PolicyRule:\n")
	p.put(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs\n")
	p.put(1, "---------\t-----------------\t--------------\t-----\n")
	for _, r := range compact(rules) {
		p.put(1, resourceInGroup(r), "\t", goList(r.NonResourceURLs), "\t", goList(r.ResourceNames), "\t", goList(r.Verbs), "\n")
	}
}

// compact breaks rules down to one resource each and joins their verbs again
// (kubectl/pkg/util/rbac).
func compact(rules []api.PolicyRule) []api.PolicyRule {
	var out []api.PolicyRule
	add := func(r api.PolicyRule, verbs []string) {
		for _, verb := range verbs {
			i := slices.IndexFunc(out, func(o api.PolicyRule) bool { return len(r.NonResourceURLs) == 0 && sameResource(o, r) })
			if i < 0 {
				r.Verbs = []string{verb}
				out = append(out, r)
			} else if !slices.Contains(out[i].Verbs, verb) {
				out[i].Verbs = append(out[i].Verbs, verb)
			}
		}
	}
	for _, r := range rules {
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				one := api.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}}
				if len(r.ResourceNames) == 0 {
					add(one, r.Verbs)
				}
				for _, name := range r.ResourceNames {
					one.ResourceNames = []string{name}
					add(one, r.Verbs)
				}
			}
		}
		for _, url := range r.NonResourceURLs {
			add(api.PolicyRule{NonResourceURLs: []string{url}}, r.Verbs)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return ruleText(out[i]) < ruleText(out[j]) })
	return out
}

func sameResource(a, b api.PolicyRule) bool {
	return slices.Equal(a.APIGroups, b.APIGroups) && slices.Equal(a.Resources, b.Resources) &&
		slices.Equal(a.ResourceNames, b.ResourceNames) && len(a.NonResourceURLs) == 0
}

// ruleText is the order of the rules: that of the struct as Go prints it.
func ruleText(r api.PolicyRule) string {
	return "Verbs:" + goList(r.Verbs) + ",APIGroups:" + goList(r.APIGroups) + ",Resources:" + goList(r.Resources) +
		",ResourceNames:" + goList(r.ResourceNames) + ",NonResourceURLs:" + goList(r.NonResourceURLs) + ","
}

func resourceInGroup(r api.PolicyRule) string {
	if len(r.Resources) == 0 {
		return ""
	}
	name, sub, has := strings.Cut(r.Resources[0], "/")
	if len(r.APIGroups) > 0 && r.APIGroups[0] != "" {
		name += "." + r.APIGroups[0]
	}
	if has {
		name += "/" + sub
	}
	return name
}

func (p *page) binding(m *api.ObjectMeta, role api.RoleRef, subjects []api.RBACSubject) {
	p.field(0, "Name", m.Name)
	p.meta(m)
	p.put(0, "Role:\n")
	p.field(1, "Kind", role.Kind)
	p.field(1, "Name", role.Name)
	p.put(0, "Subjects:\n")
	p.put(1, "Kind\tName\tNamespace\n")
	p.put(1, "----\t----\t---------\n")
	for _, s := range subjects {
		p.put(1, s.Kind, "\t", s.Name, "\t", s.Namespace, "\n")
	}
}
