package validation

import (
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

const (
	maxIndexed          = 100000
	softCompletions     = 100000
	maxHighParallelism  = 10000
	maxHighFailed       = 10000
	maxFailureRules     = 20
	maxFailurePatterns  = 20
	maxFailureExitCodes = 255
	maxSuccessRules     = 20
)

func (c *check) job(j *api.Job) {
	c.meta(&j.ObjectMeta, true, isSubdomain)
	c.generatedSelector(j)
	c.jobSpec(&j.Spec, specPath)
	c.jobSelector(&j.Spec)
	c.indexedName(j)
}

func (c *check) jobSelector(s *api.JobSpec) {
	if s.Selector == nil {
		c.required(specPath.Child("selector"), "")
	} else {
		c.selector(specPath.Child("selector"), s.Selector)
	}
	if sel, err := s.Selector.AsSelector(); err == nil && !sel.Matches(s.Template.Labels) {
		c.invalid(specPath.Child("template", "metadata", "labels"), s.Template.Labels, mismatch)
	}
}

// generatedSelector checks that nobody has tampered with the labels that the
// server gives to a Job's pods.
func (c *check) generatedSelector(j *api.Job) {
	if j.Spec.ManualSelector != nil && *j.Spec.ManualSelector || j.Spec.Selector == nil {
		return
	}
	want := map[string]string{}
	p := specPath.Child("template", "metadata", "labels")
	for _, l := range []struct{ key, value string }{{"controller-uid", j.UID}, {"job-name", j.Name},
		{"batch.kubernetes.io/controller-uid", j.UID}, {"batch.kubernetes.io/job-name", j.Name}} {
		want[l.key] = l.value
		if v, ok := j.Spec.Template.Labels[l.key]; !ok {
			c.required(p.Key(l.key), "must be '"+l.value+"'")
		} else if v != l.value {
			c.invalid(p.Key(l.key), j.Spec.Template.Labels, "must be '"+l.value+"'")
		}
	}
	if sel, err := j.Spec.Selector.AsSelector(); err == nil && !sel.Matches(want) {
		c.invalid(specPath.Child("selector"), internal(j.Spec.Selector), "`selector` not auto-generated")
	}
}

// indexedName checks that the pods of an indexed Job can have host names.
func (c *check) indexedName(j *api.Job) {
	s := &j.Spec
	if s.CompletionMode == nil || *s.CompletionMode != "Indexed" || s.Completions == nil || *s.Completions <= 0 {
		return
	}
	last := j.Name + "-" + strconv.Itoa(int(*s.Completions)-1)
	if len(isDNSLabel(last)) > 0 {
		c.invalid(metaPath.Child("name"), j.Name, "will not able to create pod with invalid DNS label: "+last)
	}
}

func (c *check) jobSpec(s *api.JobSpec, p *field.Path) {
	c.count(s.Parallelism, p.Child("parallelism"))
	c.count(s.Completions, p.Child("completions"))
	if n := s.ActiveDeadlineSeconds; n != nil {
		c.nonNegative(p.Child("activeDeadlineSeconds"), *n)
	}
	c.count(s.BackoffLimit, p.Child("backoffLimit"))
	c.count(s.TTLSecondsAfterFinished, p.Child("ttlSecondsAfterFinished"))
	c.count(s.BackoffLimitPerIndex, p.Child("backoffLimitPerIndex"))
	c.count(s.MaxFailedIndexes, p.Child("maxFailedIndexes"))
	if s.MaxFailedIndexes != nil && s.BackoffLimitPerIndex == nil {
		c.required(p.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified")
	}
	if s.ManagedBy != nil {
		c.domainPath(*s.ManagedBy, p.Child("managedBy"))
	}
	c.completion(s, p)
	if s.PodFailurePolicy != nil {
		c.failurePolicy(s, p.Child("podFailurePolicy", "rules"))
	}
	c.successPolicy(s, p.Child("successPolicy"))
	if r := s.PodReplacementPolicy; r != nil && s.PodFailurePolicy != nil {
		c.supported(p.Child("podReplacementPolicy"), *r, "Failed")
	} else if r != nil {
		c.supported(p.Child("podReplacementPolicy"), *r, "Failed", "TerminatingOrFailed")
	}
	c.template(&s.Template, p.Child("template"))
	c.jobRestart(s, p.Child("template", "spec", "restartPolicy"))
}

func (c *check) jobRestart(s *api.JobSpec, p *field.Path) {
	switch r := s.Template.Spec.RestartPolicy; {
	case r == "Always" || r == "":
		c.required(p, `valid values: "OnFailure", "Never"`)
	case r != "OnFailure" && r != "Never":
		c.unsupported(p, r, "OnFailure", "Never")
	case s.PodFailurePolicy != nil && r != "Never":
		c.invalid(p, r, `only "Never" is supported when podFailurePolicy is specified`)
	}
}

func (c *check) completion(s *api.JobSpec, p *field.Path) {
	mode := "NonIndexed"
	if s.CompletionMode != nil {
		mode = *s.CompletionMode
		c.supported(p.Child("completionMode"), mode, "NonIndexed", "Indexed")
	}
	switch mode {
	case "Indexed":
		c.indexed(s, p)
	case "NonIndexed":
		if n := s.BackoffLimitPerIndex; n != nil {
			c.invalid(p.Child("backoffLimitPerIndex"), *n, "requires indexed completion mode")
		}
		if n := s.MaxFailedIndexes; n != nil {
			c.invalid(p.Child("maxFailedIndexes"), *n, "requires indexed completion mode")
		}
	}
}

func (c *check) indexed(s *api.JobSpec, p *field.Path) {
	if s.Completions == nil {
		c.required(p.Child("completions"), "when completion mode is Indexed")
	}
	if n := s.Parallelism; n != nil && *n > maxIndexed {
		c.invalid(p.Child("parallelism"), *n, "must be less than or equal to 100000 when completion mode is Indexed")
	}
	if n := s.MaxFailedIndexes; n != nil {
		if s.Completions != nil && *n > *s.Completions {
			c.invalid(p.Child("maxFailedIndexes"), *n, "must be less than or equal to completions")
		}
		if *n > maxIndexed {
			c.invalid(p.Child("maxFailedIndexes"), *n, "must be less than or equal to 100000")
		}
	}
	if s.Completions == nil || *s.Completions <= softCompletions || s.BackoffLimitPerIndex == nil {
		return
	}
	const high = "must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index"
	if s.MaxFailedIndexes == nil {
		c.required(p.Child("maxFailedIndexes"), "must be specified when completions is above 100000")
	}
	if n := s.Parallelism; n != nil && *n > maxHighParallelism {
		c.invalid(p.Child("parallelism"), *n, high)
	}
	if n := s.MaxFailedIndexes; n != nil && *n > maxHighFailed {
		c.invalid(p.Child("maxFailedIndexes"), *n, high)
	}
}

func (c *check) failurePolicy(s *api.JobSpec, p *field.Path) {
	rules := s.PodFailurePolicy.Rules
	if len(rules) > maxFailureRules {
		c.add(field.TooMany(p, len(rules), maxFailureRules))
	}
	for i := range rules {
		r, at := &rules[i], p.Index(i)
		c.failureAction(s, r.Action, at.Child("action"))
		if r.OnExitCodes != nil {
			c.exitCodes(s, r.OnExitCodes, at.Child("onExitCodes"))
		}
		c.failureConditions(r.OnPodConditions, at.Child("onPodConditions"))
		both, none := r.OnExitCodes != nil && len(r.OnPodConditions) > 0, r.OnExitCodes == nil && len(r.OnPodConditions) == 0
		if both {
			c.bare(at, "specifying both OnExitCodes and OnPodConditions is not supported")
		} else if none {
			c.bare(at, "specifying one of OnExitCodes and OnPodConditions is required")
		}
	}
}

// bare reports an invalid value without showing it.
func (c *check) bare(p *field.Path, detail string) {
	e := field.TooMany(p, -1, -1)
	e.Type, e.Detail = field.TypeInvalidValue, detail
	c.add(e)
}

func (c *check) failureAction(s *api.JobSpec, action string, p *field.Path) {
	switch {
	case action == "":
		c.required(p, `valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`)
	case action == "FailIndex" && s.BackoffLimitPerIndex == nil:
		c.invalid(p, action, "requires the backoffLimitPerIndex to be set")
	case action != "FailIndex":
		c.supported(p, action, "Count", "FailIndex", "FailJob", "Ignore")
	}
}

func (c *check) failureConditions(list []api.PodFailurePolicyOnPodConditionsPattern, p *field.Path) {
	if len(list) > maxFailurePatterns {
		c.add(field.TooMany(p, len(list), maxFailurePatterns))
	}
	for i, pattern := range list {
		c.labelName(p.Index(i).Child("type"), pattern.Type)
		if pattern.Status == "" {
			c.required(p.Index(i).Child("status"), `valid values: ["False" "True" "Unknown"]`)
		} else {
			c.supported(p.Index(i).Child("status"), pattern.Status, "False", "True", "Unknown")
		}
	}
}

func (c *check) exitCodes(s *api.JobSpec, r *api.PodFailurePolicyOnExitCodesRequirement, p *field.Path) {
	if r.Operator == "" {
		c.required(p.Child("operator"), `valid values: ["In" "NotIn"]`)
	} else {
		c.supported(p.Child("operator"), r.Operator, "In", "NotIn")
	}
	if n := r.ContainerName; n != nil && !hasContainer(&s.Template.Spec, *n) {
		c.invalid(p.Child("containerName"), *n, "must be one of the container or initContainer names in the pod template")
	}
	values := p.Child("values")
	if len(r.Values) == 0 {
		c.invalid(values, r.Values, "at least one value is required")
	} else if len(r.Values) > maxFailureExitCodes {
		c.add(field.TooMany(values, len(r.Values), maxFailureExitCodes))
	}
	ordered, seen := true, map[int32]bool{}
	for i, v := range r.Values {
		if r.Operator == "In" && v == 0 {
			c.invalid(values.Index(i), v, "must not be 0 for the In operator")
		}
		if seen[v] {
			c.duplicate(values.Index(i), v)
		}
		seen[v] = true
		ordered = ordered && (i == 0 || r.Values[i-1] <= v)
	}
	if !ordered {
		c.invalid(values, r.Values, "must be ordered")
	}
}

func hasContainer(s *api.PodSpec, name string) bool {
	for _, list := range [][]api.Container{s.Containers, s.InitContainers} {
		for i := range list {
			if list[i].Name == name {
				return true
			}
		}
	}
	return false
}
