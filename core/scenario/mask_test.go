package scenario_test

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"podwalk/core/codec"
)

// masks hide what no two runs have in common, as the oracle's README lists it.
var masks = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`("?resourceVersion"?: ?)"\d+"`), `${1}"N"`},
	{regexp.MustCompile(`(Resource Version: +)\d+`), `${1}N`},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC`), "TIME"},
	// Generated suffixes, and the hashes of templates before them.
	{regexp.MustCompile(`(-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "-XXXXX"},
	// Minutes since 1970 in the names of a CronJob's jobs.
	{regexp.MustCompile(`-2\d{7}\b`), "-MINUTE"},
	// Hashes of templates: the real ones hash the print of a Go struct.
	{regexp.MustCompile(`Image size: \d+ bytes`), "Image size: N bytes"},
	{regexp.MustCompile(`(-|: |=)[bcdfghjklmnpqrstvwxz2456789]{8,10}\b`), "${1}HASH"},
	// Where the API server of the real run listened, on the port of a test.
	{regexp.MustCompile(`\b[12]6443\b`), "6443"},
	{regexp.MustCompile(`"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"?`), "TIME"},
	{regexp.MustCompile(`(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000`), "TIME"},
	{regexp.MustCompile(`kube-api-access-[a-z0-9]{5}`), "kube-api-access-XXXXX"},
	{regexp.MustCompile(`containerd://[0-9a-f]{64}`), "containerd://ID"},
	{regexp.MustCompile(`sha256:[0-9a-f]{64}`), "sha256:DIGEST"},
	{regexp.MustCompile(`\b10\.244\.\d+\.\d+\b`), "POD-IP"},
	{regexp.MustCompile(`in [0-9.]+m?s \([0-9.]+m?s including waiting\)`), "in T (T including waiting)"},
	{regexp.MustCompile(`desc = .*`), "desc = TEXT"},
	{regexp.MustCompile(`^([EWI])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ `), "$1 LOG "},
	{regexp.MustCompile(`(LIVE|MERGED)-\d+/`), "$1-N/"},
	{regexp.MustCompile(`\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} \+0000$`), " TIME"},
	{regexp.MustCompile(`kubectl-edit-\d+\.yaml`), "kubectl-edit-N.yaml"},
	// Ages: of events "16s (x3 over 30s)", of tables "2 (15s ago)" and " 31s ".
	{regexp.MustCompile(`\bx(\d+) over (\d+[dhms])+\b`), "x$1 over AGE"},
	{regexp.MustCompile(`\((\d+[dhms])+ ago\)`), "(AGE ago)"},
	{regexp.MustCompile(`(^|  )(\d+[dhms]){1,2}( \(x|  |$)`), "${1}AGE$3"},
}

var blanks = regexp.MustCompile(` {2,}`)

func mask(line string) string {
	for _, m := range masks {
		line = m.re.ReplaceAllString(line, m.with)
	}
	line = sortedFaults(line)
	// Columns are as wide as their widest cell, which may be a masked one.
	indent := len(line) - len(strings.TrimLeft(line, " "))
	return strings.TrimRight(line[:indent]+blanks.ReplaceAllString(line[indent:], "  "), " ")
}

// sortedFaults puts what a schema finds wrong with a custom object into an order: the
// server walks the fields in any.
func sortedFaults(line string) string {
	head, list, found := strings.Cut(line, " is invalid: [")
	if !found || !strings.Contains(list, " in body ") {
		return line
	}
	parts := strings.Split(strings.TrimSuffix(list, "]"), ", ")
	sort.Strings(parts)
	return head + " is invalid: [" + strings.Join(parts, ", ") + "]"
}

// maskedLines also makes one of equal lines of progress: how often one is printed
// depends on how the writes of the controllers fell.
func maskedLines(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = mask(l)
	}
	sortConcurrent(lines)
	return slices.CompactFunc(lines, func(a, b string) bool { return a == b && strings.HasPrefix(a, "Waiting for ") })
}

// named are the lines of tables whose names are generated: they are sorted by what
// is masked.
var named = regexp.MustCompile(`^\S+-(XXXXX|HASH)  `)

// concurrent are the events of pods that a controller makes or deletes in one look:
// the real ones do it in goroutines, so their order is chance.
var concurrent = regexp.MustCompile(`^ *Normal  (SuccessfulCreate|SuccessfulDelete)  AGE  (job|daemonset|replicaset|replication)-controller  `)

// sortConcurrent sorts neighbouring lines whose order is chance.
func sortConcurrent(lines []string) {
	for i := 0; i < len(lines); i++ {
		for _, chance := range []*regexp.Regexp{concurrent, named} {
			from := i
			for i < len(lines) && chance.MatchString(lines[i]) {
				i++
			}
			sort.Strings(lines[from:i])
		}
	}
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := 0
		for j, y := range b {
			keep := row[j+1]
			if x == y {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			last = keep
		}
	}
	return row[len(b)]
}

// lineDiff shows the lines that differ, - expected, + printed.
func lineDiff(want, got []string) string {
	// same[i][j] is how many lines the ends from i and j have in common, in order.
	same := make([][]int, len(want)+1)
	for i := len(want); i >= 0; i-- {
		same[i] = make([]int, len(got)+1)
		for j := len(got) - 1; j >= 0 && i < len(want); j-- {
			if same[i][j] = max(same[i+1][j], same[i][j+1]); want[i] == got[j] {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	var b strings.Builder
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			i++
			j++
		case j < len(got) && (i == len(want) || same[i][j+1] >= same[i+1][j]):
			b.WriteString("    + " + got[j] + "\n")
			j++
		default:
			b.WriteString("    - " + want[i] + "\n")
			i++
		}
	}
	return b.String()
}

// withImages puts images and runtime handlers into the status of nodes.
func withImages(t *testing.T, nodes []byte, images map[string][]string) []byte {
	docs, err := codec.ReadWords(nodes)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i := range docs {
		v := codec.ToValue(docs[i]).(map[string]any)
		name := v["metadata"].(map[string]any)["name"].(string)
		st, _ := v["status"].(map[string]any)
		if st == nil && len(images[name]) > 0 {
			st = map[string]any{}
			v["status"] = st
		}
		var im []any
		for _, n := range images[name] {
			im = append(im, map[string]any{"names": []any{n}, "sizeBytes": int64(1000000)})
		}
		if st != nil {
			st["images"] = im
			// As describe/node-gpu shows the nodes of the cases.
			st["runtimeHandlers"] = []any{map[string]any{"name": ""}, map[string]any{"name": "gvisor"}, map[string]any{"name": "runc"}}
		}
		out.WriteString("---\n" + codec.ToYAML(v))
	}
	return []byte(out.String())
}

func TestMasksHideOnlyWhatTwoRunsCannotShare(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"  Warning  BackOff    0s (x3 over 27s)   kubelet  m", "  Warning  BackOff  AGE (x3 over AGE)  kubelet  m"},
		{"web    0/1     CrashLoopBackOff   2 (15s ago)   31s   10.244.1.14   worker-1   <none>           <none>", "web  0/1  CrashLoopBackOff  2 (AGE ago)  AGE  POD-IP  worker-1  <none>  <none>"},
		{"    restartCount: 2", "    restartCount: 2"},
		{`  uid: 6bfd0ada-acb3-4f15-95b3-e485a813c1be`, "  uid: UID"},
		{"      sleep 1; exit 1", "      sleep 1; exit 1"},
		{`The X "b" is invalid: [spec.b: Invalid value: "x": spec.b in body should match '^y$', spec.a: Required value]`,
			`The X "b" is invalid: [spec.a: Required value, spec.b: Invalid value: "x": spec.b in body should match '^y$']`},
	} {
		if got := mask(c.a); got != c.b {
			t.Errorf("mask(%q)\n got %q\nwant %q", c.a, got, c.b)
		}
	}
}
