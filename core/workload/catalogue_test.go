package workload

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podwalk/core/internal/shared"
)

// The texts are those of containerd, as the events of the measured cases show them
// (kubelet/image-not-found, kubelet/image-private).
func TestPullsFailWithContainerdsText(t *testing.T) {
	c := Default().With([]ImageDecl{
		{Spec: ImageDeclSpec{Image: "doesnotexist:1", Pull: "not found"}},
		{Spec: ImageDeclSpec{Image: "private/app", Pull: "denied"}},
		{Spec: ImageDeclSpec{Image: "registry.example.com/finance/ledger", Pull: "unauthorized"}},
	})
	for name, want := range map[string][2]string{
		"doesnotexist:1":          {"NotFound", `failed to pull and unpack image "docker.io/library/doesnotexist:1": failed to resolve reference "docker.io/library/doesnotexist:1": docker.io/library/doesnotexist:1: not found`},
		"private/app:1":           {"Unknown", `failed to pull and unpack image "docker.io/private/app:1": failed to resolve reference "docker.io/private/app:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`},
		"nginx:0.0.0-no-such-tag": {"NotFound", `failed to pull and unpack image "docker.io/library/nginx:0.0.0-no-such-tag": failed to resolve reference "docker.io/library/nginx:0.0.0-no-such-tag": docker.io/library/nginx:0.0.0-no-such-tag: not found`},
		"frontend":                {"Unknown", `failed to pull and unpack image "docker.io/library/frontend:latest": failed to resolve reference "docker.io/library/frontend:latest": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`},
		"registry.example.com/finance/ledger:4.2.0": {"Unknown", `failed to pull and unpack image "registry.example.com/finance/ledger:4.2.0": failed to resolve reference "registry.example.com/finance/ledger:4.2.0": unexpected status from HEAD request to https://registry.example.com/v2/finance/ledger/manifests/4.2.0: 401 Unauthorized`},
	} {
		ref, err := ParseReference(name)
		if err != nil {
			t.Fatal(err)
		}
		out := c.Resolve(ref, "linux/amd64")
		if out.Image != nil || out.Code != want[0] || out.Message != want[1] {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

func TestTagsThatExistAreFoundAndOthersAreNot(t *testing.T) {
	c := Default()
	for name, want := range map[string]bool{
		"nginx": true, "nginx:1.14.2": true, "nginx:1.16.1": true, "nginx:1.27": true, "nginx:1.27-alpine": true, "nginx:alpine": true, "nginx:stable-alpine": true,
		"nginx:nope": false, "nginx:1.27.99": false, "nginx:absent": false, "nginx:1.27-nope": false,
		"busybox:1.28": true, "busybox:1.27.2": true, "busybox:1.36.1": true, "busybox:musl": true, "busybox:9": false,
		"redis:alpine": true, "redis:5.0.4": true, "redis:6.0.5": true, "postgres:15-alpine": true, "postgres:99": false, "mysql:5.7": true, "mysql:5.6": true,
		"python:3.12-slim": true, "python:3.12-slim-bookworm": true, "node:0.10.40": true, "node:20-alpine": true, "golang:1.22-alpine": true, "php:7.0-apache": true,
		"wordpress:4.8-apache": true, "ghost:0.7.1": true, "perl": true, "debian:stable": true, "bash:5": true, "ubuntu:24.04": true, "ubuntu:24.05": false,
		"registry.k8s.io/pause:3.9": true, "registry.k8s.io/pause:3.99": false, "quay.io/prometheus/prometheus:v3.13.2": true, "grafana/grafana:13.1.3": true,
		"polinux/stress:1.0.4": true, "docker.io/curlimages/curl:8.16.0": true, "example.com/anything:at-all": true, "someone/something": true,
	} {
		ref, err := ParseReference(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Resolve(ref, "").Image != nil; got != want {
			t.Errorf("%s: found %v, want %v", name, got, want)
		}
	}
}

func TestAnImageOfUnknownContentSaysThatItIsAssumed(t *testing.T) {
	if img := resolve(t, "example.com/team/app:1"); img.Assumed == "" {
		t.Error("not marked")
	}
	if img := resolve(t, "nginx:1.27"); img.Assumed != "" {
		t.Errorf("marked: %s", img.Assumed)
	}
	if img := resolve(t, "nginx:1.31"); !strings.Contains(img.Assumed, "assumed") {
		t.Errorf("a tag newer than the catalogue: %q", img.Assumed)
	}
}

func TestEveryImageOfTheCatalogueStarts(t *testing.T) {
	c := Default()
	for name, e := range c.entries {
		series, _, _ := strings.Cut(e.tags[0], "=")
		first, _, _ := strings.Cut(series, "-")
		var out PullOutcome
		var ref Reference
		for _, tag := range []string{"latest", series, first} {
			if r, err := ParseReference(name + ":" + tag); err == nil && out.Image == nil {
				ref, out = r, c.Resolve(r, "")
			}
		}
		if out.Image == nil {
			t.Errorf("%s: no tag of %s exists", name, e.tags[0])
			continue
		}
		argv := Argv(out.Image, nil, nil)
		if len(argv) == 0 {
			continue
		}
		b := newBench(out.Image)
		p, fault := Start(Spec{Image: out.Image, Argv: argv, Env: out.Image.Env}, b)
		if fault != nil {
			t.Errorf("%s: %s", ref, fault.Message)
			continue
		}
		b.main = p
		b.drive(p, 1e12)
		for _, r := range b.records {
			if strings.Contains(r, "not simulated: program") && !strings.HasSuffix(r, "kubectl") {
				t.Errorf("%s: %s", ref, r)
			}
		}
		if _, _, ok := out.Image.IDs(); !ok && out.Image.User != "" {
			t.Errorf("%s: no such user %s", ref, out.Image.User)
		}
	}
}

// Every image name of the manifests parses or fails as the kubelet would say, and
// has an answer.
func TestEveryImageOfTheManifestsHasAnAnswer(t *testing.T) {
	c := Default()
	names := map[string]bool{}
	filepath.WalkDir(shared.Dir(t, "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if _, rest, ok := strings.Cut(s.Text(), "image: "); ok && !strings.HasPrefix(strings.TrimSpace(s.Text()), "#") {
				names[strings.Trim(strings.TrimSpace(rest), `"',`)] = true
			}
		}
		return nil
	})
	found, refused, invalid := 0, 0, 0
	for name := range names {
		ref, err := ParseReference(name)
		if err != nil {
			invalid++
			continue
		}
		if out := c.Resolve(ref, "linux/amd64"); out.Image != nil {
			found++
		} else if refused++; out.Code == "" || out.Message == "" {
			t.Errorf("%s: no reason", name)
		}
	}
	t.Logf("%d names: %d found, %d refused, %d invalid", len(names), found, refused, invalid)
	if found < 180 {
		t.Errorf("only %d found", found)
	}
}
