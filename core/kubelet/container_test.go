package kubelet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"podwalk/core/api"
)

// logOf returns the log of a pod's container.
func (w *world) logOf(name, container string, options map[string]string) (string, string) {
	o := map[string]string{"container": container}
	for k, v := range options {
		o[k] = v
	}
	text, st := w.kubelet.Log(w.pod(name), o)
	if st != nil {
		return text, st.Message
	}
	return text, ""
}

func TestVariablesComeFromWhereThePodSays(t *testing.T) {
	w := newWorld(t)
	w.put(decode[*api.ConfigMap](t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: default}, data: {a: one, b: two}}"))
	w.put(decode[*api.Secret](t, "{apiVersion: v1, kind: Secret, metadata: {name: sec, namespace: default}, data: {key: c2VjcmV0}}"))
	w.put(decode[*api.Service](t, "{apiVersion: v1, kind: Service, metadata: {name: my-db, namespace: default}, spec: {clusterIP: 10.96.0.7, ports: [{port: 5432, name: pg}]}}"))
	w.bind(`{apiVersion: v1, kind: Pod, metadata: {name: web, labels: {app: shop}}, spec: {restartPolicy: Never, containers: [{name: app, image: 'busybox:1.36',
  resources: {limits: {memory: 64Mi, cpu: 250m}}, envFrom: [{prefix: P_, configMapRef: {name: cm}}],
  env: [{name: A, value: '$(P_a)-$(UNKNOWN)-$$(P_a)'}, {name: S, valueFrom: {secretKeyRef: {name: sec, key: key}}}, {name: N, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}},
   {name: L, valueFrom: {fieldRef: {fieldPath: "metadata.labels['app']"}}}, {name: M, valueFrom: {resourceFieldRef: {resource: limits.memory}}},
   {name: C, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}, {name: O, valueFrom: {configMapKeyRef: {name: cm, key: zz, optional: true}}}],
  command: [sh, -c, 'echo $A $S $N $L $M $C "[$O]" $P_b $MY_DB_SERVICE_HOST $MY_DB_PORT_5432_TCP_ADDR; echo $0 $1', '$(L)', last]}]}}`)
	w.run(10 * time.Second)
	got, why := w.logOf("web", "app", nil)
	if want := "one-$(UNKNOWN)-$(P_a) secret worker-1 shop 67108864 1 [] two 10.96.0.7 10.96.0.7\nshop last\n"; got != want || why != "" {
		t.Errorf("log %q (%s), want %q", got, why, want)
	}
}

func TestMissingSourcesOfVariablesAreConfigErrors(t *testing.T) {
	for source, want := range map[string]string{
		"configMapKeyRef: {name: cm, key: nokey}":      "couldn't find key nokey in ConfigMap default/cm",
		"configMapKeyRef: {name: none, key: k}":        `configmap "none" not found`,
		"secretKeyRef: {name: none, key: k}":           `secret "none" not found`,
		"fieldRef: {fieldPath: metadata.nothing}":      "unsupported fieldPath: metadata.nothing",
		"resourceFieldRef: {resource: limits.nothing}": "",
	} {
		w := newWorld(t)
		w.put(decode[*api.ConfigMap](t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: default}, data: {a: one}}"))
		w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, '60'], env: [{name: X, valueFrom: {" + source + "}}]}]}}")
		w.run(10 * time.Second)
		st := w.pod("web").Status.ContainerStatuses[0].State
		switch {
		case want == "" && st.Running == nil:
			t.Errorf("%s: %+v", source, st.Waiting)
		case want != "" && (st.Waiting == nil || st.Waiting.Reason != "CreateContainerConfigError" || st.Waiting.Message != want):
			t.Errorf("%s: %+v, want %q", source, st.Waiting, want)
		case want != "" && !slices.ContainsFunc(w.events("web"), func(e string) bool { return strings.HasPrefix(e, "Failed: Error: "+want) }):
			t.Errorf("%s: events %q", source, w.events("web"))
		}
	}
}

func TestFilesOfVolumesAreRealToTheShellAndFollowTheirSource(t *testing.T) {
	w := newWorld(t)
	w.put(decode[*api.ConfigMap](t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: default}, data: {key: before}}"))
	w.bind(`{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {volumes: [{name: c, configMap: {name: cm, items: [{key: key, path: dir/file}]}}, {name: e, emptyDir: {}}],
 initContainers: [{name: init, image: 'busybox:1.36', command: [sh, -c, 'echo hello > /shared/from-init'], volumeMounts: [{name: e, mountPath: /shared}]}],
 containers: [{name: app, image: 'busybox:1.36', volumeMounts: [{name: c, mountPath: /etc/config}, {name: e, mountPath: /data}],
  command: [sh, -c, 'while true; do read x < /etc/config/dir/file; read y < /data/from-init; echo $x $y; sleep 10; done']}]}}`)
	w.run(20 * time.Second)
	if got, _ := w.logOf("web", "app", nil); !strings.HasPrefix(got, "before hello\n") {
		t.Fatalf("log %q", got)
	}
	w.put(decode[*api.ConfigMap](t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: default, uid: x}, data: {key: after}}"))
	w.run(20*time.Second + 105*time.Second)
	if got, _ := w.logOf("web", "app", map[string]string{"tailLines": "1"}); got != "after hello\n" {
		t.Errorf("last line %q", got)
	}
}

func TestVolumesThatCannotBeSetUpAreFailedMounts(t *testing.T) {
	for source, want := range map[string]string{
		"configMap: {name: missing}":                                      "MountVolume.SetUp failed for volume \"v\" : configmap \"missing\" not found",
		"secret: {secretName: missing}":                                   "MountVolume.SetUp failed for volume \"v\" : secret \"missing\" not found",
		"configMap: {name: kube-root-ca.crt, items: [{key: x, path: x}]}": "MountVolume.SetUp failed for volume \"v\" : configmap references non-existent config key: x",
		"hostPath: {path: /nowhere, type: Directory}":                     "MountVolume.SetUp failed for volume \"v\" : hostPath type check failed, /nowhere is not a directory, unable to determine its type: path \"/nowhere\" does not exist",
		"configMap: {name: missing, optional: true}":                      "",
		"hostPath: {path: /var/lib/thing, type: DirectoryOrCreate}":       "",
	} {
		w := newWorld(t)
		w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {volumes: [{name: v, " + source + "}], containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity], volumeMounts: [{name: v, mountPath: /v}]}]}}")
		w.run(10 * time.Second)
		st := w.pod("web").Status
		failed := slices.ContainsFunc(w.events("web"), func(e string) bool { return strings.HasPrefix(e, "FailedMount: "+want) })
		if want != "" && (!failed || st.Phase != "Pending") || want == "" && st.Phase != "Running" {
			t.Errorf("%s: phase %s, events %q", source, st.Phase, w.events("web"))
		}
	}
}

func TestLogsNameWhyThereAreNone(t *testing.T) {
	w := newWorld(t, images(oracleImages()...))
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: absent}, spec: {containers: [{name: app, image: 'doesnotexist:1'}]}}")
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: waits}, spec: {volumes: [{name: v, secret: {secretName: missing}}], containers: [{name: app, image: 'busybox:1.36', volumeMounts: [{name: v, mountPath: /v}]}]}}")
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: crash}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sh, -c, 'echo run; sleep 1; exit 1']}]}}")
	w.run(4 * time.Second)
	if text, why := w.logOf("crash", "app", map[string]string{"previous": "true"}); why != "" && why != `previous terminated container "app" in pod "crash" not found` {
		t.Errorf("previous log %q: %s", text, why)
	}
	w.run(30 * time.Second)
	for _, c := range []struct{ pod, want string }{
		{"absent", `container "app" in pod "absent" is waiting to start: trying and failing to pull image`},
		{"waits", `container "app" in pod "waits" is waiting to start: ContainerCreating`},
	} {
		if _, why := w.logOf(c.pod, "app", nil); why != c.want && why != strings.Replace(c.want, "trying and failing to pull image", "image can't be pulled", 1) {
			t.Errorf("%s: %q", c.pod, why)
		}
	}
	if text, why := w.logOf("crash", "app", map[string]string{"previous": "true"}); text != "run\n" {
		t.Errorf("previous log %q: %s", text, why)
	}
	if text, _ := w.logOf("crash", "app", map[string]string{"timestamps": "true"}); !strings.HasPrefix(text, "2026-01-05T10:00:") || !strings.HasSuffix(text, "Z run\n") {
		t.Errorf("with times %q", text)
	}
}

func TestANodeRefusesPodsThatDoNotFit(t *testing.T) {
	for spec, want := range map[string][2]string{
		"containers: [{name: app, image: 'busybox:1.36', resources: {requests: {cpu: 5}}}]":              {"OutOfcpu", "Node didn't have enough resource: cpu, requested: 5000, used: 1000, capacity: 4000"},
		"containers: [{name: app, image: 'busybox:1.36', resources: {requests: {memory: 9Gi}}}]":         {"OutOfmemory", "Node didn't have enough resource: memory, requested: 9663676416, used: 0, capacity: 8589934592"},
		"nodeSelector: {disk: ssd}, containers: [{name: app, image: 'busybox:1.36'}]":                    {"NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"},
		"containers: [{name: app, image: 'busybox:1.36', ports: [{containerPort: 80, hostPort: 8080}]}]": {"NodePorts", "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"},
		"os: {name: windows}, containers: [{name: app, image: 'busybox:1.36'}]":                          {"PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"},
	} {
		w := newWorld(t)
		w.bind("{apiVersion: v1, kind: Pod, metadata: {name: first}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity], resources: {requests: {cpu: 1}}, ports: [{containerPort: 80, hostPort: 8080}]}]}}")
		w.run(time.Second)
		w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {" + spec + "}}")
		w.run(5 * time.Second)
		st := w.pod("web").Status
		if st.Phase != "Failed" || st.Reason != want[0] || st.Message != "Pod was rejected: "+want[1] {
			t.Errorf("%s: %s %s %q", spec, st.Phase, st.Reason, st.Message)
		}
		if e := w.events("web"); len(e) != 1 || e[0] != want[0]+": "+want[1] {
			t.Errorf("%s: events %q", spec, e)
		}
	}
}

func TestRootIsRefusedWhereThePodForbidsIt(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {securityContext: {runAsNonRoot: true}, containers: [{name: app, image: 'busybox:1.36'}]}}")
	w.run(5 * time.Second)
	st := w.pod("web").Status.ContainerStatuses[0].State.Waiting
	if st == nil || st.Reason != "CreateContainerConfigError" || !strings.HasPrefix(st.Message, `container has runAsNonRoot and image will run as root (pod: "web_default(`) {
		t.Errorf("state %+v", st)
	}
}

func TestContainersOfAPodShareTheirPorts(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: one, image: 'nginx:1.27'}, {name: two, image: 'nginx:1.27'}]}}")
	w.run(20 * time.Second)
	text, _ := w.logOf("web", "two", map[string]string{"previous": "true"})
	if !strings.Contains(text, "Address already in use") && !strings.Contains(text, "Address in use") {
		t.Errorf("the second container says %q", text)
	}
	if st := w.pod("web").Status.ContainerStatuses; st[0].State.Running == nil || st[1].RestartCount == 0 {
		t.Errorf("one %s, two %s", stateText(st[0].State), stateText(st[1].State))
	}
}

func TestDiskUseOverALimitEndsInAnEviction(t *testing.T) {
	w := newWorld(t)
	w.bind(`{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {volumes: [{name: cache, emptyDir: {sizeLimit: 1Ki}}], containers: [{name: app, image: 'busybox:1.36',
 volumeMounts: [{name: cache, mountPath: /cache}], command: [sh, -c, 'i=0; while [ $i -lt 100 ]; do echo 0123456789012345678901234567890123456789 >> /cache/file; i=$((i+1)); done; sleep 3600']}]}}`)
	w.run(3 * time.Minute)
	st := w.pod("web").Status
	if st.Phase != "Failed" || st.Reason != "Evicted" || st.Message != `Usage of EmptyDir volume "cache" exceeds the limit "1Ki". ` {
		t.Fatalf("%s %s %q", st.Phase, st.Reason, st.Message)
	}
	if x := st.ContainerStatuses[0].State.Terminated; x == nil || x.ExitCode != 137 {
		t.Errorf("state %+v", st.ContainerStatuses[0].State)
	}
}

// resize changes the resources of a pod's only container, as the resize
// subresource does.
func (w *world) resize(name, limits string) {
	p := api.DeepCopy(w.pod(name))
	r := decode[*api.Pod](w.t, "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: app, resources: {limits: "+limits+", requests: "+limits+"}}]}}")
	p.Spec.Containers[0].Resources = r.Spec.Containers[0].Resources
	p.Generation++
	w.put(p)
}

func TestAResizeInPlaceKeepsOrRestartsTheContainerAsItsPolicySays(t *testing.T) {
	for policy, restarts := range map[string]int32{"NotRequired": 0, "RestartContainer": 1} {
		w := newWorld(t)
		w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'nginx:1.27', resources: {limits: {cpu: 100m, memory: 64Mi}, requests: {cpu: 100m, memory: 64Mi}}, resizePolicy: [{resourceName: memory, restartPolicy: " + policy + "}]}]}}")
		w.run(10 * time.Second)
		w.resize("web", "{cpu: 100m, memory: 128Mi}")
		w.run(30 * time.Second)
		st := w.pod("web").Status
		c := st.ContainerStatuses[0]
		limit := c.Resources.Limits["memory"]
		if c.RestartCount != restarts || limit.String() != "128Mi" || c.State.Running == nil || findCondition(st.Conditions, "PodResizeInProgress") != nil {
			t.Errorf("%s: %d restarts, limit %s, %s", policy, c.RestartCount, limit.String(), stateText(c.State))
		}
		json := `{"containers":[{"name":"app","resources":{"limits":{"cpu":"100m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"128Mi"}}}],"generation":2}`
		e := w.events("web")
		if !slices.Contains(e, "ResizeStarted: Pod resize started: "+json) || !slices.Contains(e, "ResizeCompleted: Pod resize completed: "+json) ||
			slices.Contains(e, "Killing: Container app resize requires restart") != (restarts == 1) {
			t.Errorf("%s: events %q", policy, e)
		}
	}
}

func TestAResizeWaitsForRoomOnTheNode(t *testing.T) {
	w := newWorld(t)
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: big}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: app, image: 'nginx:1.27', resources: {requests: {cpu: 3}}}]}}")
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'nginx:1.27', resources: {limits: {cpu: 500m}, requests: {cpu: 500m}}}]}}")
	w.run(20 * time.Second)
	w.resize("web", "{cpu: 2}")
	w.run(25 * time.Second)
	c := findCondition(w.pod("web").Status.Conditions, "PodResizePending")
	if c == nil || c.Reason != "Deferred" || c.Message != "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000" {
		t.Fatalf("condition %+v", c)
	}
	w.delete("big", 1)
	w.run(40 * time.Second)
	st := w.pod("web").Status
	limit := st.ContainerStatuses[0].Resources.Limits["cpu"]
	if limit.String() != "2" || findCondition(st.Conditions, "PodResizePending") != nil {
		t.Errorf("limit %s, conditions %+v", limit.String(), st.Conditions)
	}
}
