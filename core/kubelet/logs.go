package kubelet

import (
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/runtime"
	"podwalk/core/sim"
)

// Log returns what a container of a pod has written
// (pkg/kubelet/kubelet_pods.go, GetKubeletContainerLogs).
func (k *Kubelet) Log(pod *api.Pod, options map[string]string) (string, *api.Status) {
	name := options["container"]
	if why := k.dialError(pod); why != "" {
		return "", &api.Status{Status: "Failure", Code: 500, Message: `Get "https://` + pod.Status.HostIP + ":10250/containerLogs/" +
			pod.Namespace + "/" + pod.Name + "/" + name + `": ` + why}
	}
	st := &pod.Status
	if w := k.pods[podKey(pod)]; w != nil && w.uid == pod.UID && w.version > 0 {
		st = &w.status
	}
	id, why := logContainer(pod.Name, st, name, options["previous"] == "true")
	if why != "" {
		return "", badRequest(why)
	}
	ct := k.rt.Node(pod.Spec.NodeName).ContainerStatus(strings.TrimPrefix(id, containerIDPrefix))
	if ct == nil {
		return "", badRequest("unable to retrieve container logs for " + id)
	}
	return k.logText(ct, options), nil
}

func badRequest(text string) *api.Status {
	return &api.Status{Status: "Failure", Reason: api.ReasonBadRequest, Code: 400, Message: text}
}

// logContainer finds the container whose log is meant, or says why there is none
// (pkg/kubelet/kubelet_pods.go, validateContainerLogStatus).
func logContainer(pod string, st *api.PodStatus, name string, previous bool) (id, why string) {
	c := statusNamed(st.ContainerStatuses, name)
	if c == nil {
		c = statusNamed(st.InitContainerStatuses, name)
	}
	if c == nil {
		c = statusNamed(st.EphemeralContainerStatuses, name)
	}
	of := "container " + quote(name) + " in pod " + quote(pod)
	if c == nil {
		return "", of + " is not available"
	}
	last, term := c.LastTerminationState.Terminated, c.State.Terminated
	lastID := ""
	if last != nil {
		lastID = last.ContainerID
	}
	switch {
	case previous && lastID == "":
		return "", "previous terminated " + of + " not found"
	case previous:
		return lastID, ""
	case c.State.Running != nil:
		return c.ContainerID, ""
	case term != nil && term.ContainerID != "":
		return term.ContainerID, ""
	case term != nil, last != nil:
		if lastID == "" {
			return "", of + " is terminated"
		}
		return lastID, ""
	case c.State.Waiting == nil:
		return "", of + " is waiting to start - no logs yet"
	}
	switch reason := c.State.Waiting.Reason; reason {
	case "ErrImagePull":
		return "", of + " is waiting to start: image can't be pulled"
	case "ImagePullBackOff":
		return "", of + " is waiting to start: trying and failing to pull image"
	default:
		return "", of + " is waiting to start: " + reason
	}
}

// logText prints the lines that the options ask for
// (pkg/kubelet/kuberuntime/logs/logs.go).
func (k *Kubelet) logText(ct *runtime.Container, options map[string]string) string {
	lines := ct.Logs()
	if s, err := strconv.ParseInt(options["sinceSeconds"], 10, 64); err == nil {
		lines = after(lines, k.now-sim.Time(s)*sim.Second)
	}
	if t, err := time.Parse(time.RFC3339, options["sinceTime"]); err == nil {
		lines = after(lines, sim.Time(t.UnixNano()-k.rt.Start()))
	}
	if n, err := strconv.Atoi(options["tailLines"]); err == nil && n >= 0 && n < len(lines) {
		lines = lines[len(lines)-n:]
	}
	var b strings.Builder
	for _, l := range lines {
		if options["timestamps"] == "true" {
			b.WriteString(time.Unix(0, k.rt.Start()+int64(l.At)).UTC().Format("2006-01-02T15:04:05.000000000Z") + " ")
		}
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	text := b.String()
	if n, err := strconv.Atoi(options["limitBytes"]); err == nil && n >= 0 && n < len(text) {
		text = text[:n]
	}
	return text
}

func after(lines []runtime.LogLine, t sim.Time) []runtime.LogLine {
	for i := range lines {
		if lines[i].At >= t {
			return lines[i:]
		}
	}
	return nil
}
