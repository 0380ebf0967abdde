// Package reference prints what the API says about kinds and their fields, as
// `kubectl explain` does (kubectl/pkg/explain/v2). The texts are those of package full;
// without it there are none. Start at Kind and Page.
package reference

import "strings"

// Open returns the types as text: a line "!KIND TYPE" for each kind, "@TYPE
// DESCRIPTION" for each type and below it "+FIELD TYPE REFERENCE REQUIRED ENUM
// DESCRIPTION", tabs between. nil where there are none.
var Open func() string

// Page is what is printed about one kind.
type Page struct {
	types     map[string]*object
	root      string
	Recursive bool
	MaxDepth  int // of a recursive page; 0 is no limit
}

type object struct {
	description string
	fields      []property
}

type property struct {
	name, shown, ref, description string
	enum                          []string
	required                      bool
}

// Kind prepares the page of a kind; false where nothing is known about it.
func Kind(kind string) (*Page, bool) {
	if Open == nil {
		return nil, false
	}
	p := &Page{types: map[string]*object{}}
	var o *object
	for _, line := range strings.Split(Open(), "\n") {
		f := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "!") && f[0][1:] == kind:
			p.root = f[1]
		case strings.HasPrefix(line, "@"):
			o = &object{description: plain(f[1])}
			p.types[f[0][1:]] = o
		case strings.HasPrefix(line, "+"):
			d := property{name: f[0][1:], shown: f[1], ref: f[2], required: f[3] == "1", description: plain(f[5])}
			if f[4] != "" {
				d.enum = strings.Split(f[4], ",")
			}
			o.fields = append(o.fields, d)
		}
	}
	return p, p.root != ""
}

func plain(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(s)
}

func (o *object) field(name string) *property {
	if o == nil {
		return nil
	}
	for i := range o.fields {
		if o.fields[i].name == name {
			return &o.fields[i]
		}
	}
	return nil
}

// Text prints the kind, or the field at a path of it; false if there is no such field.
func (p *Page) Text(path []string) (string, bool) {
	var b strings.Builder
	at, description := p.types[p.root], ""
	for i, name := range path {
		f := at.field(name)
		if f == nil {
			return "", false
		}
		at, description = p.types[f.ref], f.description
		if i < len(path)-1 {
			continue
		}
		b.WriteString("FIELD: " + name + " <" + f.shown + ">\n")
		if f.enum != nil {
			b.WriteString("ENUM:")
			for _, e := range f.enum {
				b.WriteString("\n    " + e)
			}
		}
		b.WriteString("\n\n")
	}
	if description != "" {
		description += "\n"
	}
	if at != nil && at.description != "" {
		description += at.description + "\n"
	}
	if description == "" {
		description = "<empty>"
	}
	b.WriteString("DESCRIPTION:\n" + indent(4, wrap(76, description)) + "\n")
	if at != nil && len(at.fields) > 0 {
		b.WriteString("FIELDS:\n")
		p.list(&b, at, 1, map[*object]bool{})
	}
	return b.String(), true
}

// list prints the fields of a type; of a recursive page their fields too, but for
// types that the way leads through already.
func (p *Page) list(b *strings.Builder, o *object, level int, through map[*object]bool) {
	if o == nil || through[o] {
		return
	}
	through[o] = true
	defer delete(through, o)
	for i := range o.fields {
		f := &o.fields[i]
		p.detail(b, f, level*2)
		if p.Recursive && (p.MaxDepth == 0 || level < p.MaxDepth) {
			p.list(b, p.types[f.ref], level+1, through)
		}
	}
}

// most is how many values of an enumeration a list of fields shows.
const most = 4

func (p *Page) detail(b *strings.Builder, f *property, in int) {
	b.WriteString(strings.Repeat(" ", in) + f.name + "\t<" + f.shown + ">")
	if f.required {
		b.WriteString(" -required-")
	}
	if f.enum != nil {
		shown := f.enum
		end := ""
		if len(shown) > most {
			shown, end = shown[:most], ", ...."
		}
		b.WriteString("\n" + strings.Repeat(" ", in) + "enum: " + strings.Join(shown, ", ") + end)
	}
	b.WriteByte('\n')
	if p.Recursive {
		return
	}
	description := f.description
	if description == "" {
		description = "<no description>"
	}
	b.WriteString(indent(in+2, wrap(78-in, description)) + "\n\n")
}

func indent(n int, s string) string {
	pad := strings.Repeat(" ", n)
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad)
}

// wrap breaks lines at blanks (mitchellh/go-wordwrap).
func wrap(limit int, s string) string {
	var out, word, space strings.Builder
	current, wordLen, spaceLen := 0, 0, 0
	flush := func() {
		out.WriteString(space.String() + word.String())
		current += spaceLen + wordLen
		space.Reset()
		word.Reset()
		wordLen, spaceLen = 0, 0
	}
	for _, r := range s {
		switch {
		case r == '\n':
			if wordLen == 0 && current+spaceLen > limit {
				space.Reset()
				spaceLen = 0
			}
			flush()
			out.WriteRune(r)
			current = 0
		case r == ' ' || r == '\t':
			if wordLen > 0 {
				flush()
			}
			space.WriteRune(r)
			spaceLen++
		default:
			word.WriteRune(r)
			wordLen++
			if current+wordLen+spaceLen > limit && wordLen < limit {
				out.WriteByte('\n')
				current, spaceLen = 0, 0
				space.Reset()
			}
		}
	}
	if wordLen > 0 || current+spaceLen <= limit {
		flush()
	}
	return out.String()
}
