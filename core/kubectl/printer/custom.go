package printer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/age"
	"podwalk/core/kubectl/jsonpath"
)

// OfKind makes the table of objects of a kind; of a custom kind, with the columns of
// its definition (apiextensions-apiserver/pkg/registry/customresource/tableconvertor).
func OfKind(k *api.Kind, objects []api.Object, now int64) Table {
	version := k.Custom()
	if version == nil {
		return Of(k.Kind, objects, now)
	}
	list := version.AdditionalPrinterColumns
	if len(list) == 0 {
		list = []api.CustomResourceColumnDefinition{{Name: "Age", Type: "date", JsonPath: ".metadata.creationTimestamp"}}
	}
	t := Table{Columns: []Column{{Name: "Name"}}}
	paths := make([]*jsonpath.Template, len(list))
	for i := range list {
		t.Columns = append(t.Columns, Column{Name: list[i].Name, Wide: list[i].Priority > 0})
		paths[i], _ = jsonpath.Parse("{" + list[i].JsonPath + "}")
	}
	for _, o := range objects {
		row, v := Row{o, []string{o.Meta().Name}}, codec.ToValue(o)
		for i := range list {
			row.Cells = append(row.Cells, customCell(list[i].Type, paths[i], v, now))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// customCell is the first value at a path, as a type of columns; what has another type
// or is not there is empty.
func customCell(kind string, path *jsonpath.Template, object any, now int64) string {
	if path == nil {
		return ""
	}
	found, err := path.Find(object)
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return ""
	}
	v := found[0][0]
	text, isText := v.(string)
	switch kind {
	case "string":
		if isText {
			return text
		}
		return string(codec.ToJSON(v))
	case "date":
		at, err := time.Parse(time.RFC3339, text)
		switch {
		case !isText:
			return ""
		case err != nil:
			return "<invalid>"
		}
		return age.Since(now, api.Time(at.Unix()))
	case "integer":
		if f, ok := v.(float64); ok {
			return strconv.FormatInt(int64(f), 10)
		}
		return textOf(v, "integer")
	}
	return textOf(v, kind)
}

// textOf prints a value that has the type of its column.
func textOf(v any, kind string) string {
	switch v := v.(type) {
	case int64:
		if kind == "integer" || kind == "number" {
			return strconv.FormatInt(v, 10)
		}
	case float64:
		if kind == "number" {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case bool:
		if kind == "boolean" {
			return lower(v)
		}
	}
	return ""
}

// definitionCells are those of a definition
// (apiextensions-apiserver/pkg/registry/customresourcedefinition/tableconvertor).
func definitionCells(d *api.CustomResourceDefinition, _ int64) []string {
	var versions []string
	for i := range d.Spec.Versions {
		if v := &d.Spec.Versions[i]; v.Served && v.Storage {
			versions = append(versions, v.Name+"(storage)")
		} else if v.Served {
			versions = append(versions, v.Name)
		}
	}
	slices.Sort(versions)
	established := false
	for _, c := range d.Status.Conditions {
		established = established || c.Type == "Established" && c.Status == "True"
	}
	n := &d.Spec.Names
	return []string{d.Name, d.Spec.Scope, strings.Join(versions, ","), d.CreationTimestamp.String(), d.Spec.Group, n.Kind, strings.Join(n.ShortNames, ","), lower(established)}
}
