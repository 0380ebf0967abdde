package workload

import (
	"slices"
	"sort"
	"strings"

	"podwalk/core/sim"
)

// Files is the file part of a World. Paths are absolute; links are followed.
// Errors are of type Errno. *FS implements it.
type Files interface {
	ReadFile(path string) ([]byte, error)
	// WriteFile makes or replaces a file, or adds to its end.
	WriteFile(path string, data []byte, appendTo bool) error
	// WriteZeros does the same with size zero bytes, which are only counted.
	WriteZeros(path string, size int64, appendTo bool) error
	Stat(path string) (FileInfo, error)
	Lstat(path string) (FileInfo, error)
	// ReadDir lists a directory in order of name.
	ReadDir(path string) ([]FileInfo, error)
	Mkdir(path string, mode uint32) error
	// Remove removes a file, link or empty directory.
	Remove(path string) error
	Rename(from, to string) error
	Symlink(target, path string) error
	Chmod(path string, mode uint32) error
	Chown(path string, uid, gid int64) error
	Touch(path string) error
	// Access checks the bits of want (4 read, 2 write, 1 execute) for the user.
	Access(path string, want uint32) error
	// Install puts a simulated program at a path, as a package manager does.
	Install(path, program string) error
	// SetTime gives the instant that changed files get.
	SetTime(now sim.Time)
}

// FileInfo describes a file.
type FileInfo struct {
	Name     string
	Mode     uint32 // permission and type bits as in st_mode
	Size     int64
	UID, GID int64
	ModTime  sim.Time
	Target   string // of a symbolic link
	Program  string // key of the simulated program, "" for a plain file
}

// IsDir reports whether it is a directory.
func (i FileInfo) IsDir() bool { return i.Mode&modeType == ModeDir }

// FS is the file system of one container: a root tree, volumes mounted on it,
// and the user who looks at it.
type FS struct {
	Root     *Tree
	ReadOnly bool // root file system
	Mounts   []Mount
	UID      int64
	GIDs     []int64
	now      sim.Time
}

// Mount puts a volume, or a part of it, on a path of the container.
type Mount struct {
	Path     string // absolute
	Tree     *Tree
	Sub      string // path inside the volume, "" for all of it; may be a file
	ReadOnly bool
}

// Clone returns an independent copy. volume maps each mounted tree to its clone,
// so that containers that share a volume go on sharing it.
func (f *FS) Clone(volume func(*Tree) *Tree) *FS {
	c := *f
	c.Root = f.Root.Clone()
	c.Mounts = slices.Clone(f.Mounts)
	for i := range c.Mounts {
		c.Mounts[i].Tree = volume(c.Mounts[i].Tree)
	}
	return &c
}

// SetTime gives the instant that changed files get.
func (f *FS) SetTime(now sim.Time) { f.now = now }

// place is a resolved path.
type place struct {
	tree     *Tree
	parts    []string // inside tree
	node     *node    // nil: the last component does not exist
	readOnly bool
	mount    bool // it is the root of a mount
}

const maxLinks = 40

// locate resolves a path. The parent must exist; the last component may not.
func (f *FS) locate(path string, follow bool) (place, error) {
	if len(path) > 4096 {
		return place{}, ENAMETOOLONG
	}
	todo := splitRaw(path)
	at := []place{f.top()}
	var names []string
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		cur := at[len(at)-1]
		switch {
		case name == "..":
			if len(at) > 1 {
				at, names = at[:len(at)-1], names[:len(names)-1]
			}
			continue
		case cur.node == nil:
			return place{}, ENOENT
		case !cur.node.isDir():
			return place{}, ENOTDIR
		case !f.may(cur.node, 1):
			return place{}, EACCES
		}
		names = append(names, name)
		next := f.step(cur, name, names)
		if next.node == nil || next.node.mode&modeType != ModeLink || len(todo) == 0 && !follow {
			at = append(at, next)
			continue
		}
		if links++; links > maxLinks {
			return place{}, ELOOP
		}
		names = names[:len(names)-1]
		todo = append(splitRaw(next.node.target), todo...)
		if strings.HasPrefix(next.node.target, "/") {
			at, names = at[:1], nil
		}
	}
	return at[len(at)-1], nil
}

func splitRaw(path string) []string {
	parts := strings.Split(path, "/")
	kept := parts[:0]
	for _, p := range parts {
		if p != "" && p != "." {
			kept = append(kept, p)
		}
	}
	return kept
}

func (f *FS) top() place {
	return place{tree: f.Root, node: f.Root.root, readOnly: f.ReadOnly}
}

func (f *FS) step(cur place, name string, names []string) place {
	if len(f.Mounts) > 0 {
		full := "/" + strings.Join(names, "/")
		for i := len(f.Mounts) - 1; i >= 0; i-- {
			m := &f.Mounts[i]
			if "/"+strings.Trim(m.Path, "/") == full {
				parts := splitPath(m.Sub)
				return place{tree: m.Tree, parts: parts, node: m.Tree.find(parts), readOnly: m.ReadOnly, mount: true}
			}
		}
	}
	return place{tree: cur.tree, parts: append(slices.Clip(cur.parts), name), node: cur.node.kid(name), readOnly: cur.readOnly}
}

// may checks permission bits: 4 read, 2 write, 1 execute.
func (f *FS) may(n *node, want uint32) bool {
	if f.UID == 0 {
		return want&1 == 0 || n.isDir() || n.mode&0o111 != 0
	}
	shift := 0
	switch {
	case n.uid == f.UID:
		shift = 6
	case slices.Contains(f.GIDs, n.gid):
		shift = 3
	}
	return n.mode>>shift&want == want
}

// quick finds a node by a plain path: without links and "..", away from mounts,
// for root. It reports false where only locate can tell.
func (f *FS) quick(path string) (*node, bool) {
	if f.UID != 0 {
		return nil, false
	}
	for i := range f.Mounts {
		if m := f.Mounts[i].Path; strings.HasPrefix(path, m) || strings.HasPrefix(m, path) {
			return nil, false
		}
	}
	n := f.Root.root
	for rest := path; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		switch {
		case name == "" || name == ".":
			continue
		case name == ".." || !n.isDir():
			return nil, false
		}
		if n = n.kid(name); n == nil {
			return nil, true
		}
		if n.mode&modeType == ModeLink {
			return nil, false
		}
	}
	return n, true
}

// node finds what is at a path, to be read.
func (f *FS) node(path string, follow bool) (*node, error) {
	if n, ok := f.quick(path); ok {
		if n == nil {
			return nil, ENOENT
		}
		return n, nil
	}
	p, err := f.existing(path, follow)
	return p.node, err
}

func (f *FS) existing(path string, follow bool) (place, error) {
	p, err := f.locate(path, follow)
	if err == nil && p.node == nil {
		err = ENOENT
	}
	return p, err
}

// ReadFile returns the content of a file.
func (f *FS) ReadFile(path string) ([]byte, error) {
	n, err := f.node(path, true)
	switch {
	case err != nil:
		return nil, err
	case n.isDir():
		return nil, EISDIR
	case !f.may(n, 4):
		return nil, EACCES
	}
	return n.content(), nil
}

// WriteFile makes or replaces a file, or adds to its end.
func (f *FS) WriteFile(path string, data []byte, appendTo bool) error {
	n, tree, err := f.open(path)
	if err != nil {
		return err
	}
	if appendTo {
		return tree.appendData(n, data)
	}
	return tree.setData(n, data, int64(len(data)))
}

// WriteZeros writes size zero bytes, which take no host memory.
func (f *FS) WriteZeros(path string, size int64, appendTo bool) error {
	n, tree, err := f.open(path)
	if err != nil {
		return err
	}
	if appendTo {
		return tree.setData(n, n.data, n.size+size)
	}
	return tree.setData(n, nil, size)
}

// open returns a file ready to be written; it makes one where there is none.
func (f *FS) open(path string) (*node, *Tree, error) {
	p, err := f.locate(path, true)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case p.node == nil:
		p.node, err = f.create(p, &node{mode: ModeRegular | 0o644, uid: f.UID, gid: f.gid(), mtime: f.now})
		return p.node, p.tree, err
	case p.node.isDir():
		return nil, nil, EISDIR
	case p.readOnly:
		return nil, nil, EROFS
	case !f.may(p.node, 2):
		return nil, nil, EACCES
	}
	n := p.tree.own(p.parts)
	n.mtime = f.now
	n.program = ""
	return n, p.tree, nil
}

func (f *FS) gid() int64 {
	if len(f.GIDs) > 0 {
		return f.GIDs[0]
	}
	return 0
}

func (f *FS) create(p place, n *node) (*node, error) {
	if err := f.mayChange(p); err != nil {
		return nil, err
	}
	return n, p.tree.insert(p.parts, n)
}

// mayChange checks that entries of the directory above p may change.
func (f *FS) mayChange(p place) error {
	switch {
	case p.mount || len(p.parts) == 0:
		return EBUSY
	case p.readOnly:
		return EROFS
	}
	dir := p.tree.find(p.parts[:len(p.parts)-1])
	if dir == nil {
		return ENOENT
	}
	if !f.may(dir, 3) {
		return EACCES
	}
	return nil
}

// Stat describes a file, following links.
func (f *FS) Stat(path string) (FileInfo, error) { return f.stat(path, true) }

// Lstat describes a file or the link itself.
func (f *FS) Lstat(path string) (FileInfo, error) { return f.stat(path, false) }

func (f *FS) stat(path string, follow bool) (FileInfo, error) {
	n, err := f.node(path, follow)
	if err != nil {
		return FileInfo{}, err
	}
	return n.info(path[strings.LastIndexByte(path, '/')+1:]), nil
}

func (n *node) info(name string) FileInfo {
	i := FileInfo{Name: name, Mode: n.mode, Size: n.size, UID: n.uid, GID: n.gid, ModTime: n.mtime, Target: n.target, Program: n.program}
	if n.isDir() {
		i.Size = 4096
	}
	return i
}

// ReadDir lists a directory in order of name.
func (f *FS) ReadDir(path string) ([]FileInfo, error) {
	p, err := f.existing(path, true)
	switch {
	case err != nil:
		return nil, err
	case !p.node.isDir():
		return nil, ENOTDIR
	case !f.may(p.node, 4):
		return nil, EACCES
	}
	list := make([]FileInfo, len(p.node.kids))
	for i, k := range p.node.kids {
		list[i] = k.node.info(k.name)
	}
	return f.addMounts("/"+strings.Join(splitPath(path), "/"), list), nil
}

// addMounts puts the mount points right below dir into its listing.
func (f *FS) addMounts(dir string, list []FileInfo) []FileInfo {
	for _, m := range f.Mounts {
		full := "/" + strings.Trim(m.Path, "/")
		i := strings.LastIndexByte(full, '/')
		if parent := full[:max(i, 1)]; parent != dir {
			continue
		}
		n := m.Tree.find(splitPath(m.Sub))
		if n == nil {
			continue
		}
		info := n.info(full[i+1:])
		at := sort.Search(len(list), func(i int) bool { return list[i].Name >= info.Name })
		if at == len(list) || list[at].Name != info.Name {
			list = append(list, info)
			copy(list[at+1:], list[at:])
		}
		list[at] = info
	}
	return list
}
