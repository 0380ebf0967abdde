package browser

import (
	"encoding/json"
	"reflect"
	"testing"

	"podwalk/core/trace"
)

// same decodes what AppendJSON and what encoding/json write and compares.
func same(t *testing.T, v interface{ AppendJSON([]byte) []byte }) {
	t.Helper()
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got := v.AppendJSON(nil)
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestRecordsAreWrittenAsEncodingJSONWould(t *testing.T) {
	next := 1.5
	full := trace.Record{ID: 3, Cause: 2, At: 1e9, Source: "kubelet", Stage: trace.Started, Ref: trace.Ref{Kind: "Pod", Namespace: "default", Name: "web"},
		Rev: 9, Verdict: trace.Failed, Reason: "Failed", Message: "a \"b\"\n\t\\ <é> \x00\x1f\u2028 \xff end",
		Detail: []trace.Detail{{Name: "a", Value: "b"}, {Name: "", Value: ""}}}
	for _, p := range []Progress{
		{Records: []trace.Record{}},
		{Now: 0.1, Rev: 12, Records: []trace.Record{full, {ID: 4}}, NextAt: &next, Quiescent: true, Limit: "steps"},
		{Now: 31536000.000000001, Records: []trace.Record{}},
	} {
		same(t, p)
		same(t, RecordsOK{Records: p.Records})
		same(t, DoOK{Progress: p})
		same(t, DoOK{Progress: p, Branch: "branch-1", Stdout: "x\n", Exit: 1, Apply: []Apply{{Object: "pod/default/web"}}})
	}
}

// A field that is added to a struct must be added to its writer, too.
func TestTheWritersKnowAllFields(t *testing.T) {
	for typ, fields := range map[reflect.Type]int{
		reflect.TypeFor[trace.Record](): 11, reflect.TypeFor[trace.Ref](): 3, reflect.TypeFor[trace.Detail](): 2,
		reflect.TypeFor[Progress](): 6, reflect.TypeFor[DoOK](): 7, reflect.TypeFor[RecordsOK](): 1,
	} {
		if typ.NumField() != fields {
			t.Errorf("%v has %d fields, the writer knows %d", typ, typ.NumField(), fields)
		}
	}
}
