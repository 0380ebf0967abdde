package apiserver

import (
	"testing"

	"podwalk/core/api"
)

// runningPod makes a pod that runs on a node; ready says whether it is.
func (w *world) runningPod(t *testing.T, name, ready string) *api.Pod {
	t.Helper()
	p := simplePod(name)
	p.Labels = map[string]string{"app": "web"}
	w.createPod(t, p)
	w.bindPod(t, name, "node-1")
	now := *w.st.Latest().Get("Pod", "default", name).(*api.Pod)
	now.Status.Phase = "Running"
	now.Status.Conditions = []api.PodCondition{{Type: "Ready", Status: ready}}
	if res := w.do(api.Request{Verb: api.Update, Kind: podKind(), Namespace: "default", Name: name, Subresource: "status", Object: &now,
		User: api.User{Name: "system:node"}}); res.Status != nil {
		t.Fatal(res.Status.Message)
	}
	return &now
}

// pdb makes a budget for the pods with the label app=web.
func (w *world) pdb(t *testing.T, name string, change func(*api.PodDisruptionBudget)) {
	t.Helper()
	two := api.FromInt(2)
	b := &api.PodDisruptionBudget{ObjectMeta: api.ObjectMeta{Name: name, Namespace: "default"}}
	b.Spec = api.PodDisruptionBudgetSpec{MinAvailable: &two, Selector: &api.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}
	change(b)
	status := b.Status
	kind := api.KindNamed("PodDisruptionBudget")
	if res := w.do(api.Request{Verb: api.Create, Kind: kind, Namespace: "default", Object: b}); res.Status != nil {
		t.Fatal(res.Status.Message)
	}
	now := *w.st.Latest().Get("PodDisruptionBudget", "default", name).(*api.PodDisruptionBudget)
	now.Status = status
	if res := w.do(api.Request{Verb: api.Update, Kind: kind, Namespace: "default", Name: name, Subresource: "status", Object: &now,
		User: api.User{Name: "system:serviceaccount:kube-system:disruption-controller"}}); res.Status != nil {
		t.Fatal(res.Status.Message)
	}
}

func (w *world) evictPod(name string, dry bool) api.Response {
	return w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Name: name, Subresource: "eviction", DryRun: dry,
		Body: []byte(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"` + name + `"}}`)})
}

// The texts and codes are those of pkg/registry/core/pod/storage/eviction.go.
func TestEvictionsAreRefusedInTheRealWords(t *testing.T) {
	always := "AlwaysAllow"
	counted := func(healthy, allowed int32) func(*api.PodDisruptionBudget) {
		return func(b *api.PodDisruptionBudget) {
			b.Status = api.PodDisruptionBudgetStatus{CurrentHealthy: healthy, DesiredHealthy: 2, ExpectedPods: 3, DisruptionsAllowed: allowed, ObservedGeneration: 1}
		}
	}
	const violates = "Cannot evict pod as it would violate the pod's disruption budget."
	for _, c := range []struct {
		name, ready string
		budgets     []func(*api.PodDisruptionBudget)
		code        int32
		message     string
		cause       string
		retry       int32
	}{
		{"no budget", "True", nil, 0, "", "", 0},
		{"room", "True", []func(*api.PodDisruptionBudget){counted(3, 1)}, 0, "", "", 0},
		{"no room", "True", []func(*api.PodDisruptionBudget){counted(2, 0)}, 429, violates, "The disruption budget b0 needs 2 healthy pods and has 2 currently", 0},
		{"not counted yet", "True", []func(*api.PodDisruptionBudget){func(*api.PodDisruptionBudget) {}}, 429, violates,
			"The disruption budget b0 is still being processed by the server.", 10},
		{"failed sync", "True", []func(*api.PodDisruptionBudget){func(b *api.PodDisruptionBudget) {
			b.Status = api.PodDisruptionBudgetStatus{ObservedGeneration: 1, Conditions: []api.Condition{{Type: "DisruptionAllowed", Status: "False",
				Reason: "SyncFailed", Message: `found no controllers for pod "web"`}}}
		}}, 429, violates, `The disruption budget b0 does not allow evicting pods currently because it failed sync: found no controllers for pod "web"`, 0},
		{"two budgets", "True", []func(*api.PodDisruptionBudget){counted(3, 1), counted(3, 1)}, 500,
			"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.", "", 0},
		{"unhealthy beside enough healthy ones", "False", []func(*api.PodDisruptionBudget){counted(2, 0)}, 0, "", "", 0},
		{"unhealthy where too few are healthy", "False", []func(*api.PodDisruptionBudget){counted(1, 0)}, 429, violates,
			"The disruption budget b0 needs 2 healthy pods and has 1 currently", 0},
		{"unhealthy and always allowed", "False", []func(*api.PodDisruptionBudget){func(b *api.PodDisruptionBudget) {
			counted(1, 0)(b)
			b.Spec.UnhealthyPodEvictionPolicy = &always
		}}, 0, "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.runningPod(t, "web", c.ready)
			for i, b := range c.budgets {
				w.pdb(t, "b"+string(rune('0'+i)), b)
			}
			res := w.evictPod("web", false)
			pod, _ := w.st.Latest().Get("Pod", "default", "web").(*api.Pod)
			if c.code == 0 {
				if res.Failed() || pod.DeletionTimestamp == nil || condition(&pod.Status, "DisruptionTarget").Reason != "EvictionByEvictionAPI" {
					t.Fatalf("%+v %+v", res.Status, pod.Status.Conditions)
				}
				return
			}
			if !res.Failed() || res.Status.Code != c.code || res.Status.Message != c.message || pod.DeletionTimestamp != nil {
				t.Fatalf("%+v", res.Status)
			}
			if c.cause != "" && (res.Status.Details.Causes[0].Message != c.cause || res.Status.Details.RetryAfterSeconds != c.retry) {
				t.Fatalf("%+v", res.Status.Details)
			}
		})
	}
}

func TestAnEvictionTakesTheRoomOfItsBudgetUnlessItIsADryRun(t *testing.T) {
	w := newWorld(t)
	w.runningPod(t, "web", "True")
	w.runningPod(t, "web2", "True")
	w.pdb(t, "b", func(b *api.PodDisruptionBudget) {
		b.Status = api.PodDisruptionBudgetStatus{CurrentHealthy: 3, DesiredHealthy: 2, ExpectedPods: 3, DisruptionsAllowed: 1, ObservedGeneration: 1}
	})
	status := func() api.PodDisruptionBudgetStatus {
		return w.st.Latest().Get("PodDisruptionBudget", "default", "b").(*api.PodDisruptionBudget).Status
	}
	if res := w.evictPod("web", true); res.Failed() || status().DisruptionsAllowed != 1 {
		t.Fatalf("a dry run changed something: %+v", status())
	}
	if res := w.evictPod("web", false); res.Failed() || res.Text != evicted {
		t.Fatalf("%+v", res)
	}
	s := status()
	if s.DisruptionsAllowed != 0 || s.DisruptedPods["web"] == 0 || s.Conditions[0].Reason != "InsufficientPods" {
		t.Fatalf("%+v", s)
	}
	if res := w.evictPod("web2", false); !res.Failed() || res.Status.Code != 429 {
		t.Fatalf("%+v", res)
	}
}

// The texts are those of apiserver/pkg/admission/plugin/webhook and of Go's http
// client.
func TestAWebhookThatCannotAnswerFailsTheRequestAsItsPolicySays(t *testing.T) {
	url, ignore, port := "https://hook.example.com/x", "Ignore", int32(8443)
	service := func(name string, port *int32) api.WebhookClientConfig {
		return api.WebhookClientConfig{Service: &api.WebhookServiceReference{Namespace: "default", Name: name, Port: port}}
	}
	const failed = `Internal error occurred: failed calling webhook "h.example.com": failed to call webhook: Post `
	for _, c := range []struct {
		name    string
		client  api.WebhookClientConfig
		policy  *string
		labels  map[string]string
		message string
	}{
		{"name that does not resolve", api.WebhookClientConfig{URL: &url}, nil, nil,
			failed + `"https://hook.example.com/x?timeout=10s": dial tcp: lookup hook.example.com: no such host`},
		{"service that is missing", service("absent", nil), nil, nil, failed + `"https://absent.default.svc:443/?timeout=10s": service "absent" not found`},
		{"port that is missing", service("kubernetes", &port), nil, nil,
			failed + `"https://kubernetes.default.svc:8443/?timeout=10s": no service port 8443 found for service "kubernetes"`},
		{"policy Ignore", service("absent", nil), &ignore, nil, ""},
		{"other objects", service("absent", nil), nil, map[string]string{"checked": "yes"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			none, ten := "None", int32(10)
			h := api.ValidatingWebhook{Name: "h.example.com", ClientConfig: c.client, FailurePolicy: c.policy, SideEffects: &none, TimeoutSeconds: &ten,
				AdmissionReviewVersions: []string{"v1"}, Rules: []api.RuleWithOperations{{APIGroups: []string{""}, APIVersions: []string{"v1"},
					Operations: []string{"CREATE"}, Resources: []string{"pods"}}}}
			if c.labels != nil {
				h.ObjectSelector = &api.LabelSelector{MatchLabels: c.labels}
			}
			conf := &api.ValidatingWebhookConfiguration{ObjectMeta: api.ObjectMeta{Name: "hooks"}, Webhooks: []api.ValidatingWebhook{h}}
			if res := w.do(api.Request{Verb: api.Create, Kind: api.KindNamed("ValidatingWebhookConfiguration"), Object: conf}); res.Failed() {
				t.Fatal(res.Status.Message)
			}
			res := w.do(api.Request{Verb: api.Create, Kind: podKind(), Namespace: "default", Object: simplePod("web")})
			got := ""
			if res.Failed() {
				got = res.Status.Message
			}
			if got != c.message {
				t.Errorf("got  %s\nwant %s", got, c.message)
			}
		})
	}
}
