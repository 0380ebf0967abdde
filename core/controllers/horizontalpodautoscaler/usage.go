package horizontalpodautoscaler

import (
	"podwalk/core/api"
	"podwalk/core/sim"
)

// sample is what a container had used when it was last read.
type sample struct {
	at   sim.Time
	cpu  sim.Time // CPU time
	rate int64    // thousandths of a CPU since the reading before
	span sim.Time // between the two; 0: there was none
}

// reading is the usage of a pod, in thousandths.
type reading struct {
	value  int64
	at     sim.Time
	window sim.Time
}

const noAPI = "unable to fetch metrics from resource metrics API: "

// usage reads the resource of the pods as the metrics server serves it; a pod of
// which it knows less than two readings is not there.
func (l *look) usage(resource, container string, pods []*api.Pod) (map[string]reading, string) {
	server, ok := l.c.Read.Get("Deployment", "kube-system", "metrics-server").(*api.Deployment)
	switch {
	case !ok || l.r.rt == nil:
		return nil, noAPI + "the server could not find the requested resource (get pods.metrics.k8s.io)"
	case server.Status.AvailableReplicas == 0:
		return nil, noAPI + "the server is currently unable to handle the request (get pods.metrics.k8s.io)"
	}
	out, known := map[string]reading{}, 0
	for _, p := range pods {
		r, complete, has := l.podUsage(p, resource, container)
		if complete {
			known++
		}
		if has {
			out[p.Name] = r
		}
	}
	if known == 0 {
		return nil, "no metrics returned from resource metrics API"
	}
	return out, ""
}

// podUsage sums the containers of a pod. complete reports whether all of them have
// been read twice.
func (l *look) podUsage(p *api.Pod, resource, container string) (sum reading, complete, has bool) {
	if p.Spec.NodeName == "" || p.Status.Phase != "Running" {
		return sum, false, false
	}
	complete = true
	for _, c := range l.r.rt.Node(p.Spec.NodeName).Containers(p.UID) {
		if !c.Alive() {
			continue
		}
		now := l.c.Now()
		s := l.r.read(p.UID+"/"+c.ID, now, c.CPUTime(now))
		if s.span == 0 {
			complete = false
		}
		if container != "" && c.Config.Name != container {
			continue
		}
		has = true
		sum.at, sum.window = s.at, max(sum.window, s.span)
		switch resource {
		case "cpu":
			sum.value += s.rate
		case "memory":
			sum.value += c.Memory(now) * 1000
		}
	}
	return sum, complete && has, complete && has && (resource == "cpu" || resource == "memory")
}

// read takes a reading; one that is younger than the metrics server's period
// stands.
func (r *Controller) read(id string, now, cpu sim.Time) sample {
	was, known := r.samples[id]
	switch {
	case !known:
		was = sample{at: now, cpu: cpu}
	case now-was.at >= period:
		span := now - was.at
		was = sample{at: now, cpu: cpu, span: span, rate: max(0, int64(cpu-was.cpu)*1000/int64(span))}
	}
	r.samples[id] = was
	return was
}
