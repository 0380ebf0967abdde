package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"podwalk/wasm/boundary"
)

// do calls an operation and decodes its result.
func do[T any](t testing.TB, p *player, op string, args any) T {
	t.Helper()
	var a boundary.Answer
	raw := p.handle(request(1, op, args))
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	if a.Err != nil {
		t.Fatalf("%s: %v\n%s", op, a.Err, a.Err.Stack)
	}
	var v T
	if err := json.Unmarshal(a.OK, &v); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return v
}

// refused calls an operation that must fail and returns its error.
func refused(t testing.TB, p *player, op string, args any) boundary.Err {
	t.Helper()
	var a boundary.Answer
	if err := json.Unmarshal(p.handle(request(1, op, args)), &a); err != nil {
		t.Fatal(err)
	}
	if a.Err == nil {
		t.Fatalf("%s %v is accepted", op, args)
	}
	return *a.Err
}

func running(t *testing.T) *player {
	t.Helper()
	p := newPlayer()
	do[OpenOK](t, p, "open", open(podText))
	do[Progress](t, p, "advance", m{"to": 600, "untilQuiescent": true})
	return p
}

func TestAPodGoesFromYAMLToRunning(t *testing.T) {
	p := newPlayer()
	o := do[OpenOK](t, p, "open", open(podText))
	if o.Branch != "main" || len(o.Apply) != 1 || o.Apply[0].Stdout != "pod/web created\n" || o.Apply[0].Line != 1 {
		t.Fatalf("open: %+v", o)
	}
	pr := do[Progress](t, p, "advance", m{"to": 600, "untilQuiescent": true})
	if !pr.Quiescent || len(pr.Records) == 0 {
		t.Fatalf("advance: now %v, quiescent %v, %d records", pr.Now, pr.Quiescent, len(pr.Records))
	}
	st := do[State](t, p, "state", m{})
	if len(st.Pods) != 1 || st.Pods[0].Status != "Running" || st.Pods[0].Ready != "1/1" || len(st.Nodes) != 4 {
		t.Errorf("state: %+v", st)
	}
}

func TestRecordsAreGivenOnce(t *testing.T) {
	p := newPlayer()
	do[OpenOK](t, p, "open", open(podText))
	var last uint64
	for range 5 {
		for _, r := range do[Progress](t, p, "advance", m{"steps": 20}).Records {
			if uint64(r.ID) != last+1 {
				t.Fatalf("record %d comes after %d", r.ID, last)
			}
			last = uint64(r.ID)
		}
	}
	if all := do[RecordsOK](t, p, "records", m{}); len(all.Records) != int(last) {
		t.Errorf("%d records in all, %d were given", len(all.Records), last)
	}
}

func TestTheViewMovesAndTheHeadStays(t *testing.T) {
	p := running(t)
	head := do[State](t, p, "state", m{}).Now
	if got := do[SeekOK](t, p, "seek", m{"to": 0}); len(got.State.Pods) != 0 {
		t.Errorf("at 0 there are the pods %v", got.State.Pods)
	}
	if got := do[KubectlOK](t, p, "kubectl", m{"argv": []string{"get", "pods"}}); !strings.Contains(got.Stderr, "No resources found") {
		t.Errorf("kubectl reads at the view: %+v", got)
	}
	if got := do[KubectlOK](t, p, "kubectl", m{"argv": []string{"get", "pods"}, "at": head}); !strings.Contains(got.Stdout, "Running") {
		t.Errorf("kubectl reads at its own instant: %+v", got)
	}
	if pr := do[Progress](t, p, "advance", m{"to": 0}); pr.Now != head {
		t.Errorf("the head moved from %v to %v", head, pr.Now)
	}
}

func TestAnInputInThePastMakesABranch(t *testing.T) {
	p := running(t)
	before := len(do[RecordsOK](t, p, "records", m{}).Records)
	ok := do[DoOK](t, p, "do", m{"kind": "kubectl", "argv": []string{"delete", "pod", "web"}, "at": 1.5})
	if ok.Branch == "" || ok.Exit != 0 || !strings.Contains(ok.Stdout, `pod "web" deleted`) {
		t.Fatalf("do: %+v", ok)
	}
	do[Progress](t, p, "advance", m{"to": 120})
	if st := do[State](t, p, "state", m{}); len(st.Pods) != 0 {
		t.Errorf("the branch has the pods %v", st.Pods)
	}
	do[Progress](t, p, "switch", m{"branch": "main"})
	if st := do[State](t, p, "state", m{}); len(st.Pods) != 1 {
		t.Errorf("main has the pods %v", st.Pods)
	}
	if after := len(do[RecordsOK](t, p, "records", m{}).Records); after != before {
		t.Errorf("main had %d records and has %d", before, after)
	}
	if list := do[[]Branch](t, p, "branches", m{}); len(list) != 2 || list[1].From != "main" || list[1].At != 1.5 {
		t.Errorf("branches: %+v", list)
	}
}

func TestAnExportedRunComesBackTheSame(t *testing.T) {
	p := running(t)
	do[DoOK](t, p, "do", m{"kind": "apply", "files": []m{{"name": "crash.yaml", "text": crashText}}})
	do[Progress](t, p, "advance", m{"to": 100})
	do[DoOK](t, p, "do", m{"kind": "kubectl", "argv": []string{"delete", "pod", "web"}})
	do[Progress](t, p, "advance", m{"to": 200})
	want := do[RecordsOK](t, p, "records", m{})
	text := do[Text](t, p, "export", m{})
	q := newPlayer()
	do[OpenOK](t, q, "import", text)
	got := do[RecordsOK](t, q, "records", m{})
	if len(got.Records) != len(want.Records) {
		t.Errorf("%d records, want %d\n%s", len(got.Records), len(want.Records), text.Text)
	}
	for i := range min(len(got.Records), len(want.Records)) {
		if a, b := got.Records[i].String(), want.Records[i].String(); a != b {
			t.Fatalf("record %d\n got %s\nwant %s", i+1, a, b)
		}
	}
}

func TestAnErrorInTheFilesIsMarkedAtItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: app\n    imagee: x\n": "8:5",
		"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: APP\n    image: x\n":  "7:11",
		"apiVersion: sim.podwalk.dev/v1\nkind: Cluster\ncni: none\n":                                              "3:6",
		"apiVersion: v1\nkind: Pod\nmetadata:\n\tname: web\n":                                                     "4:1",
	} {
		o := do[OpenOK](t, newPlayer(), "open", open(text))
		var got []string
		for _, a := range o.Apply {
			if a.Exit == 0 || a.Stderr == "" {
				t.Errorf("%s\nis accepted: %+v", text, a)
			}
			for _, mark := range a.Marks {
				got = append(got, fmt.Sprintf("%d:%d", mark.Line, mark.Column))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\nmarks at %v, want %s", text, got, want)
		}
	}
}

func TestAWhyLeadsBackToTheUser(t *testing.T) {
	p := running(t)
	for _, r := range do[RecordsOK](t, p, "records", m{}).Records {
		if r.Reason != "Started" {
			continue
		}
		e := do[ExplainOK](t, p, "explain", m{"record": r.ID})
		if e.Chain[0].Source != "kubectl" || len(e.Text) != len(e.Chain) {
			t.Errorf("the chain of %s begins with %s", r, e.Chain[0])
		}
		return
	}
	t.Error("no record has the reason Started")
}

func TestWrongRequestsAreRefused(t *testing.T) {
	if got := refused(t, newPlayer(), "state", m{}); got.Message != "state: nothing is open" {
		t.Errorf("got %q", got.Message)
	}
	p := running(t)
	for _, c := range []struct {
		op   string
		args any
		code string
	}{
		{"advance", m{}, boundary.BadRequest},
		{"advance", m{"to": -1}, boundary.BadRequest},
		{"advance", m{"to": 1e300}, boundary.BadRequest},
		{"advance", m{"steps": -1}, boundary.BadRequest},
		{"seek", m{"to": 1e6}, boundary.BadRequest},
		{"state", m{"at": -0.1}, boundary.BadRequest},
		{"get", m{"kind": "Pod", "namespace": "default", "name": "nobody"}, boundary.NotFound},
		{"get", m{"kind": "Pod", "namespace": "default", "name": "web", "format": "xml"}, boundary.BadRequest},
		{"explain", m{"record": 1 << 40}, boundary.NotFound},
		{"switch", m{"branch": "nowhere"}, boundary.NotFound},
		{"do", m{"kind": "fault"}, boundary.BadRequest},
		{"open", m{"files": []m{{"name": "a", "text": strings.Repeat("#", maxText+1)}}}, boundary.Limit},
		{"open", m{"files": []m{}, "for": -1}, boundary.BadRequest},
		{"import", m{"text": "advance for=1s\n----\n----\nnever closed\n"}, boundary.BadRequest},
		{"import", m{"text": "# seed: many\n\nadvance for=1s\n----\n"}, boundary.BadRequest},
	} {
		if got := refused(t, p, c.op, c.args); got.Code != c.code {
			t.Errorf("%s %.60v: code %s (%s), want %s", c.op, c.args, got.Code, got.Message, c.code)
		}
	}
}

func TestAFaultIsAnInputThatTheExportKeeps(t *testing.T) {
	p := running(t)
	ok := do[DoOK](t, p, "do", m{"kind": "fault", "argv": []string{"node-down", "node-1"}})
	if ok.Exit != 0 || ok.Stdout != "the machine of node node-1 has lost its power\n" || len(ok.Records) == 0 {
		t.Errorf("%+v", ok)
	}
	if ok := do[DoOK](t, p, "do", m{"kind": "fault", "argv": []string{"node-down", "nowhere"}}); ok.Exit != 1 || ok.Stderr != "error: fault node-down: there is no machine \"nowhere\"\n" {
		t.Errorf("%+v", ok)
	}
	branch := do[DoOK](t, p, "do", m{"kind": "fault", "argv": []string{"registry-down"}, "at": 1.5})
	if branch.Branch == "" {
		t.Error("a fault in the past makes no branch")
	}
	do[Progress](t, p, "switch", m{"branch": "main"})
	if text := do[Text](t, p, "export", m{}).Text; !strings.Contains(text, "$ podwalk fault node-down node-1\n") {
		t.Errorf("the export is\n%s", text)
	}
	if about := do[About](t, p, "about", m{}); len(about.Faults) == 0 || about.Faults[0].Name != "node-down" {
		t.Errorf("%+v", about.Faults)
	}
}

func TestBranchesAreBounded(t *testing.T) {
	p := running(t)
	for range maxBranches - 1 {
		do[ForkOK](t, p, "fork", m{"at": 1})
	}
	if got := refused(t, p, "fork", m{"at": 1}); got.Code != boundary.Limit {
		t.Errorf("got %+v", got)
	}
}

const serviceText = "apiVersion: v1\nkind: Service\nmetadata: {name: front}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n"

// A request goes by name to the Service and from there to the pod; the rules of a
// node name the Service, and before it existed they did not.
func TestARequestIsFollowedAndTheRulesItMetCanBeRead(t *testing.T) {
	p := newPlayer()
	pod := strings.Replace(podText, "name: web", "name: web\n  labels: {app: web}", 1)
	do[OpenOK](t, p, "open", open(pod+"---\n"+serviceText))
	p.handle(request(1, "advance", m{"to": 600, "untilQuiescent": true}))
	ok := do[DoOK](t, p, "do", m{"kind": "request", "argv": []string{"pod/default/web", "http://front"}})
	if ok.Sent == nil || ok.Sent.Code != 200 || ok.Exit != 0 || len(ok.Sent.Records) == 0 {
		t.Fatalf("got %+v", ok)
	}
	sources := ""
	for _, r := range ok.Records {
		for _, id := range ok.Sent.Records {
			if uint64(r.ID) == id {
				sources += r.Source + " "
			}
		}
	}
	for _, want := range []string{"dns", "kube-proxy", "program"} {
		if !strings.Contains(sources, want) {
			t.Errorf("no hop of %s in %s", want, sources)
		}
	}
	has := func(args m) bool {
		return strings.Contains(strings.Join(do[RulesOK](t, p, "rules", args).Lines, "\n"), "default/front")
	}
	if !has(m{"node": "node-1"}) || !has(m{"node": "node-1", "mode": "nftables"}) || has(m{"node": "node-1", "at": 0.02}) {
		t.Error("the rules do not follow the Service")
	}
	if bad := do[DoOK](t, p, "do", m{"kind": "request", "argv": []string{"pod/default/web", "http://front:81"}}); bad.Sent.Symptom == "" || bad.Exit != 1 {
		t.Errorf("a port without a Service: %+v", bad.Sent)
	}
}

// A policy that lets nobody in is the reason in every cell of its pod's column.
func TestTheMatrixSaysWhoIsKeptOut(t *testing.T) {
	p := newPlayer()
	do[OpenOK](t, p, "open", open(podText+"---\n"+strings.Replace(podText, "name: web", "name: other", 1)+
		"---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: none}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n"))
	p.handle(request(1, "advance", m{"to": 600, "untilQuiescent": true}))
	got := do[MatrixOK](t, p, "matrix", m{"namespace": "default"})
	if len(got.From) != 3 || len(got.To) != 3 || !got.Cells[0][0].Self || got.Cells[0][1].Allowed || !strings.Contains(got.Cells[0][1].Why, "default/none") || !got.Cells[0][2].Allowed {
		t.Errorf("got %+v", got)
	}
}

func FuzzHandle(f *testing.F) {
	for _, r := range tour() {
		f.Add(r)
	}
	f.Add([]byte(`{"op":"advance","args":{"to":1e9}}`))
	f.Fuzz(func(t *testing.T, request []byte) {
		p := newPlayer()
		p.handle([]byte(`{"op":"open","args":{"files":[{"name":"a","text":"kind: Pod"}]}}`))
		answer := p.handle(request)
		if !json.Valid(answer) || strings.Contains(string(answer), `"code":"panic"`) {
			t.Errorf("%q is answered with %s", request, answer)
		}
	})
}

// The budgets of wasm/bench.mjs, natively.
func BenchmarkBudget(b *testing.B) {
	var many strings.Builder
	for i := range 200 {
		many.WriteString("---\n" + strings.Replace(podText, "name: web", fmt.Sprintf("name: web-%d", i), 1))
	}
	for name, text := range map[string]string{"one pod": podText, "200 pods": many.String()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p := newPlayer()
				do[OpenOK](b, p, "open", open(text))
				p.handle(request(1, "advance", m{"to": 600, "untilQuiescent": true}))
			}
		})
	}
	b.Run("an hour of a crash loop", func(b *testing.B) {
		for b.Loop() {
			p := newPlayer()
			do[OpenOK](b, p, "open", open(crashText))
			p.handle(request(1, "advance", m{"to": 3600}))
		}
	})
}
