package kubelet

import (
	"strconv"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/workload"
)

// pulling is the image of the container that is being started.
type pulling struct {
	name    string // as the container names it
	ref     workload.Reference
	present bool
	info    runtime.ImageInfo
	pull    runtime.Pull
	wait    sim.Time // until the serial puller is free
}

// inspectImage decides whether the image has to be pulled
// (pkg/kubelet/images/image_manager.go, EnsureImageExists).
func (s *step) inspectImage() {
	r := s.w.run
	p := &r.pull
	p.name = r.cur.Image
	path := s.fieldPath(r.cur.Name)
	ref, err := workload.ParseReference(p.name)
	if err != nil {
		msg := "Failed to apply default image tag " + quote(p.name) + ": " + err.Error()
		s.event(path, "Warning", "InspectFailed", msg)
		s.fails("InvalidImageName", msg, "InvalidImageName")
		return
	}
	p.ref = ref
	if r.cur.ImagePullPolicy != "Always" {
		p.info, p.present = s.machine().ImageStatus(s.call(), ref)
	}
	switch {
	case p.present:
		s.event(path, "Normal", "Pulled", "Container image "+quote(p.name)+" already present on machine and can be accessed by the pod")
	case r.cur.ImagePullPolicy == "Never":
		msg := "Container image " + quote(p.name) + " is not present with pull policy of Never"
		s.event(path, "Warning", "ErrImageNeverPull", msg)
		s.fails("ErrImageNeverPull", msg, "ErrImageNeverPull")
	default:
		s.imageBackOff(path)
	}
}

// imageBackOff refuses to pull again too soon
// (pkg/kubelet/images/image_manager.go, pullImage).
func (s *step) imageBackOff(path string) {
	p := &s.w.run.pull
	b := find(s.w.pulls, p.name)
	if !b.sinceUpdate(s.now) {
		return
	}
	msg := "Back-off pulling image " + quote(p.name)
	s.event(path, "Normal", "BackOff", msg)
	if b.text != "" {
		msg += ": " + b.text
	}
	s.fails("ImagePullBackOff", msg, "ImagePullBackOff")
}

func (s *step) imagePresent() bool { return s.w.run.pull.present }

// beginPull takes its place in the queue of the node's serial puller
// (pkg/kubelet/images/puller.go).
func (s *step) beginPull() {
	p := &s.w.run.pull
	s.event(s.fieldPath(s.w.run.cur.Name), "Normal", "Pulling", "Pulling image "+quote(p.name))
	p.pull = s.machine().StartPull(p.ref, s.hasCredentials(p.ref))
	free := s.k.puller[s.w.node]
	p.wait = max(free-s.now, 0)
	s.k.puller[s.w.node] = s.now + p.wait + p.pull.Took
}

func (s *step) pullTime() sim.Time {
	p := &s.w.run.pull
	return p.wait + p.pull.Took
}

// endPull takes the registry's answer.
func (s *step) endPull() {
	w, r := s.w, s.w.run
	p := &r.pull
	path := s.fieldPath(r.cur.Name)
	info, err := s.machine().PullImage(s.call(), p.pull)
	if err != nil {
		s.event(path, "Warning", "Failed", "Failed to pull image "+quote(p.name)+": "+err.Error())
		w.pulls = grow(w.pulls, p.name, s.now, s.now)
		reason, msg := pullError(p.name, err.Error())
		find(w.pulls, p.name).text = reason + ": " + msg
		s.fails(reason, msg, reason)
		return
	}
	p.info = info
	s.k.wakes = append(s.k.wakes, actor.Wake{Actor: s.k.Name(), Key: sim.Key{Kind: "Node", Name: w.node}, At: s.k.nodeReport(w.node, s.now)})
	s.event(path, "Normal", "Pulled", "Successfully pulled image "+quote(p.name)+" in "+millis(p.pull.Took)+" ("+millis(p.wait+p.pull.Took)+
		" including waiting). Image size: "+strconv.FormatInt(info.Size, 10)+" bytes.")
}

// pullError gives the reason of a failed pull
// (pkg/kubelet/images/image_manager.go, evalCRIPullErr).
func pullError(image, text string) (reason, message string) {
	if rest, ok := strings.CutPrefix(text, "RegistryUnavailable"); ok {
		return "RegistryUnavailable", "image pull failed for " + image + " because the registry is unavailable" + rest
	}
	if rest, ok := strings.CutPrefix(text, "SignatureValidationFailed"); ok {
		return "SignatureValidationFailed", "image pull failed for " + image + " because the signature validation failed" + rest
	}
	return "ErrImagePull", text
}

// millis prints a span cut to milliseconds.
func millis(t sim.Time) string { return (t / sim.Millisecond * sim.Millisecond).Sub(0).String() }
