package difftest

import (
	"math/rand"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// pieces makes random texts out of words that matter to a parser.
func pieces(n int, seed int64, words []string) []string {
	r := rand.New(rand.NewSource(seed))
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for range r.Intn(9) {
			b.WriteString(words[r.Intn(len(words))])
		}
		list[i] = b.String()
	}
	return list
}

var selectorWords = strings.Split("a|b|app|web|tier|example.com/x|-|1|2|=|==|!=|!|<|>| in | notin |(|)|(a,b)|,|,| |a=b|in|notin|x/|_", "|")

func TestLabelSelectorsEqualTheRealOnes(t *testing.T) {
	sets := []map[string]string{nil, {"a": "b"}, {"app": "web", "tier": "2", "in": "1"}, {"a": "", "b": "1", "example.com/x": "a"}}
	good := 0
	for _, s := range pieces(rounds(60000), 3, selectorWords) {
		want, wantErr := labels.Parse(s)
		got, gotErr := api.ParseSelector(s)
		if errText(wantErr) != errText(gotErr) {
			t.Errorf("%q: error %q\nwant %q", s, errText(gotErr), errText(wantErr))
			continue
		}
		if wantErr != nil {
			continue
		}
		good++
		if got.String() != want.String() || got.Empty() != want.Empty() {
			t.Errorf("%q: prints %q, want %q", s, got, want)
		}
		for _, l := range sets {
			if got.Matches(l) != want.Matches(labels.Set(l)) {
				t.Errorf("%q matches %v: %v", s, l, got.Matches(l))
			}
		}
	}
	t.Log(good, "selectors are valid")
}

func TestFieldSelectorsEqualTheRealOnes(t *testing.T) {
	values := fields.Set{"metadata.name": "web", "spec.nodeName": "", "a": "b,c"}
	words := strings.Split("metadata.name|spec.nodeName|a|=|==|!=|,|web|\\|\\,|\\=|b| |é", "|")
	for _, s := range pieces(rounds(40000), 4, words) {
		want, wantErr := fields.ParseSelector(s)
		got, gotErr := api.ParseFieldSelector(s)
		if errText(wantErr) != errText(gotErr) {
			t.Errorf("%q: error %q\nwant %q", s, errText(gotErr), errText(wantErr))
			continue
		}
		if wantErr == nil && (got.String() != want.String() || got.Matches(values.Get) != want.Matches(values)) {
			t.Errorf("%q: prints %q matches %v\nwant %q", s, got, got.Matches(values.Get), want)
		}
	}
}

func TestNameRulesEqualTheRealOnes(t *testing.T) {
	words := []string{"a", "Z", "0", "-", "_", ".", "/", "example.com", "é", " ", strings.Repeat("x", 60), strings.Repeat("y.", 100)}
	for _, s := range append(pieces(rounds(40000), 5, words), "") {
		for name, pair := range map[string][2][]string{
			"label key":   {field.IsLabelKey(s), content.IsLabelKey(s)},
			"label value": {field.IsLabelValue(s), validation.IsValidLabelValue(s)},
			"label":       {field.IsDNS1123Label(s), content.IsDNS1123Label(s)},
			"subdomain":   {field.IsDNS1123Subdomain(s), content.IsDNS1123Subdomain(s)},
		} {
			if got, want := strings.Join(pair[0], "; "), strings.Join(pair[1], "; "); got != want {
				t.Errorf("%s %q: %s\nwant %s", name, s, got, want)
			}
		}
	}
}
