package cluster

import (
	"testing"

	"podwalk/core/api"
	"podwalk/core/sim"
)

const metricsServer = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"metrics-server","namespace":"kube-system"},"spec":{"selector":{"matchLabels":{"k8s-app":"metrics-server"}},
"template":{"metadata":{"labels":{"k8s-app":"metrics-server"}},"spec":{"containers":[{"name":"metrics-server","image":"registry.k8s.io/metrics-server/metrics-server:v0.8.0"}]}}}}`

// busy keeps half a processor busy for four minutes, and then none.
const busy = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{
"containers":[{"name":"app","image":"polinux/stress:1.0.4","command":["sh","-c","stress --cpu 1 --timeout 240s; sleep 100000"],"resources":{"requests":{"cpu":"200m"},"limits":{"cpu":"500m"}}}]}}}}`

const autoscaler = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"minReplicas":1,"maxReplicas":6,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},
"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]}}`

func (r *roller) autoscaler() *api.HorizontalPodAutoscaler {
	return r.c.Latest().Get("HorizontalPodAutoscaler", "default", "web").(*api.HorizontalPodAutoscaler)
}

func (r *roller) condition(kind string) string {
	for _, c := range r.autoscaler().Status.Conditions {
		if c.Type == kind {
			return c.Status + " " + c.Reason
		}
	}
	return ""
}

// 500m of a request of 200m are 250 %, five times the target: from one replica to
// the limit of four at once (twice the size, or four), then to the most allowed, as
// the new pods count for nothing until they have been measured.
// When the load is over, the size stays for the five minutes of stabilization
// (horizontal.go, calculateScaleUpLimit and stabilizeRecommendation).
func TestAnAutoscalerFollowsTheLoad(t *testing.T) {
	r := &roller{t: t, c: New(Config{}), seed: 1}
	r.do(api.Request{Verb: api.Create, Kind: api.KindNamed("Deployment"), Namespace: "kube-system", Body: []byte(metricsServer)})
	r.c.Run(Until{At: 30 * sim.Second})
	r.create("Deployment", busy)
	r.create("HorizontalPodAutoscaler", autoscaler)
	sizes := []int32{}
	for at := 31 * sim.Second; at < 20*sim.Minute; at += sim.Second {
		r.c.Run(Until{At: at})
		if n := *r.deployment().Spec.Replicas; len(sizes) == 0 || sizes[len(sizes)-1] != n {
			t.Logf("%v: %d replicas, %s, %s", r.c.Now(), n, r.condition("AbleToScale"), r.condition("ScalingLimited"))
			sizes = append(sizes, n)
		}
	}
	if len(sizes) < 4 || sizes[0] != 1 || sizes[1] != 4 || sizes[len(sizes)-1] != 1 {
		t.Errorf("the sizes were %v", sizes)
	}
	if got := r.condition("ScalingActive"); got != "True ValidMetricFound" {
		t.Errorf("ScalingActive is %s", got)
	}
}

// Without a metrics server the text is that of the real client, as the oracle has
// it in controllers/hpa.
func TestAnAutoscalerWithoutMetricsSaysSo(t *testing.T) {
	r := &roller{t: t, c: New(Config{}), seed: 1}
	r.create("Deployment", deploymentJSON(1, strategies[1]))
	r.create("HorizontalPodAutoscaler", autoscaler)
	r.c.Run(Until{At: 10 * sim.Second})
	if got := r.condition("ScalingActive"); got != "False FailedGetResourceMetric" {
		t.Errorf("ScalingActive is %s", got)
	}
	r.c.Run(Until{Quiescent: true, At: sim.Hour})
	if !r.c.Quiescent() {
		t.Error("an autoscaler that can do nothing keeps the cluster busy")
	}
}

// A behavior sets the rates: two more every 15 seconds, one less every minute
// (calculateScaleUpLimitWithScalingRules and its counterpart).
func TestABehaviorSetsTheRates(t *testing.T) {
	r := &roller{t: t, c: New(Config{}), seed: 1}
	r.do(api.Request{Verb: api.Create, Kind: api.KindNamed("Deployment"), Namespace: "kube-system", Body: []byte(metricsServer)})
	r.c.Run(Until{At: 30 * sim.Second})
	r.create("Deployment", busy)
	r.create("HorizontalPodAutoscaler", autoscaler)
	r.patch("HorizontalPodAutoscaler", "web", `{"spec":{"behavior":{"scaleUp":{"policies":[{"type":"Pods","value":2,"periodSeconds":15}]},
"scaleDown":{"stabilizationWindowSeconds":0,"policies":[{"type":"Pods","value":1,"periodSeconds":60}]}}}}`)
	last, changed := int32(1), 30*sim.Second
	for at := 31 * sim.Second; at < 20*sim.Minute; at += sim.Second {
		r.c.Run(Until{At: at})
		n := *r.deployment().Spec.Replicas
		if n == last {
			continue
		}
		if n > last+2 || n < last-1 || n < last && at-changed < 60*sim.Second {
			t.Errorf("%v: from %d to %d replicas, %v after the change before", at, last, n, at-changed)
		}
		last, changed = n, at
	}
	if last != 1 {
		t.Errorf("in the end there are %d replicas", last)
	}
}
