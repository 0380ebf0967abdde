package describe

import (
	"slices"
	"sort"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
	"podwalk/core/kubectl/printer"
)

func (p *page) node(n *api.Node) {
	p.field(0, "Name", n.Name)
	p.field(0, "Roles", or(strings.Join(printer.NodeRoles(n), ","), "<none>"))
	p.labels("Labels", n.Labels)
	p.annotations("Annotations", n.Annotations)
	p.field(0, "CreationTimestamp", date(n.CreationTimestamp))
	p.list("Taints", taints(n.Spec.Taints))
	p.field(0, "Unschedulable", lower(n.Spec.Unschedulable))
	p.lease(n.Name)
	p.nodeConditions(n)
	p.put(0, "Addresses:\n")
	for _, a := range n.Status.Addresses {
		p.field(1, a.Type, a.Address)
	}
	p.amounts(0, "Capacity", n.Status.Capacity)
	p.amounts(0, "Allocatable", n.Status.Allocatable)
	p.systemInfo(n)
	p.nodePods(n)
}

func taints(list []api.Taint) []string {
	list = slices.Clone(list)
	key := func(t api.Taint) string { return t.Effect + "," + t.Key }
	sort.Slice(list, func(i, j int) bool { return key(list[i]) < key(list[j]) })
	var out []string
	for _, t := range list {
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		if t.Effect != "" {
			text += ":" + t.Effect
		}
		out = append(out, text)
	}
	return out
}

func (p *page) lease(name string) {
	o, err := p.src.Get("Lease", "kube-node-lease", name)
	if err != nil {
		p.field(0, "Lease", "Failed to get lease: "+err.Error())
		return
	}
	p.put(0, "Lease:\n")
	holder, acquired, renewed := "<unset>", "<unset>", "<unset>"
	if l, ok := o.(*api.Lease); ok {
		holder = deref(l.Spec.HolderIdentity, holder)
		if t := l.Spec.AcquireTime; t != nil {
			acquired = microDate(*t)
		}
		if t := l.Spec.RenewTime; t != nil {
			renewed = microDate(*t)
		}
	}
	p.field(1, "HolderIdentity", holder)
	p.field(1, "AcquireTime", acquired)
	p.field(1, "RenewTime", renewed)
}

func (p *page) nodeConditions(n *api.Node) {
	if len(n.Status.Conditions) == 0 {
		return
	}
	p.put(0, "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage\n")
	p.put(1, "----\t------\t-----------------\t------------------\t------\t-------\n")
	for _, c := range n.Status.Conditions {
		p.put(1, c.Type, " \t", c.Status, " \t", date(c.LastHeartbeatTime), " \t", date(c.LastTransitionTime), " \t", c.Reason, " \t", c.Message, "\n")
	}
}

func (p *page) systemInfo(n *api.Node) {
	i := n.Status.NodeInfo
	p.put(0, "System Info:\n")
	for _, row := range [][2]string{
		{"Machine ID", i.MachineID}, {"System UUID", i.SystemUUID}, {"Boot ID", i.BootID}, {"Kernel Version", i.KernelVersion},
		{"OS Image", i.OSImage}, {"Operating System", i.OperatingSystem}, {"Architecture", i.Architecture},
		{"Container Runtime Version", i.ContainerRuntimeVersion}, {"Kubelet Version", i.KubeletVersion},
	} {
		p.field(1, row[0], row[1])
	}
	p.optional("PodCIDR", n.Spec.PodCIDR)
	p.optional("PodCIDRs", strings.Join(n.Spec.PodCIDRs, ","))
	p.optional("ProviderID", n.Spec.ProviderID)
}

// nodePods lists the pods that have not ended on a node and what they ask for.
func (p *page) nodePods(n *api.Node) {
	list, err := p.src.List("Pod", "", Query{Fields: "spec.nodeName=" + n.Name + ",status.phase!=Failed,status.phase!=Succeeded"})
	if err != nil {
		p.put(0, "Pods:\tnot authorized\n")
		return
	}
	room := n.Status.Capacity
	if len(n.Status.Allocatable) > 0 {
		room = n.Status.Allocatable
	}
	p.field(0, "Non-terminated Pods", "("+num(len(list))+" in total)")
	p.put(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge\n")
	p.put(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---\n")
	requests, limits := map[string]api.Quantity{}, map[string]api.Quantity{}
	for _, o := range list {
		pod := o.(*api.Pod)
		r, l := podRequests(pod, true), podLimits(pod, true)
		p.put(1, pod.Namespace, "\t", pod.Name, "\t\t", share(r, room, "cpu"), "\t", share(l, room, "cpu"), "\t",
			share(r, room, "memory"), "\t", share(l, room, "memory"), "\t", age.Since(p.now, pod.CreationTimestamp), "\n")
		addAll(requests, podRequests(pod, false))
		addAll(limits, podLimits(pod, false))
	}
	p.allocated(room, requests, limits)
}

func (p *page) allocated(room, requests, limits map[string]api.Quantity) {
	p.put(0, "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n")
	p.put(1, "Resource\tRequests\tLimits\n")
	p.put(1, "--------\t--------\t------\n")
	names := []string{"cpu", "memory", "ephemeral-storage"}
	var huge, extended []string
	for _, name := range sortedKeys(room) {
		switch {
		case strings.HasPrefix(name, "hugepages-"):
			huge = append(huge, name)
		case name != "pods" && !slices.Contains(names, name):
			extended = append(extended, name)
		}
	}
	for _, name := range append(names, huge...) {
		p.put(1, name, "\t", share(requests, room, name), "\t", share(limits, room, name), "\n")
	}
	for _, name := range extended {
		p.put(1, name, "\t", requests[name].String(), "\t", limits[name].String(), "\n")
	}
}

// share prints an amount and how many percent of the room it is, rounded down.
func share(list, room map[string]api.Quantity, name string) string {
	amount, of := list[name].Value(), room[name].Value()
	if name == "cpu" {
		amount, of = list[name].MilliValue(), room[name].MilliValue()
	}
	percent := int64(0)
	if of != 0 {
		percent = int64(float64(amount) / float64(of) * 100)
	}
	return list[name].String() + " (" + num(percent) + "%)"
}
