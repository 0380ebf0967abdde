package workload

// Mkdir makes a directory.
func (f *FS) Mkdir(path string, mode uint32) error {
	p, err := f.locate(path, true)
	if err != nil {
		return err
	}
	if p.node != nil {
		return EEXIST
	}
	_, err = f.create(p, &node{mode: ModeDir | mode&0o7777, uid: f.UID, gid: f.gid(), mtime: f.now})
	return err
}

// Install puts a simulated program at a path, as a package manager does.
func (f *FS) Install(path, program string) error {
	if err := f.WriteFile(path, nil, false); err != nil {
		return err
	}
	p, err := f.existing(path, true)
	if err != nil {
		return err
	}
	n := p.tree.own(p.parts)
	n.program, n.mode = program, ModeRegular|0o755
	return nil
}

// Remove removes a file, link or empty directory.
func (f *FS) Remove(path string) error {
	p, err := f.existing(path, false)
	if err != nil {
		return err
	}
	if err := f.mayChange(p); err != nil {
		return err
	}
	if len(p.node.kids) > 0 {
		return ENOTEMPTY
	}
	p.tree.remove(p.parts)
	return nil
}

// Rename moves a file or directory within one tree.
func (f *FS) Rename(from, to string) error {
	src, err := f.existing(from, false)
	if err != nil {
		return err
	}
	dst, err := f.locate(to, false)
	if err != nil {
		return err
	}
	if src.tree != dst.tree {
		return EXDEV
	}
	for _, p := range []place{src, dst} {
		if err := f.mayChange(p); err != nil {
			return err
		}
	}
	if len(dst.parts) > len(src.parts) && samePath(dst.parts[:len(src.parts)], src.parts) {
		return EINVAL
	}
	if samePath(dst.parts, src.parts) {
		return nil
	}
	if err := replaceable(src.node, dst.node); err != nil {
		return err
	}
	n := src.tree.remove(src.parts)
	return dst.tree.insert(dst.parts, n.ownedBy(dst.tree.owner))
}

func replaceable(src, dst *node) error {
	switch {
	case dst == nil:
		return nil
	case dst.isDir() && !src.isDir():
		return EISDIR
	case !dst.isDir() && src.isDir():
		return ENOTDIR
	case len(dst.kids) > 0:
		return ENOTEMPTY
	}
	return nil
}

func samePath(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Symlink makes a symbolic link at path.
func (f *FS) Symlink(target, path string) error {
	p, err := f.locate(path, false)
	if err != nil {
		return err
	}
	if p.node != nil {
		return EEXIST
	}
	_, err = f.create(p, &node{mode: ModeLink | 0o777, uid: f.UID, gid: f.gid(), mtime: f.now, target: target, size: int64(len(target))})
	return err
}

// Chmod changes permission bits.
func (f *FS) Chmod(path string, mode uint32) error {
	n, err := f.attributes(path)
	if err != nil {
		return err
	}
	n.mode = n.mode&modeType | mode&0o7777
	return nil
}

// Chown changes the owner; -1 keeps a part.
func (f *FS) Chown(path string, uid, gid int64) error {
	p, err := f.existing(path, true)
	if err != nil {
		return err
	}
	if f.UID != 0 && (uid >= 0 && uid != p.node.uid || p.node.uid != f.UID) {
		return EPERM
	}
	n, err := f.attributes(path)
	if err != nil {
		return err
	}
	if uid >= 0 {
		n.uid = uid
	}
	if gid >= 0 {
		n.gid = gid
	}
	return nil
}

// Touch sets the time of change to now; it makes an empty file where none is.
func (f *FS) Touch(path string) error {
	p, err := f.locate(path, true)
	if err != nil {
		return err
	}
	if p.node == nil {
		return f.WriteFile(path, nil, true)
	}
	switch {
	case p.readOnly:
		return EROFS
	case !f.may(p.node, 2) && f.UID != p.node.uid:
		return EACCES
	}
	p.tree.own(p.parts).mtime = f.now
	return nil
}

// Access checks the bits of want (4 read, 2 write, 1 execute) for the user.
func (f *FS) Access(path string, want uint32) error {
	if n, ok := f.quick(path); ok && n != nil && want&2 == 0 {
		if !f.may(n, want) {
			return EACCES
		}
		return nil
	}
	p, err := f.existing(path, true)
	switch {
	case err != nil:
		return err
	case want&2 != 0 && p.readOnly:
		return EROFS
	case !f.may(p.node, want):
		return EACCES
	}
	return nil
}

// attributes returns a node whose mode or owner the user may change.
func (f *FS) attributes(path string) (*node, error) {
	p, err := f.existing(path, true)
	switch {
	case err != nil:
		return nil, err
	case p.readOnly:
		return nil, EROFS
	case f.UID != 0 && f.UID != p.node.uid:
		return nil, EPERM
	}
	return p.tree.own(p.parts), nil
}
