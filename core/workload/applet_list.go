package workload

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"podwalk/core/sim"
)

func modeText(mode uint32) string {
	b := []byte("-rwxrwxrwx")
	switch mode & modeType {
	case ModeDir:
		b[0] = 'd'
	case ModeLink:
		b[0] = 'l'
	case ModeChar:
		b[0] = 'c'
	}
	for i := range 9 {
		if mode&(1<<(8-i)) == 0 {
			b[i+1] = '-'
		}
	}
	if mode&0o1000 != 0 {
		b[9] = 't'
	}
	return string(b)
}

func cmdLs(c *call) (int, bool) {
	o := c.options("1alAhRdtrFinsS")
	c.look()
	names := o.rest
	if len(names) == 0 {
		names = []string{"."}
	}
	var plain []FileInfo
	var dirs []string
	for _, n := range names {
		info, err := c.w.Stat(c.abs(n))
		if err != nil {
			info, err = c.w.Lstat(c.abs(n))
		}
		if err != nil && isDevice(c.abs(n)) {
			info, err = FileInfo{Mode: ModeChar | 0o666}, nil
		}
		switch {
		case err != nil && c.gnu():
			c.warn("cannot access '" + n + "': " + err.Error())
		case err != nil:
			c.warn(n + ": " + err.Error())
		case info.IsDir() && !o.flags['d']:
			dirs = append(dirs, n)
		default:
			info.Name = n
			plain = append(plain, info)
		}
	}
	c.listFiles(plain, o)
	for i, d := range dirs {
		if len(names) > 1 || o.flags['R'] {
			if i > 0 || len(plain) > 0 {
				c.print("\n")
			}
			c.print(d + ":\n")
		}
		c.listDir(d, o, 0)
	}
	if c.st.bad && c.gnu() {
		return 2, true
	}
	return c.failed(), true
}

func (c *call) listDir(dir string, o options, depth int) {
	list, err := c.w.ReadDir(c.abs(dir))
	if err != nil {
		if c.gnu() {
			c.warn("cannot open directory '" + dir + "': " + err.Error())
		} else {
			c.warn("can't open '" + dir + "': " + err.Error())
		}
		return
	}
	if !o.flags['a'] && !o.flags['A'] {
		visible := list[:0:0]
		for _, i := range list {
			if !strings.HasPrefix(i.Name, ".") {
				visible = append(visible, i)
			}
		}
		list = visible
	}
	if o.flags['t'] {
		sort.SliceStable(list, func(i, j int) bool { return list[i].ModTime > list[j].ModTime })
	}
	if o.flags['r'] {
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	}
	if o.flags['a'] {
		list = append([]FileInfo{{Name: ".", Mode: ModeDir | 0o755, Size: 4096}, {Name: "..", Mode: ModeDir | 0o755, Size: 4096}}, list...)
	}
	if o.flags['l'] {
		c.print("total " + strconv.Itoa(4*len(list)) + "\n")
	}
	c.listFiles(list, o)
	for _, i := range list {
		if o.flags['R'] && i.IsDir() && i.Name != "." && i.Name != ".." && depth < maxTree {
			c.print("\n" + dir + "/" + i.Name + ":\n")
			c.listDir(dir+"/"+i.Name, o, depth+1)
		}
	}
}

func (c *call) listFiles(list []FileInfo, o options) {
	width := 0
	for _, i := range list {
		width = max(width, len(strconv.FormatInt(i.Size, 10)))
	}
	var b strings.Builder
	for _, i := range list {
		if o.flags['l'] {
			size := strconv.FormatInt(i.Size, 10)
			b.WriteString(modeText(i.Mode) + "    1 " + pad(c.owner(i.UID, c.userName), 8) + " " + pad(c.owner(i.GID, c.groupName), 8) +
				strings.Repeat(" ", width+1-len(size)) + size + " " + c.fileTime(i.ModTime).Format("Jan _2 15:04") + " ")
		}
		b.WriteString(i.Name)
		if o.flags['l'] && i.Target != "" {
			b.WriteString(" -> " + i.Target)
		}
		b.WriteByte('\n')
	}
	if b.Len() > 0 {
		c.print(b.String())
	}
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-len(s))) }

func (c *call) owner(id int64, name func(int64) string) string {
	if n := name(id); n != "" {
		return n
	}
	return strconv.FormatInt(id, 10)
}

// fileTime is the wall clock of a change.
func (c *call) fileTime(t sim.Time) time.Time { return c.epoch().Add(time.Duration(t)) }

func cmdStat(c *call) (int, bool) {
	o := c.options("c:Lft")
	c.look()
	for _, f := range o.rest {
		info, err := c.w.Lstat(c.abs(f))
		if err != nil {
			if c.gnu() {
				c.warn("cannot statx '" + f + "': " + err.Error())
			} else {
				c.warn("can't stat '" + f + "': " + err.Error())
			}
			continue
		}
		if format, ok := o.value['c']; ok {
			c.print(c.statFormat(format, f, info) + "\n")
			continue
		}
		stamp := c.fileTime(info.ModTime).Format("2006-01-02 15:04:05.000000000 +0000")
		kind := map[uint32]string{ModeDir: "directory", ModeLink: "symbolic link"}[info.Mode&modeType]
		if kind == "" {
			kind = "regular file"
		}
		c.print("  File: " + f + "\n  Size: " + strconv.FormatInt(info.Size, 10) + "\t\tBlocks: 8          IO Block: 4096   " + kind +
			"\nAccess: (0" + strconv.FormatUint(uint64(info.Mode&0o7777), 8) + "/" + modeText(info.Mode) + ")  Uid: ( " + strconv.FormatInt(info.UID, 10) + "/" +
			c.userName(info.UID) + ")   Gid: ( " + strconv.FormatInt(info.GID, 10) + "/" + c.groupName(info.GID) +
			")\nAccess: " + stamp + "\nModify: " + stamp + "\nChange: " + stamp + "\n")
	}
	return c.failed(), true
}

func (c *call) statFormat(format, name string, i FileInfo) string {
	var b strings.Builder
	for k := 0; k < len(format); k++ {
		if format[k] != '%' || k+1 == len(format) {
			b.WriteByte(format[k])
			continue
		}
		k++
		switch format[k] {
		case 's':
			b.WriteString(strconv.FormatInt(i.Size, 10))
		case 'n':
			b.WriteString(name)
		case 'a':
			b.WriteString(strconv.FormatUint(uint64(i.Mode&0o7777), 8))
		case 'A':
			b.WriteString(modeText(i.Mode))
		case 'u':
			b.WriteString(strconv.FormatInt(i.UID, 10))
		case 'g':
			b.WriteString(strconv.FormatInt(i.GID, 10))
		case 'U':
			b.WriteString(c.userName(i.UID))
		case 'G':
			b.WriteString(c.groupName(i.GID))
		case 'Y', 'X', 'Z':
			b.WriteString(strconv.FormatInt(c.fileTime(i.ModTime).Unix(), 10))
		default:
			b.WriteByte(format[k])
		}
	}
	return b.String()
}

// cmdFind knows -name, -path, -type, -maxdepth, -mindepth, -mmin, -size, -delete,
// -print and -exec.
func cmdFind(c *call) (int, bool) {
	if c.st.list != nil || c.st.phase > 0 {
		return c.findExec()
	}
	args := c.args
	var roots []string
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") && args[0] != "!" && args[0] != "(" {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	q := &finder{c: c, max: maxTree}
	if bad := q.parse(args); bad != "" {
		return c.lacks("expression " + bad)
	}
	c.look()
	for _, root := range roots {
		info, err := c.w.Lstat(c.abs(root))
		if err != nil {
			if c.gnu() {
				c.warn("‘" + root + "’: " + err.Error())
			} else {
				c.warn(root + ": " + err.Error())
			}
			continue
		}
		q.visit(root, info, 0)
	}
	if len(q.exec) == 0 {
		return c.failed(), true
	}
	c.st.list, c.st.phase = q.found, 1
	return c.findExec()
}

// findExec runs the command of -exec for one file after another.
func (c *call) findExec() (int, bool) {
	q := &finder{c: c}
	q.parse(c.args)
	for c.st.index < len(c.st.list) || c.st.child != 0 {
		if c.st.child != 0 {
			if _, done := c.join(); !done {
				return 0, false
			}
			continue
		}
		files := c.st.list[c.st.index : c.st.index+1]
		if q.plus {
			files = c.st.list[c.st.index:]
		}
		c.st.index += len(files)
		var argv []string
		for _, a := range q.exec {
			switch {
			case a == "{}":
				argv = append(argv, files...)
			default:
				argv = append(argv, strings.ReplaceAll(a, "{}", files[0]))
			}
		}
		c.launch(argv, c.environment())
	}
	return c.failed(), true
}

type finder struct {
	c           *call
	tests       []func(path string, i FileInfo) bool
	max, min    int
	del, plus   bool
	print, zero bool
	exec        []string
	found       []string
}

func (q *finder) parse(args []string) string {
	negate := false
	add := func(f func(string, FileInfo) bool) {
		n := negate
		negate = false
		q.tests = append(q.tests, func(p string, i FileInfo) bool { return f(p, i) != n })
	}
	for len(args) > 0 {
		op := args[0]
		args = args[1:]
		value := ""
		switch op {
		case "-name", "-iname", "-path", "-type", "-maxdepth", "-mindepth", "-mmin", "-mtime", "-size":
			if len(args) == 0 {
				return op
			}
			value, args = args[0], args[1:]
		}
		n, _ := strconv.Atoi(strings.TrimLeft(value, "+-"))
		switch op {
		case "!", "-not":
			negate = !negate
		case "-name":
			add(func(p string, _ FileInfo) bool { return match(value, baseName(p)) })
		case "-iname":
			add(func(p string, _ FileInfo) bool { return match(strings.ToLower(value), strings.ToLower(baseName(p))) })
		case "-path":
			add(func(p string, _ FileInfo) bool { return match(value, p) })
		case "-type":
			add(func(_ string, i FileInfo) bool {
				return value == "d" && i.IsDir() || value == "f" && i.Mode&modeType == ModeRegular || value == "l" && i.Target != ""
			})
		case "-maxdepth":
			q.max = n
		case "-mindepth":
			q.min = n
		case "-mmin", "-mtime":
			unit := sim.Minute
			if op == "-mtime" {
				unit = 24 * sim.Hour
			}
			q.c.p.idle.clock = true
			add(func(_ string, i FileInfo) bool { return compareSign(value, int64((q.c.now-i.ModTime)/unit), int64(n)) })
		case "-size":
			scale := map[byte]int64{'c': 1, 'k': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}[value[max(len(value)-1, 0)]]
			size := int64(leadingNumber(strings.TrimLeft(value, "+-")))
			add(func(_ string, i FileInfo) bool { return compareSign(value, i.Size, size*max(scale, 1)) })
		case "-delete":
			q.del = true
		case "-print":
			q.print = true
		case "-print0":
			q.print, q.zero = true, true
		case "-a", "-xdev", "-follow", "-L":
		case "-exec":
			i := slices.IndexFunc(args, func(s string) bool { return s == ";" || s == "+" })
			if i < 1 {
				return op
			}
			q.exec, q.plus = args[:i], args[i] == "+"
			args = args[i+1:]
		default:
			return op
		}
	}
	return ""
}

func compareSign(text string, have, want int64) bool {
	switch {
	case strings.HasPrefix(text, "+"):
		return have > want
	case strings.HasPrefix(text, "-"):
		return have < want
	}
	return have == want
}

func (q *finder) visit(path string, info FileInfo, depth int) {
	report := func() {
		if depth < q.min || len(q.found) > maxFields {
			return
		}
		for _, t := range q.tests {
			if !t(path, info) {
				return
			}
		}
		q.found = append(q.found, path)
		switch {
		case q.del:
			q.c.act()
			if err := q.c.w.Remove(q.c.abs(path)); err != nil {
				q.c.warn("cannot delete '" + path + "': " + err.Error())
			}
		case q.zero:
			q.c.print(path + "\x00")
		case len(q.exec) == 0 || q.print:
			q.c.print(path + "\n")
		}
	}
	if !q.del {
		report()
	}
	if info.IsDir() && depth < q.max {
		list, err := q.c.w.ReadDir(q.c.abs(path))
		if err != nil {
			q.c.warn(path + ": " + err.Error())
		}
		for _, i := range list {
			q.visit(strings.TrimSuffix(path, "/")+"/"+i.Name, i, depth+1)
		}
	}
	if q.del {
		report()
	}
}

func cmdDu(c *call) (int, bool) {
	o := c.options("shkmcad:")
	c.look()
	for _, f := range o.rest {
		total := int64(0)
		err := c.walk(c.abs(f), true, 0, func(path string) error {
			info, err := c.w.Lstat(path)
			total += (info.Size + 4095) &^ 4095
			return err
		})
		if err != nil {
			c.warn(f + ": " + err.Error())
			continue
		}
		switch {
		case o.flags['h']:
			c.print(humanSize(total) + "\t" + f + "\n")
		case o.flags['m']:
			c.print(strconv.FormatInt((total+1<<20-1)>>20, 10) + "\t" + f + "\n")
		default:
			c.print(strconv.FormatInt(total>>10, 10) + "\t" + f + "\n")
		}
	}
	return c.failed(), true
}

func humanSize(n int64) string {
	f := float64(n)
	for _, unit := range []string{"", "K", "M", "G"} {
		if f < 1024 {
			return strconv.FormatFloat(f, 'f', map[bool]int{true: 1, false: 0}[unit != "" && f < 100], 64) + unit
		}
		f /= 1024
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + "T"
}

func cmdDf(c *call) (int, bool) {
	c.print("Filesystem           1K-blocks      Used Available Use% Mounted on\noverlay              104857600  20971520  83886080  20% /\n")
	return 0, true
}

func cmdTruncate(c *call) (int, bool) {
	o := c.options("s:cl:o:")
	c.act()
	text := o.value['s']
	if c.name == "fallocate" {
		text = o.value['l']
	}
	size, ok := parseBlock(text)
	if !ok {
		c.errorf("invalid number '" + text + "'")
		return 1, true
	}
	for _, f := range o.rest {
		if err := c.w.WriteZeros(c.abs(f), size, false); err != nil {
			c.warn(f + ": " + err.Error())
		}
	}
	return c.failed(), true
}

// parseBlock reads a size as dd and head do: 512, 4k, 1M, 1MB, 2G.
func parseBlock(s string) (int64, bool) {
	num := strings.TrimRight(s, "ckKMGTBib")
	n, err := strconv.ParseInt(num, 10, 64)
	scale := int64(1)
	switch strings.TrimSuffix(strings.TrimSuffix(s[len(num):], "B"), "i") {
	case "", "c":
	case "b":
		scale = 512
	case "k", "K":
		scale = 1 << 10
	case "M":
		scale = 1 << 20
	case "G":
		scale = 1 << 30
	case "T":
		scale = 1 << 40
	default:
		return 0, false
	}
	if err != nil || n < 0 || n > 1<<50/scale {
		return 0, false
	}
	return n * scale, true
}
