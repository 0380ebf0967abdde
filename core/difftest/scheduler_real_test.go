package difftest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	resourceapi "k8s.io/api/resource/v1"
	storage "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	fruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"podwalk/core/scheduler"
)

// schedAnswer is what a scheduler says of one pod, as text that can be compared.
type schedAnswer struct {
	preFilter string            // rejection of all nodes, with its code
	nodes     map[string]string // rejection of a node: code, plugin, sorted reasons
	scores    map[string]string // of a feasible node: each plugin's raw and final score, total
	victims   map[string]string // of a node that preemption looked at
	chosen    string            // node that preemption chose
	ranks     map[string]string // of a candidate: what the choice goes by
	err       string
}

// realScheduler holds what does not change between clusters.
type realScheduler struct {
	profile  *config.KubeSchedulerProfile
	registry fruntime.Registry
	last     *defaultpreemption.DefaultPreemption
}

// schedulers returns both schedulers with a configuration, without what Podwalk
// does not simulate.
func schedulers(t testing.TB, profile string) (*realScheduler, *scheduler.Profile) {
	klog.SetLogger(klog.New(nil))
	metrics.Register()
	if profile == "" {
		profile = "plugins: {multiPoint: {disabled: [{name: DynamicResources}, {name: NodeDeclaredFeatures}]}}\n"
	}
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- " + strings.ReplaceAll(strings.TrimSpace(profile), "\n", "\n  ") + "\n"
	obj, _, err := configscheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
	if err != nil {
		t.Fatal(text, err)
	}
	c, bad := ourConfig(t, text)
	if bad != nil {
		t.Fatal(text, bad)
	}
	r := &realScheduler{profile: &obj.(*config.KubeSchedulerConfiguration).Profiles[0], registry: plugins.NewInTreeRegistry()}
	make := r.registry[defaultpreemption.Name]
	r.registry[defaultpreemption.Name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		p, err := make(ctx, args, h)
		r.last, _ = p.(*defaultpreemption.DefaultPreemption)
		return p, err
	}
	return r, scheduler.ProfileOf(&c.Profiles[0])
}

// answer asks the real plugins.
func (r *realScheduler) answer(t testing.TB, c *schedCluster) schedAnswer {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	var placed []*v1.Pod
	for _, p := range c.pods {
		if p.Spec.NodeName != "" {
			placed = append(placed, p)
		}
	}
	snapshot := internalcache.NewSnapshot(placed, c.nodes)
	queue := internalqueue.NewSchedulingQueue(func(a, b fwk.QueuedEntityInfo) bool { return false }, factory, internalqueue.WithPodLister(factory.Core().V1().Pods().Lister()))
	f, err := fruntime.NewFramework(ctx, r.registry, r.profile, fruntime.WithInformerFactory(factory), fruntime.WithSnapshotSharedLister(snapshot),
		fruntime.WithMutableSnapshotLister(snapshot), fruntime.WithPodNominator(queue), fruntime.WithClientSet(fake.NewClientset()), fruntime.WithParallelism(1), fruntime.WithSharedDRAManager(noDevices{}),
		fruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.others {
		schedStore(t, factory, o)
	}
	for _, p := range c.pods {
		schedStore(t, factory, p)
		if p.Status.NominatedNodeName != "" && p.Spec.NodeName == "" {
			queue.Add(ctx, p)
		}
	}
	return r.run(ctx, f, snapshot, c)
}

func schedStore(t testing.TB, f informers.SharedInformerFactory, o runtime.Object) {
	var i cache.SharedIndexInformer
	switch o.(type) {
	case *v1.Pod:
		i = f.Core().V1().Pods().Informer()
	case *v1.Namespace:
		i = f.Core().V1().Namespaces().Informer()
	case *v1.Service:
		i = f.Core().V1().Services().Informer()
	case *apps.ReplicaSet:
		i = f.Apps().V1().ReplicaSets().Informer()
	case *apps.StatefulSet:
		i = f.Apps().V1().StatefulSets().Informer()
	case *v1.PersistentVolume:
		i = f.Core().V1().PersistentVolumes().Informer()
	case *v1.PersistentVolumeClaim:
		i = f.Core().V1().PersistentVolumeClaims().Informer()
	case *storage.StorageClass:
		i = f.Storage().V1().StorageClasses().Informer()
	case *storage.CSINode:
		i = f.Storage().V1().CSINodes().Informer()
	default:
		t.Fatalf("%T", o)
	}
	if err := i.GetIndexer().Add(o); err != nil {
		t.Fatal(err)
	}
}

func (r *realScheduler) run(ctx context.Context, f framework.Framework, snapshot *internalcache.Snapshot, c *schedCluster) schedAnswer {
	a := schedAnswer{nodes: map[string]string{}, scores: map[string]string{}, victims: map[string]string{}, ranks: map[string]string{}}
	state := framework.NewCycleState()
	statuses := framework.NewDefaultNodeToStatus()
	allowed, st, _ := f.RunPreFilterPlugins(ctx, state, c.pod)
	if !st.IsSuccess() && !st.IsRejected() {
		a.err = st.Message()
		return a
	}
	all, _ := snapshot.NodeInfos().List()
	var feasible []fwk.NodeInfo
	if !st.IsSuccess() {
		a.preFilter = statusText(st)
		statuses.SetAbsentNodesStatus(st)
	} else {
		if !allowed.AllNodes() {
			statuses.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable))
		}
		for _, n := range all {
			if !allowed.AllNodes() && !allowed.NodeNames.Has(n.Node().Name) {
				a.nodes[n.Node().Name] = "not allowed"
				continue
			}
			st := f.RunFilterPluginsWithNominatedPods(ctx, state, c.pod, n)
			switch {
			case st.IsSuccess():
				feasible = append(feasible, n)
			case !st.IsRejected():
				a.err = st.Message()
				return a
			default:
				a.nodes[n.Node().Name] = statusText(st)
				statuses.Set(n.Node().Name, st)
			}
		}
	}
	if len(feasible) > 0 {
		a.score(ctx, f, state, c.pod, feasible)
	} else {
		a.preempt(ctx, r.last, state, snapshot, c, statuses)
	}
	return a
}

func statusText(st *fwk.Status) string {
	reasons := slices.Sorted(slices.Values(st.Reasons()))
	return st.Code().String() + " " + st.Plugin() + ": " + strings.Join(reasons, ", ")
}

func (a *schedAnswer) score(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo) {
	if st := f.RunPreScorePlugins(ctx, state, pod, feasible); !st.IsSuccess() {
		a.err = st.Message()
		return
	}
	scores, st := f.RunScorePlugins(ctx, state, pod, feasible)
	if !st.IsSuccess() {
		a.err = st.Message()
		return
	}
	for _, s := range scores {
		final := map[string]int64{}
		for _, x := range s.Scores {
			final[x.Name] = x.Score
		}
		a.scores[s.Name] = scoreText(final, s.TotalScore)
	}
}

// scoreText leaves zeroes out: a plugin that is skipped adds nothing.
func scoreText(final map[string]int64, total int64) string {
	text := fmt.Sprintf("%d =", total)
	for _, name := range slices.Sorted(maps.Keys(final)) {
		if final[name] != 0 {
			text += fmt.Sprintf(" %s %d", name, final[name])
		}
	}
	return text
}

func (a *schedAnswer) preempt(ctx context.Context, pl *defaultpreemption.DefaultPreemption, state fwk.CycleState, snapshot *internalcache.Snapshot, c *schedCluster, statuses *framework.NodeToStatus) {
	if ok, why := pl.PodEligibleToPreemptOthers(ctx, c.pod, statuses.Get(c.pod.Status.NominatedNodeName)); !ok {
		a.chosen = why
		return
	}
	potential, _ := statuses.NodesForStatusCode(snapshot.NodeInfos(), fwk.Unschedulable)
	if len(potential) == 0 {
		return
	}
	budgets := append([]*policy.PodDisruptionBudget(nil), c.budgets...)
	candidates, no, err := pl.Evaluator.DryRunPreemption(ctx, state, c.pod, potential, budgets, 0, int32(len(potential)))
	if err != nil {
		a.err = err.Error()
		return
	}
	no.ForEachExplicitNode(func(node string, st *fwk.Status) {
		reasons := slices.Sorted(slices.Values(st.Reasons()))
		a.victims[node] = "no: " + strings.Join(reasons, ", ")
	})
	for _, x := range candidates {
		var names []string
		var rank victimRank
		for _, v := range x.Victims().Pods {
			names = append(names, v.Name)
			rank.add(*v.Spec.Priority, v.Status.StartTime)
		}
		sort.Strings(names)
		a.victims[x.Name()] = fmt.Sprintf("%d violations: %s", x.Victims().NumPDBViolations, strings.Join(names, " "))
		a.ranks[x.Name()] = rank.text(int(x.Victims().NumPDBViolations))
	}
	if best := pl.Evaluator.SelectCandidate(ctx, candidates); best != nil {
		a.chosen = best.Name()
	}
}

var _ preemption.Interface = (*defaultpreemption.DefaultPreemption)(nil)

// victimRank is what the choice among candidates goes by, beside the budgets.
type victimRank struct {
	top, count int32
	sum        int64
	start      int64 // of the first of the most important
}

func (r *victimRank) add(priority int32, start *metav1.Time) {
	at := int64(1 << 40)
	if start != nil {
		at = start.Unix()
	}
	if r.count == 0 || priority > r.top {
		r.top, r.start = priority, at
	} else if priority == r.top {
		r.start = min(r.start, at)
	}
	r.count++
	r.sum += int64(priority)
}

func (r *victimRank) text(violations int) string { return fmt.Sprintf("%d %+v", violations, *r) }

// noDevices is a cluster without device classes.
type noDevices struct{ fwk.SharedDRAManager }

func (d noDevices) DeviceClassResolver() fwk.DeviceClassResolver          { return d }
func (noDevices) GetDeviceClass(v1.ResourceName) *resourceapi.DeviceClass { return nil }
