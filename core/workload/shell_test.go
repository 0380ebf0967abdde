package workload

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"podwalk/core/sim"
)

// sample is one script of testdata with what a real shell did.
type sample struct {
	script string
	code   int
	lines  []string
	errors []string // of busybox only
}

func samples(t testing.TB, file string) []sample {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var list []sample
	for _, part := range strings.Split(string(data), "\nrun\n")[1:] {
		var s sample
		var script []string
		for _, line := range strings.Split(part, "\n") {
			switch {
			case strings.HasPrefix(line, " "):
				script = append(script, line[1:])
			case strings.HasPrefix(line, "exit "):
				s.code, _ = strconv.Atoi(line[5:])
			case strings.HasPrefix(line, "!"):
				s.errors = append(s.errors, line[1:])
			case strings.HasPrefix(line, ">"):
				s.lines = append(s.lines, line[1:])
			}
		}
		s.script = strings.Join(script, "\n")
		list = append(list, s)
	}
	return list
}

func TestScriptsGiveWhatTheRealShellsGave(t *testing.T) {
	for _, shell := range []string{"dash", "bash"} {
		list := samples(t, shell+".txt")
		if len(list) < 200 {
			t.Fatalf("only %d samples of %s", len(list), shell)
		}
		for _, s := range list {
			b, step := runScript(t, "debian", shell, s.script)
			if got := b.stream("stdout"); !slices.Equal(got, s.lines) || step.Code != s.code || !step.Done {
				t.Errorf("%s\n%s\ngot  %d %q\nreal %d %q\n%s", shell, s.script, step.Code, got, s.code, s.lines, strings.Join(b.lines, "\n"))
			}
		}
	}
}

func TestScriptsGiveWhatTheRealBusyboxGave(t *testing.T) {
	list := samples(t, "busybox.txt")
	if len(list) < 200 {
		t.Fatalf("only %d samples", len(list))
	}
	for _, s := range list {
		b, step := runScript(t, "busybox", "sh", s.script)
		if got := b.stream("stdout"); !slices.Equal(got, s.lines) || step.Code != s.code || !step.Done {
			t.Errorf("%s\ngot  %d %q\nreal %d %q", s.script, step.Code, got, s.code, s.lines)
		}
		if got := b.stream("stderr"); !slices.Equal(got, s.errors) {
			t.Errorf("%s\ngot  %q\nreal %q", s.script, got, s.errors)
		}
	}
}

// The texts are those that the busybox shell and tools print.
func TestTheBusyboxShellSpeaksItsOwnWords(t *testing.T) {
	for _, c := range []struct {
		script string
		code   int
		want   string
	}{
		{"dump-metrics --all", 127, "sh: dump-metrics: not found"},
		{"cat /tmp/ok", 1, "cat: can't open '/tmp/ok': No such file or directory"},
		{"echo config file /etc/agent.toml is missing >&2; exit 1", 1, "config file /etc/agent.toml is missing"},
		{"echo -e 'a\\tb'; echo -n c", 0, "a\tb\nc"},
		{"[[ -e /etc/passwd ]] && echo there", 0, "there"},
		{"ls /nope", 1, "ls: /nope: No such file or directory"},
		{"/etc/passwd", 126, "sh: /etc/passwd: Permission denied"},
		{"curl http://x", 127, "sh: curl: not found"},
		{"wget http://nosuch/", 1, "wget: bad address 'nosuch'"},
		{"sysctl -w vm.max_map_count=262144", 1, "sysctl: error setting key 'vm.max_map_count': Read-only file system"},
		{"a=(1 2)", 2, `sh: syntax error: unexpected "("`},
	} {
		b, step := runScript(t, "busybox", "sh", c.script)
		if b.text() != c.want || step.Code != c.code {
			t.Errorf("%s: %d %q, want %d %q", c.script, step.Code, b.text(), c.code, c.want)
		}
	}
}

// A command costs a millisecond; a sleep costs its time.
func TestScriptsTakeTheirVirtualTime(t *testing.T) {
	for _, c := range []struct {
		script string
		want   sim.Time
	}{
		{"exit 1", sim.Millisecond},
		{"true", sim.Millisecond},
		{"sleep 1; exit 1", sim.Second + sim.Millisecond},
		{"sleep 1; sleep 2", 3 * sim.Second},
		{"for i in 1 2 3; do sleep 1; done", 3 * sim.Second},
		{"sleep 5 & sleep 2; wait", 5 * sim.Second},
		{"sleep 1m", sim.Minute},
		{"sleep 0.25", sim.Second / 4},
		{"x=$(sleep 3)", 3*sim.Second + sim.Millisecond},
		{"sleep 2 | sleep 4 | true", 4 * sim.Second},
		{"timeout 3 sleep 100", 3 * sim.Second},
	} {
		b, step := runScript(t, "busybox", "sh", c.script)
		if diff := b.now - c.want; diff < 0 || diff > 2*sim.Millisecond || !step.Done {
			t.Errorf("%s took %s, want %s", c.script, b.now, c.want)
		}
	}
}

func TestLogLinesCarryTheInstantAtWhichTheyAreWritten(t *testing.T) {
	b, _ := runScript(t, "busybox", "sh", `i=0; while [ $i -lt 3 ]; do echo "$i: $(date +%T)"; i=$((i+1)); sleep 10; done`)
	want := []string{"0: 00:00:00", "1: 00:00:10", "2: 00:00:20"}
	if got := b.stream("stdout"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAContainerReadsWhatAnotherWritesIntoTheirVolume(t *testing.T) {
	img := testImage("busybox")
	volume := NewTree()
	writer, reader := newBench(img), newBench(img)
	for _, b := range []*bench{writer, reader} {
		b.FS.Mounts = []Mount{{Path: "/var/log/app", Tree: volume}}
	}
	w := writer.start(t, Spec{Image: img, Env: img.Env, Argv: []string{"sh", "-c", `while true; do echo raw >> /var/log/app/raw.log; sleep 2; done`}})
	r := reader.start(t, Spec{Image: img, Env: img.Env, Argv: []string{"sh", "-c", `touch /var/log/app/raw.log; tail -F /var/log/app/raw.log | while read line; do echo "adapted: $line"; done`}})
	for writer.now = 0; writer.now < 7500*sim.Millisecond; writer.now += 100 * sim.Millisecond {
		reader.now = writer.now
		w.Run(writer)
		r.Run(reader)
	}
	want := []string{"adapted: raw", "adapted: raw", "adapted: raw", "adapted: raw"}
	if got := reader.stream("stdout"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAnExecSessionKeepsItsOutputAndItsNewline(t *testing.T) {
	b, p := begin(t, testImage("busybox"), "sleep", "3600")
	p.Run(b)
	hook := b.start(t, Spec{Image: testImage("busybox"), Env: p.spec.Env, PID: 20, Argv: []string{"sh", "-c", "echo no such bucket; exit 1"}})
	if step := b.drive(hook, sim.Hour); step.Code != 1 || string(hook.Output(0)) != "no such bucket\n" || len(b.lines) > 0 {
		t.Errorf("%+v %q %q", step, hook.Output(0), b.lines)
	}
}
