package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/align"
	"podwalk/core/kubectl/jsonpath"
)

const formats = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml"

// output is a form in which objects are printed whole: "json", "jsonpath" with its
// template, ...
type output struct{ form, argument string }

func (s *session) output() output {
	form, argument, _ := strings.Cut(s.flags.text("output"), "=")
	return output{form, argument}
}

// table reports whether kubectl prints a table.
func (o output) table() bool { return o.form == "" || o.form == "wide" }

func (o output) check(allowed string) error {
	switch o.form {
	case "", "wide", "json", "yaml", "name", "jsonpath", "jsonpath-as-json", "custom-columns":
		return nil
	case "go-template", "go-template-file", "template", "templatefile", "kyaml", "jsonpath-file", "custom-columns-file":
		return errNotSimulated("kubectl -o " + o.form)
	}
	return plain("unable to match a printer suitable for the output format " + strconv.Quote(o.form) + ", allowed formats are: " + allowed)
}

// printDone says what was done with an object, or prints it where -o asks for that.
func (s *session) printDone(i *item, done string) error {
	o := s.output()
	switch o.form {
	case "":
		s.print(i.shown(), " ", done, s.dryRunSuffix(), "\n")
		return nil
	case "name":
		s.print(i.shown(), "\n")
		return nil
	}
	if err := o.check(strings.ReplaceAll(formats, "custom-columns,custom-columns-file,", "")); err != nil {
		return err
	}
	if i.object == nil {
		return s.printWhole(o, i.local)
	}
	return s.printWhole(o, s.generic(i.object))
}

// printTyped is printDone for an object of which the program holds the Go type: its
// JSON has the fields in the type's order.
func (s *session) printTyped(i *item, done string) error {
	if s.flags.text("output") != "json" || i.object == nil || s.flags.bool("show-managed-fields") {
		return s.printDone(i, done)
	}
	o := i.object.Copy()
	o.Meta().ManagedFields = nil
	s.print(string(codec.ToJSONIndent(o)))
	return nil
}

// generic is an object as -o prints it: without managedFields.
func (s *session) generic(o api.Object) map[string]any {
	v, _ := codec.ToValue(o).(map[string]any)
	if meta, ok := v["metadata"].(map[string]any); ok && !s.flags.bool("show-managed-fields") {
		delete(meta, "managedFields")
	}
	return v
}

// listOf is several objects as -o prints them.
func (s *session) listOf(items []item) map[string]any {
	list := make([]any, 0, len(items))
	for i := range items {
		list = append(list, s.generic(items[i].object))
	}
	return map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}, "items": list}
}

func (s *session) printWhole(o output, v any) error {
	switch o.form {
	case "json":
		s.print(string(codec.ToJSONIndent(v)))
	case "yaml":
		s.print(codec.ToYAML(v))
	case "jsonpath", "jsonpath-as-json":
		return s.printPath(o, v)
	case "custom-columns":
		return s.printColumns(o.argument, v)
	}
	return nil
}

func (s *session) printPath(o output, v any) error {
	if o.argument == "" {
		return plain("template format specified but no template given")
	}
	text := o.argument
	t, err := jsonpath.Parse(text)
	if err != nil {
		return plain("error parsing jsonpath " + text + ", " + err.Error())
	}
	if o.form == "jsonpath-as-json" {
		found, err := t.Find(v)
		if err != nil {
			return pathError(text, v, err)
		}
		s.print(string(codec.ToJSONIndent(slices.Concat(found...))))
		return nil
	}
	out, err := t.Execute(v, pathText)
	if err != nil {
		return pathError(text, v, err)
	}
	s.print(out)
	return nil
}

func pathError(template string, v any, err error) error {
	return plain("error executing jsonpath " + strconv.Quote(template) + ": Error executing template: " + err.Error() +
		". Printing more information for debugging the template:\n\ttemplate was:\n\t\t" + template +
		"\n\tobject given to jsonpath engine was:\n\t\t" + string(codec.ToJSON(v)) + "\n\n")
}

// pathText prints one value of a template: lists and maps as JSON.
func pathText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	}
	return string(codec.ToJSON(v))
}

// printColumns prints -o custom-columns (kubectl/pkg/cmd/get/customcolumn.go).
func (s *session) printColumns(spec string, v any) error {
	if spec == "" {
		return plain("custom-columns format specified but no custom columns given")
	}
	var headers []string
	var paths []*jsonpath.Template
	for _, column := range strings.Split(spec, ",") {
		header, expr, ok := strings.Cut(column, ":")
		if !ok {
			return plain("unexpected custom-columns spec: " + column + ", expected <header>:<json-path-expr>")
		}
		expr, err := jsonpath.Relaxed(expr)
		if err != nil {
			return err
		}
		t, err := jsonpath.Parse(expr)
		if err != nil {
			return err
		}
		headers, paths = append(headers, header), append(paths, t)
	}
	var b strings.Builder
	if !s.flags.bool("no-headers") {
		b.WriteString(strings.Join(headers, "\t") + "\n")
	}
	for _, object := range objectsOf(v) {
		for i, t := range paths {
			cell, err := columnText(t, object)
			if err != nil {
				return err
			}
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(cell)
		}
		b.WriteByte('\n')
	}
	s.print(align.Text(b.String(), 6, 3))
	return nil
}

func objectsOf(v any) []any {
	if m, ok := v.(map[string]any); ok {
		if items, ok := m["items"].([]any); ok && m["kind"] == "List" {
			return items
		}
	}
	return []any{v}
}

func columnText(t *jsonpath.Template, object any) (string, error) {
	found, err := t.Find(object)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, values := range found {
		for _, v := range values {
			parts = append(parts, goText(v))
		}
	}
	if len(parts) == 0 {
		return "<none>", nil
	}
	return strings.Join(parts, ","), nil
}

// goText prints a value as Go's %v does.
func goText(v any) string {
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = goText(e)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case map[string]any:
		var parts []string
		for k, e := range v {
			parts = append(parts, k+":"+goText(e))
		}
		slices.Sort(parts)
		return "map[" + strings.Join(parts, " ") + "]"
	}
	return string(codec.ToJSON(v))
}
