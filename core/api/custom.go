package api

import (
	"encoding/json"
	"strings"
)

// Custom is an object of a kind that a CustomResourceDefinition makes. Its Kind
// carries the group behind it, as in "Backup.example.com", so that it is never taken
// for a kind of the API; what is printed is the part before the first dot.
type Custom struct {
	TypeMeta
	ObjectMeta `json:"metadata"`
	// Content is the JSON object of all fields beside apiVersion, kind and metadata,
	// its keys sorted at every depth.
	Content RawJSON `json:"-"`
}

// Meta returns the object's metadata.
func (o *Custom) Meta() *ObjectMeta { return &o.ObjectMeta }

// Copy returns a shallow copy.
func (o *Custom) Copy() Object { c := *o; return &c }

// MarshalJSON prints the whole object.
func (o *Custom) MarshalJSON() ([]byte, error) {
	whole := map[string]json.RawMessage{}
	if len(o.Content) > 0 {
		if err := json.Unmarshal(o.Content, &whole); err != nil {
			return nil, err
		}
	}
	for key, v := range map[string]any{"apiVersion": o.APIVersion, "kind": KindName(o.Kind), "metadata": &o.ObjectMeta} {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		whole[key] = text
	}
	return json.Marshal(whole)
}

// KindName is the name of a kind as it is printed: without the group that those of
// custom objects carry here.
func KindName(kind string) string {
	name, _, _ := strings.Cut(kind, ".")
	return name
}

// Name is the kind's name as it is printed.
func (k *Kind) Name() string { return KindName(k.Kind) }

// Custom is the version of a definition that the kind comes from; of the API's own
// kinds it is nil.
func (k *Kind) Custom() *CustomResourceDefinitionVersion {
	if k.Definition == nil {
		return nil
	}
	for i := range k.Definition.Spec.Versions {
		if v := &k.Definition.Spec.Versions[i]; v.Name == k.Version {
			return v
		}
	}
	return nil
}

// Kinds are the kinds that a definition makes, one for each version that is served,
// the preferred one first; none before it is established
// (apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go).
func (d *CustomResourceDefinition) Kinds() []*Kind {
	if !d.established() {
		return nil
	}
	names, out := &d.Status.AcceptedNames, []*Kind{}
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if !v.Served {
			continue
		}
		k := &Kind{Group: d.Spec.Group, Version: v.Name, Kind: names.Kind + "." + d.Spec.Group, Plural: names.Plural, Singular: names.Singular,
			Short: names.ShortNames, Namespaced: d.Spec.Scope == "Namespaced", Categories: names.Categories, Definition: d,
			New: func() Object { return &Custom{} }}
		at := len(out)
		for at > 0 && newerVersion(v.Name, out[at-1].Version) {
			at--
		}
		out = append(out[:at], append([]*Kind{k}, out[at:]...)...)
	}
	return out
}

func (d *CustomResourceDefinition) established() bool {
	for _, c := range d.Status.Conditions {
		if c.Type == "Established" {
			return c.Status == "True"
		}
	}
	return false
}

// newerVersion orders versions of an API: stable before beta before alpha, higher
// numbers first, and any other name behind, by the alphabet
// (apimachinery/pkg/version CompareKubeAwareVersionStrings).
func newerVersion(a, b string) bool {
	x, y := versionRank(a), versionRank(b)
	if x == nil && y == nil {
		return a < b
	}
	if x == nil || y == nil {
		return y == nil
	}
	for i := range x {
		if x[i] != y[i] {
			return x[i] > y[i]
		}
	}
	return false
}

// versionRank is the stage, the major and the minor number of a version such as
// v1beta2, or nil.
func versionRank(v string) []int {
	rest, ok := strings.CutPrefix(v, "v")
	major, rest := leadingNumber(rest)
	if !ok || major < 0 {
		return nil
	}
	if rest == "" {
		return []int{2, major, 0}
	}
	for stage, word := range []string{"alpha", "beta"} {
		if digits, ok := strings.CutPrefix(rest, word); ok {
			if minor, end := leadingNumber(digits); minor >= 0 && end == "" {
				return []int{stage, major, minor}
			}
		}
	}
	return nil
}

// leadingNumber reads the digits at the beginning; -1 where there are none.
func leadingNumber(s string) (n int, rest string) {
	i := 0
	for i < len(s) && i < 9 && s[i] >= '0' && s[i] <= '9' {
		n, i = n*10+int(s[i]-'0'), i+1
	}
	if i == 0 {
		return -1, s
	}
	return n, s[i:]
}
