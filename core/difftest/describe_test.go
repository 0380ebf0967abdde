package difftest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/describe"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/internal/shared"
	ours "podwalk/core/kubectl/describe"
)

// cluster holds objects as JSON and answers reads, to the real describers over a
// transport and to ours directly.
type cluster struct{ objects []map[string]any }

func (c *cluster) add(t *testing.T, text []byte) {
	docs, err := codec.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		v, _ := codec.ToValue(d).(map[string]any)
		items, ok := v["items"].([]any)
		if !ok {
			items = []any{v}
		}
		for _, item := range items {
			if o, ok := item.(map[string]any); ok {
				c.objects = append(c.objects, o)
			}
		}
	}
}

func (c *cluster) find(k *api.Kind, namespace, name string) map[string]any {
	for _, o := range c.list(k, namespace, "", "") {
		if text(o, "metadata", "name") == name {
			return o
		}
	}
	return nil
}

func (c *cluster) list(k *api.Kind, namespace, labelText, fieldText string) []map[string]any {
	byLabels, _ := labels.Parse(labelText)
	byFields, _ := fields.ParseSelector(fieldText)
	var out []map[string]any
	for _, o := range c.objects {
		m, _ := o["metadata"].(map[string]any)
		set := labels.Set{}
		l, _ := m["labels"].(map[string]any)
		for key, v := range l {
			set[key], _ = v.(string)
		}
		values := fields.Set{}
		for _, r := range byFields.Requirements() {
			values[r.Field] = text(o, strings.Split(r.Field, ".")...)
		}
		if o["kind"] == k.Kind && (namespace == "" || text(o, "metadata", "namespace") == namespace) && byLabels.Matches(set) && byFields.Matches(values) {
			out = append(out, o)
		}
	}
	return out
}

func text(o map[string]any, path ...string) string {
	var v any = o
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	s, _ := v.(string)
	return s
}

// RoundTrip answers GET /api/v1/namespaces/N/pods/web and the like.
func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] == "apis" {
		parts = parts[1:]
	}
	parts = parts[2:]
	namespace := ""
	if parts[0] == "namespaces" && len(parts) > 2 {
		namespace, parts = parts[1], parts[2:]
	}
	i := slices.IndexFunc(api.Kinds, func(k api.Kind) bool { return k.Plural == parts[0] })
	if i < 0 {
		return answer(404, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404, "reason": "NotFound"}), nil
	}
	k := &api.Kinds[i]
	if len(parts) > 1 {
		o := c.find(k, namespace, parts[1])
		if o == nil {
			return answer(404, api.NewNotFound(k, parts[1])), nil
		}
		return answer(200, o), nil
	}
	q := r.URL.Query()
	items := c.list(k, namespace, q.Get("labelSelector"), q.Get("fieldSelector"))
	return answer(200, map[string]any{"kind": k.Kind + "List", "apiVersion": k.APIVersion(), "metadata": map[string]any{}, "items": items}), nil
}

func answer(code int, v any) *http.Response {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(b))}
}

func typed(k *api.Kind, o map[string]any) api.Object {
	n := codec.ToNode(o)
	out := k.New()
	codec.Decode(&n, out)
	*out.ObjectType() = api.TypeMeta{APIVersion: k.APIVersion(), Kind: k.Kind}
	return out
}

func (c *cluster) Get(kind, namespace, name string) (api.Object, error) {
	k := api.KindNamed(kind)
	if o := c.find(k, namespace, name); o != nil {
		return typed(k, o), nil
	}
	return nil, statusError{api.NewNotFound(k, name)}
}

type statusError struct{ s *api.Status }

func (e statusError) Error() string { return e.s.Message }

func (c *cluster) List(kind, namespace string, q ours.Query) ([]api.Object, error) {
	k := api.KindNamed(kind)
	var out []api.Object
	for _, o := range c.list(k, namespace, q.Labels, q.Fields) {
		out = append(out, typed(k, o))
	}
	return out, nil
}

// describeAll compares the descriptions of all objects of the cluster.
func (c *cluster) describeAll(t *testing.T, where string, count map[string][2]int) {
	config := &rest.Config{Host: "http://cluster", Transport: c, QPS: -1}
	for _, o := range c.objects {
		kind, _ := o["kind"].(string)
		k := api.KindNamed(kind)
		if k == nil || k.APIVersion() != o["apiVersion"] || kind == "LimitRange" || kind == "Event" {
			continue
		}
		namespace, name := text(o, "metadata", "namespace"), text(o, "metadata", "name")
		d, ok := describe.DescriberFor(schema.GroupKind{Group: k.Group, Kind: k.Kind}, config)
		if !ok {
			d, _ = describe.GenericDescriberFor(&meta.RESTMapping{
				Resource:         schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Plural},
				GroupVersionKind: schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind},
			}, config)
		}
		n := count[kind]
		n[1]++
		if diff := c.compare(d, typed(k, o), namespace, name); diff != "" {
			t.Errorf("%s: %s %s/%s: %s", where, kind, namespace, name, diff)
		} else {
			n[0]++
		}
		count[kind] = n
	}
}

// compare tries again when a second has passed between the two texts.
func (c *cluster) compare(d describe.ResourceDescriber, o api.Object, namespace, name string) string {
	diff := ""
	for range 3 {
		want, err := d.Describe(namespace, name, describe.DescriberSettings{ShowEvents: true, ChunkSize: 500})
		if err != nil {
			return err.Error()
		}
		got := ours.Object(c, o, ours.Options{Now: time.Now().UnixNano()})
		if diff = firstLine(got, want); diff == "" {
			return ""
		}
	}
	return diff
}

func firstLine(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "<end>", "<end>"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return "got " + x + "\nwant " + y
		}
	}
	return ""
}

func TestEveryCapturedObjectIsDescribedAsTheRealDescribersDo(t *testing.T) {
	count := map[string][2]int{}
	cases := shared.Dir(t, "oracle/cases")
	paths, _ := filepath.Glob(filepath.Join(cases, "*", "*", "get*.yaml"))
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		c := &cluster{}
		c.add(t, b)
		events, _ := os.ReadFile(filepath.Join(filepath.Dir(p), strings.Replace(strings.TrimSuffix(filepath.Base(p), ".yaml"), "get", "events", 1)+".json"))
		var list []map[string]any
		_ = json.Unmarshal(events, &list)
		for _, e := range list {
			e["kind"], e["apiVersion"] = "Event", "v1"
		}
		c.objects = append(c.objects, list...)
		c.describeAll(t, strings.TrimPrefix(p, cases), count)
	}
	corpus := shared.Dir(t, "oracle/corpus")
	err := filepath.WalkDir(corpus, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		c := &cluster{}
		c.add(t, b)
		c.describeAll(t, strings.TrimPrefix(p, corpus), count)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("equal of all: %v", count)
}

// The last state that a watch showed of each object is a whole cluster: pods on
// nodes, pods of replica sets, endpoints of services, and their events.
func TestEveryWatchedClusterIsDescribedAsTheRealDescribersDo(t *testing.T) {
	count := map[string][2]int{}
	cases := shared.Dir(t, "oracle/cases")
	nodes, err := os.ReadFile(filepath.Join(cases, "..", "nodes.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	paths, _ := filepath.Glob(filepath.Join(cases, "*", "*", "watch.jsonl"))
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		c := &cluster{}
		c.add(t, nodes)
		for line := range bytes.Lines(b) {
			var w struct {
				Type   string
				Object map[string]any
			}
			if err := json.Unmarshal(line, &w); err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(c.objects, func(o map[string]any) bool {
				return o["kind"] == w.Object["kind"] && text(o, "metadata", "namespace") == text(w.Object, "metadata", "namespace") &&
					text(o, "metadata", "name") == text(w.Object, "metadata", "name")
			})
			switch {
			case at < 0:
				c.objects = append(c.objects, w.Object)
			case w.Type == "DELETED":
				c.objects = slices.Delete(c.objects, at, at+1)
			default:
				c.objects[at] = w.Object
			}
		}
		for _, o := range c.objects {
			if o["kind"] == "Node" && text(o, "metadata", "uid") == "" {
				o["metadata"].(map[string]any)["uid"] = "uid-" + text(o, "metadata", "name")
			}
		}
		c.describeAll(t, strings.TrimPrefix(p, cases), count)
	}
	t.Logf("equal of all: %v", count)
}
