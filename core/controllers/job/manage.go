package job

import (
	"slices"
	"strconv"

	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// maxPods is how many pods one look creates or deletes at most.
const maxPods = 500

// manage creates or deletes pods until as many are active as the Job wants
// (manageJob).
func (s *sync) manage() {
	if suspended(s.job) {
		s.deletePods(s.surplus(s.active))
		return
	}
	want := s.wanted()
	if extra := s.surplus(max(0, s.active-want)); len(extra) > 0 {
		s.deletePods(extra[:min(len(extra), maxPods)])
		return
	}
	missing := want - s.active
	if replacesFailedOnly(s.job) {
		missing -= int(s.terminating)
	}
	if missing > 0 {
		s.create(min(missing, maxPods))
	}
}

// wanted is how many pods shall be active.
func (s *sync) wanted() int {
	parallel := int(*s.job.Spec.Parallelism)
	if s.job.Spec.Completions == nil {
		if s.succeeded > 0 {
			return s.active
		}
		return parallel
	}
	return max(0, min(completions(s.job)-s.succeeded, parallel))
}

// surplus returns the active pods to delete: those whose index is not wanted or
// taken, and as many others as make at least n.
func (s *sync) surplus(n int) []*api.Pod {
	left := slices.Clone(s.activePods)
	var out []*api.Pod
	if indexed(s.job) {
		out, left = s.unwantedIndexes(left)
	}
	if len(out) < n {
		podcontrol.SortActive(left)
		out = append(out, left[:n-len(out)]...)
	}
	return out
}

// unwantedIndexes parts the pods: of several with one index, all but the last to
// go; those without a valid index.
func (s *sync) unwantedIndexes(pods []*api.Pod) (out, left []*api.Pod) {
	byIndex(pods)
	for len(pods) > 0 {
		n := 1
		for n < len(pods) && indexOf(pods[n]) == indexOf(pods[0]) {
			n++
		}
		group := pods[:n:n]
		pods = pods[n:]
		if !validIndex(group[0], s.job) {
			out = append(out, group...)
			continue
		}
		podcontrol.SortActive(group)
		out, left = append(out, group[:n-1]...), append(left, group[n-1])
	}
	return out, left
}

// deletePods ends pods that the Job does not want any more; they do not count.
func (s *sync) deletePods(pods []*api.Pod) {
	for _, p := range pods {
		deleted := untrack(s.ctx, p)
		if deleted {
			res := control.Delete(s.ctx, p, s.job)
			deleted = !res.Failed() || res.Status.Reason == api.ReasonNotFound
			if podcontrol.IsReady(p) {
				s.ready--
			}
		}
		if deleted {
			s.active--
			s.terminating++
		} else {
			s.ok = false
		}
		s.wrote()
	}
}

// create makes up to n pods, unless failures make it wait.
func (s *sync) create(n int) {
	wait := sim.Time(0)
	indexes := make([]int, n)
	switch {
	case indexed(s.job):
		if indexes = s.pending(n); perIndex(s.job) {
			indexes, wait = s.ripe(indexes)
		} else {
			wait = s.backoff.remaining(s.now())
		}
	default:
		wait = s.backoff.remaining(s.now())
		for i := range indexes {
			indexes[i] = unknown
		}
	}
	if wait > 0 {
		s.lookAt(s.ctx.Now() + max(wait, batchPeriod))
		s.ctx.Record(trace.Record{Verdict: trace.Waiting, Reason: "BackOff", Ref: trace.Ref{Kind: "Job", Namespace: s.job.Namespace, Name: s.job.Name},
			Message: "no pod is made for " + wait.String() + ": " + strconv.Itoa(int(s.backoff.failures)) + " pods have failed since the last success"})
		return
	}
	template := s.template()
	next := 0
	made, st := podcontrol.SlowStart(len(indexes), func() *api.Status {
		next++
		return s.createOne(template, indexes[next-1])
	})
	s.active += made
	s.ok = s.ok && st == nil
	s.wrote()
}

// now is the instant of the look in ns since 1970.
func (s *sync) now() int64 { return s.ctx.Host.Start() + int64(s.ctx.Now()) }

// pending returns the first n indexes that no pod works on and that are neither
// done nor failed.
func (s *sync) pending(n int) []int {
	busy := s.done.with(indexesOf(s.activePods))
	if replacesFailedOnly(s.job) {
		var ending []*api.Pod
		for _, p := range s.pods {
			if podcontrol.IsTerminating(p) {
				ending = append(ending, p)
			}
		}
		busy = busy.merge(intervals(nil).with(indexesOf(ending)))
	}
	if s.failedIndexes != nil {
		busy = busy.merge(*s.failedIndexes)
	}
	return busy.free(n, completions(s.job))
}

// ripe returns the indexes whose own back-off is over, or else how long the
// shortest of them takes.
func (s *sync) ripe(indexes []int) (now []int, wait sim.Time) {
	for _, ix := range indexes {
		left := sim.Time(0)
		if p := s.delayed[ix]; p != nil {
			left = backoff{allFailures(p) + 1, finishedAt(p)}.remaining(s.now())
		}
		switch {
		case left == 0:
			now = append(now, ix)
		case wait == 0 || left < wait:
			wait = left
		}
	}
	if len(now) > 0 {
		return now, 0
	}
	return nil, wait
}

// template is that of the pods, with what is the same for all of them.
func (s *sync) template() *api.PodTemplateSpec {
	t := s.job.Spec.Template
	if !slices.Contains(t.Finalizers, finalizer) {
		t.Finalizers = append(slices.Clone(t.Finalizers), finalizer)
	}
	if indexed(s.job) {
		t.Spec.InitContainers = withIndexVariable(t.Spec.InitContainers)
		t.Spec.Containers = withIndexVariable(t.Spec.Containers)
	}
	return &t
}

func withIndexVariable(list []api.Container) []api.Container {
	const variable = "JOB_COMPLETION_INDEX"
	out := slices.Clone(list)
	for i := range out {
		if slices.ContainsFunc(out[i].Env, func(e api.EnvVar) bool { return e.Name == variable }) {
			continue
		}
		out[i].Env = append(slices.Clone(out[i].Env), api.EnvVar{Name: variable,
			ValueFrom: &api.EnvVarSource{FieldRef: &api.ObjectFieldSelector{FieldPath: "metadata.labels['" + indexKey + "']"}}})
	}
	return out
}

// createOne makes a pod, of an index unless that is unknown.
func (s *sync) createOne(t *api.PodTemplateSpec, ix int) *api.Status {
	p := podcontrol.FromTemplate(t, s.job)
	if ix != unknown {
		number := strconv.Itoa(ix)
		p.Annotations[indexKey], p.Labels[indexKey] = number, number
		p.Spec.Hostname = s.job.Name + "-" + number
		p.GenerateName = namePrefix(s.job.Name, "-"+number+"-")
		if perIndex(s.job) {
			s.countFailures(p, s.delayed[ix])
		}
	}
	res := control.Create(s.ctx, p, s.job)
	if podcontrol.IsNamespaceTerminating(res.Status) || !res.Failed() {
		return nil
	}
	return res.Status
}

// namePrefix leaves room for the suffix that the server generates.
func namePrefix(job, suffix string) string {
	const longest = 58
	if len(job)+len(suffix) > longest {
		job = job[:longest-len(suffix)]
	}
	return job + suffix
}

// countFailures writes into a new pod how often its index has failed so far.
func (s *sync) countFailures(p, replaced *api.Pod) {
	counted, ignored := int32(0), int32(0)
	if replaced != nil {
		counted, ignored = count(replaced, failureKey), count(replaced, ignoredKey)
		if judge(s.job.Spec.PodFailurePolicy, replaced).counts {
			counted++
		} else {
			ignored++
		}
	}
	p.Annotations[failureKey] = strconv.Itoa(int(counted))
	if ignored > 0 {
		p.Annotations[ignoredKey] = strconv.Itoa(int(ignored))
	}
}
