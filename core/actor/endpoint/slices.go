package endpoint

import "podwalk/core/api"

// ServiceName is the label that names the Service of an EndpointSlice.
const ServiceName = "kubernetes.io/service-name"

// SliceIndex finds EndpointSlices by the Service that they belong to: the value is
// namespace/name.
const SliceIndex = "slice.service"

// SliceIndexValues are the values of SliceIndex.
func SliceIndexValues(o api.Object) []string {
	m := o.Meta()
	if name := m.Labels[ServiceName]; name != "" {
		return []string{m.Namespace + "/" + name}
	}
	return nil
}

// SlicePrefix is that of the generated names of slices: without the dash where a
// name would be too long.
func SlicePrefix(service string) string {
	if len(service)+1 > 253 {
		return service
	}
	return service + "-"
}

// Terminating holds for the refusal of a namespace that is being deleted.
func Terminating(st *api.Status) bool {
	if st.Details != nil {
		for _, c := range st.Details.Causes {
			if c.Type == "NamespaceTerminating" {
				return true
			}
		}
	}
	return false
}
