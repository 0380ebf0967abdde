package difftest

import (
	"fmt"
	"strings"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// resize gives a running pod the status of one that is, or was to be, resized.
func (d dice) resize(p *v1.Pod) {
	for _, c := range p.Spec.Containers {
		s := v1.ContainerStatus{Name: c.Name}
		if d.maybe(0.7) {
			s.AllocatedResources = v1.ResourceList{"cpu": resource.MustParse(d.of("100m", "1500m")), "memory": resource.MustParse(d.of("64Mi", "2Gi"))}
		}
		if d.maybe(0.7) {
			s.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{"cpu": resource.MustParse(d.of("200m", "1200m"))}}
		}
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, s)
	}
	if d.maybe(0.5) {
		p.Status.Conditions = append(p.Status.Conditions, v1.PodCondition{Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: d.of(v1.PodReasonInfeasible, v1.PodReasonDeferred)})
	}
}

// trouble makes clusters harder after all else was drawn, so that the clusters of
// the seeds stay what they were.
func (c *schedCluster) trouble(d dice) {
	at := metav1.Unix(1_700_000_100, 0)
	for _, p := range c.pods {
		if p.Spec.NodeName != "" && d.maybe(0.15) {
			d.resize(p)
		}
		if d.maybe(0.1) {
			p.DeletionTimestamp = &at
			if d.maybe(0.5) {
				p.Status.Conditions = append(p.Status.Conditions, v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler})
			}
		}
	}
	for _, b := range c.budgets {
		if d.maybe(0.3) && len(c.pods) > 0 {
			b.Status.DisruptedPods = map[string]metav1.Time{c.pods[d.Intn(len(c.pods))].Name: at}
		}
	}
	if d.maybe(0.15) {
		c.pod.Status.NominatedNodeName = c.nodes[d.Intn(len(c.nodes))].Name
	}
	if d.maybe(0.1) {
		c.pod.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{"hugepages-2Mi": resource.MustParse(d.of("2Mi", "4Mi", "8Mi")), "cpu": resource.MustParse(d.of("1", "3"))}}
	}
	if d.maybe(0.1) {
		controller := true
		c.pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: d.of("apps/v1", "example.com/v1"), Kind: d.of("ReplicaSet", "StatefulSet"), Name: "owner", UID: "owner", Controller: &controller}}
		labels := &metav1.LabelSelector{MatchLabels: map[string]string{"app": d.of("a", "b")}}
		c.others = append(c.others, &apps.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "owner", Namespace: "default"}, Spec: apps.ReplicaSetSpec{Selector: labels}},
			&apps.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "owner", Namespace: "default"}, Spec: apps.StatefulSetSpec{Selector: labels}})
	}
	if d.maybe(0.1) {
		c.pod.Spec.Volumes = append(c.pod.Spec.Volumes, d.oddVolume("odd"))
	}
}

// oddVolume is a volume of a rare kind.
func (d dice) oddVolume(name string) v1.Volume {
	v := v1.Volume{Name: name}
	switch d.Intn(5) {
	case 0:
		v.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{VolumeID: d.of("d1", "d2")}
	case 1:
		v.RBD = &v1.RBDVolumeSource{RBDImage: "i", RBDPool: "p", CephMonitors: []string{"m"}, ReadOnly: d.maybe(0.5)}
	case 2:
		v.CSI = &v1.CSIVolumeSource{Driver: "csi.example.com"}
	case 3:
		v.Ephemeral = &v1.EphemeralVolumeSource{}
	default:
		v.AzureDisk = &v1.AzureDiskVolumeSource{DiskName: "d", DataDiskURI: "u"}
	}
	return v
}

// config makes a random profile of a scheduler configuration.
func (d dice) config() string {
	var b strings.Builder
	b.WriteString("plugins:\n  multiPoint:\n    disabled: [{name: DynamicResources}, {name: NodeDeclaredFeatures}")
	if d.maybe(0.2) {
		fmt.Fprintf(&b, ", {name: %s}", d.of("NodePorts", "NodeAffinity", "ImageLocality", "VolumeZone", "InterPodAffinity", "NodeUnschedulable"))
	}
	b.WriteString("]\n")
	if d.maybe(0.3) {
		fmt.Fprintf(&b, "    enabled: [{name: %s, weight: %d}]\n", d.of("PodTopologySpread", "InterPodAffinity", "NodeResourcesFit", "TaintToleration"), 1+d.Intn(20))
	}
	if d.maybe(0.4) {
		fmt.Fprintf(&b, "  score:\n    enabled: [{name: %s, weight: %d}]\n    disabled: [{name: %s}]\n", d.of("NodeResourcesBalancedAllocation", "ImageLocality", "NodeAffinity"), d.Intn(9),
			d.of("ImageLocality", "PodTopologySpread", "NodeResourcesFit", "'*'", "VolumeBinding"))
	}
	if d.maybe(0.3) {
		fmt.Fprintf(&b, "  filter:\n    disabled: [{name: %s}]\n", d.of("TaintToleration", "NodePorts", "PodTopologySpread", "NodeName"))
	}
	b.WriteString("pluginConfig:\n- name: VolumeBinding\n  args: {bindTimeoutSeconds: 30}\n")
	d.strategy(&b)
	if d.maybe(0.4) {
		fmt.Fprintf(&b, "- name: NodeResourcesBalancedAllocation\n  args: {resources: [{name: %s}]}\n", strings.Join(d.resources(), "}, {name: "))
	}
	if d.maybe(0.5) {
		fmt.Fprintf(&b, "- name: InterPodAffinity\n  args: {hardPodAffinityWeight: %d, ignorePreferredTermsOfExistingPods: %v}\n", d.Intn(101), d.maybe(0.5))
	}
	d.defaultConstraints(&b)
	if d.maybe(0.3) {
		b.WriteString("- name: NodeAffinity\n  args:\n    addedAffinity:\n      preferredDuringSchedulingIgnoredDuringExecution: [{weight: 30, preference: {matchExpressions: [{key: gen, operator: Gt, values: ['1']}]}}]\n")
		if d.maybe(0.5) {
			fmt.Fprintf(&b, "      requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: %s, values: [ssd]}]}]}\n", d.of("In", "NotIn"))
		}
	}
	if d.maybe(0.3) {
		fmt.Fprintf(&b, "- name: DefaultPreemption\n  args: {minCandidateNodesPercentage: 100, minCandidateNodesAbsolute: %d}\n", 1+d.Intn(3))
	}
	return b.String()
}

func (d dice) resources() []string {
	all := []string{"cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi"}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+d.Intn(len(all))]
}

func (d dice) strategy(b *strings.Builder) {
	var l []string
	for _, name := range d.resources() {
		l = append(l, fmt.Sprintf("{name: %s, weight: %d}", name, d.Intn(6)))
	}
	kind := d.of("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
	fmt.Fprintf(b, "- name: NodeResourcesFit\n  args:\n    scoringStrategy: {type: %s, resources: [%s]", kind, strings.Join(l, ", "))
	if kind == "RequestedToCapacityRatio" {
		fmt.Fprintf(b, ", requestedToCapacityRatio: {shape: [{utilization: %d, score: %d}, {utilization: %d, score: %d}, {utilization: 100, score: %d}]}",
			d.Intn(30), d.Intn(11), 30+d.Intn(60), d.Intn(11), d.Intn(11))
	}
	b.WriteString("}\n")
	if d.maybe(0.3) {
		fmt.Fprintf(b, "    %s\n", d.of("ignoredResources: [example.com/gpu]", "ignoredResourceGroups: [example.com]", "ignoredResources: [hugepages-2Mi]"))
	}
}

func (d dice) defaultConstraints(b *strings.Builder) {
	if d.maybe(0.4) {
		return
	}
	b.WriteString("- name: PodTopologySpread\n  args:\n    defaultingType: List\n    defaultConstraints: [")
	if d.maybe(0.8) {
		fmt.Fprintf(b, "{maxSkew: %d, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: %s}", 1+d.Intn(3), d.of("DoNotSchedule", "ScheduleAnyway"))
		if d.maybe(0.5) {
			fmt.Fprintf(b, ", {maxSkew: %d, topologyKey: disk, whenUnsatisfiable: %s}", 1+d.Intn(3), d.of("DoNotSchedule", "ScheduleAnyway"))
		}
	}
	b.WriteString("]\n")
}
