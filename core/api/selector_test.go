package api

import "testing"

// The expectations are read off apimachinery/pkg/labels and pkg/fields;
// core/difftest compares many more with those packages.
func TestSelectorsMatchAndPrint(t *testing.T) {
	web := map[string]string{"app": "web", "tier": "2"}
	for _, c := range []struct {
		text, prints string
		matches      bool
	}{
		{"", "", true},
		{"app=web", "app=web", true},
		{"tier==2,app in (db, web)", "app in (db,web),tier==2", true},
		{"app notin (web)", "app notin (web)", false},
		{"!app", "!app", false},
		{"app", "app", true},
		{"other!=x", "other!=x", true},
		{"tier>1,tier<3", "tier>1,tier<3", true},
		{"app=", "app=", false},
	} {
		s, err := ParseSelector(c.text)
		if err != nil || s.String() != c.prints || s.Matches(web) != c.matches {
			t.Errorf("%q: prints %q matches %v (%v)", c.text, s, s.Matches(web), err)
		}
	}
}

func TestSelectorErrorsAreTheServersWords(t *testing.T) {
	for text, want := range map[string]string{
		"a=b,":      "found '', expected: identifier after ','",
		"x in":      "unable to parse requirement: found '' expected: '('",
		"a b":       "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
		"a=b c":     "found 'c', expected: ',' or 'end of string'",
		"tier>high": `unable to parse requirement: values[0]: Invalid value: "high": for 'Gt', 'Lt' operators, the value must be an integer`,
	} {
		if _, err := ParseSelector(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

func TestLabelSelectorsOfObjectsSelect(t *testing.T) {
	var none *LabelSelector
	if s, _ := none.AsSelector(); s.Matches(nil) || FormatLabelSelector(none) != "<none>" {
		t.Error("nil selects something")
	}
	if s, _ := (&LabelSelector{}).AsSelector(); !s.Matches(nil) || !s.Empty() {
		t.Error("an empty selector does not select everything")
	}
	l := &LabelSelector{MatchLabels: map[string]string{"b": "1", "a": "2"}, MatchExpressions: []LabelSelectorRequirement{{Key: "c", Operator: "NotIn", Values: []string{"z", "y"}}}}
	if got := FormatLabelSelector(l); got != "a=2,b=1,c notin (y,z)" {
		t.Error(got)
	}
	l.MatchExpressions[0].Operator = "Near"
	if _, err := l.AsSelector(); err == nil || err.Error() != `"Near" is not a valid label selector operator` {
		t.Error(err)
	}
}

func TestFieldSelectorsMatch(t *testing.T) {
	s, err := ParseFieldSelector(`spec.nodeName!=node-1,metadata.name==a\,b`)
	if err != nil || s.String() != `metadata.name=a\,b,spec.nodeName!=node-1` {
		t.Fatal(s, err)
	}
	get := func(f string) string { return map[string]string{"metadata.name": "a,b"}[f] }
	if !s.Matches(get) {
		t.Error("does not match")
	}
	if _, err := ParseFieldSelector("name"); err == nil || err.Error() != "invalid selector: 'name'; can't understand 'name'" {
		t.Error(err)
	}
}

func FuzzSelectorsAreReadAgainAsTheyPrint(f *testing.F) {
	for _, s := range []string{"a=b", "a in (b,c),!d", "x>1", "a notin ()"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSelector(text)
		if err != nil {
			return
		}
		again, err := ParseSelector(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q prints %q, read as %q (%v)", text, s, again, err)
		}
	})
}
