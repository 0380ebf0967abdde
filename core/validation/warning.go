package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// notes collects what the server says about objects that it accepts.
type notes struct{ list []string }

func (n *notes) add(text string) { n.list = append(n.list, text) }

// at adds a note about a field.
func (n *notes) at(p *field.Path, text string) { n.list = append(n.list, p.String()+": "+text) }

// Warnings returns what the server says about a new object, or about a new state
// of old, that it accepts (WarningsOnCreate and WarningsOnUpdate of the
// strategies in pkg/registry).
func Warnings(o, old api.Object) []string {
	var n notes
	if _, ok := o.(*api.Custom); ok {
		n.finalizers(o, old)
	}
	if d, ok := o.(*api.CustomResourceDefinition); ok {
		n.definitionFormats(d)
	}
	if !n.workload(o, old) {
		n.other(o, old)
	}
	return n.list
}

// workload notes what concerns pods and their templates. Templates are looked at
// again only where the specification changed, pods never.
func (n *notes) workload(o, old api.Object) bool {
	if n.templates(o, old) {
		return true
	}
	switch x := o.(type) {
	case *api.Pod:
		if old == nil {
			n.label(x.Name, "this is used in the Pod's hostname")
			n.pod(&x.Spec, &x.ObjectMeta, nil)
		}
	case *api.StatefulSet:
		n.statefulSet(x, old)
	case *api.Job:
		n.podNames(x.Name, old)
		if old == nil || x.Generation != old.Meta().Generation {
			n.job(&x.Spec, specPath)
		}
	case *api.CronJob:
		n.cronJob(x, old)
	default:
		return false
	}
	return true
}

func (n *notes) templates(o, old api.Object) bool {
	p, named := specPath.Child("template"), true
	var t *api.PodTemplateSpec
	switch x := o.(type) {
	case *api.Deployment:
		t = &x.Spec.Template
	case *api.ReplicaSet:
		t = &x.Spec.Template
	case *api.ReplicationController:
		t = x.Spec.Template
	case *api.DaemonSet:
		t, named = &x.Spec.Template, false
	case *api.PodTemplate:
		t, named, p = &x.Template, false, field.NewPath("template")
	default:
		return false
	}
	if named {
		n.podNames(o.Meta().Name, old)
	}
	if d, ok := old.(*api.DaemonSet); ok && api.Equal(t, &d.Spec.Template) {
		return true
	}
	if t != nil && (old == nil || o.Meta().Generation != old.Meta().Generation) {
		n.pod(&t.Spec, &t.ObjectMeta, p)
	}
	return true
}

func (n *notes) podNames(name string, old api.Object) {
	if old == nil {
		n.label(name, "this is used in Pod names and hostnames")
	}
}

// label notes names that cannot be host names.
func (n *notes) label(name, use string) {
	if bad := isDNSLabel(name); len(bad) > 0 {
		n.at(metaPath.Child("name"), use+", which can result in surprising behavior; a DNS label is recommended: ["+strings.Join(bad, " ")+"]")
	}
}

func (n *notes) statefulSet(x *api.StatefulSet, old api.Object) {
	if old == nil || x.Generation != old.Meta().Generation {
		n.pod(&x.Spec.Template.Spec, &x.Spec.Template.ObjectMeta, specPath.Child("template"))
	}
	for i := range x.Spec.VolumeClaimTemplates {
		p := specPath.Child("volumeClaimTemplates").Index(i)
		if old != nil {
			p = p.Child("Spec")
		}
		n.claim(&x.Spec.VolumeClaimTemplates[i].Spec, p)
	}
	if l := x.Spec.RevisionHistoryLimit; l != nil && *l < 0 {
		n.add("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended")
	}
}

func (n *notes) job(s *api.JobSpec, p *field.Path) {
	if s.CompletionMode != nil && *s.CompletionMode == "Indexed" && s.Completions != nil && *s.Completions > 100_000 &&
		s.Parallelism != nil && *s.Parallelism > 10_000 {
		n.at(p, "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail")
	}
	n.pod(&s.Template.Spec, &s.Template.ObjectMeta, p.Child("template"))
}

func (n *notes) cronJob(x *api.CronJob, old api.Object) {
	n.podNames(x.Name, old)
	if old == nil || x.Generation != old.Meta().Generation {
		n.job(&x.Spec.JobTemplate.Spec, specPath.Child("jobTemplate", "spec"))
	}
	if old != nil && strings.Contains(x.Spec.Schedule, "TZ") {
		n.add("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details")
	}
}

// fraction notes a size that is no whole number of bytes.
func (n *notes) fraction(list map[string]api.Quantity, name string, p *field.Path, in string) {
	if v, ok := list[name]; ok && v.MilliValue()%1000 != 0 {
		n.at(p.Child(in).Key(name), "fractional byte value "+strconv.Quote(v.String())+" is invalid, must be an integer")
	}
}

func (n *notes) claim(s *api.PersistentVolumeClaimSpec, p *field.Path) {
	n.fraction(s.Resources.Requests, "storage", p.Child("resources"), "requests")
	n.fraction(s.Resources.Limits, "storage", p.Child("resources"), "limits")
}
