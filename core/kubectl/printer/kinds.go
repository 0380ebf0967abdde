package printer

import (
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/kubectl/age"
)

const workload = "|+Containers|+Images|+Selector"

var definitions = map[string]definition{
	"Pod":                     define("Name|Ready|Status|Restarts|Age|+IP|+Node|+Nominated Node|+Readiness Gates", podCells),
	"Node":                    define("Name|Status|Roles|Age|Version|+Internal-IP|+External-IP|+OS-Image|+Kernel-Version|+Container-Runtime", nodeCells),
	"Event":                   define("Last Seen|Type|Reason|Object|+Subobject|+Source|Message|+First Seen|+Count|+Name", eventCells),
	"PodTemplate":             define("Name|Containers|Images|Pod Labels", podTemplateCells),
	"Deployment":              define("Name|Ready|Up-to-date|Available|Age"+workload, deploymentCells),
	"ReplicaSet":              define("Name|Desired|Current|Ready|Age"+workload, replicaSetCells),
	"ReplicationController":   define("Name|Desired|Current|Ready|Age"+workload, replicationControllerCells),
	"StatefulSet":             define("Name|Ready|Age|+Containers|+Images", statefulSetCells),
	"DaemonSet":               define("Name|Desired|Current|Ready|Up-to-date|Available|Node Selector|Age"+workload, daemonSetCells),
	"Job":                     define("Name|Status|Completions|Duration|Age"+workload, jobCells),
	"CronJob":                 define("Name|Schedule|Timezone|Suspend|Active|Last Schedule|Age"+workload, cronJobCells),
	"ControllerRevision":      define("Name|Controller|Revision|Age", revisionCells),
	"HorizontalPodAutoscaler": define("Name|Reference|Targets|MinPods|MaxPods|Replicas|Age", autoscalerCells),
	"PodDisruptionBudget":     define("Name|Min Available|Max Unavailable|Allowed Disruptions|Age", budgetCells),
	"Service":                 define("Name|Type|Cluster-IP|External-IP|Port(s)|Age|+Selector", serviceCells),
	"Endpoints":               define("Name|Endpoints|Age", endpointsCells),
	"EndpointSlice":           define("Name|AddressType|Ports|Endpoints|Age", sliceCells),
	"Ingress":                 define("Name|Class|Hosts|Address|Ports|Age", ingressCells),
	"IPAddress":               define("Name|ParentRef", ipAddressCells),
	"ServiceCIDR":             define("Name|CIDRs|Age", serviceCIDRCells),
	"IngressClass":            define("Name|Controller|Parameters|Age", ingressClassCells),
	"NetworkPolicy":           define("Name|Pod-Selector|Age", networkPolicyCells),
	"Namespace":               define("Name|Status|Age", namespaceCells),
	"Secret":                  define("Name|Type|Data|Age", secretCells),
	"ConfigMap":               define("Name|Data|Age", configMapCells),
	"ServiceAccount":          named,
	"ResourceQuota":           define("Name|Request|Limit|Age", quotaCells),
	"LimitRange":              created,
	"Role":                    created,
	"ClusterRole":             created,
	"RoleBinding":             define(binding, roleBindingCells),
	"ClusterRoleBinding":      define(binding, clusterRoleBindingCells),
	"PriorityClass":           define("Name|Value|Global-Default|Age|PreemptionPolicy", priorityClassCells),
	"RuntimeClass":            define("Name|Handler|Age", runtimeClassCells),
	"PersistentVolume":        define("Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|+VolumeMode", volumeCells),
	"PersistentVolumeClaim":   define("Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|+VolumeMode", claimCells),
	"StorageClass":            define("Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age", storageClassCells),
	"VolumeAttachment":        define("Name|Attacher|PV|Node|Attached|Age", attachmentCells),
	"VolumeAttributesClass":   define("Name|DriverName|Age", attributesClassCells),
	"CSINode":                 define("Name|Drivers|Age", csiNodeCells),
	"CSIDriver":               define("Name|AttachRequired|PodInfoOnMount|StorageCapacity|TokenRequests|RequiresRepublish|Modes|Age", csiDriverCells),
	"Lease":                   define("Name|Holder|Age", leaseCells),

	"CustomResourceDefinition":         define("Name|Scope|Versions|Created At|+Group|+Kind|+ShortNames|+Established", definitionCells),
	"MutatingWebhookConfiguration":     define("Name|Webhooks|Age", mutatingWebhookCells),
	"ValidatingWebhookConfiguration":   define("Name|Webhooks|Age", validatingWebhookCells),
	"ValidatingAdmissionPolicy":        define("Name|Validations|ParamKind|Age", validatingPolicyCells),
	"ValidatingAdmissionPolicyBinding": define("Name|PolicyName|ParamRef|Age", validatingBindingCells),
	"MutatingAdmissionPolicy":          define("Name|Mutations|ParamKind|Age", mutatingPolicyCells),
	"MutatingAdmissionPolicyBinding":   define("Name|PolicyName|ParamRef|Age", mutatingBindingCells),
}

const binding = "Name|Role|Age|+Users|+Groups|+ServiceAccounts"

// named is the table of kinds that have no columns of their own but their age.
var named = definition{"Name|Age", func(o api.Object, now int64) []string {
	m := o.Meta()
	return []string{m.Name, age.Since(now, m.CreationTimestamp)}
}}

// created is the table that the server makes for kinds without printers
// (apiserver/pkg/registry/rest/table.go).
var created = definition{"Name|Created At", func(o api.Object, _ int64) []string {
	m := o.Meta()
	return []string{m.Name, m.CreationTimestamp.String()}
}}

var otherKind = named

func nodeCells(n *api.Node, now int64) []string {
	var status []string
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" {
			status = []string{"Ready"}
			if c.Status != "True" {
				status[0] = "NotReady"
			}
		}
	}
	if status == nil {
		status = []string{"Unknown"}
	}
	if n.Spec.Unschedulable {
		status = append(status, "SchedulingDisabled")
	}
	info := n.Status.NodeInfo
	kernel := or(info.KernelVersion, "<unknown>")
	if info.Architecture != "" {
		kernel += " (" + info.Architecture + ")"
	}
	return []string{n.Name, strings.Join(status, ","), or(strings.Join(NodeRoles(n), ","), "<none>"),
		age.Since(now, n.CreationTimestamp), info.KubeletVersion,
		nodeAddress(n, "InternalIP"), nodeAddress(n, "ExternalIP"),
		or(info.OSImage, "<unknown>"), kernel, or(info.ContainerRuntimeVersion, "<unknown>")}
}

func nodeAddress(n *api.Node, kind string) string {
	for _, a := range n.Status.Addresses {
		if a.Type == kind {
			return a.Address
		}
	}
	return "<none>"
}

func eventCells(e *api.Event, now int64) []string {
	first := age.Since(now, e.FirstTimestamp)
	if e.FirstTimestamp == 0 {
		first = age.SinceMicro(now, e.EventTime)
	}
	last := first
	if e.LastTimestamp != 0 {
		last = age.Since(now, e.LastTimestamp)
	}
	count := max(e.Count, 1)
	if e.Series != nil {
		last, count = age.SinceMicro(now, e.Series.LastObservedTime), e.Series.Count
	}
	target := strings.ToLower(e.InvolvedObject.Kind)
	if e.InvolvedObject.Name != "" {
		target += "/" + e.InvolvedObject.Name
	}
	source := or(e.Source.Component, e.ReportingController)
	if instance := or(e.Source.Host, e.ReportingInstance); instance != "" {
		source += ", " + instance
	}
	return []string{last, e.Type, e.Reason, target, e.InvolvedObject.FieldPath, source,
		strings.TrimSpace(e.Message), first, num(count), e.Name}
}

func namespaceCells(n *api.Namespace, now int64) []string {
	return []string{n.Name, n.Status.Phase, age.Since(now, n.CreationTimestamp)}
}

func secretCells(s *api.Secret, now int64) []string {
	return []string{s.Name, s.Type, num(len(s.Data)), age.Since(now, s.CreationTimestamp)}
}

func configMapCells(c *api.ConfigMap, now int64) []string {
	return []string{c.Name, num(len(c.Data) + len(c.BinaryData)), age.Since(now, c.CreationTimestamp)}
}

func quotaCells(q *api.ResourceQuota, now int64) []string {
	var requests, limits []string
	for _, name := range sortedKeys(q.Status.Hard) {
		text := name + ": " + q.Status.Used[name].String() + "/" + q.Status.Hard[name].String()
		if strings.HasPrefix(name, "limits.") {
			limits = append(limits, text)
		} else {
			requests = append(requests, text)
		}
	}
	return []string{q.Name, strings.Join(requests, ", "), strings.Join(limits, ", "), age.Since(now, q.CreationTimestamp)}
}

func roleBindingCells(b *api.RoleBinding, now int64) []string {
	return bindingCells(&b.ObjectMeta, b.RoleRef, b.Subjects, now)
}

func clusterRoleBindingCells(b *api.ClusterRoleBinding, now int64) []string {
	return bindingCells(&b.ObjectMeta, b.RoleRef, b.Subjects, now)
}

func bindingCells(m *api.ObjectMeta, role api.RoleRef, subjects []api.RBACSubject, now int64) []string {
	var users, groups, accounts []string
	for _, s := range subjects {
		switch s.Kind {
		case "ServiceAccount":
			accounts = append(accounts, s.Namespace+"/"+s.Name)
		case "User":
			users = append(users, s.Name)
		case "Group":
			groups = append(groups, s.Name)
		}
	}
	return []string{m.Name, role.Kind + "/" + role.Name, age.Since(now, m.CreationTimestamp),
		strings.Join(users, ", "), strings.Join(groups, ", "), strings.Join(accounts, ", ")}
}

func priorityClassCells(c *api.PriorityClass, now int64) []string {
	return []string{c.Name, num(c.Value), lower(c.GlobalDefault), age.Since(now, c.CreationTimestamp), deref(c.PreemptionPolicy, "")}
}

func runtimeClassCells(c *api.RuntimeClass, now int64) []string {
	return []string{c.Name, c.Handler, age.Since(now, c.CreationTimestamp)}
}

func leaseCells(l *api.Lease, now int64) []string {
	return []string{l.Name, deref(l.Spec.HolderIdentity, ""), age.Since(now, l.CreationTimestamp)}
}

func seconds(from, to api.Time) time.Duration { return time.Duration(to-from) * time.Second }
