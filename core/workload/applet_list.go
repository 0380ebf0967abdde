package workload

import (
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
