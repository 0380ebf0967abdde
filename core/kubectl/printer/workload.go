package printer

import (
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
)

// containers returns the names and the images of containers, as two cells.
func containers(list []api.Container) (names, images string) {
	var n, i []string
	for _, c := range list {
		n, i = append(n, c.Name), append(i, c.Image)
	}
	return strings.Join(n, ","), strings.Join(i, ",")
}

func withTemplate(cells []string, list []api.Container, selector string) []string {
	names, images := containers(list)
	return append(cells, names, images, selector)
}

func podTemplateCells(t *api.PodTemplate, _ int64) []string {
	names, images := containers(t.Template.Spec.Containers)
	return []string{t.Name, names, images, Labels(t.Template.Labels)}
}

func deploymentCells(d *api.Deployment, now int64) []string {
	cells := []string{d.Name, ratio(d.Status.ReadyReplicas, deref(d.Spec.Replicas, 0)), num(d.Status.UpdatedReplicas),
		num(d.Status.AvailableReplicas), age.Since(now, d.CreationTimestamp)}
	return withTemplate(cells, d.Spec.Template.Spec.Containers, SelectorText(d.Spec.Selector))
}

func replicaSetCells(r *api.ReplicaSet, now int64) []string {
	cells := []string{r.Name, num(deref(r.Spec.Replicas, 0)), num(r.Status.Replicas), num(r.Status.ReadyReplicas),
		age.Since(now, r.CreationTimestamp)}
	return withTemplate(cells, r.Spec.Template.Spec.Containers, api.FormatLabelSelector(r.Spec.Selector))
}

func replicationControllerCells(r *api.ReplicationController, now int64) []string {
	cells := []string{r.Name, num(deref(r.Spec.Replicas, 0)), num(r.Status.Replicas), num(r.Status.ReadyReplicas),
		age.Since(now, r.CreationTimestamp)}
	var list []api.Container
	if r.Spec.Template != nil {
		list = r.Spec.Template.Spec.Containers
	}
	return withTemplate(cells, list, Labels(r.Spec.Selector))
}

func statefulSetCells(s *api.StatefulSet, now int64) []string {
	names, images := containers(s.Spec.Template.Spec.Containers)
	return []string{s.Name, ratio(s.Status.ReadyReplicas, deref(s.Spec.Replicas, 0)), age.Since(now, s.CreationTimestamp), names, images}
}

func daemonSetCells(d *api.DaemonSet, now int64) []string {
	s := d.Status
	cells := []string{d.Name, num(s.DesiredNumberScheduled), num(s.CurrentNumberScheduled), num(s.NumberReady),
		num(s.UpdatedNumberScheduled), num(s.NumberAvailable), Labels(d.Spec.Template.Spec.NodeSelector), age.Since(now, d.CreationTimestamp)}
	return withTemplate(cells, d.Spec.Template.Spec.Containers, api.FormatLabelSelector(d.Spec.Selector))
}

func jobCells(j *api.Job, now int64) []string {
	cells := []string{j.Name, jobStatus(j), jobCompletions(j), jobDuration(j, now), age.Since(now, j.CreationTimestamp)}
	return withTemplate(cells, j.Spec.Template.Spec.Containers, api.FormatLabelSelector(j.Spec.Selector))
}

func jobStatus(j *api.Job) string {
	has := func(kind string) bool {
		for _, c := range j.Status.Conditions {
			if c.Type == kind {
				return c.Status == "True"
			}
		}
		return false
	}
	switch {
	case has("Complete"):
		return "Complete"
	case has("Failed"):
		return "Failed"
	case j.DeletionTimestamp != nil:
		return "Terminating"
	}
	for _, kind := range []string{"Suspended", "FailureTarget", "SuccessCriteriaMet"} {
		if has(kind) {
			return kind
		}
	}
	return "Running"
}

func jobCompletions(j *api.Job) string {
	if j.Spec.Completions != nil {
		return ratio(j.Status.Succeeded, *j.Spec.Completions)
	}
	if p := deref(j.Spec.Parallelism, 0); p > 1 {
		return ratio(j.Status.Succeeded, 1) + " of " + num(p)
	}
	return ratio(j.Status.Succeeded, 1)
}

func jobDuration(j *api.Job, now int64) string {
	start, end := j.Status.StartTime, j.Status.CompletionTime
	switch {
	case start == nil:
		return ""
	case end == nil:
		return age.Human(time.Duration(now - int64(*start)*int64(time.Second)))
	}
	return age.Human(seconds(*start, *end))
}

func cronJobCells(c *api.CronJob, now int64) []string {
	last := "<none>"
	if c.Status.LastScheduleTime != nil {
		last = age.Since(now, *c.Status.LastScheduleTime)
	}
	cells := []string{c.Name, c.Spec.Schedule, deref(c.Spec.TimeZone, "<none>"), Bool(c.Spec.Suspend),
		num(len(c.Status.Active)), last, age.Since(now, c.CreationTimestamp)}
	job := &c.Spec.JobTemplate.Spec
	return withTemplate(cells, job.Template.Spec.Containers, api.FormatLabelSelector(job.Selector))
}

func revisionCells(r *api.ControllerRevision, now int64) []string {
	controller := "<none>"
	for _, o := range r.OwnerReferences {
		if o.Controller != nil && *o.Controller {
			kind := o.Kind
			if group, _, ok := strings.Cut(o.APIVersion, "/"); ok {
				kind += "." + group
			}
			controller = strings.ToLower(kind) + "/" + o.Name
		}
	}
	return []string{r.Name, controller, num(r.Revision), age.Since(now, r.CreationTimestamp)}
}

func budgetCells(b *api.PodDisruptionBudget, now int64) []string {
	text := func(v *api.IntOrString) string {
		if v == nil {
			return "N/A"
		}
		return v.String()
	}
	return []string{b.Name, text(b.Spec.MinAvailable), text(b.Spec.MaxUnavailable), num(b.Status.DisruptionsAllowed),
		age.Since(now, b.CreationTimestamp)}
}
