package imagelocality

import "testing"

func TestThePriorityIsBoundedBy23And1000MegabytesForEachImage(t *testing.T) {
	for _, c := range []struct{ sum, images, priority int64 }{
		{0, 1, 0}, {23 * megabyte, 1, 0}, {1000 * megabyte, 1, 100}, {5000 * megabyte, 1, 100},
		{1000 * megabyte, 2, 49}, // (1000-23)*100/(2000-23)
	} {
		if got := Priority(c.sum, c.images); got != c.priority {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestANameWithoutATagIsTheLatest(t *testing.T) {
	for name, want := range map[string]string{"nginx": "nginx:latest", "nginx:1": "nginx:1", "host:5000/nginx": "host:5000/nginx:latest", "a/b@sha256:0": "a/b@sha256:0"} {
		if got := Normalized(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
