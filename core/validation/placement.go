package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

func (c *check) affinity(a *api.Affinity, p *field.Path) {
	if a == nil {
		return
	}
	if n := a.NodeAffinity; n != nil {
		if r := n.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
			c.nodeSelector(r, p.Child("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"))
		}
		for i := range n.PreferredDuringSchedulingIgnoredDuringExecution {
			t := &n.PreferredDuringSchedulingIgnoredDuringExecution[i]
			at := p.Child("nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution").Index(i)
			c.weight(t.Weight, at.Child("weight"))
			c.nodeTerm(&t.Preference, at.Child("preference"), false)
		}
	}
	if x := a.PodAffinity; x != nil {
		c.podTerms(x.RequiredDuringSchedulingIgnoredDuringExecution, x.PreferredDuringSchedulingIgnoredDuringExecution, p.Child("podAffinity"))
	}
	if x := a.PodAntiAffinity; x != nil {
		c.podTerms(x.RequiredDuringSchedulingIgnoredDuringExecution, x.PreferredDuringSchedulingIgnoredDuringExecution, p.Child("podAntiAffinity"))
	}
}

func (c *check) weight(n int32, p *field.Path) {
	if n <= 0 || n > 100 {
		c.invalid(p, n, "must be in the range 1-100")
	}
}

func (c *check) nodeSelector(s *api.NodeSelector, p *field.Path) {
	terms := p.Child("nodeSelectorTerms")
	if len(s.NodeSelectorTerms) == 0 {
		c.required(terms, "must have at least one node selector term")
	}
	for i := range s.NodeSelectorTerms {
		c.nodeTerm(&s.NodeSelectorTerms[i], terms.Index(i), true)
	}
}

// nodeTerm checks one term; the values of preferences are not checked.
func (c *check) nodeTerm(t *api.NodeSelectorTerm, p *field.Path, values bool) {
	for i := range t.MatchExpressions {
		c.nodeRequirement(&t.MatchExpressions[i], p.Child("matchExpressions").Index(i), values)
	}
	for i := range t.MatchFields {
		c.nodeField(&t.MatchFields[i], p.Child("matchFields").Index(i))
	}
}

func (c *check) nodeRequirement(r *api.NodeSelectorRequirement, p *field.Path, values bool) {
	at := p.Child("values")
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			c.required(at, "must be specified when `operator` is 'In' or 'NotIn'")
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			c.forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
		}
	case "Gt", "Lt":
		if len(r.Values) != 1 {
			c.required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")
		}
	default:
		c.invalid(p.Child("operator"), r.Operator, "not a valid selector operator")
	}
	c.labelName(p.Child("key"), r.Key)
	for i, v := range r.Values {
		if values {
			c.each(at.Index(i), v, field.IsLabelValue(v))
		}
	}
}

func (c *check) nodeField(r *api.NodeSelectorRequirement, p *field.Path) {
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) != 1 {
			c.required(p.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
		}
	default:
		c.invalid(p.Child("operator"), r.Operator, "not a valid selector operator")
	}
	if r.Key != "metadata.name" {
		c.invalid(p.Child("key"), r.Key, "not a valid field selector key")
		return
	}
	for i, v := range r.Values {
		c.each(p.Child("values").Index(i), v, isSubdomain(v))
	}
}

func (c *check) podTerms(required []api.PodAffinityTerm, preferred []api.WeightedPodAffinityTerm, p *field.Path) {
	for i := range required {
		c.podTerm(&required[i], p.Child("requiredDuringSchedulingIgnoredDuringExecution").Index(i))
	}
	for i := range preferred {
		at := p.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i)
		c.weight(preferred[i].Weight, at.Child("weight"))
		c.podTerm(&preferred[i].PodAffinityTerm, at.Child("podAffinityTerm"))
	}
}

func (c *check) podTerm(t *api.PodAffinityTerm, p *field.Path) {
	c.selector(p.Child("labelSelector"), t.LabelSelector)
	c.selector(p.Child("namespaceSelector"), t.NamespaceSelector)
	for _, n := range t.Namespaces {
		c.each(p.Child("namespace"), n, isDNSLabel(n))
	}
	c.labelKeys(t.MatchLabelKeys, t.MismatchLabelKeys, t.LabelSelector, p)
	if t.TopologyKey == "" {
		c.required(p.Child("topologyKey"), "can not be empty")
	}
	c.labelName(p.Child("topologyKey"), t.TopologyKey)
}

// labelKeys checks the keys whose values come from the pod itself
// (ValidateMatchLabelKeysAndMismatchLabelKeys).
func (c *check) labelKeys(match, mismatch []string, s *api.LabelSelector, p *field.Path) {
	c.keysOf(match, s, p.Child("matchLabelKeys"))
	c.keysOf(mismatch, s, p.Child("mismatchLabelKeys"))
	if s != nil {
		c.keysTwice(match, s, p)
	}
	for i, k := range match {
		if contains(mismatch, k) {
			c.invalid(p.Child("matchLabelKeys").Index(i), k, "exists in both matchLabelKeys and mismatchLabelKeys")
		}
	}
}

func (c *check) keysTwice(match []string, s *api.LabelSelector, p *field.Path) {
	last, used := map[string]int{}, map[string]bool{}
	for i, k := range match {
		last[k] = i
	}
	for k := range s.MatchLabels {
		used[k] = true
	}
	for _, e := range s.MatchExpressions {
		if i, ok := last[e.Key]; ok && used[e.Key] {
			c.invalid(p.Index(i), e.Key, "exists in both matchLabelKeys and labelSelector")
		}
		used[e.Key] = true
	}
}

func (c *check) keysOf(keys []string, s *api.LabelSelector, p *field.Path) {
	if len(keys) > 0 && s == nil {
		c.forbidden(p, "must not be specified when labelSelector is not set")
		return
	}
	for i, k := range keys {
		c.labelName(p.Index(i), k)
	}
}

// spread checks the topology spread constraints (validateTopologySpreadConstraints).
func (c *check) spread(list []api.TopologySpreadConstraint, p *field.Path) {
	for i := range list {
		t, at := &list[i], p.Index(i)
		c.positive(at.Child("maxSkew"), int64(t.MaxSkew))
		if t.TopologyKey == "" {
			c.required(at.Child("topologyKey"), "can not be empty")
		}
		c.supported(at.Child("whenUnsatisfiable"), t.WhenUnsatisfiable, "DoNotSchedule", "ScheduleAnyway")
		for _, o := range list[i+1:] {
			if t.TopologyKey == o.TopologyKey && t.WhenUnsatisfiable == o.WhenUnsatisfiable {
				c.duplicate(at.Child("{topologyKey, whenUnsatisfiable}"), "{"+t.TopologyKey+", "+t.WhenUnsatisfiable+"}")
				break
			}
		}
		if n := t.MinDomains; n != nil {
			c.positive(at.Child("minDomains"), int64(*n))
			if t.WhenUnsatisfiable != "DoNotSchedule" {
				c.invalid(at.Child("minDomains"), *n, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "+t.WhenUnsatisfiable)
			}
		}
		c.inclusion(t.NodeAffinityPolicy, at.Child("nodeAffinityPolicy"))
		c.inclusion(t.NodeTaintsPolicy, at.Child("nodeTaintsPolicy"))
		c.labelKeys(t.MatchLabelKeys, nil, t.LabelSelector, at)
		c.selector(at.Child("labelSelector"), t.LabelSelector)
	}
}

func (c *check) inclusion(policy *string, p *field.Path) {
	if policy != nil {
		c.supported(p, *policy, "Honor", "Ignore")
	}
}

// tolerations checks what a pod tolerates (ValidateTolerations).
func (c *check) tolerations(list []api.Toleration, p *field.Path) {
	c.tolerationList(list, p, c.labelName)
}

// tolerationList is tolerations with a rule for the keys.
func (c *check) tolerationList(list []api.Toleration, p *field.Path, key func(*field.Path, string)) {
	for i := range list {
		t, at := &list[i], p.Index(i)
		if t.Key != "" {
			key(at.Child("key"), t.Key)
		} else if t.Operator != "Exists" {
			c.invalid(at.Child("operator"), t.Operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\"")
		}
		if t.TolerationSeconds != nil && t.Effect != "NoExecute" {
			c.invalid(at.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
		}
		c.tolerationValue(t, at.Child("operator"))
		if t.Effect != "" {
			c.supported(at.Child("effect"), t.Effect, "NoSchedule", "PreferNoSchedule", "NoExecute")
		}
	}
}

func (c *check) tolerationValue(t *api.Toleration, p *field.Path) {
	switch t.Operator {
	case "Equal", "":
		if msgs := field.IsLabelValue(t.Value); len(msgs) > 0 {
			c.invalid(p, t.Value, strings.Join(msgs, ";"))
		}
	case "Exists":
		if t.Value != "" {
			c.invalid(p, t.Value, "value must be empty when `operator` is 'Exists'")
		}
	case "Lt", "Gt":
		c.unsupported(p, t.Operator, "Equal", "Exists", "Lt", "Gt")
	default:
		c.unsupported(p, t.Operator, "Equal", "Exists")
	}
}
