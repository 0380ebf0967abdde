package workload

import (
	"strconv"
	"strings"
)

func cmdLn(c *call) (int, bool) {
	o := c.options("sfnvTr")
	c.act()
	if len(o.rest) == 1 {
		o.rest = append(o.rest, baseName(o.rest[0]))
	}
	if len(o.rest) < 2 {
		c.errorf("missing file operand")
		return 1, true
	}
	last := o.rest[len(o.rest)-1]
	info, err := c.w.Stat(c.abs(last))
	for _, f := range o.rest[:len(o.rest)-1] {
		to := c.abs(last)
		if err == nil && info.IsDir() && !o.flags['n'] && !o.flags['T'] {
			to += "/" + baseName(f)
		}
		if o.flags['f'] {
			c.w.Remove(to)
		}
		var fault error
		if o.flags['s'] {
			fault = c.w.Symlink(f, to)
		} else if from, e := c.w.Stat(c.abs(f)); e != nil {
			fault = e
		} else {
			fault = c.copyFile(c.abs(f), to, from)
		}
		if fault != nil {
			c.warn(f + ": " + fault.Error())
		}
	}
	return c.failed(), true
}

func cmdReadlink(c *call) (int, bool) {
	o := c.options("fenmqs")
	for _, f := range o.rest {
		info, err := c.w.Lstat(c.abs(f))
		switch {
		case c.name == "realpath" || o.flags['f']:
			path := c.abs(f)
			for n := 0; err == nil && info.Target != "" && n < maxLinks; n++ {
				path = absolute(path[:strings.LastIndexByte(path, '/')+1], info.Target)
				info, err = c.w.Lstat(path)
			}
			c.print(path + "\n")
		case err != nil || info.Target == "":
			return 1, true
		default:
			c.print(info.Target + "\n")
		}
	}
	return c.failed(), true
}

func cmdMktemp(c *call) (int, bool) {
	o := c.options("dp:tuq")
	c.act()
	dir := "/tmp"
	if d := o.value['p']; d != "" {
		dir = d
	}
	pattern := "tmp.XXXXXX"
	if c.gnu() {
		pattern = "tmp.XXXXXXXXXX"
	}
	if len(o.rest) > 0 {
		pattern = o.rest[0]
		if strings.Contains(pattern, "/") || !o.flags['t'] && o.value['p'] == "" {
			dir = ""
		}
	}
	path := []byte(pattern)
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for i := len(path) - 1; i >= 0 && path[i] == 'X'; i-- {
		path[i] = letters[c.nextRandom("mktemp")%uint64(len(letters))]
	}
	name := string(path)
	if dir != "" {
		name = dir + "/" + name
	}
	var err error
	if o.flags['d'] {
		err = c.w.Mkdir(c.abs(name), 0o700)
	} else {
		err = c.w.WriteFile(c.abs(name), nil, false)
	}
	if err != nil {
		c.errorf(name + ": " + err.Error())
		return 1, true
	}
	c.print(name + "\n")
	return 0, true
}

func cmdChmod(c *call) (int, bool) {
	o := c.args
	recursive := false
	for len(o) > 0 && (o[0] == "-R" || o[0] == "-v" || o[0] == "-f") {
		recursive = recursive || o[0] == "-R"
		o = o[1:]
	}
	if len(o) < 2 {
		c.errorf("missing operand")
		return 1, true
	}
	c.act()
	return c.eachFile(o[1:], recursive, func(path string) error {
		info, err := c.w.Stat(path)
		if err != nil {
			return err
		}
		mode, ok := changeMode(info.Mode, o[0])
		if !ok {
			return EINVAL
		}
		return c.w.Chmod(path, mode)
	})
}

func (c *call) eachFile(files []string, recursive bool, f func(path string) error) (int, bool) {
	for _, name := range files {
		if err := c.walk(c.abs(name), recursive, 0, f); err != nil {
			if c.gnu() && err == ENOENT {
				c.warn("cannot access '" + name + "': " + err.Error())
			} else if c.gnu() {
				c.warn("changing permissions of '" + name + "': " + err.Error())
			} else {
				c.warn(name + ": " + err.Error())
			}
		}
	}
	return c.failed(), true
}

func (c *call) walk(path string, recursive bool, depth int, f func(path string) error) error {
	err := f(path)
	if err != nil || !recursive || depth > maxTree {
		return err
	}
	info, err := c.w.Lstat(path)
	if err != nil || !info.IsDir() {
		return err
	}
	list, err := c.w.ReadDir(path)
	for _, i := range list {
		if e := c.walk(path+"/"+i.Name, true, depth+1, f); e != nil {
			err = e
		}
	}
	return err
}

// changeMode applies 0755 or u+x,go-w to a mode.
func changeMode(mode uint32, text string) (uint32, bool) {
	if n, err := strconv.ParseUint(text, 8, 32); err == nil {
		return uint32(n) & 0o7777, true
	}
	mode &= 0o7777
	for _, part := range strings.Split(text, ",") {
		i := strings.IndexAny(part, "+-=")
		if i < 0 {
			return 0, false
		}
		who, bits := uint32(0), uint32(0)
		for _, w := range part[:i] {
			switch w {
			case 'u':
				who |= 0o700
			case 'g':
				who |= 0o070
			case 'o':
				who |= 0o007
			case 'a':
				who |= 0o777
			}
		}
		if who == 0 {
			who = 0o777
		}
		for _, p := range part[i+1:] {
			bits |= map[rune]uint32{'r': 0o444, 'w': 0o222, 'x': 0o111, 'X': 0o111}[p]
		}
		switch part[i] {
		case '+':
			mode |= who & bits
		case '-':
			mode &^= who & bits
		default:
			mode = mode&^who | who&bits
		}
	}
	return mode, true
}

func cmdChown(c *call) (int, bool) {
	o := c.options("Rvfh")
	if len(o.rest) < 2 {
		c.errorf("missing operand")
		return 1, true
	}
	c.act()
	user, group, has := strings.Cut(strings.ReplaceAll(o.rest[0], ".", ":"), ":")
	if c.name == "chgrp" {
		user, group, has = "", o.rest[0], true
	}
	uid, okU := c.lookupID("/etc/passwd", user)
	gid, okG := c.lookupID("/etc/group", group)
	if !okU || has && !okG {
		c.errorf("unknown user/group " + o.rest[0])
		return 1, true
	}
	return c.eachFile(o.rest[1:], o.flags['R'], func(path string) error { return c.w.Chown(path, uid, gid) })
}

// lookupID turns a name or number into an id; "" is -1.
func (r *runner) lookupID(file, name string) (int64, bool) {
	if name == "" {
		return -1, true
	}
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		return n, true
	}
	data, _ := r.w.ReadFile(file)
	f := findLine(string(data), func(f []string) bool { return len(f) > 2 && f[0] == name })
	if f == nil {
		return 0, false
	}
	n, _ := strconv.ParseInt(f[2], 10, 64)
	return n, true
}
