package workload

import (
	"bytes"
	"testing"
)

func newFS() *FS {
	root := NewTree()
	root.PutDir("tmp", 0o1777, 0, 0)
	root.PutDir("etc", 0o755, 0, 0)
	root.Put("etc/hosts", []byte("127.0.0.1 localhost\n"), 0o644, 0, 0)
	return &FS{Root: root}
}

func TestFilesGiveTheErrorsOfLinux(t *testing.T) {
	f := newFS()
	f.Symlink("/loop", "/loop")
	f.Symlink("/etc/hosts", "/tmp/link")
	for _, c := range []struct {
		name string
		got  error
		want error
	}{
		{"read a missing file", read(f, "/nope"), ENOENT},
		{"read below a missing directory", read(f, "/nope/a"), ENOENT},
		{"read below a file", read(f, "/etc/hosts/a"), ENOTDIR},
		{"read a directory", read(f, "/etc"), EISDIR},
		{"write a directory", f.WriteFile("/etc", nil, false), EISDIR},
		{"write below a missing directory", f.WriteFile("/nope/a", nil, false), ENOENT},
		{"make what is there", f.Mkdir("/etc", 0o755), EEXIST},
		{"remove a full directory", f.Remove("/etc"), ENOTEMPTY},
		{"follow a loop", read(f, "/loop"), ELOOP},
		{"read through a link", read(f, "/tmp/link"), nil},
		{"rename into itself", f.Rename("/etc", "/etc/x"), EINVAL},
		{"remove the root", f.Remove("/"), EBUSY},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

func read(f *FS, path string) error {
	_, err := f.ReadFile(path)
	return err
}

func TestReadOnlyAndForeignFilesCannotBeWritten(t *testing.T) {
	config := NewTree()
	config.Put("key", []byte("v"), 0o644, 0, 0)
	f := newFS()
	f.Mounts = []Mount{{Path: "/etc/config", Tree: config, ReadOnly: true}, {Path: "/etc/one", Tree: config, Sub: "key"}}
	if got, err := f.ReadFile("/etc/one"); err != nil || string(got) != "v" {
		t.Errorf("a file mounted by subPath: %q %v", got, err)
	}
	if err := f.WriteFile("/etc/config/key", nil, false); err != EROFS {
		t.Errorf("a read-only mount: %v", err)
	}
	f.ReadOnly = true
	if err := f.WriteFile("/tmp/x", nil, false); err != EROFS {
		t.Errorf("a read-only root: %v", err)
	}
	f.ReadOnly, f.UID, f.GIDs = false, 1000, []int64{1000}
	if err := f.WriteFile("/etc/hosts", nil, false); err != EACCES {
		t.Errorf("another user's file: %v", err)
	}
	if err := f.WriteFile("/etc/new", nil, false); err != EACCES {
		t.Errorf("another user's directory: %v", err)
	}
	if err := f.WriteFile("/tmp/x", []byte("x"), false); err != nil {
		t.Errorf("/tmp is everybody's: %v", err)
	}
}

func TestACloneOfFilesIsIndependent(t *testing.T) {
	shared := NewTree()
	a := newFS()
	a.Mounts = []Mount{{Path: "/data", Tree: shared}}
	a.WriteFile("/data/log", []byte("one\n"), true)
	a.WriteFile("/tmp/f", []byte("one\n"), true)
	clones := map[*Tree]*Tree{}
	b := a.Clone(func(t *Tree) *Tree {
		if clones[t] == nil {
			clones[t] = t.Clone()
		}
		return clones[t]
	})
	a.WriteFile("/data/log", []byte("two\n"), true)
	a.WriteFile("/tmp/f", []byte("two\n"), true)
	b.WriteFile("/data/log", []byte("three\n"), true)
	b.Remove("/tmp/f")
	for _, c := range []struct {
		fs         *FS
		path, want string
	}{{a, "/data/log", "one\ntwo\n"}, {b, "/data/log", "one\nthree\n"}, {a, "/tmp/f", "one\ntwo\n"}} {
		if got, err := c.fs.ReadFile(c.path); err != nil || string(got) != c.want {
			t.Errorf("%s: %q %v, want %q", c.path, got, err, c.want)
		}
	}
	if _, err := b.ReadFile("/tmp/f"); err != ENOENT {
		t.Errorf("removed in the clone: %v", err)
	}
}

func TestSizesAreCountedAndOnlyContentIsStored(t *testing.T) {
	f := newFS()
	before := f.Root.Used()
	if err := f.WriteZeros("/tmp/big", 10<<30, false); err != nil {
		t.Fatal(err)
	}
	if got := f.Root.Used() - before; got != 10<<30 {
		t.Errorf("used %d", got)
	}
	f.Remove("/tmp/big")
	if got := f.Root.Used() - before; got != 0 {
		t.Errorf("used %d after the removal", got)
	}
	chunk := bytes.Repeat([]byte("x"), 8<<20)
	var err error
	n := 0
	for ; err == nil && n < 100; n++ {
		err = f.WriteFile("/tmp/log", chunk, true)
	}
	if err != ENOSPC || n > 8 {
		t.Errorf("%d MiB were stored: %v", 8*n, err)
	}
}

func TestAMountHidesWhatIsBelowItAndIsListed(t *testing.T) {
	f := newFS()
	v := NewTree()
	v.Put("b", nil, 0o644, 0, 0)
	v.PutLink("a", "b")
	f.Mounts = []Mount{{Path: "/etc", Tree: v}, {Path: "/mnt", Tree: v}}
	list, err := f.ReadDir("/")
	names := ""
	for _, i := range list {
		names += i.Name + " "
	}
	if err != nil || names != "etc mnt tmp " {
		t.Errorf("%q %v", names, err)
	}
	if _, err := f.ReadFile("/etc/hosts"); err != ENOENT {
		t.Errorf("hidden file: %v", err)
	}
	if i, err := f.Lstat("/mnt/a"); err != nil || i.Target != "b" {
		t.Errorf("%+v %v", i, err)
	}
}
