package kubelet

import (
	"strconv"
	"testing"
	"time"

	"podwalk/core/workload"
)

// hungry is an image whose program takes more and more memory.
func hungry() workload.ImageDecl {
	return workload.ImageDecl{Spec: workload.ImageDeclSpec{Image: "hungry", Program: &workload.ProgramDecl{
		Memory: []workload.MemoryDecl{{After: "0s", Bytes: "1Mi"}, {After: "10s", Bytes: "256Mi"}}}}}
}

// walks are pods that together take every row of the table.
var walks = []string{
	"{apiVersion: v1, kind: Pod, metadata: {name: runs}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity], lifecycle: {postStart: {exec: {command: ['true']}}}}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: hook}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity], lifecycle: {postStart: {exec: {command: ['false']}}}}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: done}, spec: {restartPolicy: Never, containers: [{name: app, image: 'busybox:1.36', command: ['true']}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: volume}, spec: {containers: [{name: app, image: 'busybox:1.36', volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, configMap: {name: missing}}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: claim}, spec: {containers: [{name: app, image: 'busybox:1.36', volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, persistentVolumeClaim: {claimName: missing}}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: class}, spec: {runtimeClassName: missing, containers: [{name: app, image: 'busybox:1.36'}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: absent}, spec: {containers: [{name: app, image: 'doesnotexist:1'}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: never}, spec: {containers: [{name: app, image: 'busybox:1.35', imagePullPolicy: Never}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: config}, spec: {containers: [{name: app, image: 'busybox:1.36', envFrom: [{configMapRef: {name: missing}}]}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: start}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [nosuchthing]}]}}",
	"{apiVersion: v1, kind: Pod, metadata: {name: alive}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, infinity], livenessProbe: {exec: {command: ['false']}, periodSeconds: 1, failureThreshold: 1}}]}}",
	crashing,
}

// unreachable are the rows that no pod of this harness can take, with the reason.
var unreachable = map[string]string{
	"ContainerCreated: it failed":                              "containerd refuses to create only in a sandbox that is gone",
	"KillContainers: all are stopped, a new sandbox is needed": "a sandbox dies only by a fault of the node",
}

func TestEveryTransitionIsTakenBySomePod(t *testing.T) {
	taken := map[string]bool{}
	saved := rows
	defer func() { rows = saved }()
	for i := range rows {
		rows[i] = append([]row(nil), saved[i]...)
		for j := range rows[i] {
			r := &rows[i][j]
			name, do := r.from.String()+": "+r.cond, r.do
			r.do = func(s *step) {
				taken[name] = true
				if do != nil {
					do(s)
				}
			}
		}
	}
	w := newWorld(t, images(oracleImages()...))
	for _, text := range walks {
		w.bind(text)
	}
	w.run(5 * time.Minute)
	w.delete("runs", 30)
	w.delete("volume", 30)
	w.run(10 * time.Minute)
	for _, r := range table {
		name := r.from.String() + ": " + r.cond
		if taken[name] == (unreachable[name] != "") {
			t.Errorf("row %q: taken %v, listed as unreachable %q", name, taken[name], unreachable[name])
		}
		if r.upstream == "" {
			t.Errorf("row %q does not name what it mirrors", name)
		}
	}
}

func TestEveryStateButTheLastCanBeLeft(t *testing.T) {
	for s := Idle; s < Finished; s++ {
		if len(rows[s]) == 0 {
			t.Errorf("%v has no row", s)
		}
		if stateNames[s] == "" {
			t.Errorf("state %d has no name", s)
		}
	}
}

// A clone goes on exactly as the original does, and neither changes the other.
func TestACloneGoesOnLikeTheOriginal(t *testing.T) {
	whole := newWorld(t, images(oracleImages()...))
	parts := newWorld(t, images(oracleImages()...))
	for _, w := range []*world{whole, parts} {
		for _, text := range walks {
			w.bind(text)
		}
	}
	whole.run(3 * time.Minute)
	for at := 700 * time.Millisecond; at < 3*time.Minute; at += 7300 * time.Millisecond {
		parts.run(at)
		left := parts.clone()
		left.run(at + 20*time.Second)
		parts = parts.clone()
	}
	parts.run(3 * time.Minute)
	a, b := whole.log.After(0), parts.log.After(0)
	if len(a) != len(b) {
		t.Fatalf("%d records, the clones have %d", len(a), len(b))
	}
	for i := range a {
		if a[i].String() != b[i].String() {
			t.Fatalf("record %d:\n%s\nthe clones:\n%s", i, a[i].String(), b[i].String())
		}
	}
	if len(a) < 300 {
		t.Errorf("only %s records", strconv.Itoa(len(a)))
	}
}
