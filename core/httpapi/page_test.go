package httpapi

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"
	"testing/fstest"
)

func TestTheDevServerSendsTheHeadersOfProduction(t *testing.T) {
	toml, err := os.ReadFile("../../netlify.toml")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` = "(.*)"$`).FindSubmatch(toml)
		if line == nil || string(line[1]) != value {
			t.Errorf("netlify.toml has %s = %s, the dev server sends %q", name, line, value)
		}
	}
}

func TestThePageAllowsNoInlineCodeAndNoOtherHost(t *testing.T) {
	csp := headers["Content-Security-Policy"]
	for _, never := range []string{"unsafe-inline", "'unsafe-eval'", "http:", "https:", "*"} {
		if regexp.MustCompile(regexp.QuoteMeta(never)).MatchString(csp) {
			t.Errorf("the policy holds %s", never)
		}
	}
}

func TestHashedNamesAreKeptForEverAndThePageIsNot(t *testing.T) {
	dist := fstest.MapFS{"index.html": {Data: []byte("<p>")}, "assets/play-1.wasm": {Data: []byte("x")}}
	h := Page(dist)
	for path, want := range map[string]string{
		"/": "no-cache", "/assets/play-1.wasm": "public, max-age=31536000, immutable",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != want {
			t.Errorf("%s: %d, Cache-Control %q, want %q", path, w.Code, w.Header().Get("Cache-Control"), want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/assets/play-1.wasm", nil))
	if got := w.Header().Get("Content-Type"); got != "application/wasm" {
		t.Errorf("wasm is served as %q", got)
	}
}
