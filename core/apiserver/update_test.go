package apiserver

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// script plays the commands of a captured case against the server, as kubectl
// would; it knows those that write.
type script struct {
	*world
	t    *testing.T
	dir  string
	node string // where pods ran in the captured case
}

var (
	patchCommand = regexp.MustCompile(`^kubectl patch (\w+) (\S+)(.*?) -p '(.*?)'`)
	fileCommand  = regexp.MustCompile(`^kubectl (apply|create|replace) -f (\S+)$`)
	dropCommand  = regexp.MustCompile(`^kubectl delete (\w+) (\S+)$`)
)

// run returns what the command said on its standard error; known is false for
// commands that do not write.
func (s *script) run(cmd string) (said string, known bool) {
	if m := fileCommand.FindStringSubmatch(cmd); m != nil {
		for _, n := range objects(s.t, filepath.Join(s.dir, m[2])) {
			said += s.file(m[1], n, m[2])
		}
		return said, true
	}
	if m := patchCommand.FindStringSubmatch(cmd); m != nil {
		return s.patch(m[1], m[2], m[3], m[4]), true
	}
	if m := dropCommand.FindStringSubmatch(cmd); m != nil {
		return s.say(s.do(api.Request{Verb: api.Delete, Kind: api.KindForResource(m[1]), Namespace: "default", Name: m[2]}), "", ""), true
	}
	return "", false
}

// addNode makes a node as those of the captured cluster are.
func (s *script) addNode(name string) {
	n := &api.Node{ObjectMeta: api.ObjectMeta{Name: name}}
	n.Status.Allocatable = map[string]api.Quantity{"cpu": api.NewQuantity(4, api.DecimalSI), "memory": api.NewQuantity(8<<30, api.BinarySI)}
	s.do(api.Request{Verb: api.Create, Kind: api.KindNamed("Node"), Object: n})
}

func (s *script) file(verb string, n codec.Node, file string) string {
	k := api.KindFor(n.Str("apiVersion"), n.Str("kind"))
	name := n.Str("metadata", "name")
	old := s.st.Latest().Get(k.Kind, "default", name)
	doc := codec.ToValue(n).(map[string]any)
	switch {
	case verb == "create" || old == nil:
		return s.create(k, doc, verb == "apply", file)
	case verb == "replace":
		doc["metadata"].(map[string]any)["resourceVersion"] = old.Meta().ResourceVersion
		return s.say(s.do(api.Request{Verb: api.Update, Kind: k, Namespace: "default", Name: name, Body: codec.ToJSON(doc)}), "replacing", file)
	}
	original, _ := codec.ParseJSON([]byte(old.Meta().Annotations[lastApplied]))
	annotate(doc)
	patch, err := codec.PatchThreeWay(codec.ToValue(original).(map[string]any), doc, codec.ToValue(old).(map[string]any), k)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(patch) == 0 {
		return ""
	}
	res := s.do(api.Request{Verb: api.Patch, Kind: k, Namespace: "default", Name: name, Body: codec.ToJSON(patch), FieldValidation: "Strict"})
	return s.say(res, "applying patch", file)
}

// annotate keeps in a document what is applied, as kubectl does.
func annotate(doc map[string]any) {
	m := doc["metadata"].(map[string]any)
	a, _ := m["annotations"].(map[string]any)
	if a == nil {
		a = map[string]any{}
		m["annotations"] = a
	}
	a[lastApplied] = string(codec.ToJSON(doc))
}

func (s *script) create(k *api.Kind, doc map[string]any, apply bool, file string) string {
	if apply {
		annotate(doc)
	}
	res := s.do(api.Request{Verb: api.Create, Kind: k, Namespace: "default", Body: codec.ToJSON(doc), FieldValidation: "Strict"})
	if p, ok := res.Object.(*api.Pod); ok && res.Status == nil && s.node != "" && len(p.Spec.SchedulingGates) == 0 {
		s.bindPod(s.t, p.Name, s.node)
	}
	return s.say(res, "creating", file)
}

func (s *script) patch(resource, name, flags, body string) string {
	req := api.Request{Verb: api.Patch, Kind: api.KindForResource(resource), Namespace: "default", Name: name, Body: []byte(body)}
	switch {
	case strings.Contains(flags, "--type=json"):
		req.PatchType = JSONPatch
	case strings.Contains(flags, "--type=merge"):
		req.PatchType = MergePatch
	}
	if _, sub, ok := strings.Cut(flags, "--subresource "); ok {
		req.Subresource = strings.Fields(sub)[0]
	}
	res := s.do(req)
	if res.Status != nil && res.Status.Reason != api.ReasonInvalid {
		return "Error from server (" + res.Status.Reason + "): " + res.Status.Message + "\n"
	}
	return s.say(res, "", "")
}

func (s *script) say(res api.Response, doing, file string) string {
	said := ""
	for _, w := range res.Warnings {
		said += "Warning: " + w + "\n"
	}
	if res.Status == nil {
		return said
	}
	return said + strings.Replace(wrap(res.Status, file), "when creating", "when "+doing, 1)
}

// playScripts compares what each writing command of a group of cases said.
func playScripts(t *testing.T, group string) {
	equal, total := 0, 0
	for _, dir := range caseDirs(t, group) {
		c := readCase(t, dir)
		s := &script{world: newWorld(t), t: t, dir: dir}
		for _, n := range objects(t, filepath.Join(dir, "get.after.yaml")) {
			s.node = n.Str("spec", "nodeName")
		}
		s.setUp(t, dir)
		if s.node != "" {
			s.addNode(s.node)
		}
		for _, cmd := range c.Commands {
			got, known := s.run(strings.SplitN(cmd.Cmd, ";", 2)[0])
			if !known {
				continue
			}
			total++
			if masked.ReplaceAllString(got, "MASKED") == masked.ReplaceAllString(cmd.Stderr, "MASKED") {
				equal++
			} else if why := notYet[c.ID]; why != "" {
				t.Logf("%s: %s", c.ID, why)
			} else {
				t.Errorf("%s: %s\n got %s\nwant %s", c.ID, cmd.Cmd, got, cmd.Stderr)
			}
		}
		if wanted := filepath.Join(dir, "get.after.yaml"); s.node != "" {
			if _, err := os.Stat(wanted); err == nil {
				compareStored(t, s.world, c.ID, wanted)
			}
		}
	}
	t.Logf("%s: %d of %d answers are equal", group, equal, total)
}

func TestOracleUpdateAnswers(t *testing.T)  { playScripts(t, "update") }
func TestOracleNetworkAnswers(t *testing.T) { playScripts(t, "network") }
