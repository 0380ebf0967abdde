package scenario_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"podwalk/core/cluster"
	"podwalk/core/kubectl"
	_ "podwalk/core/kubectl/help/full"      // as in the native program
	_ "podwalk/core/kubectl/reference/full" // as in the native program
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

// caseFiles opens what a kubectl line of a case names, in a folder that the
// other commands of the case write to.
type caseFiles struct {
	dir    string
	editor string // KUBE_EDITOR
}

func (f caseFiles) Open(name string) ([]kubectl.File, error) { return f.open(name, false) }

func (f caseFiles) OpenTree(name string) ([]kubectl.File, error) { return f.open(name, true) }

func (f caseFiles) open(name string, deep bool) ([]kubectl.File, error) {
	path := filepath.Join(f.dir, name)
	if name == "-" {
		path, name = filepath.Join(f.dir, stdin), "STDIN"
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, kubectl.ErrNotExist
	case !info.IsDir():
		text, err := os.ReadFile(path)
		return []kubectl.File{{Name: name, Text: text}}, err
	}
	var out []kubectl.File
	err = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && p != path && !deep:
			return filepath.SkipDir
		case e.IsDir() || !manifest.MatchString(p):
			return nil
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(f.dir, p)
		out = append(out, kubectl.File{Name: rel, Text: text})
		return err
	})
	return out, err
}

// Edit runs the editor of the line on a file that holds the text.
func (f caseFiles) Edit(text []byte) (after []byte, printed string, err error) {
	path := filepath.Join(f.dir, ".edited")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, "", err
	}
	r := shell{dir: f.dir}.machine(f.editor+" .edited", "")
	if r.Exit != 0 {
		return nil, r.Stdout, errors.New("there was a problem with the editor " + strconv.Quote(f.editor))
	}
	after, err = os.ReadFile(path)
	return after, r.Stdout, err
}

var manifest = regexp.MustCompile(`\.(json|yaml|yml)$`)

// stdin is the file in which the input of the running command stands.
const stdin = ".stdin"

// workFolder copies what the real commands of a case found in their folder.
func (m measured) workFolder(t *testing.T) string {
	dir := t.TempDir()
	err := os.CopyFS(dir, os.DirFS(m.dir))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{".kube/config": config("https://127.0.0.1:16443", "client-certificate: admin.crt, client-key: admin.key"), ".kube/none": ""}
	maps.Copy(files, unkept[m.ID])
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// unkept are files of the real runs that the cases do not hold; what the commands
// printed tells what stood in them.
var unkept = map[string]map[string]string{
	"kubectl2/apply-list": {"empty/readme.txt": ""},
	"kubectl2/config":     {"kc.yaml": config("https://127.0.0.1:16443", "client-certificate: admin.crt, client-key: admin.key")},
	"kubectl2/auth-kubeconfig": {
		"anon.yaml":  config("https://127.0.0.1:16443", ""),
		"tok.yaml":   config("https://127.0.0.1:16443", "token: not-a-valid-token"),
		"nosrv.yaml": config("https://127.0.0.1:16444", "token: x"),
		"bad.yaml":   "a: 1\nb: [}\n",
	},
	"admission/unauth-anonymous": {"anonymous.kubeconfig": config("https://127.0.0.1:16443", "")},
	"admission/unauth-badtoken":  {"badtoken.kubeconfig": config("https://127.0.0.1:16443", "token: not-a-valid-token")},
}

// config is a kubeconfig like that of the real runs.
func config(server, user string) string {
	return "apiVersion: v1\nkind: Config\ncurrent-context: oracle\nclusters:\n- name: oracle\n  cluster: {certificate-authority: ca.crt, server: '" + server + "'}\n" +
		"contexts:\n- name: oracle\n  context: {cluster: oracle, user: admin}\nusers:\n- name: admin\n  user: {" + user + "}\n"
}

// shell runs the lines of a case as a shell would. kubectl is Podwalk's and a
// sleep passes virtual time; the other words between the bars are run by the
// machine's own shell in the case's folder.
type shell struct {
	s     *scenario.Session
	dir   string
	drawn *allocated // what the API server drew so far
	// within is how far ahead a reading is looked for, 0 for lookFor.
	within sim.Time
}

type printed struct {
	Stdout, Stderr string
	Exit           int
}

// run runs commands joined by ";" and "&&".
func (sh shell) run(line string) (all printed) {
	for _, part := range split(line, ";") {
		for i, p := range split(part, "&&") {
			if i > 0 && all.Exit != 0 {
				break
			}
			r := sh.pipe(strings.TrimSpace(p))
			all = printed{all.Stdout + r.Stdout, all.Stderr + r.Stderr, r.Exit}
		}
	}
	return all
}

// pipe runs commands joined by "|".
func (sh shell) pipe(line string) (all printed) {
	in := ""
	for i, p := range split(line, "|") {
		r := sh.command(strings.TrimSpace(p), in)
		all = printed{r.Stdout, all.Stderr + r.Stderr, r.Exit}
		if in = r.Stdout; i > 0 && r.Exit == 127 {
			break
		}
	}
	return all
}

var (
	inner    = regexp.MustCompile(`\$\(([^()]*)\)`)
	editor   = regexp.MustCompile(`^KUBE_EDITOR=('[^']*'|\S+) +`)
	toFile   = regexp.MustCompile(` +> *(\S+)$`)
	fromFile = regexp.MustCompile(` *< */dev/null$`)
	fromText = regexp.MustCompile(` *<<< *'([^']*)'$`)
	glob     = regexp.MustCompile(`[^ '"=]*\*\.[a-z]+`)
)

func (sh shell) command(line, in string) printed {
	line = inner.ReplaceAllStringFunc(line, func(s string) string {
		return strings.ReplaceAll(strings.TrimSpace(sh.run(s[2:len(s)-1]).Stdout), "\n", " ")
	})
	files := caseFiles{dir: sh.dir}
	if found := editor.FindStringSubmatch(line); found != nil {
		line, files.editor = strings.TrimPrefix(line, found[0]), strings.Trim(found[1], "'")
	}
	if rest, ok := strings.CutPrefix(line, "KUBECONFIG= kubectl "); ok {
		line = "kubectl --kubeconfig .kube/none " + rest
	}
	words := kubectl.SplitLine(line)
	switch {
	case len(words) == 2 && words[0] == "sleep":
		n, _ := strconv.Atoi(words[1])
		sh.s.Cluster().Run(cluster.Until{At: sh.s.Cluster().Now() + sim.Time(n)*sim.Second})
		return printed{}
	case len(words) == 0 || words[0] != "kubectl":
		return sh.machine(line, in)
	}
	line, both := strings.CutSuffix(line, " 2>&1")
	line = fromFile.ReplaceAllString(line, "")
	if found := fromText.FindStringSubmatch(line); found != nil {
		line, in = fromText.ReplaceAllString(line, ""), found[1]
	}
	file := toFile.FindStringSubmatch(line)
	line = sh.expand(toFile.ReplaceAllString(line, ""))
	os.WriteFile(filepath.Join(sh.dir, stdin), []byte(in), 0o600) //nolint:errcheck // then there is no input
	res := sh.s.KubectlWith(files, kubectl.SplitLine(line)[1:], nil)
	r := printed{res.Stdout, res.Stderr, res.Exit}
	if both {
		r.Stdout, r.Stderr = r.Stderr+r.Stdout, ""
	}
	if file != nil {
		os.WriteFile(filepath.Join(sh.dir, file[1]), []byte(r.Stdout), 0o600) //nolint:errcheck // the next command misses it
		r.Stdout = ""
	}
	return r
}

// expand puts the names of files in the place of "dir/*.yaml".
func (sh shell) expand(line string) string {
	return glob.ReplaceAllStringFunc(line, func(pattern string) string {
		found, _ := filepath.Glob(filepath.Join(sh.dir, pattern))
		sort.Strings(found)
		for i := range found {
			found[i], _ = filepath.Rel(sh.dir, found[i])
		}
		if found == nil {
			return pattern
		}
		return strings.Join(found, " ")
	})
}

func (sh shell) machine(line, in string) printed {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Stdin = sh.dir, strings.NewReader(in)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	r := printed{}
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if r.Exit = 127; errors.As(err, &exit) {
			r.Exit = exit.ExitCode()
		}
	}
	r.Stdout, r.Stderr = out.String(), errs.String()
	return r
}

// split cuts a line at a word of the shell that stands outside of quotes and
// brackets.
func split(line, at string) []string {
	var out []string
	quote, depth, start := byte(0), 0, 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.HasPrefix(line[i:], at) && !strings.HasPrefix(line[i:], "||"):
			out = append(out, line[start:i])
			start = i + len(at)
			i = start - 1
		}
	}
	return append(out, line[start:])
}

func TestAShellLineIsCutOutsideOfQuotes(t *testing.T) {
	for _, c := range []struct {
		line, at string
		want     []string
	}{
		{`kubectl patch x -p '{"a":"b;c"}'; sleep 4`, ";", []string{`kubectl patch x -p '{"a":"b;c"}'`, ` sleep 4`}},
		{`a $(b | head -1) | c`, "|", []string{`a $(b | head -1) `, ` c`}},
		{`a 2>&1`, "&&", []string{`a 2>&1`}},
	} {
		if got := split(c.line, c.at); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("split(%q): %q, want %q", c.line, got, c.want)
		}
	}
}
