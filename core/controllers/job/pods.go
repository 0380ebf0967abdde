package job

import (
	"slices"
	"sort"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
)

// The annotations of the pods of an Indexed Job; the first is a label too.
const (
	indexKey   = "batch.kubernetes.io/job-completion-index"
	failureKey = "batch.kubernetes.io/job-index-failure-count"
	ignoredKey = "batch.kubernetes.io/job-index-ignored-failure-count"
)

// unknown is the completion index of a pod that has none.
const unknown = -1

func indexed(j *api.Job) bool {
	return j.Spec.CompletionMode != nil && *j.Spec.CompletionMode == "Indexed"
}

func perIndex(j *api.Job) bool { return j.Spec.BackoffLimitPerIndex != nil }

func suspended(j *api.Job) bool { return j.Spec.Suspend != nil && *j.Spec.Suspend }

// replacesFailedOnly says that a pod is replaced only once it has ended.
func replacesFailedOnly(j *api.Job) bool {
	return j.Spec.PodReplacementPolicy != nil && *j.Spec.PodReplacementPolicy == "Failed"
}

// completions is the number asked for; 0 where none is.
func completions(j *api.Job) int {
	if j.Spec.Completions == nil {
		return 0
	}
	return int(*j.Spec.Completions)
}

func finished(j *api.Job) bool {
	for i := range j.Status.Conditions {
		c := &j.Status.Conditions[i]
		if c.Status == "True" && (c.Type == "Complete" || c.Type == "Failed") {
			return true
		}
	}
	return false
}

func tracked(p *api.Pod) bool { return slices.Contains(p.Finalizers, finalizer) }

// failed reports whether a pod counts as a failure; one that is being deleted does
// where it may be replaced at once.
func failed(p *api.Pod, j *api.Job) bool {
	if p.Status.Phase == "Failed" {
		return true
	}
	return !replacesFailedOnly(j) && p.DeletionTimestamp != nil && p.Status.Phase != "Succeeded"
}

// indexOf returns a pod's completion index.
func indexOf(p *api.Pod) int {
	n, err := strconv.Atoi(p.Annotations[indexKey])
	if err != nil || n < 0 {
		return unknown
	}
	return n
}

// validIndex reports whether a pod's index is one of the Job's.
func validIndex(p *api.Pod, j *api.Job) bool {
	n := indexOf(p)
	return n != unknown && n < completions(j)
}

// count reads an annotation that counts failures; what is no such number is 0.
func count(p *api.Pod, key string) int32 {
	n, err := strconv.ParseInt(p.Annotations[key], 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int32(n)
}

func allFailures(p *api.Pod) int32 { return count(p, failureKey) + count(p, ignoredKey) }

// indexesOf returns the indexes of pods in ascending order, each once.
func indexesOf(pods []*api.Pod) []int {
	var out []int
	for _, p := range pods {
		if n := indexOf(p); n != unknown {
			out = append(out, n)
		}
	}
	sort.Ints(out)
	return slices.Compact(out)
}

func byIndex(pods []*api.Pod) {
	sort.SliceStable(pods, func(i, j int) bool { return indexOf(pods[i]) < indexOf(pods[j]) })
}

var untracking = []byte(`{"metadata":{"$deleteFromPrimitiveList/finalizers":["` + finalizer + `"]}}`)

// untrack takes the finalizer off a pod; one that is gone has none.
func untrack(ctx *actor.Ctx, p *api.Pod) bool {
	if !tracked(p) {
		return true
	}
	res := ctx.Do(api.Request{Verb: api.Patch, Kind: api.KindNamed("Pod"), Namespace: p.Namespace, Name: p.Name,
		Body: untracking, PatchType: "application/strategic-merge-patch+json"})
	return !res.Failed() || res.Status.Reason == api.ReasonNotFound
}
