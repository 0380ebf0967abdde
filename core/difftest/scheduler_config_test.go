package difftest

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	fruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"podwalk/core/codec"
	ours "podwalk/core/scheduler/config"
)

// realConfig loads a configuration as kube-scheduler does, and returns what it says
// instead of starting.
func realConfig(t testing.TB, text string) (*config.KubeSchedulerConfiguration, []string) {
	obj, gvk, err := configscheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
	if err != nil {
		return nil, []string{err.Error()}
	}
	cfg := obj.(*config.KubeSchedulerConfiguration)
	cfg.TypeMeta.APIVersion = gvk.GroupVersion().String()
	if err := validation.ValidateKubeSchedulerConfiguration(cfg); err != nil {
		var l []string
		for _, e := range utilerrors.Flatten(err).Errors() {
			l = append(l, e.Error())
		}
		return nil, l
	}
	for i := range cfg.Profiles {
		if err := realProfile(&cfg.Profiles[i]); err != nil {
			return nil, []string{"initializing profiles: creating profile for scheduler name " + cfg.Profiles[i].SchedulerName + ": " + err.Error()}
		}
	}
	return cfg, nil
}

func realProfile(p *config.KubeSchedulerProfile) error {
	metrics.Register()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	snapshot := internalcache.NewSnapshot(nil, nil)
	registry := plugins.NewInTreeRegistry()
	_, err := fruntime.NewFramework(ctx, registry, p, fruntime.WithInformerFactory(factory), fruntime.WithSnapshotSharedLister(snapshot),
		fruntime.WithMutableSnapshotLister(snapshot), fruntime.WithClientSet(fake.NewClientset()),
		fruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())))
	return err
}

func ourConfig(t testing.TB, text string) (*ours.Configuration, []string) {
	nodes, err := codec.Read([]byte(text))
	if err != nil || len(nodes) != 1 {
		t.Fatal(err)
	}
	c, bad := ours.Read(&nodes[0])
	var l []string
	for _, b := range bad {
		l = append(l, b.Message)
	}
	return c, l
}

// TestWrongSchedulerConfigurationsAreToldInTheRealWords compares with decoding,
// validation and the making of the frameworks of the real scheduler.
func TestWrongSchedulerConfigurationsAreToldInTheRealWords(t *testing.T) {
	b, err := os.ReadFile("testdata/scheduler_configs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	docs := strings.Split(string(b), "---\n")
	same := 0
	for _, d := range docs {
		if !strings.HasPrefix(d, "kind:") {
			d = "kind: KubeSchedulerConfiguration\n" + d
		}
		if !strings.Contains(d, "\napiVersion: kubescheduler") {
			d = "apiVersion: kubescheduler.config.k8s.io/v1\n" + d
		}
		_, want := realConfig(t, d)
		_, got := ourConfig(t, d)
		// Of several strict decoding errors each stands at its own line here.
		a, b := strings.Join(slices.Sorted(slices.Values(want)), "\n"), strings.Join(slices.Sorted(slices.Values(got)), "\n")
		if len(got) > 1 && strings.HasPrefix(a, "strict decoding error: ") {
			b = got[0]
			for _, m := range got[1:] {
				b += ", " + m[strings.LastIndex(m, ": ")+2:]
			}
		}
		if a != b {
			t.Errorf("%s\n  real %s\n  here %s", d, a, b)
			continue
		}
		same++
	}
	t.Logf("%d of %d documents", same, len(docs))
}

// The points of every plugin, its place and its weight are what the default
// configuration of the real scheduler says.
func TestTheDefaultProfileIsTheRealOne(t *testing.T) {
	doc := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	cfg, bad := realConfig(t, doc)
	if bad != nil {
		t.Fatal(bad)
	}
	c, bad := ourConfig(t, doc)
	if bad != nil {
		t.Fatal(bad)
	}
	compareProfiles(t, doc, cfg, c)
}

// compareProfiles compares the plugins at each point and their weights.
func compareProfiles(t *testing.T, doc string, cfg *config.KubeSchedulerConfiguration, c *ours.Configuration) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	metrics.Register()
	for i := range cfg.Profiles {
		factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
		snapshot := internalcache.NewSnapshot(nil, nil)
		f, err := fruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), &cfg.Profiles[i], fruntime.WithInformerFactory(factory), fruntime.WithSnapshotSharedLister(snapshot),
			fruntime.WithMutableSnapshotLister(snapshot), fruntime.WithClientSet(fake.NewClientset()),
			fruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())))
		if err != nil {
			t.Fatal(err)
		}
		p := f.ListPlugins()
		for point, set := range map[ours.Point]config.PluginSet{ours.PreEnqueue: p.PreEnqueue, ours.QueueSort: p.QueueSort, ours.PreFilter: p.PreFilter,
			ours.Filter: p.Filter, ours.PostFilter: p.PostFilter, ours.PreScore: p.PreScore, ours.Score: p.Score, ours.Reserve: p.Reserve,
			ours.Permit: p.Permit, ours.PreBind: p.PreBind, ours.Bind: p.Bind} {
			var want, got []string
			for _, x := range set.Enabled {
				want = append(want, placed(x.Name, int64(x.Weight)))
			}
			for _, x := range c.Profiles[i].Points[point] {
				got = append(got, placed(x.Name, x.Weight))
			}
			if a, b := strings.Join(want, " "), strings.Join(got, " "); a != b {
				t.Errorf("%s\npoint %d:\n  real %s\n  here %s", doc, point, a, b)
			}
		}
	}
}

func placed(name string, weight int64) string {
	if weight == 0 {
		return name
	}
	return name + "*" + string(rune('0'+weight%10))
}
