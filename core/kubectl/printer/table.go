// Package printer makes the tables of kubectl get: the columns and cells of each
// kind as the API server prints them, and their layout as kubectl prints it. It
// reads nothing but the objects it is given. Start at Of and Table.Text.
package printer

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/align"
)

// Column is one column of a table. Wide ones are shown with -o wide only.
type Column struct {
	Name string
	Wide bool
}

// Row is one object and its cells, one for each column.
type Row struct {
	Object api.Object
	Cells  []string
}

// Table is what the server answers to a get (apimachinery/pkg/apis/meta/v1.Table).
type Table struct {
	Columns []Column
	Rows    []Row
}

// Layout says how a table is shown (cli-runtime/pkg/printers.PrintOptions).
type Layout struct {
	Wide          bool
	NoHeaders     bool
	WithNamespace bool
	KindPrefix    string // "pod" in "pod/web"; "" for the bare name
	ShowLabels    bool
	LabelColumns  []string
}

type definition struct {
	columns string // "Name|Ready|+Node": a plus marks a wide column
	cells   func(o api.Object, now int64) []string
}

func define[T api.Object](columns string, cells func(T, int64) []string) definition {
	return definition{columns, func(o api.Object, now int64) []string { return cells(o.(T), now) }}
}

// Of makes the table of objects of one kind at the moment now (ns since 1970;
// kubernetes/pkg/printers/internalversion/printers.go).
func Of(kind string, objects []api.Object, now int64) Table {
	def, ok := definitions[kind]
	if !ok {
		def = otherKind
	}
	t := Table{Columns: columns(def.columns)}
	defaultClass := ""
	if kind == "StorageClass" {
		defaultClass = defaultStorageClass(objects)
	}
	for _, o := range objects {
		row := Row{o, def.cells(o, now)}
		if defaultClass != "" && o.Meta().Name == defaultClass {
			row.Cells[0] += " (default)"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func columns(spec string) []Column {
	var out []Column
	for _, name := range strings.Split(spec, "|") {
		out = append(out, Column{strings.TrimPrefix(name, "+"), strings.HasPrefix(name, "+")})
	}
	return out
}

// Text lays tables of one kind out as one, under one header; it is "" when there
// are no rows (cli-runtime/pkg/printers/tableprinter.go).
func Text(tables []Table, l Layout) string {
	var b strings.Builder
	for i, t := range tables {
		t = t.decorated(l)
		if !l.NoHeaders && i == 0 {
			b.WriteString(t.header())
		}
		for _, r := range t.Rows {
			writeRow(&b, r.Cells)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return align.Text(b.String(), 6, 3)
}

// header pads each name with blanks to the bytes of its widest cell.
func (t Table) header() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		name := strings.ToUpper(c.Name)
		width := len(name)
		for _, r := range t.Rows {
			if i < len(r.Cells) && i < len(t.Columns)-1 {
				width = max(width, len(r.Cells[i]))
			}
		}
		names[i] = name + strings.Repeat(" ", width-len(name))
	}
	return strings.Join(names, "\t") + "\n"
}

func writeRow(b *strings.Builder, cells []string) {
	for i, c := range cells {
		if i > 0 {
			b.WriteByte('\t')
		}
		if cut := strings.IndexAny(c, "\f\n\r"); cut >= 0 {
			c = c[:cut] + "..."
		}
		b.WriteString(strings.ReplaceAll(c, "\x1b", "^["))
	}
	b.WriteByte('\n')
}

// decorated returns the table with the columns that the layout adds and without
// those that it hides.
func (t Table) decorated(l Layout) Table {
	out := Table{}
	if l.WithNamespace {
		out.Columns = append(out.Columns, Column{Name: "Namespace"})
	}
	var shown []int
	for i, c := range t.Columns {
		if l.Wide || !c.Wide {
			shown, out.Columns = append(shown, i), append(out.Columns, c)
		}
	}
	for _, label := range l.LabelColumns {
		out.Columns = append(out.Columns, Column{Name: label[strings.LastIndexByte(label, '/')+1:]})
	}
	if l.ShowLabels {
		out.Columns = append(out.Columns, Column{Name: "Labels"})
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, Row{r.Object, t.rowCells(r, shown, l)})
	}
	return out
}

func (t Table) rowCells(r Row, shown []int, l Layout) []string {
	m := r.Object.Meta()
	var cells []string
	if l.WithNamespace {
		cells = append(cells, m.Namespace)
	}
	for _, i := range shown {
		cell := r.Cells[i]
		if l.KindPrefix != "" && t.Columns[i].Name == "Name" {
			cell = l.KindPrefix + "/" + cell
		}
		cells = append(cells, cell)
	}
	for _, label := range l.LabelColumns {
		cells = append(cells, m.Labels[label])
	}
	if l.ShowLabels {
		cells = append(cells, Labels(m.Labels))
	}
	return cells
}

func num[T int | int32 | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func ratio[T int | int32](a, b T) string { return num(a) + "/" + num(b) }

func or(s, none string) string {
	if s == "" {
		return none
	}
	return s
}

func deref[T any](p *T, none T) T {
	if p == nil {
		return none
	}
	return *p
}

// Plain lays out rows under a header of names, as kubectl does for what is no
// object.
func Plain(header string, rows [][]string, noHeaders bool) string {
	t := Table{Columns: columns(header)}
	for _, cells := range rows {
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	var b strings.Builder
	if !noHeaders {
		b.WriteString(t.header())
	}
	for _, cells := range rows {
		writeRow(&b, cells)
	}
	return align.Text(b.String(), 6, 3)
}
