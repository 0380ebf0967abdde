package schema

import (
	"regexp"
	"testing"
)

var undecodable = regexp.MustCompile(`strict decoding error|cannot be handled as a`)

func TestEveryKindCompiles(t *testing.T) {
	s := New()
	if len(s.kinds) < 40 {
		t.Fatalf("%d kinds", len(s.kinds))
	}
	for _, k := range s.kinds {
		s.schema(k)
	}
}

func TestSuggestionsAreNear(t *testing.T) {
	words := []string{"image", "imagePullPolicy", "containerPort", "env", "envFrom", "args"}
	for word, want := range map[string]string{
		"imgae": "image", "Image": "image", "containerport": "containerPort", "enviroment": "", "evn": "env",
		"x": "", "": "", "imagepullpolicy": "imagePullPolicy", "commands": "",
	} {
		got := suggest(word, words)
		if want != "" {
			want = `; did you mean "` + want + `"?`
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

// The distances are counted by hand.
func TestDistanceCountsEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		n    int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"image", "imgae", 1}, {"port", "ports", 1}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.n {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.n)
		}
	}
}
