package workload

import "testing"

func TestReferencesAreNormalisedAsDockerDoes(t *testing.T) {
	hex := "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	for in, want := range map[string][2]string{
		"busybox":                       {"docker.io/library/busybox:latest", "busybox:latest"},
		"busybox:1.36":                  {"docker.io/library/busybox:1.36", "busybox:1.36"},
		"library/nginx":                 {"docker.io/library/nginx:latest", "nginx:latest"},
		"docker.io/nginx":               {"docker.io/library/nginx:latest", "nginx:latest"},
		"index.docker.io/nginx":         {"docker.io/library/nginx:latest", "nginx:latest"},
		"mesh/proxy:v1":                 {"docker.io/mesh/proxy:v1", "mesh/proxy:v1"},
		"localhost/a":                   {"localhost/a:latest", "localhost/a:latest"},
		"registry.example.com:5000/a/b": {"registry.example.com:5000/a/b:latest", "registry.example.com:5000/a/b:latest"},
		"nginx@sha256:" + hex:           {"docker.io/library/nginx@sha256:" + hex, "nginx@sha256:" + hex},
		"a/b:1@sha256:" + hex:           {"docker.io/a/b:1@sha256:" + hex, "a/b:1@sha256:" + hex},
		"[::1]:5000/x":                  {"[::1]:5000/x:latest", "[::1]:5000/x:latest"},
		"a/b__c-d.e":                    {"docker.io/a/b__c-d.e:latest", "a/b__c-d.e:latest"},
	} {
		r, err := ParseReference(in)
		if err != nil || r.String() != want[0] || r.Familiar() != want[1] {
			t.Errorf("%s: %v %s %s", in, err, r.String(), r.Familiar())
		}
	}
}

// The texts are those of ParseImageName in pkg/util/parsers over
// github.com/distribution/reference v0.6.0, as the events InspectFailed show them.
func TestInvalidNamesHaveTheKubeletsText(t *testing.T) {
	for in, want := range map[string]string{
		"Team/Report:1.0":     `couldn't parse image name "Team/Report:1.0": invalid reference format: repository name (Report) must be lowercase`,
		"Nginx:UPPER":         `couldn't parse image name "Nginx:UPPER": invalid reference format: repository name (library/Nginx) must be lowercase`,
		"nginx:":              `couldn't parse image name "nginx:": invalid reference format`,
		"":                    `couldn't parse image name "": invalid reference format`,
		"a//b":                `couldn't parse image name "a//b": invalid reference format`,
		"-a":                  `couldn't parse image name "-a": invalid reference format`,
		"a/b:tag with blanks": `couldn't parse image name "a/b:tag with blanks": invalid reference format`,
		"<your-image>":        `couldn't parse image name "<your-image>": invalid reference format`,
		"nginx@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": `couldn't parse image name "nginx@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": invalid checksum digest length`,
	} {
		if _, err := ParseReference(in); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", in, err, want)
		}
	}
}
