// Package field says where in an object something is wrong and what: the path of
// a field and the errors of validation, in the API server's words
// (apimachinery/pkg/util/validation/field). It decides nothing. Start at NewPath
// and the constructors in error.go.
package field

import (
	"strconv"
	"strings"
)

// Path is the way from the root of an object to a field. It is never changed, so
// paths may share their beginnings.
type Path struct {
	name    string // of a field, or the subscript
	isIndex bool
	parent  *Path
}

// NewPath makes the path of a field of the root; more names go deeper.
func NewPath(name string, more ...string) *Path {
	return (*Path)(nil).Child(name, more...)
}

// Child returns the path of a field below p.
func (p *Path) Child(name string, more ...string) *Path {
	r := &Path{name: name, parent: p}
	for _, m := range more {
		r = &Path{name: m, parent: r}
	}
	return r
}

// Index returns the path of a list's item.
func (p *Path) Index(i int) *Path {
	return &Path{name: strconv.Itoa(i), isIndex: true, parent: p}
}

// Key returns the path of a map's entry.
func (p *Path) Key(key string) *Path {
	return &Path{name: key, isIndex: true, parent: p}
}

// String prints the path as in "spec.containers[0].image"; nil is "<nil>".
func (p *Path) String() string {
	if p == nil {
		return "<nil>"
	}
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p *Path) write(b *strings.Builder) {
	if p.parent != nil {
		p.parent.write(b)
	}
	switch {
	case p.isIndex || p.name == "":
		b.WriteByte('[')
		b.WriteString(p.name)
		b.WriteByte(']')
	default:
		if p.parent != nil {
			b.WriteByte('.')
		}
		b.WriteString(p.name)
	}
}
