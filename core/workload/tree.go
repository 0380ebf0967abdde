package workload

import (
	"slices"
	"strings"

	"podwalk/core/sim"
)

// MaxStored is the host memory that the files of one tree may take, in bytes.
const MaxStored = 64 << 20

// maxNode is what one directory entry is counted for in MaxStored.
const maxNode = 128

// Tree is a directory tree: the root file system of a container or the content
// of a volume. Clone costs the same for any size, since nodes are shared until
// one side changes them.
type Tree struct {
	root   *node
	owner  *owner
	stored int64 // bytes of host memory
	used   int64 // simulated bytes
}

// owner marks the nodes that a tree may change in place.
type owner struct{ _ byte }

// node is a file, directory or symbolic link. It is frozen unless its owner is
// the owner of the tree that holds it.
type node struct {
	owner    *owner
	mode     uint32 // permission bits and the type bits below
	uid, gid int64
	mtime    sim.Time
	data     []byte // content; what is missing up to size is zeros
	size     int64
	kids     []entry // of a directory, sorted by name
	target   string  // of a symbolic link
	program  string  // key of the simulated program, of an executable
}

type entry struct {
	name string
	node *node
}

// Type bits of FileInfo.Mode, with the values of Linux.
const (
	ModeDir     = 0o040000
	ModeLink    = 0o120000
	ModeRegular = 0o100000
	ModeChar    = 0o020000
	modeType    = 0o170000
)

// NewTree returns an empty tree whose root has mode 0755 and belongs to root.
func NewTree() *Tree {
	o := &owner{}
	return &Tree{root: &node{owner: o, mode: ModeDir | 0o755}, owner: o}
}

// Clone returns an independent copy.
func (t *Tree) Clone() *Tree {
	c := *t
	t.owner, c.owner = &owner{}, &owner{}
	return &c
}

// Used returns the simulated bytes in files, as du counts them.
func (t *Tree) Used() int64 { return t.used }

// SetMode changes mode and owner of the root, as fsGroup and a volume's
// defaultMode do.
func (t *Tree) SetMode(mode uint32, uid, gid int64) {
	n := t.own(nil)
	n.mode, n.uid, n.gid = ModeDir|mode&0o7777, uid, gid
}

// Put writes a file and makes the directories above it. It replaces what is
// there. Paths are relative to the root of the tree.
func (t *Tree) Put(path string, data []byte, mode uint32, uid, gid int64) error {
	n, err := t.make(path, ModeRegular|mode&0o7777, uid, gid)
	if err != nil {
		return err
	}
	return t.setData(n, data, int64(len(data)))
}

// PutDir makes a directory and those above it.
func (t *Tree) PutDir(path string, mode uint32, uid, gid int64) error {
	if n := t.find(splitPath(path)); n != nil && n.isDir() {
		return nil
	}
	_, err := t.make(path, ModeDir|mode&0o7777, uid, gid)
	return err
}

// PutLink makes a symbolic link and the directories above it.
func (t *Tree) PutLink(path, target string) error {
	n, err := t.make(path, ModeLink|0o777, 0, 0)
	if err == nil {
		n.target, n.size = target, int64(len(target))
	}
	return err
}

// Delete removes a file, or a directory with all below it.
func (t *Tree) Delete(path string) {
	parts := splitPath(path)
	if len(parts) == 0 || t.find(parts) == nil {
		return
	}
	t.remove(parts)
}

// Read returns the content of a file.
func (t *Tree) Read(path string) ([]byte, bool) {
	n := t.find(splitPath(path))
	if n == nil || n.mode&modeType != ModeRegular {
		return nil, false
	}
	return n.content(), true
}

func (t *Tree) putProgram(path, program string) {
	if n, err := t.make(path, ModeRegular|0o755, 0, 0); err == nil {
		n.program, n.size = program, 1<<16
	}
}

func (t *Tree) make(path string, mode uint32, uid, gid int64) (*node, error) {
	parts := splitPath(path)
	if len(parts) == 0 {
		return nil, EISDIR
	}
	for i := 1; i < len(parts); i++ {
		switch n := t.find(parts[:i]); {
		case n == nil:
			t.insert(parts[:i], &node{mode: ModeDir | 0o755, uid: uid, gid: gid})
		case !n.isDir():
			return nil, ENOTDIR
		}
	}
	n := &node{mode: mode, uid: uid, gid: gid}
	return n, t.insert(parts, n)
}

// find returns the node at a path, without following links, or nil.
func (t *Tree) find(parts []string) *node {
	n := t.root
	for _, p := range parts {
		if n = n.kid(p); n == nil {
			return nil
		}
	}
	return n
}

// own returns the node at an existing path, ready to be changed.
func (t *Tree) own(parts []string) *node {
	t.root = t.root.ownedBy(t.owner)
	n := t.root
	for _, p := range parts {
		i, _ := n.index(p)
		k := n.kids[i].node.ownedBy(t.owner)
		n.kids[i].node = k
		n = k
	}
	return n
}

// insert puts a node at a path whose parent is a directory.
func (t *Tree) insert(parts []string, n *node) error {
	if t.stored+maxNode > MaxStored {
		return ENOSPC
	}
	n.owner = t.owner
	dir := t.own(parts[:len(parts)-1])
	name := parts[len(parts)-1]
	i, ok := dir.index(name)
	if ok {
		t.forget(dir.kids[i].node)
		dir.kids[i].node = n
	} else {
		dir.kids = append(dir.kids, entry{})
		copy(dir.kids[i+1:], dir.kids[i:])
		dir.kids[i] = entry{name, n}
	}
	t.count(n, 1)
	return nil
}

func (t *Tree) remove(parts []string) *node {
	dir := t.own(parts[:len(parts)-1])
	i, _ := dir.index(parts[len(parts)-1])
	n := dir.kids[i].node
	copy(dir.kids[i:], dir.kids[i+1:])
	dir.kids[len(dir.kids)-1] = entry{}
	dir.kids = dir.kids[:len(dir.kids)-1]
	t.forget(n)
	return n
}

// forget takes a node and all below it out of the sums.
func (t *Tree) forget(n *node) { t.count(n, -1) }

func (t *Tree) count(n *node, sign int64) {
	t.stored += sign * (maxNode + int64(len(n.data)))
	if n.program == "" {
		t.used += sign * n.size
	}
	for _, k := range n.kids {
		t.count(k.node, sign)
	}
}

// setData replaces the content of an owned node. size beyond len(data) is zeros.
func (t *Tree) setData(n *node, data []byte, size int64) error {
	if t.stored-int64(len(n.data))+int64(len(data)) > MaxStored {
		return ENOSPC
	}
	t.stored += int64(len(data)) - int64(len(n.data))
	t.used += size - n.size
	n.data, n.size = slices.Clone(data), size
	return nil
}

func (t *Tree) appendData(n *node, data []byte) error {
	hole := n.size - int64(len(n.data))
	if hole > 0 && len(data) > 0 && hole+t.stored > MaxStored || t.stored+int64(len(data)) > MaxStored {
		return ENOSPC
	}
	if hole > 0 && len(data) > 0 {
		n.data = append(n.data, make([]byte, hole)...)
		t.stored += hole
	}
	n.data = append(n.data, data...)
	n.size += int64(len(data))
	t.stored += int64(len(data))
	t.used += int64(len(data))
	return nil
}

func (n *node) isDir() bool { return n.mode&modeType == ModeDir }

func (n *node) index(name string) (int, bool) {
	low, high := 0, len(n.kids)
	for low < high {
		if mid := (low + high) / 2; n.kids[mid].name < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < len(n.kids) && n.kids[low].name == name
}

func (n *node) kid(name string) *node {
	if i, ok := n.index(name); ok {
		return n.kids[i].node
	}
	return nil
}

func (n *node) ownedBy(o *owner) *node {
	if n.owner == o {
		return n
	}
	c := *n
	c.owner = o
	c.kids = slices.Clone(n.kids)
	c.data = n.data[:len(n.data):len(n.data)]
	return &c
}

// content returns what a reader sees. At most 1 MiB of a hole is made.
func (n *node) content() []byte {
	hole := min(n.size-int64(len(n.data)), 1<<20)
	if hole <= 0 {
		return n.data
	}
	return append(slices.Clone(n.data), make([]byte, hole)...)
}

func splitPath(path string) []string {
	var parts []string
	for _, p := range strings.Split(path, "/") {
		switch p {
		case "", ".":
		case "..":
			if len(parts) > 0 {
				parts = parts[:len(parts)-1]
			}
		default:
			parts = append(parts, p)
		}
	}
	return parts
}
