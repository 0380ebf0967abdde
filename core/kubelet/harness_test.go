package kubelet

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"podwalk/core/actor"
	"podwalk/core/actor/recorder"
	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/store"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// world is a cluster with only a kubelet and its machines: requests are committed
// as they come, without admission.
type world struct {
	t       testing.TB
	now     sim.Time
	store   *store.Store
	queue   sim.Queue
	log     trace.Log
	rec     *recorder.Recorder
	rt      *runtime.Runtime
	kubelet *Kubelet
	actors  map[string]actor.Actor
	routed  uint64
	seed    uint64
	lat     sim.Latency
	uids    uint64
}

const testStart = 1767607200 * int64(time.Second)

type option func(*world, *Config, *[]workload.ImageDecl)

// syncEvery sets the resync period, which was 10 s where the oracle was made.
func syncEvery(d time.Duration) option {
	return func(_ *world, c *Config, _ *[]workload.ImageDecl) { c.SyncFrequency = d }
}

func images(docs ...workload.ImageDecl) option {
	return func(_ *world, _ *Config, l *[]workload.ImageDecl) { *l = append(*l, docs...) }
}

func newWorld(t testing.TB, opts ...option) *world {
	w := &world{t: t, lat: sim.DefaultLatency(), rec: recorder.New(), routed: store.FirstRev}
	w.lat.Pull = 700 * sim.Millisecond
	cfg := Config{PodCIDRs: map[string]string{"worker-1": PodCIDR(1)}}
	var decls []workload.ImageDecl
	for _, o := range opts {
		o(w, &cfg, &decls)
	}
	cfg.Latency = w.lat
	w.store = store.New(store.Index{Name: "pod.node", Kind: "Pod", Values: func(o api.Object) []string { return []string{o.(*api.Pod).Spec.NodeName} }})
	if _, bench := t.(*testing.B); !bench {
		w.store.DetectMutations()
	}
	w.rt = runtime.New(runtime.Config{Random: sim.Random{Seed: w.seed}, Latency: w.lat, Catalogue: workload.Default().With(decls), Start: testStart})
	w.kubelet = New(w.rt, cfg)
	w.actors = map[string]actor.Actor{"kubelet": w.kubelet, "runtime": NewRuntimeActor(w.rt)}
	w.put(FillNode(decode[*api.Node](t, "{apiVersion: v1, kind: Node, metadata: {name: worker-1}, status: {addresses: [{type: InternalIP, address: 192.0.2.2}]}}"), 1))
	w.put(decode[*api.ConfigMap](t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: default}, data: {ca.crt: certificate}}"))
	w.put(decode[*api.ServiceAccount](t, "{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: default}}"))
	return w
}

// decode reads YAML into a typed object.
func decode[T api.Object](t testing.TB, text string) T {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var head api.TypeMeta
	_ = json.Unmarshal(b, &head)
	o := api.KindFor(head.APIVersion, head.Kind).New()
	if err := json.Unmarshal(b, o); err != nil {
		t.Fatal(err)
	}
	return o.(T)
}

func (w *world) put(o api.Object) api.Object {
	if o.Meta().UID == "" {
		w.uids++
		o.Meta().UID = "00000000-0000-0000-0000-0000000000" + itoa(int(10+w.uids))
	}
	if _, err := w.store.Put(o, store.AnyRev, w.now, 0); err != nil {
		w.t.Fatal(err)
	}
	w.distribute()
	return o
}

// bind stores a pod as the API server and the scheduler would have left it.
func (w *world) bind(text string) *api.Pod {
	p := decode[*api.Pod](w.t, text)
	defaultPod(p)
	p.CreationTimestamp = actor.TimeAt(testStart, w.now)
	p.Generation = 1
	p.Status.Phase = "Pending"
	p.Status.QOSClass = qosClass(p)
	p.Status.Conditions = []api.PodCondition{{Type: "PodScheduled", Status: "True", LastTransitionTime: actor.TimeAt(testStart, w.now), ObservedGeneration: 1}}
	w.put(p)
	return p
}

func defaultPod(p *api.Pod) {
	if p.Namespace == "" {
		p.Namespace = "default"
	}
	s := &p.Spec
	if s.NodeName == "" {
		s.NodeName = "worker-1"
	}
	if s.RestartPolicy == "" {
		s.RestartPolicy = "Always"
	}
	if s.TerminationGracePeriodSeconds == nil {
		s.TerminationGracePeriodSeconds = ptr(int64(30))
	}
	s.EnableServiceLinks, s.DNSPolicy, s.ServiceAccountName = ptr(true), "ClusterFirst", "default"
	token := "kube-api-access-abcde"
	s.Volumes = append(s.Volumes, api.Volume{Name: token, Projected: &api.ProjectedVolumeSource{DefaultMode: ptr(int32(420)), Sources: []api.VolumeProjection{
		{ServiceAccountToken: &api.ServiceAccountTokenProjection{Path: "token"}}, {ConfigMap: &api.ConfigMapProjection{Name: "kube-root-ca.crt"}}}}})
	for i := range s.Volumes {
		switch v := &s.Volumes[i]; {
		case v.ConfigMap != nil && v.ConfigMap.DefaultMode == nil:
			v.ConfigMap.DefaultMode = ptr(int32(420))
		case v.Secret != nil && v.Secret.DefaultMode == nil:
			v.Secret.DefaultMode = ptr(int32(420))
		}
	}
	for _, list := range [][]api.Container{s.InitContainers, s.Containers} {
		for i := range list {
			defaultContainer(&list[i], token)
		}
	}
}

func defaultContainer(c *api.Container, token string) {
	if c.ImagePullPolicy == "" {
		c.ImagePullPolicy = "IfNotPresent"
		if strings.HasSuffix(c.Image, ":latest") || !strings.Contains(c.Image, ":") {
			c.ImagePullPolicy = "Always"
		}
	}
	c.TerminationMessagePath = "/dev/termination-log"
	c.VolumeMounts = append(c.VolumeMounts, api.VolumeMount{Name: token, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true})
	for _, p := range []*api.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		if p == nil {
			continue
		}
		for _, f := range []struct {
			at *int32
			v  int32
		}{{&p.PeriodSeconds, 10}, {&p.TimeoutSeconds, 1}, {&p.FailureThreshold, 3}, {&p.SuccessThreshold, 1}} {
			if *f.at == 0 {
				*f.at = f.v
			}
		}
	}
}

func (w *world) distribute() {
	changes, err := w.store.Since(w.routed)
	if err != nil {
		w.t.Fatal(err)
	}
	w.routed = w.store.Rev()
	for _, ch := range changes {
		for _, watch := range w.kubelet.Watches() {
			if watch.Kind != ch.Object().ObjectType().Kind {
				continue
			}
			for _, k := range watch.Map(w.store.Latest(), ch) {
				w.queue.Push(sim.Item{At: w.now + w.lat.Watch, Actor: "kubelet", Key: k})
			}
		}
	}
}

// clone returns an independent copy of the world.
func (w *world) clone() *world {
	c := *w
	c.store = w.store.Clone()
	c.queue = w.queue.Clone()
	c.log = w.log.Clone()
	c.rec = w.rec.Clone()
	c.rt = w.rt.Clone()
	c.actors = map[string]actor.Actor{}
	for n, a := range w.actors {
		a = a.Clone()
		a.(UsesRuntime).SetRuntime(c.rt)
		c.actors[n] = a
	}
	c.kubelet = c.actors["kubelet"].(*Kubelet)
	return &c
}

// run advances to an instant after the start.
func (w *world) run(until time.Duration) {
	for w.queue.Next() <= sim.Time(until) {
		it, _ := w.queue.Pop()
		w.now = max(w.now, it.At)
		read, err := w.store.At(w.store.RevAt(w.now - w.lat.Watch))
		if err != nil {
			w.t.Fatal(err)
		}
		ctx := actor.NewCtx(w, it.Actor, api.User{Name: "test"}, w.now, it.Cause, read, nil)
		res := w.actors[it.Actor].Reconcile(ctx, it.Key)
		w.distribute()
		next := res.Next
		if next == 0 {
			next = sim.Never
		}
		if next <= w.now {
			w.t.Fatalf("%v: %s %v wants to look again at once", w.now, it.Actor, it.Key)
		}
		w.queue.SetTimer(sim.Item{At: next, Actor: it.Actor, Key: it.Key, Periodic: res.Periodic})
		for _, k := range res.Wake {
			w.queue.Push(sim.Item{At: max(k.At, w.now), Actor: k.Actor, Key: k.Key})
		}
	}
	w.now = sim.Time(until)
}

func (w *world) Handle(req api.Request, cause sim.Cause) api.Response {
	old := w.store.Latest().Get(req.Kind.Kind, req.Namespace, req.Name)
	switch req.Verb {
	case api.Create:
		m := req.Object.Meta()
		m.CreationTimestamp = actor.TimeAt(testStart, w.now)
		return api.Response{Object: w.put(req.Object)}
	case api.Update:
		return api.Response{Object: w.put(req.Object)}
	case api.Patch:
		b, _ := json.Marshal(old)
		n := req.Kind.New()
		_ = json.Unmarshal(b, n)
		if err := json.Unmarshal(req.Body, n); err != nil {
			w.t.Fatal(err)
		}
		return api.Response{Object: w.put(n)}
	case api.Delete:
		if _, err := w.store.Delete(api.Ref{Kind: req.Kind.Kind, Namespace: req.Namespace, Name: req.Name}, store.AnyRev, w.now, cause); err != nil {
			w.t.Fatal(err)
		}
		w.distribute()
	}
	return api.Response{}
}

func (w *world) Record(r trace.Record) sim.Cause { return w.log.Append(r) }
func (w *world) Latest() store.Snapshot          { return w.store.Latest() }
func (w *world) Start() int64                    { return testStart }
func (w *world) Random() sim.Random              { return sim.Random{Seed: w.seed} }
func (w *world) Events() actor.Recorder          { return w.rec }

func (w *world) pod(name string) *api.Pod {
	p, _ := w.store.Latest().Get("Pod", "default", name).(*api.Pod)
	return p
}

// delete does what the API server does with a graceful deletion.
func (w *world) delete(name string, grace int64) {
	p := w.pod(name).Copy().(*api.Pod)
	p.DeletionTimestamp = ptr(actor.TimeAt(testStart, w.now) + api.Time(grace))
	p.DeletionGracePeriodSeconds = &grace
	p.Generation++
	w.put(p)
}

// events lists reason and message of the events of a pod, in order of creation,
// with their counts.
func (w *world) events(name string) []string {
	type seen struct {
		rev  uint64
		text string
	}
	first := map[string]uint64{}
	changes, _ := w.store.Since(store.FirstRev)
	for _, c := range changes {
		if e, ok := c.New.(*api.Event); ok && first[e.Name] == 0 {
			first[e.Name] = c.Rev
		}
	}
	var list []seen
	w.store.Latest().Each("Event", "default", func(o api.Object) bool {
		e := o.(*api.Event)
		if e.InvolvedObject.Name == name {
			text := e.Reason + ": " + e.Message
			if e.Count > 1 {
				text += " (x" + itoa(int(e.Count)) + ")"
			}
			list = append(list, seen{first[e.Name], text})
		}
		return true
	})
	var out []string
	for len(list) > 0 {
		at := 0
		for i := range list {
			if list[i].rev < list[at].rev {
				at = i
			}
		}
		out = append(out, list[at].text)
		list = append(list[:at], list[at+1:]...)
	}
	return out
}

func itoa(n int) string { return time.Duration(n).String()[:len(time.Duration(n).String())-2] }

// history prints the states that a pod's status went through, as the oracle's
// watch does.
func (w *world) history(name string) string {
	var b strings.Builder
	changes, _ := w.store.Since(store.FirstRev)
	for _, c := range changes {
		switch o := c.Object().(type) {
		case *api.Pod:
			if o.Name == name {
				b.WriteString(c.At.String() + " " + string(c.Type) + " " + o.Status.Phase + " " + o.Status.Reason + " " + o.Status.PodIP)
				for _, x := range o.Status.Conditions {
					b.WriteString(" " + x.Type + "=" + x.Status)
					if x.Reason != "" {
						b.WriteString("(" + x.Reason + ")")
					}
				}
				for _, l := range [][]api.ContainerStatus{o.Status.InitContainerStatuses, o.Status.ContainerStatuses} {
					for _, x := range l {
						b.WriteString("\n      " + x.Name + " " + stateText(x.State) + " last=" + stateText(x.LastTerminationState))
					}
				}
				b.WriteString("\n")
			}
		case *api.Event:
			b.WriteString("   " + c.At.String() + " " + o.Reason + " " + o.Message + " x" + itoa(int(o.Count)) + "\n")
		}
	}
	return b.String()
}

func stateText(s api.ContainerState) string {
	switch {
	case s.Running != nil:
		return "running"
	case s.Waiting != nil:
		return "waiting:" + s.Waiting.Reason
	case s.Terminated != nil:
		return "terminated:" + s.Terminated.Reason
	}
	return "-"
}

func debug() bool { return os.Getenv("PODWALK_DEBUG") != "" }
