package workload

import (
	"strconv"
	"strings"
)

// lookupUser turns "name", "name:group" or numbers into ids by the files of a
// tree.
func lookupUser(root *Tree, user string) (uid, gid int64, known bool) {
	if user == "" {
		return 0, 0, true
	}
	name, group, hasGroup := strings.Cut(user, ":")
	uid, err := strconv.ParseInt(name, 10, 64)
	passwd, _ := root.Read("etc/passwd")
	fields := findLine(string(passwd), func(f []string) bool {
		return len(f) > 3 && (f[0] == name || err == nil && f[2] == name)
	})
	if fields == nil && err != nil {
		return 0, 0, false
	}
	if fields != nil {
		uid, _ = strconv.ParseInt(fields[2], 10, 64)
		gid, _ = strconv.ParseInt(fields[3], 10, 64)
	}
	if !hasGroup {
		return uid, gid, true
	}
	if gid, err = strconv.ParseInt(group, 10, 64); err == nil {
		return uid, gid, true
	}
	groups, _ := root.Read("etc/group")
	g := findLine(string(groups), func(f []string) bool { return len(f) > 2 && f[0] == group })
	if g == nil {
		return 0, 0, false
	}
	gid, _ = strconv.ParseInt(g[2], 10, 64)
	return uid, gid, true
}

func findLine(text string, ok func(fields []string) bool) []string {
	for _, line := range strings.SplitAfter(text, "\n") {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), ":"); ok(f) {
			return f
		}
	}
	return nil
}

// homeOf returns the home of a named user.
func homeOf(w World, name string) (string, bool) {
	data, err := w.ReadFile("/etc/passwd")
	if err != nil {
		return "", false
	}
	f := findLine(string(data), func(f []string) bool { return len(f) > 5 && f[0] == name })
	if f == nil {
		return "", false
	}
	return f[5], true
}

// userName returns the name of a uid, "" if the passwd file lacks it.
func (r *runner) userName(uid int64) string {
	return r.nameIn("/etc/passwd", uid)
}

func (r *runner) groupName(gid int64) string { return r.nameIn("/etc/group", gid) }

func (r *runner) nameIn(file string, id int64) string {
	data, err := r.w.ReadFile(file)
	if err != nil {
		return ""
	}
	want := strconv.FormatInt(id, 10)
	if f := findLine(string(data), func(f []string) bool { return len(f) > 2 && f[2] == want }); f != nil {
		return f[0]
	}
	return ""
}
