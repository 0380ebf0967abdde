package workload

import (
	"strings"
	"testing"

	"podwalk/core/sim"
)

// Every bound ends in a word about it, never in a hang.
func TestBoundsAreSaidAndNotHungOn(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		limit  string
	}{
		"a variable that doubles":       {`x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done`, "1 MiB in a shell variable"},
		"a substitution without end":    {`x=$(yes)`, "1 MiB in a command substitution"},
		"a log without end":             {`while :; do printf '%04000d\n' 0; done`, "10 MiB of logs"},
		"a function that calls itself":  {`f() { f; }; f`, "1000 nested calls"},
		"a counter without end":         {`i=0; while :; do i=$((i+1)); done`, "200000 commands in ten minutes"},
		"a fork bomb":                   {`f() { f | f & }; f; while :; do sleep 1; done`, "256 processes in one container"},
		"nested too deep to parse":      {strings.Repeat("(", 5000) + ":" + strings.Repeat(")", 5000), "script nested more than 200 deep: not simulated"},
		"a script of more than 256 KiB": {strings.Repeat(": aaaaaaa\n", 30000), "script of more than 256 KiB: not simulated"},
	} {
		b, p := begin(t, testImage("busybox"), "sh", "-c", c.script)
		limit := ""
		for n := 0; n < 3_000_000; n++ {
			s := p.Run(b)
			if s.Limit != "" {
				limit = s.Limit
				break
			}
			if s.Done || s.Next == sim.Never {
				break
			}
			b.now = s.Next
		}
		if limit != c.limit {
			t.Errorf("%s: limit %q, want %q", name, limit, c.limit)
		}
	}
}

func TestWordsCannotBlowUp(t *testing.T) {
	for _, script := range []string{
		`echo {1..100000000}`,
		`echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}`,
		`printf '%999999999d' 1`,
		`a[999999999]=1`,
		`seq 1 1000000000`,
		`x=1; x=$((x)); a='b'; b='a'; echo $((a))`,
		`x=$(printf '%04096d' 0); x=$x$x$x$x; echo "${x//0/$x}" | wc -c`,
		`awk 'BEGIN { while (1) x = x "a" }'`,
		`awk 'BEGIN { while (1) i++ }'`,
		`echo a | sed ':a;s/a/aa/;ta'`,
		`[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaa =~ (a*)*(a*)*b ]]`,
		`case aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa in *a*a*a*a*a*a*a*a*a*a*a*b) ;; esac`,
	} {
		b, p := begin(t, testImage("debian"), "bash", "-c", script)
		if step := b.drive(p, sim.Minute); !step.Done {
			t.Errorf("%s: %+v", script, step)
		}
	}
}

func TestWhatIsNotSimulatedIsRecorded(t *testing.T) {
	for script, want := range map[string]string{
		`openssl version; tar xf x`: "not simulated: program tar",
		`grep --frobnicate x y`:     "not simulated: grep option --frobnicate",
		`select x in a; do :; done`: "not simulated: shell: select",
		`awk 'BEGIN{getline}'`:      "not simulated: awk awk program: function getline",
	} {
		b, _ := runScript(t, "debian", "bash", script)
		if !strings.Contains(strings.Join(b.records, "\n"), want) {
			t.Errorf("%s: %q", script, b.records)
		}
	}
}

func FuzzScriptsNeverPanicNorHang(f *testing.F) {
	for _, name := range []string{"dash.txt", "bash.txt"} {
		for _, s := range samples(f, name) {
			f.Add(s.script, len(s.script)%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, script string, bashLike bool) {
		shell := "dash"
		if bashLike {
			shell = "bash"
		}
		b, p := begin(t, testImage("debian"), shell, "-c", script)
		for n := 0; n < 2000; n++ {
			s := p.Run(b)
			if s.Done || s.Next == sim.Never {
				break
			}
			if s.Next <= b.now {
				t.Fatalf("time does not pass: %s then %s", b.now, s.Next)
			}
			b.now = s.Next
			if n%500 == 0 {
				p = p.Clone()
			}
		}
		p.Signal(SIGTERM, b)
		p.Run(b)
	})
}

func FuzzLittleLanguagesNeverPanicNorHang(f *testing.F) {
	for _, s := range []string{`{print $2}`, `BEGIN{for(i=0;i<3;i++)printf "%d ",i}`, `s/a\(b\)/\1/g;2d`, "/x/,$p", "import sys\nif 1 == 2:\n  sys.exit(1)\nelse:\n  print(f\"{x}\")",
		"server { listen 80; location / { return 200 ok; } }", "1 + 2 * ( 3 )", `-name '*.sh' -type f`, "+%Y-%m-%d %s", "%5.2f|%-3s", `a\{1,2\}[^b]*`} {
		f.Add(s, "one two\nthree\n")
	}
	tools := [][]string{{"awk"}, {"sed"}, {"sed", "-n", "-E"}, {"grep"}, {"grep", "-oE"}, {"python3", "-c"}, {"expr"}, {"find", "/etc"}, {"date"}, {"printf"}, {"cut", "-f"}, {"tr", "-d"}, {"sort", "-k"}, {"env"}, {"timeout", "1"}, {"curl"}, {"dd"}, {"stat", "-c"}}
	f.Fuzz(func(t *testing.T, text, input string) {
		if strings.ContainsRune(text, 0) {
			return
		}
		img := testImage("full")
		for _, tool := range tools {
			b := newBench(img)
			b.WriteFile("/tmp/in", []byte(input), false)
			argv := append(append([]string{"sh", "-c", `exec "$@" < /tmp/in`, "sh"}, tool...), text)
			p := b.start(t, Spec{Image: img, Argv: argv, Env: img.Env})
			b.drive(p, 10*sim.Second)
			p.Clone().Signal(SIGTERM, b)
		}
		b := newBench(resolve(t, "nginx:1.27"))
		b.WriteFile("/etc/nginx/conf.d/default.conf", []byte(text), false)
		p := b.start(t, Spec{Image: resolve(t, "nginx:1.27"), Argv: []string{"nginx", "-g", "daemon off;"}})
		b.drive(p, sim.Second)
		p.Serve(80, Request{Path: "/" + input}, b)
	})
}
