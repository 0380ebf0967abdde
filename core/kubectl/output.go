package kubectl

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl/align"
	"podwalk/core/kubectl/gotemplate"
	"podwalk/core/kubectl/jsonpath"
	"podwalk/core/kubectl/kyaml"
)

const formats = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml"

// formatsOfChanges are those of the commands that change objects.
const formatsOfChanges = "go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml"

// output is a form in which objects are printed whole: "json", "jsonpath" with its
// template, ...
type output struct{ form, argument string }

func (s *session) output() output {
	form, argument, _ := strings.Cut(s.flags.text("output"), "=")
	if template := s.flags.text("template"); template != "" {
		if argument == "" {
			argument = template
		}
		form = or(form, "go-template")
	}
	return output{form, argument}
}

// table reports whether kubectl prints a table.
func (o output) table() bool { return o.form == "" || o.form == "wide" }

func (o output) check(allowed string) error {
	switch o.form {
	case "", "wide":
		return nil
	}
	if contains(strings.Split(allowed, ","), o.form) {
		return nil
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
	if err := o.check(formatsOfChanges); err != nil {
		return err
	}
	if i.object == nil {
		return s.printWhole(o, i.local)
	}
	return s.printWhole(o, s.generic(i.object))
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

// printWhole prints a generic value, or an object whose fields keep the order of
// their type.
func (s *session) printWhole(o output, v any) error {
	switch o.form {
	case "json":
		s.print(string(codec.ToJSONIndent(v)))
		return nil
	case "yaml":
		s.printDocument(codec.ToYAML(v))
		return nil
	case "kyaml":
		s.print(kyaml.Document(v))
		return nil
	}
	v = codec.ToValue(v)
	text, err := s.template(o)
	if err != nil {
		return err
	}
	switch strings.TrimSuffix(o.form, "-file") {
	case "jsonpath", "jsonpath-as-json":
		return s.printPath(o.form, text, v)
	case "custom-columns":
		return s.printColumns(text, v)
	}
	return s.printTemplate(text, v)
}

// printDocument separates the YAML of several objects.
func (s *session) printDocument(text string) {
	if s.documents > 0 {
		s.print("---\n")
	}
	s.documents++
	s.print(text)
}

// template is what stands behind the equals sign of -o, or in the file named there.
func (s *session) template(o output) (string, error) {
	switch {
	case o.argument == "" && strings.HasPrefix(o.form, "custom-columns"):
		return "", plain("custom-columns format specified but no custom columns given")
	case o.argument == "":
		return "", plain("template format specified but no template given")
	case !strings.HasSuffix(o.form, "file"):
		return o.argument, nil
	}
	files, err := s.open([]string{o.argument})
	if err != nil {
		return "", plain("error reading --template " + o.argument + ", open " + o.argument + ": no such file or directory\n")
	}
	return string(files[0].Text), nil
}

// printTemplate prints -o go-template (cli-runtime/pkg/printers/template.go).
func (s *session) printTemplate(text string, v any) error {
	t, err := gotemplate.Parse("output", text)
	if err != nil {
		return plain("error parsing template " + text + ", " + err.Error())
	}
	t.MissingKeyIsError = s.flags.text("allow-missing-template-keys") == "false"
	floats := withFloats(v)
	out, err := t.Execute(floats)
	s.print(out)
	if err == nil {
		return nil
	}
	s.print("Error executing template: ", err.Error(), ". Printing more information for debugging the template:\n\ttemplate was:\n\t\t", text,
		"\n\traw data was:\n\t\t", string(codec.ToJSON(v)), "\n\tobject given to template engine was:\n\t\t", goText(floats), "\n\n")
	return plain("error executing template " + quoted(text) + ": " + err.Error())
}

// withFloats is a value as Go's decoder reads it from JSON: each number is a float.
func withFloats(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withFloats(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = withFloats(v[k])
		}
		return out
	}
	return v
}

func (s *session) printPath(form, text string, v any) error {
	t, err := jsonpath.Parse(text)
	if err != nil {
		return plain("error parsing jsonpath " + text + ", " + err.Error())
	}
	if form == "jsonpath-as-json" {
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
		"\n\tobject given to jsonpath engine was:\n\t\t" + goSyntax(v) + "\n\n")
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

// goSyntax prints a value as Go's %#v does.
func goSyntax(v any) string {
	switch v := v.(type) {
	case nil:
		return "interface {}(nil)"
	case string:
		return strconv.Quote(v)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = goSyntax(e)
		}
		return "[]interface {}{" + strings.Join(parts, ", ") + "}"
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Quote(k)+":"+goSyntax(v[k]))
		}
		return "map[string]interface {}{" + strings.Join(parts, ", ") + "}"
	}
	return string(codec.ToJSON(v))
}
