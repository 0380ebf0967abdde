package scenario

import (
	"podwalk/core/kubectl"
)

// desk is the files of a user with what kubectl has written since: a kubeconfig that
// a line changed is changed for the lines behind it, and nowhere else.
type desk struct {
	under kubectl.Files
	made  map[string][]byte
}

// Open returns what was written under that name, or the user's files.
func (d desk) Open(name string) ([]kubectl.File, error) {
	if text, ok := d.made[name]; ok {
		return []kubectl.File{{Name: name, Text: text}}, nil
	}
	if d.under == nil {
		return nil, kubectl.ErrNotExist
	}
	return d.under.Open(name)
}

// OpenTree is Open with the folders in a folder, where the files have such.
func (d desk) OpenTree(name string) ([]kubectl.File, error) {
	if t, ok := d.under.(kubectl.Tree); ok {
		return t.OpenTree(name)
	}
	return d.Open(name)
}

// Write keeps a text.
func (d desk) Write(name string, text []byte) error {
	d.made[name] = text
	return nil
}

// editingDesk is a desk whose user has an editor.
type editingDesk struct {
	desk
	kubectl.Editor
}

// filesOf are the files that a line may name and write.
func (s *Session) filesOf() kubectl.Files {
	d := desk{s.open, s.made}
	if e, ok := s.open.(kubectl.Editor); ok {
		return editingDesk{d, e}
	}
	return d
}
