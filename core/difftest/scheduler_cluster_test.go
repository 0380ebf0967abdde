package difftest

import (
	"fmt"
	"math/rand"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// schedCluster is a random cluster and the pod that is to be placed.
type schedCluster struct {
	nodes   []*v1.Node
	pods    []*v1.Pod // with a node, or nominated to one
	budgets []*policy.PodDisruptionBudget
	others  []runtime.Object // namespaces, Services, claims, volumes, classes, ...
	pod     *v1.Pod
}

// dice makes random objects. Words are few, so that they meet.
type dice struct{ *rand.Rand }

func (d dice) maybe(p float64) bool { return d.Float64() < p }

func (d dice) of(words ...string) string { return words[d.Intn(len(words))] }

func newSchedCluster(seed int64) *schedCluster {
	d := dice{rand.New(rand.NewSource(seed))}
	c := &schedCluster{}
	for i := range 1 + d.Intn(9) {
		c.nodes = append(c.nodes, d.node(fmt.Sprintf("n%d", i)))
	}
	c.storage(d)
	for _, ns := range []string{"default", "other"} {
		c.others = append(c.others, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns, Labels: map[string]string{"team": d.of("x", "y"), "kubernetes.io/metadata.name": ns}}})
	}
	if d.maybe(0.3) {
		c.others = append(c.others, &v1.Service{ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: "default"}, Spec: v1.ServiceSpec{Selector: map[string]string{"app": d.of("a", "b", "c")}}})
	}
	for i := range d.Intn(14) {
		p := d.pod(fmt.Sprintf("e%d", i), d.maybe(0.3))
		p.Namespace = d.of("default", "default", "other")
		if d.maybe(0.1) {
			p.Status.NominatedNodeName = c.nodes[d.Intn(len(c.nodes))].Name
		} else {
			p.Spec.NodeName = c.nodes[d.Intn(len(c.nodes))].Name
			p.Status.StartTime = &metav1.Time{Time: metav1.Unix(1_700_000_000+int64(i*5%14), 0).Time}
		}
		c.pods = append(c.pods, p)
	}
	for i := range d.Intn(3) {
		c.budgets = append(c.budgets, &policy.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("b%d", i), Namespace: "default"},
			Spec:   policy.PodDisruptionBudgetSpec{Selector: d.selector(), MinAvailable: &intstr.IntOrString{IntVal: 1}},
			Status: policy.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(d.Intn(2))}})
	}
	c.pod = d.pod("p", d.maybe(0.85))
	c.trouble(d)
	return c
}

func (d dice) node(name string) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}}}
	if d.maybe(0.85) {
		n.Labels["topology.kubernetes.io/zone"] = d.of("za", "zb", "zc")
	}
	if d.maybe(0.4) {
		n.Labels["topology.kubernetes.io/region"] = d.of("ra", "rb")
	}
	if d.maybe(0.7) {
		n.Labels["disk"] = d.of("ssd", "hdd")
	}
	if d.maybe(0.6) {
		n.Labels["gen"] = d.of("1", "2", "3", "x")
	}
	for range d.Intn(3) {
		if d.maybe(0.2) {
			n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: d.of("k1", "k2"), Value: d.of("", "v", "w"), Effect: v1.TaintEffect(d.of("NoSchedule", "NoExecute", "PreferNoSchedule"))})
		}
	}
	n.Spec.Unschedulable = d.maybe(0.07)
	n.Status.Allocatable = v1.ResourceList{"cpu": resource.MustParse(d.of("1", "2", "4", "8", "16", "3900m", d.of("0", "32"))), "memory": resource.MustParse(d.of("1Gi", "8Gi", "16Gi", "31Gi", "7900Mi")),
		"pods": resource.MustParse(d.of("2", "5", "110", "110", "110")), "ephemeral-storage": resource.MustParse(d.of("10Gi", "1Gi"))}
	if d.maybe(0.3) {
		n.Status.Allocatable["example.com/gpu"] = resource.MustParse(d.of("1", "2"))
	}
	if d.maybe(0.2) {
		n.Status.Allocatable["hugepages-2Mi"] = resource.MustParse("4Mi")
	}
	sizes := map[string]int64{"img/a:1": 500 << 20, "img/b:latest": 60 << 20, "img/c:2": 3 << 30}
	for _, name := range []string{"img/a:1", "img/b:latest", "img/c:2"} {
		if d.maybe(0.4) {
			n.Status.Images = append(n.Status.Images, v1.ContainerImage{Names: []string{name}, SizeBytes: sizes[name]})
		}
	}
	return n
}

func (d dice) selector() *metav1.LabelSelector {
	switch d.Intn(6) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: d.of("app", "tier"),
			Operator: metav1.LabelSelectorOperator(d.of("In", "NotIn")), Values: []string{d.of("a", "b"), d.of("b", "c")}}}}
	case 3:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOperator(d.of("Exists", "DoesNotExist"))}}}
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": d.of("a", "b", "c")}}
}

func (d dice) pod(name string, rich bool) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name), Labels: map[string]string{"app": d.of("a", "b", "c")}}}
	p.Spec.SchedulerName = "default-scheduler"
	if d.maybe(0.4) {
		p.Labels["tier"] = d.of("a", "b")
	}
	priority := int32(d.Intn(4) * 10)
	p.Spec.Priority = &priority
	for i := range 1 + d.Intn(2) {
		p.Spec.Containers = append(p.Spec.Containers, d.container(fmt.Sprintf("c%d", i)))
	}
	if d.maybe(0.2) {
		c := d.container("init")
		if d.maybe(0.5) {
			always := v1.ContainerRestartPolicyAlways
			c.RestartPolicy = &always
		}
		p.Spec.InitContainers = []v1.Container{c, d.container("init2")}
	}
	if d.maybe(0.1) {
		p.Spec.Overhead = v1.ResourceList{"cpu": resource.MustParse("100m")}
	}
	if d.maybe(0.1) {
		p.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceName(d.of("cpu", "memory")): resource.MustParse("1Gi")}}
		if q, ok := p.Spec.Resources.Requests["cpu"]; ok && q.Value() > 10 {
			p.Spec.Resources.Requests["cpu"] = resource.MustParse("1")
		}
	}
	if rich {
		d.enrich(p)
	}
	return p
}

func (d dice) container(name string) v1.Container {
	c := v1.Container{Name: name, Image: d.of("img/a:1", "img/b", "img/c:2", "img/d"), Resources: v1.ResourceRequirements{Requests: v1.ResourceList{}}}
	if d.maybe(0.6) {
		c.Resources.Requests["cpu"] = resource.MustParse(d.of("100m", "500m", "1", "2", "0"))
	}
	if d.maybe(0.6) {
		c.Resources.Requests["memory"] = resource.MustParse(d.of("64Mi", "1Gi", "3Gi", "100M"))
	}
	if d.maybe(0.1) {
		c.Resources.Requests["ephemeral-storage"] = resource.MustParse(d.of("1Gi", "2Gi"))
	}
	if d.maybe(0.1) {
		c.Resources.Requests["example.com/gpu"] = resource.MustParse("1")
	}
	if d.maybe(0.05) {
		c.Resources.Requests["hugepages-2Mi"] = resource.MustParse("2Mi")
	}
	if d.maybe(0.15) {
		c.Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: int32(8080 + d.Intn(2)), HostIP: d.of("", "10.0.0.1", "10.0.0.2"), Protocol: v1.Protocol(d.of("TCP", "UDP"))}}
	}
	return c
}

// enrich adds what makes placing hard.
func (d dice) enrich(p *v1.Pod) {
	for range d.Intn(3) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, v1.Toleration{Key: d.of("k1", "k2", ""), Operator: v1.TolerationOperator(d.of("Exists", "Equal")),
			Effect: v1.TaintEffect(d.of("", "NoSchedule", "NoExecute", "PreferNoSchedule"))})
	}
	if d.maybe(0.2) {
		p.Spec.NodeSelector = map[string]string{"disk": d.of("ssd", "hdd")}
	}
	if d.maybe(0.1) {
		never := v1.PreemptNever
		p.Spec.PreemptionPolicy = &never
	}
	a := &v1.Affinity{}
	if d.maybe(0.35) {
		a.NodeAffinity = d.nodeAffinity()
	}
	if d.maybe(0.4) {
		a.PodAffinity = &v1.PodAffinity{}
		if d.maybe(0.5) {
			a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []v1.PodAffinityTerm{d.term()}
		}
		for range d.Intn(3) {
			a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, v1.WeightedPodAffinityTerm{Weight: int32(1 + d.Intn(100)), PodAffinityTerm: d.term()})
		}
	}
	if d.maybe(0.4) {
		a.PodAntiAffinity = &v1.PodAntiAffinity{}
		if d.maybe(0.5) {
			a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []v1.PodAffinityTerm{d.term()}
		}
		for range d.Intn(2) {
			a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, v1.WeightedPodAffinityTerm{Weight: int32(1 + d.Intn(100)), PodAffinityTerm: d.term()})
		}
	}
	p.Spec.Affinity = a
	d.spread(p)
	d.volumes(p)
}

func (d dice) topology() string {
	return d.of("kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/zone", "disk", "none")
}

func (d dice) term() v1.PodAffinityTerm {
	t := v1.PodAffinityTerm{TopologyKey: d.topology(), LabelSelector: d.selector()}
	if d.maybe(0.2) {
		t.Namespaces = []string{d.of("default", "other")}
	}
	if d.maybe(0.2) {
		t.NamespaceSelector = &metav1.LabelSelector{}
		if d.maybe(0.7) {
			t.NamespaceSelector.MatchLabels = map[string]string{"team": d.of("x", "y")}
		}
	}
	return t
}

func (d dice) nodeAffinity() *v1.NodeAffinity {
	a := &v1.NodeAffinity{}
	if d.maybe(0.6) {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{}
		for range 1 + d.Intn(2) {
			a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms = append(a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, d.nodeTerm())
		}
	}
	for range d.Intn(3) {
		a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution, v1.PreferredSchedulingTerm{Weight: int32(1 + d.Intn(100)), Preference: d.nodeTerm()})
	}
	return a
}

func (d dice) nodeTerm() v1.NodeSelectorTerm {
	t := v1.NodeSelectorTerm{}
	for range d.Intn(3) {
		switch d.Intn(4) {
		case 0:
			t.MatchExpressions = append(t.MatchExpressions, v1.NodeSelectorRequirement{Key: "gen", Operator: v1.NodeSelectorOperator(d.of("Gt", "Lt")), Values: []string{d.of("1", "2", "2", "x")}})
		case 1:
			t.MatchExpressions = append(t.MatchExpressions, v1.NodeSelectorRequirement{Key: d.of("disk", "gen", "none"), Operator: v1.NodeSelectorOperator(d.of("Exists", "DoesNotExist"))})
		case 2:
			t.MatchExpressions = append(t.MatchExpressions, v1.NodeSelectorRequirement{Key: "disk", Operator: v1.NodeSelectorOperator(d.of("In", "NotIn")), Values: []string{d.of("ssd", "hdd")}})
		case 3:
			t.MatchFields = append(t.MatchFields, v1.NodeSelectorRequirement{Key: "metadata.name", Operator: v1.NodeSelectorOperator(d.of("In", "NotIn")), Values: []string{d.of("n0", "n1", "n2")}})
		}
	}
	return t
}

func (d dice) spread(p *v1.Pod) {
	if !d.maybe(0.4) {
		return
	}
	for range 1 + d.Intn(2) {
		c := v1.TopologySpreadConstraint{MaxSkew: int32(1 + d.Intn(3)), TopologyKey: d.topology(), LabelSelector: d.selector(),
			WhenUnsatisfiable: v1.UnsatisfiableConstraintAction(d.of("DoNotSchedule", "ScheduleAnyway"))}
		if c.WhenUnsatisfiable == v1.DoNotSchedule && d.maybe(0.3) {
			n := int32(1 + d.Intn(4))
			c.MinDomains = &n
		}
		if d.maybe(0.3) {
			policy := v1.NodeInclusionPolicy(d.of("Honor", "Ignore"))
			c.NodeAffinityPolicy = &policy
		}
		if d.maybe(0.3) {
			policy := v1.NodeInclusionPolicy(d.of("Honor", "Ignore"))
			c.NodeTaintsPolicy = &policy
		}
		if d.maybe(0.2) {
			c.MatchLabelKeys = []string{d.of("app", "tier")}
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
	}
}

func (d dice) volumes(p *v1.Pod) {
	for i := range max(d.Intn(6)-3, 0) {
		v := v1.Volume{Name: fmt.Sprintf("v%d", i)}
		switch d.Intn(5) {
		case 0:
			v.GCEPersistentDisk = &v1.GCEPersistentDiskVolumeSource{PDName: d.of("d1", "d2"), ReadOnly: d.maybe(0.5)}
		case 1:
			v.ISCSI = &v1.ISCSIVolumeSource{IQN: d.of("i1", "i2"), ReadOnly: d.maybe(0.5)}
		default:
			v.PersistentVolumeClaim = &v1.PersistentVolumeClaimVolumeSource{ClaimName: d.of("bound", "bound", "bound", "once", "wait", "wait", "wait", "local", "local", d.of("immediate", "lost", "none"))}
		}
		p.Spec.Volumes = append(p.Spec.Volumes, v)
	}
}

// storage makes the claims that pods name, and what is behind them. No two volumes
// have one size: the real scheduler takes equal ones in no fixed order.
func (c *schedCluster) storage(d dice) {
	wait, now := storage.VolumeBindingWaitForFirstConsumer, storage.VolumeBindingImmediate
	topologies := []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: "topology.kubernetes.io/zone", Values: []string{"za", "zb"}}}}}
	dynamic := &storage.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "dynamic"}, Provisioner: "csi.example.com", VolumeBindingMode: &wait}
	if d.maybe(0.5) {
		dynamic.AllowedTopologies = topologies
	}
	c.others = append(c.others, dynamic,
		&storage.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "static"}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &wait},
		&storage.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "now"}, Provisioner: "csi.example.com", VolumeBindingMode: &now})
	mode := v1.PersistentVolumeAccessMode(d.of("ReadWriteOncePod", "ReadWriteOnce"))
	for _, x := range []struct{ name, class, volume, phase string }{{"bound", "now", "v-bound", "Bound"}, {"once", "now", "v-once", "Bound"}, {"wait", "dynamic", "", "Pending"},
		{"local", "static", "", "Pending"}, {"immediate", "now", "", "Pending"}, {"lost", "now", "v-gone", "Lost"}} {
		claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: x.name, Namespace: "default", UID: types.UID(x.name)},
			Spec: v1.PersistentVolumeClaimSpec{StorageClassName: &x.class, VolumeName: x.volume, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
				Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{"storage": resource.MustParse(d.of("1Gi", "2Gi"))}}},
			Status: v1.PersistentVolumeClaimStatus{Phase: v1.PersistentVolumeClaimPhase(x.phase)}}
		if x.volume != "" {
			claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		}
		if x.name == "once" {
			claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{mode}
		}
		if x.name == "wait" && d.maybe(0.2) {
			claim.Annotations = map[string]string{"volume.kubernetes.io/selected-node": d.of("n0", "n1")}
		}
		c.others = append(c.others, claim)
	}
	for _, name := range []string{"v-bound", "v-once"} {
		c.others = append(c.others, d.volume(name, "now", "5Gi", v1.VolumeBound))
	}
	for i := range d.Intn(4) {
		c.others = append(c.others, d.volume(fmt.Sprintf("v-local-%d", i), "static", fmt.Sprintf("%d00Mi", 9+3*i), v1.VolumeAvailable))
	}
	for _, n := range c.nodes {
		if d.maybe(0.3) {
			limit := int32(d.Intn(3))
			c.others = append(c.others, &storage.CSINode{ObjectMeta: metav1.ObjectMeta{Name: n.Name}, Spec: storage.CSINodeSpec{Drivers: []storage.CSINodeDriver{
				{Name: "csi.example.com", Allocatable: &storage.VolumeNodeResources{Count: &limit}}}}})
		}
	}
}

func (d dice) volume(name, class, size string, phase v1.PersistentVolumePhase) *v1.PersistentVolume {
	v := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.PersistentVolumeSpec{StorageClassName: class,
		AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, Capacity: v1.ResourceList{"storage": resource.MustParse(size)}},
		Status: v1.PersistentVolumeStatus{Phase: phase}}
	if d.maybe(0.5) {
		v.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: name}
	}
	if d.maybe(0.3) {
		v.Labels = map[string]string{"topology.kubernetes.io/zone": d.of("za", "zb", "za__zc")}
	}
	if d.maybe(0.4) {
		v.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: "kubernetes.io/hostname", Operator: v1.NodeSelectorOpIn, Values: []string{d.of("n0", "n1"), "n2"}}}}}}}
	}
	return v
}
