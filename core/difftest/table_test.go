package difftest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	kprinters "k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"

	"podwalk/core/api"
	"podwalk/core/internal/shared"
	"podwalk/core/kubectl/printer"
)

// realTable prints an object as the server and kubectl do together.
func realTable(t *testing.T, o map[string]any) string {
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	internal, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), b)
	if err != nil {
		t.Fatal(err)
	}
	table, err := kprinters.NewTableGenerator().With(internalversion.AddHandlers).GenerateTable(internal, kprinters.GenerateOptions{Wide: true})
	if err != nil {
		return ""
	}
	for i := range table.Rows {
		table.Rows[i].Object = runtime.RawExtension{Object: &metav1.PartialObjectMetadata{}}
	}
	var out bytes.Buffer
	if err := printers.NewTablePrinter(printers.PrintOptions{Wide: true}).PrintObj(table, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEveryCapturedObjectIsPrintedAsTheRealPrintersDo(t *testing.T) {
	count := map[string][2]int{}
	corpus, cases := shared.Dir(t, "oracle/corpus"), shared.Dir(t, "oracle/cases")
	paths, _ := filepath.Glob(filepath.Join(cases, "*", "*", "get*.yaml"))
	_ = filepath.WalkDir(corpus, func(p string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, p)
		}
		return err
	})
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		c := &cluster{}
		c.add(t, b)
		for _, o := range c.objects {
			kind, _ := o["kind"].(string)
			k := api.KindNamed(kind)
			if k == nil || k.APIVersion() != o["apiVersion"] || !legacyscheme.Scheme.IsGroupRegistered(k.Group) {
				continue
			}
			want := realTable(t, o)
			if want == "" {
				continue
			}
			got := ""
			for range 3 {
				got = printer.Text([]printer.Table{printer.Of(kind, []api.Object{typed(k, o)}, time.Now().UnixNano())}, printer.Layout{Wide: true})
				if want = realTable(t, o); got == want {
					break
				}
			}
			n := count[kind]
			n[1]++
			if got == want {
				n[0]++
			} else {
				t.Errorf("%s: %s: %s", strings.TrimPrefix(p, filepath.Dir(cases)), kind, firstLine(got, want))
			}
			count[kind] = n
		}
	}
	t.Logf("equal of all: %v", count)
}
