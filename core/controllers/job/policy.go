package job

import (
	"slices"
	"strconv"

	"podwalk/core/api"
)

// The actions of a pod failure policy.
const (
	failJob   = "FailJob"
	failIndex = "FailIndex"
	ignore    = "Ignore"
)

// judged is what a pod failure policy says of a failed pod.
type judged struct {
	action  string // of the rule that matched, or ""
	counts  bool   // towards backoffLimit
	message string // of FailJob
}

// judge finds the first rule that matches a failed pod
// (pkg/controller/job/pod_failure_policy.go).
func judge(policy *api.PodFailurePolicy, p *api.Pod) judged {
	if policy == nil {
		return judged{counts: true}
	}
	for i := range policy.Rules {
		r := &policy.Rules[i]
		what := matched(r, p)
		if what == "" {
			continue
		}
		switch r.Action {
		case ignore:
			return judged{action: ignore}
		case failJob:
			return judged{failJob, true, what + " matching FailJob rule at index " + strconv.Itoa(i)}
		case failIndex, "Count":
			return judged{action: r.Action, counts: true}
		}
	}
	return judged{counts: true}
}

// matched says in words why a rule matches the pod, or "".
func matched(r *api.PodFailurePolicyRule, p *api.Pod) string {
	name := p.Namespace + "/" + p.Name
	if r.OnExitCodes != nil {
		c := exited(p.Status.ContainerStatuses, r.OnExitCodes)
		if c == nil {
			c = exited(p.Status.InitContainerStatuses, r.OnExitCodes)
		}
		if c == nil {
			return ""
		}
		return "Container " + c.Name + " for pod " + name + " failed with exit code " + strconv.Itoa(int(c.State.Terminated.ExitCode))
	}
	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		for _, want := range r.OnPodConditions {
			if c.Type == want.Type && c.Status == want.Status {
				return "Pod " + name + " has condition " + c.Type
			}
		}
	}
	return ""
}

// exited returns the first container whose exit code is one that the rule means; 0
// never is.
func exited(list []api.ContainerStatus, want *api.PodFailurePolicyOnExitCodesRequirement) *api.ContainerStatus {
	for i := range list {
		c := &list[i]
		t := c.State.Terminated
		if t == nil || t.ExitCode == 0 || want.ContainerName != nil && *want.ContainerName != c.Name {
			continue
		}
		in := slices.Contains(want.Values, t.ExitCode)
		if want.Operator == "In" && in || want.Operator == "NotIn" && !in {
			return c
		}
	}
	return nil
}

// succeededBy returns the message of the first rule of a success policy that the
// indexes fulfil, or "" (pkg/controller/job/success_policy.go).
func succeededBy(policy *api.SuccessPolicy, completions int, done intervals) string {
	if policy == nil || len(done) == 0 {
		return ""
	}
	for i := range policy.Rules {
		if fulfilled(&policy.Rules[i], completions, done) {
			return "Matched rules at index " + strconv.Itoa(i)
		}
	}
	return ""
}

func fulfilled(r *api.SuccessPolicyRule, completions int, done intervals) bool {
	if r.SucceededIndexes == nil {
		return r.SucceededCount != nil && done.total() >= int(*r.SucceededCount)
	}
	required := parseIntervals(*r.SucceededIndexes, completions)
	if len(required) == 0 {
		return false
	}
	n := required.overlap(done)
	return n == required.total() || r.SucceededCount != nil && n >= int(*r.SucceededCount)
}
