package printer

import (
	"slices"
	"strings"

	"podwalk/core/api"
)

// Labels prints a map as a=b,c=d, or <none> (apimachinery/pkg/labels.FormatLabels).
func Labels(m map[string]string) string {
	return or(strings.Join(pairs(m), ","), "<none>")
}

func pairs(m map[string]string) []string {
	var out []string
	for k, v := range m {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return out
}

// SelectorText prints a label selector as the API's selector strings; nil and the
// empty one are "", one with an unknown operator is <error>.
func SelectorText(s *api.LabelSelector) string {
	selector, err := s.AsSelector()
	if err != nil {
		return "<error>"
	}
	return selector.String()
}

// AccessModes prints the modes of a volume in short, such as RWO,RWX.
func AccessModes(modes []string) string {
	var out []string
	for _, m := range []struct{ mode, short string }{
		{"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"},
	} {
		if slices.Contains(modes, m.mode) {
			out = append(out, m.short)
		}
	}
	return strings.Join(out, ",")
}

const betaStorageClass = "volume.beta.kubernetes.io/storage-class"

// VolumeClass returns the storage class of a PersistentVolume, "" for none.
func VolumeClass(v *api.PersistentVolume) string {
	if class, ok := v.Annotations[betaStorageClass]; ok {
		return class
	}
	return v.Spec.StorageClassName
}

// ClaimClass returns the storage class that a claim asks for, "" for none.
func ClaimClass(c *api.PersistentVolumeClaim) string {
	if class, ok := c.Annotations[betaStorageClass]; ok {
		return class
	}
	return deref(c.Spec.StorageClassName, "")
}

// NodeRoles returns the roles that a node's labels give it, sorted.
func NodeRoles(n *api.Node) []string {
	var roles []string
	for k, v := range n.Labels {
		if role, ok := strings.CutPrefix(k, "node-role.kubernetes.io/"); ok && role != "" {
			roles = append(roles, role)
		} else if k == "kubernetes.io/role" && v != "" {
			roles = append(roles, v)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

// IngressAddresses prints where an Ingress can be reached.
func IngressAddresses(s api.IngressLoadBalancerStatus) string {
	var all []string
	for _, i := range s.Ingress {
		if a := or(i.IP, i.Hostname); a != "" {
			all = append(all, a)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

// HostPort joins an address and a port; an IPv6 address stands in brackets.
func HostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// Bool prints True, False, or <unset> for nil.
func Bool(b *bool) string {
	switch {
	case b == nil:
		return "<unset>"
	case *b:
		return "True"
	}
	return "False"
}

func lower(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// goStrings prints a list as Go's %v does.
func goStrings(list []string) string { return "[" + strings.Join(list, " ") + "]" }
