package workload

import (
	"strconv"
	"strings"
)

func fileApplet(name string) applet {
	switch name {
	case "cat":
		return cmdCat
	case "touch":
		return cmdTouch
	case "rm", "unlink":
		return cmdRm
	case "rmdir":
		return cmdRmdir
	case "mkdir":
		return cmdMkdir
	case "ls":
		return cmdLs
	case "mv":
		return cmdMv
	case "cp", "install":
		return cmdCp
	case "ln", "link":
		return cmdLn
	case "chmod":
		return cmdChmod
	case "chown", "chgrp":
		return cmdChown
	case "stat":
		return cmdStat
	case "readlink", "realpath":
		return cmdReadlink
	case "mktemp":
		return cmdMktemp
	case "find":
		return cmdFind
	case "du":
		return cmdDu
	case "df":
		return cmdDf
	case "truncate", "fallocate":
		return cmdTruncate
	case "dd":
		return cmdDd
	case "sync", "mkfifo", "flock":
		return cmdTrue
	}
	return nil
}

// act marks that files were changed.
func (c *call) act() { c.p.idle.acted = true }

// look marks that files were read.
func (c *call) look() { c.p.idle.read = true }

// warn prints "name: text" and notes that something failed.
func (c *call) warn(text string) {
	c.stderr(c.name + ": " + text + "\n")
	c.st.bad = true
}

func cmdCat(c *call) (int, bool) {
	o := c.options("nAevtTus")
	if o.bad != "" {
		return c.unknown(o)
	}
	done := c.scan(o.rest, func(line string, whole bool) bool {
		if o.flags['n'] {
			c.st.n++
			n := strconv.FormatInt(c.st.n, 10)
			line = strings.Repeat(" ", max(0, 6-len(n))) + n + "\t" + line
		}
		if whole {
			line += "\n"
		}
		return c.print(line)
	})
	return c.failed(), done
}

func cmdTouch(c *call) (int, bool) {
	o := c.options("acmdtr:")
	c.act()
	for _, f := range o.rest {
		if o.flags['c'] {
			if _, err := c.w.Stat(c.abs(f)); err != nil {
				continue
			}
		}
		if err := c.w.Touch(c.abs(f)); err != nil {
			if c.gnu() {
				c.warn("cannot touch '" + f + "': " + err.Error())
			} else {
				c.warn(f + ": " + err.Error())
			}
		}
	}
	return c.failed(), true
}

func cmdRm(c *call) (int, bool) {
	o := c.options("rRfiv")
	c.act()
	if len(o.rest) == 0 && !o.flags['f'] {
		c.errorf("missing operand")
		return 1, true
	}
	for _, f := range o.rest {
		err := c.removeAll(c.abs(f), o.flags['r'] || o.flags['R'], 0)
		if err == nil || err == ENOENT && o.flags['f'] {
			continue
		}
		if c.gnu() {
			c.warn("cannot remove '" + f + "': " + err.Error())
		} else if err == EISDIR {
			c.warn("'" + f + "' is a directory")
		} else {
			c.warn("can't remove '" + f + "': " + err.Error())
		}
	}
	return c.failed(), true
}

const maxTree = 200 // levels of directories that a recursive tool follows

func (c *call) removeAll(path string, recursive bool, depth int) error {
	info, err := c.w.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return c.w.Remove(path)
	}
	if !recursive {
		return EISDIR
	}
	if depth > maxTree {
		return ENAMETOOLONG
	}
	list, err := c.w.ReadDir(path)
	if err != nil {
		return err
	}
	for _, i := range list {
		if e := c.removeAll(path+"/"+i.Name, true, depth+1); e != nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	return c.w.Remove(path)
}

func cmdRmdir(c *call) (int, bool) {
	c.act()
	for _, f := range c.options("p").rest {
		info, err := c.w.Lstat(c.abs(f))
		if err == nil && !info.IsDir() {
			err = ENOTDIR
		}
		if err == nil {
			err = c.w.Remove(c.abs(f))
		}
		if err != nil {
			c.warn("'" + f + "': " + err.Error())
		}
	}
	return c.failed(), true
}

func cmdMkdir(c *call) (int, bool) {
	o := c.options("pm:v")
	c.act()
	mode := uint64(0o755)
	if m, ok := o.value['m']; ok {
		mode, _ = strconv.ParseUint(m, 8, 32)
	}
	if len(o.rest) == 0 {
		c.errorf("missing operand")
		return 1, true
	}
	for _, f := range o.rest {
		var err error
		if o.flags['p'] {
			err = makeDirs(c.w, c.abs(f))
			if info, e := c.w.Stat(c.abs(f)); err == nil && e == nil && !info.IsDir() {
				err = EEXIST
			}
		} else {
			err = c.w.Mkdir(c.abs(f), uint32(mode))
		}
		if err == nil {
			continue
		}
		if c.gnu() {
			c.warn("cannot create directory '" + f + "': " + err.Error())
		} else {
			c.warn("can't create directory '" + f + "': " + err.Error())
		}
	}
	return c.failed(), true
}

func cmdMv(c *call) (int, bool) {
	o := c.options("finvT")
	return c.transfer(o.rest, func(from, to string) error {
		err := c.w.Rename(from, to)
		if err != EXDEV {
			return err
		}
		if err := c.copyAll(from, to, 0); err != nil {
			return err
		}
		return c.removeAll(from, true, 0)
	})
}

func cmdCp(c *call) (int, bool) {
	o := c.options("rRafpLPdvnTuim:o:g:D")
	recursive := o.flags['r'] || o.flags['R'] || o.flags['a']
	if c.name == "install" && o.flags['d'] {
		for _, d := range o.rest {
			if err := makeDirs(c.w, c.abs(d)); err != nil {
				c.warn("cannot create directory '" + d + "': " + err.Error())
			}
		}
		return c.failed(), true
	}
	return c.transfer(o.rest, func(from, to string) error {
		if info, err := c.w.Stat(from); err == nil && info.IsDir() && !recursive {
			return EISDIR
		}
		return c.copyAll(from, to, 0)
	})
}

// transfer runs move for each source; with a directory as the last word the names
// are kept.
func (c *call) transfer(words []string, move func(from, to string) error) (int, bool) {
	c.act()
	if len(words) < 2 {
		c.errorf("missing file operand")
		return 1, true
	}
	last := words[len(words)-1]
	info, err := c.w.Stat(c.abs(last))
	into := err == nil && info.IsDir()
	if len(words) > 2 && !into {
		c.warn("target '" + last + "' is not a directory")
		return 1, true
	}
	for _, f := range words[:len(words)-1] {
		to := c.abs(last)
		if into && !strings.HasSuffix(f, "/.") {
			to += "/" + baseName(strings.TrimRight(f, "/"))
		}
		if err := move(c.abs(f), to); err != nil {
			c.transferError(f, last, err)
		}
	}
	return c.failed(), true
}

func (c *call) transferError(from, to string, err error) {
	_, missing := c.w.Stat(c.abs(from))
	switch {
	case err == EISDIR && c.gnu():
		c.warn("-r not specified; omitting directory '" + from + "'")
	case err == EISDIR:
		c.warn("omitting directory '" + from + "'")
	case missing != nil && c.gnu():
		c.warn("cannot stat '" + from + "': " + err.Error())
	case missing != nil && c.name == "mv":
		c.warn("can't rename '" + from + "': " + err.Error())
	case missing != nil:
		c.warn("can't stat '" + from + "': " + err.Error())
	case c.gnu():
		c.warn("cannot create regular file '" + to + "': " + err.Error())
	default:
		c.warn("can't create '" + to + "': " + err.Error())
	}
}

func (c *call) copyAll(from, to string, depth int) error {
	info, err := c.w.Stat(from)
	if err == ENOENT && depth == 0 && c.supposed(from) {
		return c.w.WriteFile(to, nil, false)
	}
	if err != nil {
		return err
	}
	if depth > maxTree || strings.HasPrefix(to+"/", from+"/") && info.IsDir() {
		return EINVAL
	}
	if !info.IsDir() {
		return c.copyFile(from, to, info)
	}
	if _, err := c.w.Stat(to); err != nil {
		if err := c.w.Mkdir(to, info.Mode&0o777); err != nil {
			return err
		}
	}
	list, err := c.w.ReadDir(from)
	if err != nil {
		return err
	}
	for _, i := range list {
		if err := c.copyAll(from+"/"+i.Name, to+"/"+i.Name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// supposed reports whether a file that is not there is taken as one of an image of
// unknown content.
func (r *runner) supposed(path string) bool {
	img := r.p.spec.Image
	if !img.guessed() {
		return false
	}
	r.w.Assumed("file " + path + " exists in image " + img.Ref.Familiar())
	return true
}

func (c *call) copyFile(from, to string, info FileInfo) error {
	if isDevice(from) {
		return c.w.WriteFile(to, nil, false)
	}
	data, err := c.w.ReadFile(from)
	if err != nil {
		return err
	}
	if info.Size > int64(len(data)) {
		err = c.w.WriteZeros(to, info.Size, false)
	} else {
		err = c.w.WriteFile(to, data, false)
	}
	if err != nil {
		return err
	}
	return c.w.Chmod(to, info.Mode&0o777)
}
