package endpoint

import (
	"hash/fnv"
	"slices"
	"sort"
	"strconv"

	"podwalk/core/api"
)

// FindPort returns the number that a Service's port has in a pod. A target port
// that is a name is looked up in the pod's containers and sidecars; ok is false if
// none has it (endpointslice/utils.go, FindPort).
func FindPort(p *api.Pod, port *api.ServicePort) (number int32, ok bool) {
	if !port.TargetPort.IsString {
		return port.TargetPort.Int, true
	}
	for i := range p.Spec.Containers {
		if n, ok := namedPort(&p.Spec.Containers[i], port); ok {
			return n, true
		}
	}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if c.RestartPolicy == nil || *c.RestartPolicy != "Always" {
			continue
		}
		if n, ok := namedPort(c, port); ok {
			return n, true
		}
	}
	return 0, false
}

func namedPort(c *api.Container, port *api.ServicePort) (int32, bool) {
	for _, p := range c.Ports {
		if p.Name == port.TargetPort.Str && p.Protocol == port.Protocol {
			return p.ContainerPort, true
		}
	}
	return 0, false
}

// SlicePorts returns the ports that a pod's endpoint has in EndpointSlices, in the
// order of their hashes. Ports that the pod does not name are left out.
func SlicePorts(s *api.Service, p *api.Pod) []api.EndpointSlicePort {
	var list []api.EndpointSlicePort
	for i := range s.Spec.Ports {
		sp := &s.Spec.Ports[i]
		n, ok := FindPort(p, sp)
		if !ok {
			continue
		}
		name, protocol := sp.Name, sp.Protocol
		list = append(list, api.EndpointSlicePort{Name: &name, Port: &n, Protocol: &protocol, AppProtocol: sp.AppProtocol})
	}
	SortSlicePorts(list)
	return list
}

// SortSlicePorts puts ports into the order of EndpointSlices: that of the hashes
// of their Go form (endpointslice/util/controller_utils.go, portsInOrder).
func SortSlicePorts(list []api.EndpointSlicePort) {
	if len(list) > 1 {
		sort.Slice(list, func(i, j int) bool {
			return hashText("(v1.EndpointPort)"+slicePortText(&list[i])) < hashText("(v1.EndpointPort)"+slicePortText(&list[j]))
		})
	}
}

// PortKey tells apart groups of endpoints with other ports.
func PortKey(list []api.EndpointSlicePort) string {
	if len(list) > 1 && !slices.IsSortedFunc(list, func(a, b api.EndpointSlicePort) int {
		return compare(hashText("(v1.EndpointPort)"+slicePortText(&a)), hashText("(v1.EndpointPort)"+slicePortText(&b)))
	}) {
		list = slices.Clone(list)
		SortSlicePorts(list)
	}
	key := ""
	for i := range list {
		key += slicePortText(&list[i])
	}
	return key
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func slicePortText(p *api.EndpointSlicePort) string {
	number := "<nil>"
	if p.Port != nil {
		number = strconv.Itoa(int(*p.Port))
	}
	return "{Name:(*string)" + orNil(p.Name) + " Protocol:(*v1.Protocol)" + orNil(p.Protocol) + " Port:(*int32)" + number +
		" AppProtocol:(*string)" + orNil(p.AppProtocol) + "}"
}

func orNil(s *string) string {
	if s == nil {
		return "<nil>"
	}
	return *s
}

// hashText is the hash that the real controllers sort by: FNV-1a, 128 bits.
func hashText(s string) string {
	h := fnv.New128a()
	h.Write([]byte(s))
	return string(h.Sum(nil))
}
