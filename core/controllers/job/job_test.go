package job

import (
	"slices"
	"testing"

	"podwalk/core/api"
	"podwalk/core/sim"
)

// The forms are those of status.completedIndexes (batch/v1 types.go): two
// neighbours are listed, three or more are a range.
func TestIndexesAreReadCutMergedAndPrinted(t *testing.T) {
	for _, c := range []struct {
		text        string
		completions int
		add         []int
		want        string
		total       int
	}{
		{"", 5, nil, "", 0},
		{"", 5, []int{0, 1, 2, 4}, "0-2,4", 4},
		{"0,1", 5, []int{2}, "0-2", 3},
		{"1,3-5,7", 10, []int{2, 6}, "1-7", 7},
		{"1,3-5,7", 5, nil, "1,3,4", 3},
		{"1,x,3-y,4", 9, nil, "1,4", 2},
		{"0-1,5", 9, []int{0, 5, 6}, "0,1,5,6", 4},
	} {
		got := parseIntervals(c.text, c.completions).with(c.add)
		if got.String() != c.want || got.total() != c.total {
			t.Errorf("%q of %d with %v: %q (%d), want %q (%d)", c.text, c.completions, c.add, got, got.total(), c.want, c.total)
		}
	}
}

func TestTheFirstFreeIndexesAreFound(t *testing.T) {
	for _, c := range []struct {
		taken       string
		count       int
		completions int
		want        []int
	}{
		{"", 2, 3, []int{0, 1}},
		{"0,2-3", 3, 6, []int{1, 4, 5}},
		{"0-5", 3, 6, nil},
		{"1", 9, 3, []int{0, 2}},
		{"0-9", 1, 5, nil},
	} {
		if got := parseIntervals(c.taken, 100).free(c.count, c.completions); !slices.Equal(got, c.want) {
			t.Errorf("%d free of %d beside %s: %v, want %v", c.count, c.completions, c.taken, got, c.want)
		}
	}
}

// The rules and messages are those of success_policy.go.
func TestASuccessPolicyNamesTheRuleThatIsMet(t *testing.T) {
	text := func(s string) *string { return &s }
	number := func(n int32) *int32 { return &n }
	policy := &api.SuccessPolicy{Rules: []api.SuccessPolicyRule{
		{SucceededIndexes: text("0,8-9")}, {SucceededIndexes: text("2-4"), SucceededCount: number(2)}, {SucceededCount: number(5)}}}
	for done, want := range map[string]string{"": "", "0,8": "", "0,8,9": "Matched rules at index 0", "2,4": "Matched rules at index 1",
		"1,2,5,6": "", "1,2,5-7": "Matched rules at index 2"} {
		if got := succeededBy(policy, 10, parseIntervals(done, 10)); got != want {
			t.Errorf("%s: %q, want %q", done, got, want)
		}
	}
}

func failedPod(container string, code int32, conditions ...string) *api.Pod {
	p := &api.Pod{}
	p.Name, p.Namespace = "p", "default"
	p.Status.Phase = "Failed"
	p.Status.ContainerStatuses = []api.ContainerStatus{{Name: container, State: api.ContainerState{Terminated: &api.ContainerStateTerminated{ExitCode: code}}}}
	for _, c := range conditions {
		p.Status.Conditions = append(p.Status.Conditions, api.PodCondition{Type: c, Status: "True"})
	}
	return p
}

// The rules and messages are those of pod_failure_policy.go: the first rule that
// matches decides, and exit code 0 matches none.
func TestAFailurePolicyJudgesByTheFirstRuleThatMatches(t *testing.T) {
	main := "main"
	policy := &api.PodFailurePolicy{Rules: []api.PodFailurePolicyRule{
		{Action: "Ignore", OnPodConditions: []api.PodFailurePolicyOnPodConditionsPattern{{Type: "DisruptionTarget", Status: "True"}}},
		{Action: "FailJob", OnExitCodes: &api.PodFailurePolicyOnExitCodesRequirement{ContainerName: &main, Operator: "In", Values: []int32{42}}},
		{Action: "FailIndex", OnExitCodes: &api.PodFailurePolicyOnExitCodesRequirement{Operator: "In", Values: []int32{7}}},
		{Action: "Count", OnExitCodes: &api.PodFailurePolicyOnExitCodesRequirement{Operator: "NotIn", Values: []int32{1}}},
		{Action: "FailJob", OnPodConditions: []api.PodFailurePolicyOnPodConditionsPattern{{Type: "ConfigIssue", Status: "True"}}}}}
	for _, c := range []struct {
		pod  *api.Pod
		want judged
	}{
		{failedPod("main", 42, "DisruptionTarget"), judged{action: "Ignore"}},
		{failedPod("main", 42), judged{"FailJob", true, "Container main for pod default/p failed with exit code 42 matching FailJob rule at index 1"}},
		{failedPod("side", 42), judged{action: "Count", counts: true}},
		{failedPod("main", 7), judged{action: "FailIndex", counts: true}},
		{failedPod("main", 1), judged{counts: true}},
		{failedPod("main", 0, "ConfigIssue"), judged{"FailJob", true, "Pod default/p has condition ConfigIssue matching FailJob rule at index 4"}},
	} {
		if got := judge(policy, c.pod); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.pod.Status, got, c.want)
		}
	}
}

// 10 s, doubled up to 10 min (job_controller.go), less what has passed since.
func TestTheBackOffOfPodsDoublesUpToTenMinutes(t *testing.T) {
	for failures, want := range map[int32]sim.Time{0: 0, 1: 10, 2: 20, 6: 320, 7: 600, 90: 600} {
		if got := (backoff{failures, 100}).remaining(100e9); got != want*sim.Second {
			t.Errorf("%d failures: %v", failures, got)
		}
	}
	if got := (backoff{2, 100}).remaining(115e9); got != 5*sim.Second {
		t.Errorf("15 of 20 s have passed: %v", got)
	}
}

// A success forgets the failures before it (backoff_utils.go).
func TestOnlyFailuresAfterTheLastSuccessCount(t *testing.T) {
	ended := func(at api.Time) *api.Pod {
		p := failedPod("main", 1)
		p.Status.ContainerStatuses[0].State.Terminated.FinishedAt = at
		return p
	}
	b := backoff{3, 50}
	if got := b.after(nil, []*api.Pod{ended(70), ended(60)}); got != (backoff{5, 70}) {
		t.Errorf("two more failures: %+v", got)
	}
	if got := b.after([]*api.Pod{ended(65)}, []*api.Pod{ended(60), ended(70), ended(68)}); got != (backoff{2, 70}) {
		t.Errorf("a success between failures: %+v", got)
	}
	if got := b.after([]*api.Pod{ended(65)}, nil); got != (backoff{}) {
		t.Errorf("a success: %+v", got)
	}
}

// names.MaxGeneratedNameLength is 58: the index is never cut off
// (indexed_job_utils.go, podGenerateNameWithIndex).
func TestLongNamesKeepTheIndex(t *testing.T) {
	long := "a-job-whose-name-is-so-long-that-nothing-more-fits-behind-it-at-all"
	if got := namePrefix(long, "-12-"); len(got) != 58 || got[54:] != "-12-" {
		t.Errorf("%q", got)
	}
	if got := namePrefix("job", "-0-"); got != "job-0-" {
		t.Errorf("%q", got)
	}
}
