package kubelet

import (
	"testing"
	"time"
)

func TestAPodThatExitsIsRestartedAtOnceAndThenBacksOff(t *testing.T) {
	w := newWorld(t, syncEvery(10*time.Second))
	w.bind("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'busybox:1.36', command: [sh, -c, 'sleep 1; exit 1']}]}}")
	w.run(100 * time.Second)
	if debug() {
		t.Log("\n" + w.history("web"))
	}
	for _, r := range w.log.After(0) {
		if debug() {
			t.Log(r.String())
		}
	}
}
