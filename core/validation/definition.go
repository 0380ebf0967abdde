package validation

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/validation/structural"
)

// definition checks a CustomResourceDefinition
// (apiextensions-apiserver/pkg/apis/apiextensions/validation). What all versions share
// is told of the specification as a whole, as the server's internal form has it there.
func (c *check) definition(d *api.CustomResourceDefinition) {
	s := &d.Spec
	c.meta(&d.ObjectMeta, false, func(name string) []string {
		errs := isSubdomain(name)
		if name != s.Names.Plural+"."+s.Group {
			errs = append(errs, `must be spec.names.plural+"."+spec.group`)
		}
		return errs
	})
	group := specPath.Child("group")
	switch {
	case s.Group == "":
		c.required(group, "")
	case len(isSubdomain(s.Group)) > 0:
		c.invalid(group, s.Group, strings.Join(isSubdomain(s.Group), ","))
	case !strings.Contains(s.Group, "."):
		c.invalid(group, s.Group, "should be a domain with at least one dot")
	}
	c.oneOf(specPath.Child("scope"), s.Scope, "Cluster", "Namespaced")
	versions := specPath.Child("versions")
	for i := range s.Versions {
		if v := &s.Versions[i]; v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			c.required(versions.Index(i).Child("schema", "openAPIV3Schema"), "")
		}
	}
	shared := sharedBy(s.Versions)
	for i := range s.Versions {
		c.definitionVersion(&s.Versions[i], versions.Index(i), shared)
	}
	c.storageVersions(s, versions)
	c.definitionNames(&s.Names)
	if len(s.Versions) > 0 {
		c.sharedParts(&s.Versions[0], shared)
	}
	c.conversion(s.Conversion)
	c.storedVersions(d)
	if g := s.Group; (strings.HasSuffix(g, ".k8s.io") || strings.HasSuffix(g, ".kubernetes.io")) && d.Annotations["api-approved.kubernetes.io"] == "" {
		c.required(metaPath.Child("annotations").Key("api-approved.kubernetes.io"),
			`protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`)
	}
	if s.PreserveUnknownFields {
		c.invalid(specPath.Child("preserveUnknownFields"), true, "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead")
	}
}

// alike says which parts all versions have alike.
type alike struct{ schema, subresources, columns, selectable bool }

func sharedBy(list []api.CustomResourceDefinitionVersion) alike {
	if len(list) == 0 {
		return alike{}
	}
	first := &list[0]
	all := alike{first.Schema != nil, first.Subresources != nil, len(first.AdditionalPrinterColumns) > 0, len(first.SelectableFields) > 0}
	for i := range list[1:] {
		v := &list[1+i]
		all.schema = all.schema && api.Equal(v.Schema, first.Schema)
		all.subresources = all.subresources && api.Equal(v.Subresources, first.Subresources)
		all.columns = all.columns && api.Equal(v.AdditionalPrinterColumns, first.AdditionalPrinterColumns)
		all.selectable = all.selectable && api.Equal(v.SelectableFields, first.SelectableFields)
	}
	return all
}

func (c *check) definitionVersion(v *api.CustomResourceDefinitionVersion, at *field.Path, shared alike) {
	if errs := isDNS1035Label(v.Name); len(errs) > 0 {
		c.invalid(at.Child("name"), v.Name, strings.Join(errs, ","))
	}
	if v.DeprecationWarning != "" && !v.Deprecated {
		c.invalid(at.Child("deprecationWarning"), v.DeprecationWarning, "can only be set for deprecated versions")
	}
	if len(v.DeprecationWarning) > 256 {
		c.invalid(at.Child("deprecationWarning"), v.DeprecationWarning, "must be <= 256 characters long")
	}
	if !shared.schema {
		c.definitionSchema(v, at.Child("schema"))
	}
	if !shared.subresources {
		c.subresources(v.Subresources, at.Child("subresources"))
	}
	if !shared.columns {
		c.columns(v.AdditionalPrinterColumns, at.Child("additionalPrinterColumns"))
	}
	if !shared.selectable {
		c.selectable(v, at.Child("selectableFields"))
	}
}

func (c *check) sharedParts(v *api.CustomResourceDefinitionVersion, shared alike) {
	if shared.schema {
		c.definitionSchema(v, specPath.Child("validation"))
	}
	if shared.subresources {
		c.subresources(v.Subresources, specPath.Child("subresources"))
	}
	if shared.columns {
		c.columns(v.AdditionalPrinterColumns, specPath.Child("additionalPrinterColumns"))
	}
	if shared.selectable {
		c.selectable(v, specPath.Child("selectableFields"))
	}
}

func (c *check) definitionSchema(v *api.CustomResourceDefinitionVersion, at *field.Path) {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return
	}
	s := structural.Parse(*v.Schema.OpenAPIV3Schema)
	if s == nil {
		return
	}
	at = at.Child("openAPIV3Schema")
	if v.Subresources != nil && v.Subresources.Status != nil && s.Type != "object" {
		c.invalid(at.Child("type"), s.Type, `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)
	}
	if s.Nullable {
		c.forbidden(at.Child("nullable"), "nullable cannot be true at the root")
	}
	c.add(structural.Check(s, at)...)
}

// storageVersions checks that one version is the one in which objects are stored.
func (c *check) storageVersions(s *api.CustomResourceDefinitionSpec, at *field.Path) {
	stored, names, unique := 0, map[string]bool{}, true
	for i := range s.Versions {
		v := &s.Versions[i]
		unique = unique && !names[v.Name]
		names[v.Name] = true
		if v.Storage {
			stored++
		}
	}
	if !unique {
		c.invalid(at, internalVersions(s.Versions), "must contain unique version names")
	}
	if stored != 1 {
		c.invalid(at, internalVersions(s.Versions), "must have exactly one version marked as storage version")
	}
	if len(s.Versions) > 0 {
		if errs := isDNS1035Label(s.Versions[0].Name); len(errs) > 0 {
			c.invalid(specPath.Child("version"), s.Versions[0].Name, strings.Join(errs, ","))
		}
	}
}

// internalVersions prints versions as the server's internal type, their shared parts
// taken out.
func internalVersions(list []api.CustomResourceDefinitionVersion) field.JSON {
	parts := make([]string, len(list))
	for i := range list {
		v := &list[i]
		warning := "null"
		if v.DeprecationWarning != "" {
			warning = strconv.Quote(v.DeprecationWarning)
		}
		parts[i] = `{"Name":` + strconv.Quote(v.Name) + `,"Served":` + strconv.FormatBool(v.Served) + `,"Storage":` + strconv.FormatBool(v.Storage) +
			`,"Deprecated":` + strconv.FormatBool(v.Deprecated) + `,"DeprecationWarning":` + warning +
			`,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}`
	}
	return field.JSON("[" + strings.Join(parts, ",") + "]")
}

func (c *check) definitionNames(n *api.CustomResourceDefinitionNames) {
	at := specPath.Child("names")
	for _, f := range [][2]string{{"plural", n.Plural}, {"singular", n.Singular}, {"kind", n.Kind}, {"listKind", n.ListKind}} {
		if f[1] == "" {
			c.required(at.Child(f[0]), "")
		}
	}
	label := func(p *field.Path, name string) {
		if errs := isDNS1035Label(name); name != "" && len(errs) > 0 {
			c.invalid(p, name, strings.Join(errs, ","))
		}
	}
	mixed := func(p *field.Path, name string) {
		if errs := isDNS1035Label(strings.ToLower(name)); name != "" && len(errs) > 0 {
			c.invalid(p, name, "may have mixed case, but should otherwise match: "+strings.Join(errs, ","))
		}
	}
	label(at.Child("plural"), n.Plural)
	label(at.Child("singular"), n.Singular)
	mixed(at.Child("kind"), n.Kind)
	mixed(at.Child("listKind"), n.ListKind)
	for i, s := range n.ShortNames {
		label(at.Child("shortNames").Index(i), s)
	}
	if n.Kind != "" && n.Kind == n.ListKind {
		c.invalid(at.Child("listKind"), n.ListKind, "kind and listKind may not be the same")
	}
	for i, s := range n.Categories {
		label(at.Child("categories").Index(i), s)
	}
}

// simplePath reports a path that does not begin with a dot.
func (c *check) simplePath(at *field.Path, path string) bool {
	if !strings.HasPrefix(path, ".") {
		c.invalid(at, path, "must be a simple json path starting with .")
		return false
	}
	return true
}

var columnTypes, columnFormats = []string{"boolean", "date", "integer", "number", "string"},
	[]string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}

func (c *check) columns(list []api.CustomResourceColumnDefinition, at *field.Path) {
	for i := range list {
		col, p := &list[i], at.Index(i)
		if col.Name == "" {
			c.required(p.Child("name"), "")
		}
		switch {
		case col.Type == "":
			c.required(p.Child("type"), "must be one of "+strings.Join(columnTypes, ","))
		case !slices.Contains(columnTypes, col.Type):
			c.invalid(p.Child("type"), col.Type, "must be one of "+strings.Join(columnTypes, ","))
		}
		if col.Format != "" && !slices.Contains(columnFormats, col.Format) {
			c.invalid(p.Child("format"), col.Format, "must be one of "+strings.Join(columnFormats, ","))
		}
		if col.JsonPath == "" {
			c.required(p.Child("JSONPath"), "")
		} else {
			c.simplePath(p.Child("JSONPath"), col.JsonPath)
		}
	}
}

func (c *check) subresources(s *api.CustomResourceSubresources, at *field.Path) {
	if s == nil || s.Scale == nil {
		return
	}
	at = at.Child("scale")
	for _, f := range [][4]string{{"specReplicasPath", s.Scale.SpecReplicasPath, ".spec.", "should be a json path under .spec"},
		{"statusReplicasPath", s.Scale.StatusReplicasPath, ".status.", "should be a json path under .status"}} {
		p := at.Child(f[0])
		switch {
		case f[1] == "":
			c.required(p, "")
		case c.simplePath(p, f[1]) && !strings.HasPrefix(f[1], f[2]):
			c.invalid(p, f[1], f[3])
		}
	}
	p, path := at.Child("labelSelectorPath"), s.Scale.LabelSelectorPath
	if path != "" && c.simplePath(p, path) && !strings.HasPrefix(path, ".spec.") && !strings.HasPrefix(path, ".status.") {
		c.invalid(p, path, "should be a json path under either .spec or .status")
	}
}

func (c *check) selectable(v *api.CustomResourceDefinitionVersion, at *field.Path) {
	if len(v.SelectableFields) == 0 || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return
	}
	root, seen := structural.Parse(*v.Schema.OpenAPIV3Schema), map[string]bool{}
	for i, f := range v.SelectableFields {
		p, s := at.Index(i).Child("jsonPath"), root
		if f.JsonPath == "" {
			c.required(p, "")
			continue
		}
		for _, name := range strings.Split(strings.TrimPrefix(f.JsonPath, "."), ".") {
			if s != nil {
				s = s.Properties[name]
			}
		}
		switch {
		case s == nil:
			c.invalid(p, f.JsonPath, "is an invalid path: does not refer to a valid field")
		case s.Type != "string" && s.Type != "boolean" && s.Type != "integer":
			c.invalid(p, f.JsonPath, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.")
		case seen[f.JsonPath]:
			c.duplicate(p, f.JsonPath)
		}
		seen[f.JsonPath] = true
	}
	if len(seen) > 8 {
		c.add(field.TooMany(at, len(seen), 8))
	}
}

func (c *check) conversion(x *api.CustomResourceConversion) {
	if x == nil {
		return
	}
	at := specPath.Child("conversion")
	c.oneOf(at.Child("strategy"), x.Strategy, "None", "Webhook")
	client, versions := at.Child("webhookClientConfig"), at.Child("conversionReviewVersions")
	if x.Strategy != "Webhook" {
		if x.Webhook != nil && x.Webhook.ClientConfig != nil {
			c.forbidden(client, "should not be set when strategy is not set to Webhook")
		}
		if x.Webhook != nil && len(x.Webhook.ConversionReviewVersions) > 0 {
			c.forbidden(versions, "should not be set when strategy is not set to Webhook")
		}
		return
	}
	switch {
	case x.Webhook == nil || x.Webhook.ClientConfig == nil:
		c.required(client, "required when strategy is set to Webhook")
	case (x.Webhook.ClientConfig.Url == "") == (x.Webhook.ClientConfig.Service == nil):
		c.required(client, "exactly one of url or service is required")
	}
	switch {
	case x.Webhook == nil || len(x.Webhook.ConversionReviewVersions) == 0:
		c.required(versions, "")
	case !slices.Contains(x.Webhook.ConversionReviewVersions, "v1") && !slices.Contains(x.Webhook.ConversionReviewVersions, "v1beta1"):
		c.invalid(versions, x.Webhook.ConversionReviewVersions, "must include at least one of v1, v1beta1")
	}
}

// storedVersions checks that every version in which objects may be stored is there.
func (c *check) storedVersions(d *api.CustomResourceDefinition) {
	at, stored := field.NewPath("status", "storedVersions"), d.Status.StoredVersions
	if len(stored) == 0 {
		c.invalid(at, nil, "must have at least one stored version")
		return
	}
	seen := map[string]bool{}
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if v.Storage && (seen[v.Name] || !slices.Contains(stored, v.Name)) {
			c.invalid(at, stored, "must have the storage version "+v.Name)
		}
		seen[v.Name] = true
	}
	for i, name := range stored {
		if !slices.ContainsFunc(d.Spec.Versions, func(v api.CustomResourceDefinitionVersion) bool { return v.Name == name }) {
			c.invalid(at.Index(i), name, "missing from spec.versions; "+name+" was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in "+
				name+" and removes "+name+" from status.storedVersions")
		}
	}
}

// definitionUpdate checks what may not change: with the names of an established
// definition its scope and kind.
func (c *check) definitionUpdate(d, old *api.CustomResourceDefinition) {
	c.again(d, func(e *field.Error) bool { return true })
	if old.Kinds() != nil {
		fixed(c, specPath.Child("scope"), d.Spec.Scope, old.Spec.Scope)
		fixed(c, specPath.Child("names", "kind"), d.Spec.Names.Kind, old.Spec.Names.Kind)
	}
	fixed(c, specPath.Child("group"), d.Spec.Group, old.Spec.Group)
	fixed(c, specPath.Child("names", "plural"), d.Spec.Names.Plural, old.Spec.Names.Plural)
}

// definitionFormats notes the formats in schemas that the server does not know.
func (n *notes) definitionFormats(d *api.CustomResourceDefinition) {
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		for _, f := range structural.Parse(*v.Schema.OpenAPIV3Schema).UnknownFormats() {
			if text := "unrecognized format " + strconv.Quote(f); !slices.Contains(n.list, text) {
				n.add(text)
			}
		}
	}
}
