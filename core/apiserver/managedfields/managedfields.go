// Package managedfields tells who owns which fields of an object, for server-side
// apply. It keeps nothing: ownership is worked out from the states that the object
// has had and from who wrote each (structured-merge-diff/merge). Start at Owners.
package managedfields

import (
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// Manager is a writer of objects.
type Manager struct {
	Name, Version, Subresource string
	Apply                      bool // it applies; else it updates
}

// String names the manager as conflicts do.
func (m Manager) String() string {
	text := strconv.Quote(m.Name)
	if m.Subresource != "" {
		text += " with subresource " + strconv.Quote(m.Subresource)
	}
	if !m.Apply {
		text += " using " + m.Version
	}
	return text
}

// Write is one state of an object, by whom it was written and, of an apply, what was
// applied.
type Write struct {
	By      Manager
	Applied map[string]string // the fields of the configuration
	Object  map[string]any    // the state afterwards; nil where it did not change
}

// Owned are the fields of each manager.
type Owned map[Manager]map[string]bool

// ignored are fields that nobody owns.
var ignored = []string{".apiVersion", ".kind", ".metadata.name", ".metadata.namespace", ".metadata.uid", ".metadata.resourceVersion",
	".metadata.creationTimestamp", ".metadata.generation", ".metadata.managedFields", ".metadata.generateName", ".metadata.selfLink", ".metadata.deletionTimestamp"}

// Fields lists the fields of a value that can be owned.
func Fields(v map[string]any, k *api.Kind) map[string]string {
	set := codec.FieldSet(v, k)
	for p := range set {
		for _, i := range ignored {
			if p == i || strings.HasPrefix(p, i+".") || strings.HasPrefix(p, i+"[") {
				delete(set, p)
			}
		}
	}
	return set
}

// Owners works out who owns what after a series of writes.
func Owners(k *api.Kind, writes []Write) Owned {
	owned := Owned{}
	last := map[string]string{}
	for _, w := range writes {
		now := last
		if w.Object != nil {
			now = Fields(w.Object, k)
		}
		for p := range last {
			if _, ok := now[p]; !ok {
				owned.drop(p)
			}
		}
		for p, v := range now {
			if old, ok := last[p]; ok && old == v {
				continue
			}
			owned.drop(p)
			if _, mine := w.Applied[p]; !w.By.Apply || mine {
				owned.add(w.By, p)
			}
		}
		if w.By.Apply {
			owned[w.By] = map[string]bool{}
			for p := range w.Applied {
				owned.add(w.By, p)
			}
		}
		last = now
	}
	return owned
}

func (o Owned) add(m Manager, path string) {
	if o[m] == nil {
		o[m] = map[string]bool{}
	}
	o[m][path] = true
}

func (o Owned) drop(path string) {
	for m := range o {
		delete(o[m], path)
	}
}

// Conflict is a field that another manager owns and that an apply would change.
type Conflict struct {
	By   Manager
	Path string
}

// Conflicts finds them, sorted by manager and path.
func (o Owned) Conflicts(by Manager, applied, live map[string]string) []Conflict {
	var out []Conflict
	for p, v := range applied {
		have, ok := live[p]
		if !ok || have == v {
			continue
		}
		for m, set := range o {
			if m != by && set[p] {
				out = append(out, Conflict{m, p})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if a, b := out[i].By.String(), out[j].By.String(); a != b {
			return a < b
		}
		return out[i].Path < out[j].Path
	})
	return out
}

// Left lists the fields that a manager applied before, does not apply now, and that
// nobody else owns.
func (o Owned) Left(by Manager, applied map[string]string) []string {
	var out []string
	for p := range o[by] {
		if _, ok := applied[p]; ok {
			continue
		}
		shared := false
		for m, set := range o {
			shared = shared || m != by && set[p]
		}
		if !shared {
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}

// Message words conflicts (apimachinery/pkg/util/managedfields/internal/conflict.go).
func Message(list []Conflict) string {
	if len(list) == 1 {
		return "Apply failed with 1 conflict: conflict with " + list[0].By.String() + ": " + list[0].Path
	}
	text := "Apply failed with " + strconv.Itoa(len(list)) + " conflicts: "
	for i, c := range list {
		if i == 0 || c.By != list[i-1].By {
			if i > 0 {
				text += "\n"
			}
			text += "conflicts with " + c.By.String() + ":"
		}
		text += "\n- " + c.Path
	}
	return text
}
