package describe

import (
	"maps"
	"sort"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/age"
	"podwalk/core/kubectl/printer"
)

// Template describes a pod template as kubectl rollout does: with tabs between
// title and value.
func Template(t *api.PodTemplateSpec) string {
	p := &page{}
	p.podTemplate(t)
	return p.b.String()
}

func (p *page) named(m *api.ObjectMeta) {
	p.field(0, "Name", m.Name)
	p.field(0, "Namespace", m.Namespace)
}

func (p *page) meta(m *api.ObjectMeta) {
	p.labels("Labels", m.Labels)
	p.annotations("Annotations", m.Annotations)
}

// podsStatus counts the pods that a controller has made, by phase.
func (p *page) podsStatus(m *api.ObjectMeta, selector string) string {
	list, err := p.src.List("Pod", m.Namespace, Query{Labels: selector})
	if err != nil {
		return "error in fetching pods: " + err.Error()
	}
	count := map[string]int{}
	for _, o := range list {
		if c := controller(o.Meta()); c != nil && c.UID == m.UID {
			count[o.(*api.Pod).Status.Phase]++
		}
	}
	return num(count["Running"]) + " Running / " + num(count["Pending"]) + " Waiting / " +
		num(count["Succeeded"]) + " Succeeded / " + num(count["Failed"]) + " Failed"
}

type condition struct{ kind, status, reason string }

func (p *page) conditions(list []condition) {
	if len(list) == 0 {
		return
	}
	p.put(0, "Conditions:\n  Type\tStatus\tReason\n")
	p.put(1, "----\t------\t------\n")
	for _, c := range list {
		p.put(1, c.kind, " \t", c.status, "\t", c.reason, "\n")
	}
}

func (p *page) deployment(d *api.Deployment) {
	p.named(&d.ObjectMeta)
	p.field(0, "CreationTimestamp", date(d.CreationTimestamp))
	p.meta(&d.ObjectMeta)
	p.field(0, "Selector", printer.SelectorText(d.Spec.Selector))
	s := d.Status
	p.field(0, "Replicas", num(deref(d.Spec.Replicas, 0))+" desired | "+num(s.UpdatedReplicas)+" updated | "+num(s.Replicas)+
		" total | "+num(s.AvailableReplicas)+" available | "+num(s.UnavailableReplicas)+" unavailable")
	p.field(0, "StrategyType", d.Spec.Strategy.Type)
	p.field(0, "MinReadySeconds", num(d.Spec.MinReadySeconds))
	if u := d.Spec.Strategy.RollingUpdate; u != nil {
		p.field(0, "RollingUpdateStrategy", intOrString(u.MaxUnavailable)+" max unavailable, "+intOrString(u.MaxSurge)+" max surge")
	}
	p.podTemplate(&d.Spec.Template)
	var list []condition
	for _, c := range s.Conditions {
		list = append(list, condition{c.Type, c.Status, c.Reason})
	}
	p.conditions(list)
	if older, newest := p.replicaSets(d); len(older)+len(newest) > 0 {
		p.field(0, "OldReplicaSets", replicaSetNames(older))
		p.field(0, "NewReplicaSet", replicaSetNames(newest))
	}
}

func intOrString(v *api.IntOrString) string {
	if v == nil {
		return "<nil>"
	}
	return v.String()
}

func replicaSetNames(list []*api.ReplicaSet) string {
	var out []string
	for _, r := range list {
		out = append(out, r.Name+" ("+num(r.Status.Replicas)+"/"+num(deref(r.Spec.Replicas, 0))+" replicas created)")
	}
	return or(strings.Join(out, ", "), "<none>")
}

func (p *page) replicaSet(r *api.ReplicaSet) {
	p.named(&r.ObjectMeta)
	p.field(0, "Selector", api.FormatLabelSelector(r.Spec.Selector))
	p.meta(&r.ObjectMeta)
	p.controlledBy(&r.ObjectMeta)
	p.field(0, "Replicas", num(r.Status.Replicas)+" current / "+num(deref(r.Spec.Replicas, 0))+" desired")
	p.field(0, "Pods Status", p.podsStatus(&r.ObjectMeta, printer.SelectorText(r.Spec.Selector)))
	p.podTemplate(&r.Spec.Template)
	var list []condition
	for _, c := range r.Status.Conditions {
		list = append(list, condition{c.Type, c.Status, c.Reason})
	}
	p.conditions(list)
}

func (p *page) replicationController(r *api.ReplicationController) {
	p.named(&r.ObjectMeta)
	p.field(0, "Selector", printer.Labels(r.Spec.Selector))
	p.meta(&r.ObjectMeta)
	p.field(0, "Replicas", num(r.Status.Replicas)+" current / "+num(deref(r.Spec.Replicas, 0))+" desired")
	p.field(0, "Pods Status", p.podsStatus(&r.ObjectMeta, api.SelectorFromSet(r.Spec.Selector).String()))
	p.podTemplate(r.Spec.Template)
	var list []condition
	for _, c := range r.Status.Conditions {
		list = append(list, condition{c.Type, c.Status, c.Reason})
	}
	p.conditions(list)
}

func (p *page) statefulSet(s *api.StatefulSet) {
	p.named(&s.ObjectMeta)
	p.field(0, "CreationTimestamp", date(s.CreationTimestamp))
	p.field(0, "Selector", printer.SelectorText(s.Spec.Selector))
	p.meta(&s.ObjectMeta)
	p.optional("Service Name", s.Spec.ServiceName)
	p.optional("Pod Management Policy", s.Spec.PodManagementPolicy)
	p.field(0, "Replicas", num(deref(s.Spec.Replicas, 0))+" desired | "+num(s.Status.Replicas)+" total")
	p.field(0, "Update Strategy", s.Spec.UpdateStrategy.Type)
	if u := s.Spec.UpdateStrategy.RollingUpdate; u != nil && u.Partition != nil {
		p.field(1, "Partition", num(*u.Partition))
		if u.MaxUnavailable != nil {
			p.field(1, "MaxUnavailable", u.MaxUnavailable.String())
		}
	}
	if r := s.Spec.PersistentVolumeClaimRetentionPolicy; r != nil {
		p.put(0, "Persistent Volume Claim Retention Policy:\n")
		p.field(1, "WhenDeleted", r.WhenDeleted)
		p.field(1, "WhenScaled", r.WhenScaled)
	}
	p.field(0, "Pods Status", p.podsStatus(&s.ObjectMeta, printer.SelectorText(s.Spec.Selector)))
	p.podTemplate(&s.Spec.Template)
	p.claimTemplates(s.Spec.VolumeClaimTemplates)
}

func (p *page) claimTemplates(list []api.PersistentVolumeClaim) {
	if len(list) == 0 {
		p.field(0, "Volume Claims", "<none>")
		return
	}
	p.put(0, "Volume Claims:\n")
	for i := range list {
		c := &list[i]
		p.field(1, "Name", c.Name)
		p.field(1, "StorageClass", printer.ClaimClass(c))
		p.indented("  ", "Labels", pairs(c.Labels))
		p.indented("  ", "Annotations", pairs(c.Annotations))
		capacity := "<default>"
		if q, ok := c.Spec.Resources.Requests["storage"]; ok {
			capacity = q.String()
		}
		p.field(1, "Capacity", capacity)
		p.field(1, "Access Modes", goList(c.Spec.AccessModes))
	}
}

func (p *page) daemonSet(d *api.DaemonSet) {
	s := d.Status
	p.named(&d.ObjectMeta)
	p.field(0, "Selector", printer.SelectorText(d.Spec.Selector))
	p.field(0, "Node-Selector", printer.Labels(d.Spec.Template.Spec.NodeSelector))
	p.meta(&d.ObjectMeta)
	p.put(0, "Desired Number of Nodes Scheduled: ", num(s.DesiredNumberScheduled), "\n")
	p.put(0, "Current Number of Nodes Scheduled: ", num(s.CurrentNumberScheduled), "\n")
	p.put(0, "Number of Nodes Scheduled with Up-to-date Pods: ", num(s.UpdatedNumberScheduled), "\n")
	p.put(0, "Number of Nodes Scheduled with Available Pods: ", num(s.NumberAvailable), "\n")
	p.put(0, "Number of Nodes Misscheduled: ", num(s.NumberMisscheduled), "\n")
	p.field(0, "Pods Status", p.podsStatus(&d.ObjectMeta, printer.SelectorText(d.Spec.Selector)))
	p.podTemplate(&d.Spec.Template)
}

func (p *page) job(j *api.Job) {
	p.named(&j.ObjectMeta)
	p.field(0, "Selector", printer.SelectorText(j.Spec.Selector))
	p.meta(&j.ObjectMeta)
	p.controlledBy(&j.ObjectMeta)
	p.optionalNumber("Parallelism", j.Spec.Parallelism, "", "")
	p.optionalNumber("Completions", j.Spec.Completions, "", "<unset>")
	p.optional("Completion Mode", deref(j.Spec.CompletionMode, ""))
	if j.Spec.Suspend != nil {
		p.field(0, "Suspend", lower(*j.Spec.Suspend))
	}
	p.optionalNumber("Backoff Limit", j.Spec.BackoffLimit, "", "")
	p.optionalNumber("TTL Seconds After Finished", j.Spec.TTLSecondsAfterFinished, "", "")
	start, end := j.Status.StartTime, j.Status.CompletionTime
	if start != nil {
		p.field(0, "Start Time", date(*start))
	}
	if end != nil {
		p.field(0, "Completed At", date(*end))
	}
	if start != nil && end != nil {
		p.field(0, "Duration", age.Human(time.Duration(*end-*start)*time.Second))
	}
	if j.Spec.ActiveDeadlineSeconds != nil {
		p.field(0, "Active Deadline Seconds", num(*j.Spec.ActiveDeadlineSeconds)+"s")
	}
	ready := ""
	if j.Status.Ready != nil {
		ready = " (" + num(*j.Status.Ready) + " Ready)"
	}
	p.field(0, "Pods Statuses", num(j.Status.Active)+" Active"+ready+" / "+num(j.Status.Succeeded)+" Succeeded / "+num(j.Status.Failed)+" Failed")
	if deref(j.Spec.CompletionMode, "") == "Indexed" {
		p.field(0, "Completed Indexes", capIndexes(j.Status.CompletedIndexes))
	}
	p.podTemplate(&j.Spec.Template)
}

func (p *page) optionalNumber(title string, n *int32, unit, none string) {
	switch {
	case n != nil:
		p.field(0, title, num(*n)+unit)
	case none != "":
		p.field(0, title, none)
	}
}

// capIndexes cuts a list at the first comma behind 50 characters.
func capIndexes(s string) string {
	const soft = 50
	if len(s) > soft {
		if i := strings.IndexByte(s[soft:], ','); i >= 0 {
			return s[:soft+i+1] + "..."
		}
	}
	return or(s, "<none>")
}

func (p *page) cronJob(c *api.CronJob) {
	p.named(&c.ObjectMeta)
	p.meta(&c.ObjectMeta)
	p.field(0, "Schedule", c.Spec.Schedule)
	p.field(0, "Concurrency Policy", c.Spec.ConcurrencyPolicy)
	p.field(0, "Suspend", printer.Bool(c.Spec.Suspend))
	p.field(0, "Time Zone", deref(c.Spec.TimeZone, "<unset>"))
	p.optionalNumber("Successful Job History Limit", c.Spec.SuccessfulJobsHistoryLimit, "", "<unset>")
	p.optionalNumber("Failed Job History Limit", c.Spec.FailedJobsHistoryLimit, "", "<unset>")
	deadline := "<unset>"
	if c.Spec.StartingDeadlineSeconds != nil {
		deadline = num(*c.Spec.StartingDeadlineSeconds) + "s"
	}
	p.field(0, "Starting Deadline Seconds", deadline)
	job := &c.Spec.JobTemplate.Spec
	selector := "<unset>"
	if job.Selector != nil {
		selector = printer.SelectorText(job.Selector)
	}
	p.field(0, "Selector", selector)
	p.optionalNumber("Parallelism", job.Parallelism, "", "<unset>")
	p.optionalNumber("Completions", job.Completions, "", "<unset>")
	if job.ActiveDeadlineSeconds != nil {
		p.field(0, "Active Deadline Seconds", num(*job.ActiveDeadlineSeconds)+"s")
	}
	p.podTemplate(&job.Template)
	last := "<unset>"
	if c.Status.LastScheduleTime != nil {
		last = date(*c.Status.LastScheduleTime)
	}
	p.field(0, "Last Schedule Time", last)
	var active []string
	for _, a := range c.Status.Active {
		active = append(active, a.Name)
	}
	p.field(0, "Active Jobs", or(list(active), "<none>"))
}

// replicaSets returns the replica sets that a deployment owns: the older ones, and
// the one of its present template.
func (p *page) replicaSets(d *api.Deployment) (older, newest []*api.ReplicaSet) {
	list, err := p.src.List("ReplicaSet", d.Namespace, Query{Labels: printer.SelectorText(d.Spec.Selector)})
	if err != nil {
		return nil, nil
	}
	var owned []*api.ReplicaSet
	for _, o := range list {
		if c := controller(o.Meta()); c != nil && c.UID == d.UID {
			owned = append(owned, o.(*api.ReplicaSet))
		}
	}
	sort.SliceStable(owned, func(i, j int) bool {
		a, b := owned[i], owned[j]
		return a.CreationTimestamp < b.CreationTimestamp || a.CreationTimestamp == b.CreationTimestamp && a.Name < b.Name
	})
	want := templateText(d.Spec.Template)
	for _, r := range owned {
		if newest == nil && templateText(r.Spec.Template) == want {
			newest = []*api.ReplicaSet{r}
		} else {
			older = append(older, r)
		}
	}
	return older, newest
}

// templateText is a pod template without the label that tells revisions apart.
func templateText(t api.PodTemplateSpec) string {
	t.Labels = maps.Clone(t.Labels)
	delete(t.Labels, "pod-template-hash")
	return string(codec.ToJSON(&t))
}
