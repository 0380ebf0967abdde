package describe

import (
	"slices"
	"sort"
	"strings"

	"podwalk/core/api"
)

func (p *page) configMap(c *api.ConfigMap) {
	p.named(&c.ObjectMeta)
	p.meta(&c.ObjectMeta)
	p.put(0, "\nData\n====\n")
	for _, k := range sortedKeys(c.Data) {
		p.put(0, k, ":\n----\n", c.Data[k], "\n\n")
	}
	p.put(0, "\nBinaryData\n====\n")
	for _, k := range sortedKeys(c.BinaryData) {
		p.put(0, k, ": ", num(len(c.BinaryData[k])), " bytes\n")
	}
	p.put(0, "\n")
}

func (p *page) secret(s *api.Secret) {
	p.named(&s.ObjectMeta)
	p.meta(&s.ObjectMeta)
	p.put(0, "\nType:\t", s.Type, "\n\nData\n====\n")
	for _, k := range sortedKeys(s.Data) {
		if k == "token" && s.Type == "kubernetes.io/service-account-token" {
			p.field(0, k, string(s.Data[k]))
		} else {
			p.field(0, k, num(len(s.Data[k]))+" bytes")
		}
	}
}

func (p *page) serviceAccount(a *api.ServiceAccount) {
	p.named(&a.ObjectMeta)
	p.meta(&a.ObjectMeta)
	head := "Image pull secrets:"
	if len(a.ImagePullSecrets) == 0 {
		p.put(0, head, "\t<none>\n")
	}
	for _, s := range a.ImagePullSecrets {
		p.put(0, head, "\t", s.Name, "\n")
		head = strings.Repeat(" ", len(head))
	}
}

func (p *page) namespace(n *api.Namespace) {
	p.field(0, "Name", n.Name)
	p.meta(&n.ObjectMeta)
	p.field(0, "Status", n.Status.Phase)
	if len(n.Status.Conditions) > 0 {
		p.put(0, "Conditions:\n")
		p.put(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n")
		p.put(1, "----\t------\t------------------\t------\t-------\n")
	}
	for _, c := range n.Status.Conditions {
		p.put(1, c.Type, "\t", c.Status, "\t", date(c.LastTransitionTime), "\t", c.Reason, "\t", c.Message, "\n")
	}
	if quotas, err := p.src.List("ResourceQuota", n.Name, Query{}); err == nil {
		p.put(0, "\n")
		p.quotas(quotas)
	}
	if ranges, err := p.src.List("LimitRange", n.Name, Query{}); err == nil {
		p.put(0, "\n")
		p.limitRanges(ranges)
	}
}

func (p *page) quotas(list []api.Object) {
	if len(list) == 0 {
		p.put(0, "No resource quota.\n")
		return
	}
	list = slices.Clone(list)
	sort.Slice(list, func(i, j int) bool { return list[i].Meta().Name < list[j].Meta().Name })
	p.put(0, "Resource Quotas\n")
	for _, o := range list {
		q := o.(*api.ResourceQuota)
		p.field(1, "Name", q.Name)
		p.scopes(1, "* ", q.Spec.Scopes)
		p.put(1, "Resource\tUsed\tHard\n")
		p.put(1, "--------\t---\t---\n")
		for _, name := range sortedKeys(q.Status.Hard) {
			p.put(1, name, "\t", q.Status.Used[name].String(), "\t", q.Status.Hard[name].String(), "\n")
		}
	}
}

var scopeHelp = map[string]string{
	"Terminating":    "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.",
	"NotTerminating": "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.",
	"BestEffort":     "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
	"NotBestEffort":  "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.",
}

func (p *page) scopes(level int, bullet string, scopes []string) {
	if len(scopes) == 0 {
		return
	}
	scopes = slices.Clone(scopes)
	slices.Sort(scopes)
	p.field(level, "Scopes", list(scopes))
	for _, s := range scopes {
		if help := scopeHelp[s]; help != "" {
			p.put(level, bullet, help, "\n")
		}
	}
}

func (p *page) resourceQuota(q *api.ResourceQuota) {
	p.named(&q.ObjectMeta)
	p.scopes(0, " * ", q.Spec.Scopes)
	p.put(0, "Resource\tUsed\tHard\n")
	p.put(0, "--------\t----\t----\n")
	for _, name := range sortedKeys(q.Status.Hard) {
		used, hard := q.Status.Used[name], q.Status.Hard[name]
		if used.Format() != hard.Format() {
			used = api.NewQuantity(used.Value(), hard.Format())
		}
		p.put(0, name, "\t", used.String(), "\t", hard.String(), "\n")
	}
}

func (p *page) limitRanges(list []api.Object) {
	if len(list) == 0 {
		p.put(0, "No LimitRange resource.\n")
		return
	}
	p.put(0, "Resource Limits\n Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n")
	p.put(0, " ----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n")
	for _, o := range list {
		p.limits(" ", o.(*api.LimitRange))
	}
}

func (p *page) limitRange(l *api.LimitRange) {
	p.named(&l.ObjectMeta)
	p.put(0, "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n")
	p.put(0, "----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n")
	p.limits("", l)
}

// limits writes one row for each resource, by name; the real describer takes them in
// any order.
func (p *page) limits(indent string, l *api.LimitRange) {
	for _, item := range l.Spec.Limits {
		lists := []map[string]api.Quantity{item.Min, item.Max, item.DefaultRequest, item.Default, item.MaxLimitRequestRatio}
		names := map[string]bool{}
		for _, m := range lists {
			for name := range m {
				names[name] = true
			}
		}
		for _, name := range sortedKeys(names) {
			p.put(0, indent, item.Type, "\t", name)
			for _, m := range lists {
				text := "-"
				if q, ok := m[name]; ok {
					text = q.String()
				}
				p.put(0, "\t", text)
			}
			p.put(0, "\n")
		}
	}
}

func (p *page) priorityClass(c *api.PriorityClass) {
	p.field(0, "Name", c.Name)
	p.field(0, "Value", num(c.Value))
	p.field(0, "GlobalDefault", lower(c.GlobalDefault))
	p.field(0, "PreemptionPolicy", deref(c.PreemptionPolicy, ""))
	p.field(0, "Description", c.Description)
	p.field(0, "Annotations", or(strings.Join(pairs(c.Annotations), ","), "<none>"))
}

func (p *page) budget(b *api.PodDisruptionBudget) {
	p.named(&b.ObjectMeta)
	switch {
	case b.Spec.MinAvailable != nil:
		p.field(0, "Min available", b.Spec.MinAvailable.String())
	case b.Spec.MaxUnavailable != nil:
		p.field(0, "Max unavailable", b.Spec.MaxUnavailable.String())
	}
	selector := "<unset>"
	if b.Spec.Selector != nil {
		selector = api.FormatLabelSelector(b.Spec.Selector)
	}
	p.field(0, "Selector", selector)
	p.put(0, "Status:\n")
	p.rows("Allowed disruptions", num(b.Status.DisruptionsAllowed), "Current", num(b.Status.CurrentHealthy),
		"Desired", num(b.Status.DesiredHealthy), "Total", num(b.Status.ExpectedPods))
}
