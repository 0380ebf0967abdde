package kubelet

import (
	"strconv"
	"strings"

	"podwalk/core/api"
)

// fieldValue reads a field of the pod for a variable
// (pkg/kubelet/kubelet_pods.go, podFieldSelectorRuntimeValue).
func (s *step) fieldValue(path string) (string, string) {
	pod := s.w.pod
	switch path {
	case "spec.nodeName":
		return pod.Spec.NodeName, ""
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, ""
	case "status.hostIP", "status.hostIPs":
		return s.nodeIP(), ""
	case "status.podIP", "status.podIPs":
		if pod.Spec.HostNetwork {
			return s.nodeIP(), ""
		}
		return s.podIP(), ""
	}
	return fieldPathValue(pod, path)
}

// fieldPathValue reads a field of the metadata; the second text is the error
// (pkg/fieldpath/fieldpath.go).
func fieldPathValue(pod *api.Pod, path string) (string, string) {
	if strings.HasSuffix(path, "']") {
		name, key, _ := strings.Cut(strings.TrimSuffix(path, "']"), "['")
		switch name {
		case "metadata.annotations":
			return pod.Annotations[key], ""
		case "metadata.labels":
			return pod.Labels[key], ""
		}
		return "", "fieldPath " + quote(path) + " does not support subscript"
	}
	switch path {
	case "metadata.annotations":
		return formatMap(pod.Annotations), ""
	case "metadata.labels":
		return formatMap(pod.Labels), ""
	case "metadata.name":
		return pod.Name, ""
	case "metadata.namespace":
		return pod.Namespace, ""
	case "metadata.uid":
		return pod.UID, ""
	}
	return "", "unsupported fieldPath: " + path
}

func formatMap(m map[string]string) string {
	var b strings.Builder
	for i, k := range sortedNames(m) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(k + "=" + strconv.Quote(m[k]))
	}
	return b.String()
}

// resourceValue reads a request or limit of a container; a limit that is not set is
// what the node has (pkg/api/v1/resource/helpers.go, ExtractContainerResourceValue).
func (s *step) resourceValue(f *api.ResourceFieldSelector, c *api.Container) (string, string) {
	if c == nil {
		return "", "container " + f.ContainerName + " not found"
	}
	kind, name, ok := strings.Cut(f.Resource, ".")
	if !ok || kind != "limits" && kind != "requests" {
		return "", "unsupported container resource : " + f.Resource
	}
	q := c.Resources.Requests[name]
	if kind == "limits" {
		q = c.Resources.Limits[name]
		if n := s.c.Node(s.w.node); q.IsZero() && n != nil {
			q = n.Status.Allocatable[name]
		}
	}
	if name == "cpu" {
		divisor := int64(1000)
		if !f.Divisor.IsZero() {
			divisor = f.Divisor.MilliValue()
		}
		return strconv.FormatInt((q.MilliValue()+divisor-1)/max(divisor, 1), 10), ""
	}
	divisor := int64(1)
	if !f.Divisor.IsZero() {
		divisor = f.Divisor.Value()
	}
	return strconv.FormatInt((q.Value()+divisor-1)/max(divisor, 1), 10), ""
}
