package workload

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/sim"
)

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
