package validation

import (
	"encoding/json"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// maxConfigSize is how many bytes a ConfigMap or Secret may hold.
const maxConfigSize = 1024 * 1024

var dataPath = field.NewPath("data")

func (c *check) configMap(m *api.ConfigMap) {
	c.meta(&m.ObjectMeta, true, isSubdomain)
	size := 0
	for _, k := range sorted(m.Data) {
		c.each(dataPath.Key(k), k, isConfigKey(k))
		if _, both := m.BinaryData[k]; both {
			c.invalid(dataPath.Key(k), k, "duplicate of key present in binaryData")
		}
		size += len(m.Data[k])
	}
	for _, k := range sorted(m.BinaryData) {
		c.each(field.NewPath("binaryData").Key(k), k, isConfigKey(k))
		size += len(m.BinaryData[k])
	}
	if size > maxConfigSize {
		c.add(field.TooLong(field.NewPath(""), "", maxConfigSize))
	}
}

func (c *check) secret(s *api.Secret) {
	c.meta(&s.ObjectMeta, true, isSubdomain)
	size := 0
	for _, k := range sorted(s.Data) {
		c.each(dataPath.Key(k), k, isConfigKey(k))
		size += len(s.Data[k])
	}
	if size > maxConfigSize {
		c.add(field.TooLong(dataPath, "", maxConfigSize))
	}
	c.secretType(s)
}

func (c *check) secretType(s *api.Secret) {
	has := func(key string) bool { _, ok := s.Data[key]; return ok }
	need := func(key string) {
		if !has(key) {
			c.required(dataPath.Key(key), "")
		}
	}
	switch s.Type {
	case "kubernetes.io/service-account-token":
		if s.Annotations["kubernetes.io/service-account.name"] == "" {
			c.required(metaPath.Child("annotations").Key("kubernetes.io/service-account.name"), "")
		}
	case "kubernetes.io/dockercfg":
		c.jsonData(s, ".dockercfg")
	case "kubernetes.io/dockerconfigjson":
		c.jsonData(s, ".dockerconfigjson")
	case "kubernetes.io/basic-auth":
		if !has("username") && !has("password") {
			need("username")
			need("password")
		}
	case "kubernetes.io/ssh-auth":
		if len(s.Data["ssh-privatekey"]) == 0 {
			c.required(dataPath.Key("ssh-privatekey"), "")
		}
	case "kubernetes.io/tls":
		need("tls.crt")
		need("tls.key")
	}
}

func (c *check) jsonData(s *api.Secret, key string) {
	v, ok := s.Data[key]
	if !ok {
		c.required(dataPath.Key(key), "")
		return
	}
	if err := json.Unmarshal(v, &map[string]any{}); err != nil {
		c.invalid(dataPath.Key(key), "<secret contents redacted>", err.Error())
	}
}

func (c *check) namespace(n *api.Namespace) {
	c.meta(&n.ObjectMeta, false, isDNSLabel)
	for _, f := range n.Spec.Finalizers {
		p := specPath.Child("finalizers")
		c.each(p, f, field.IsLabelKey(f))
		if !strings.Contains(f, "/") && f != "kubernetes" && f != "orphan" && f != "foregroundDeletion" {
			c.invalid(p, f, noDomain)
		}
	}
}

func (c *check) node(n *api.Node) {
	c.meta(&n.ObjectMeta, false, isSubdomain)
	c.taints(n.Spec.Taints, metaPath.Child("taints"))
	c.nodeResources(&n.Status)
	for i, r := range n.Spec.PodCIDRs {
		c.each(specPath.Child("podCIDRs").Index(i), r, isCIDR(r))
	}
}

func (c *check) nodeResources(s *api.NodeStatus) {
	for _, k := range sorted(s.Capacity) {
		c.quantity(k, s.Capacity[k], field.NewPath("status", "capacity", k))
	}
	for _, k := range sorted(s.Allocatable) {
		c.quantity(k, s.Allocatable[k], field.NewPath("status", "allocatable", k))
	}
}

// taints checks the taints of a node; their path lacks the spec, as upstream's.
func (c *check) taints(list []api.Taint, at *field.Path) {
	seen := map[[2]string]bool{}
	for i := range list {
		t, p := &list[i], at.Index(i)
		c.labelName(p.Child("key"), t.Key)
		if msgs := field.IsLabelValue(t.Value); len(msgs) > 0 {
			c.each(p.Child("value"), t.Value, msgs)
		}
		c.oneOf(p.Child("effect"), t.Effect, "NoSchedule", "PreferNoSchedule", "NoExecute")
		if key := [2]string{t.Effect, t.Key}; seen[key] {
			e := field.Duplicate(p, internal(t))
			e.Detail = "taints must be unique by key and effect pair"
			c.add(e)
		} else {
			seen[key] = true
		}
	}
}
