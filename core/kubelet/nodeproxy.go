package kubelet

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/runtime"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

var _ apiserver.NodeProxy = (*Kubelet)(nil)

// maxExec is how long a command from outside may take. It runs in one instant of
// the cluster: only its own clock moves on.
const maxExec = 10 * sim.Minute

// Exec runs a command in a container and returns what it printed
// (pkg/kubelet/kubelet_pods.go, GetExec).
func (k *Kubelet) Exec(pod *api.Pod, container string, command []string) (apiserver.ExecResult, *api.Status) {
	if why := k.dialError(pod); why != "" {
		return apiserver.ExecResult{}, &api.Status{Status: "Failure", Code: 500, Message: "error dialing backend: " + why}
	}
	st := statusNamed(pod.Status.ContainerStatuses, container)
	if st == nil {
		st = statusNamed(pod.Status.InitContainerStatuses, container)
	}
	if st == nil || st.State.Running == nil {
		return apiserver.ExecResult{}, internal("unable to upgrade connection: container not found (" + quote(container) + ")")
	}
	m := k.rt.Node(pod.Spec.NodeName)
	id := strings.TrimPrefix(st.ContainerID, containerIDPrefix)
	c := runtime.Call{Now: k.now, Ref: trace.Ref{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}}
	n, err := m.ExecSync(c, id, command)
	if err != nil {
		return apiserver.ExecResult{}, internal("error executing command in container: " + description(err))
	}
	for {
		x := m.ExecPoll(c, id, n)
		if x.Done {
			return apiserver.ExecResult{Stdout: x.Stdout, Stderr: x.Stderr, Exit: x.Code}, nil
		}
		if x.Next <= c.Now || x.Next > k.now+maxExec {
			m.ExecKill(c, id, n)
			return apiserver.ExecResult{}, internal("not simulated: a command that takes longer than ten minutes or waits for input")
		}
		c.Now = x.Next
	}
}

// dialError is why the API server does not reach the kubelet of a pod, or "".
func (k *Kubelet) dialError(pod *api.Pod) string {
	node := pod.Spec.NodeName
	switch dial := "dial tcp " + pod.Status.HostIP + ":10250: "; {
	case k.nodes[node].off || k.cut[node]:
		return dial + "i/o timeout"
	case k.down[node]:
		return dial + "connect: connection refused"
	}
	return ""
}

func internal(text string) *api.Status {
	return &api.Status{Status: "Failure", Reason: api.ReasonInternalError, Code: 500, Message: "Internal error occurred: " + text}
}
