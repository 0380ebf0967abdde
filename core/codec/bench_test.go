package codec

import (
	"strings"
	"testing"

	"podwalk/core/api"
)

const benchPod = `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web, tier: "1"}
spec:
  containers:
  - name: app
    image: nginx:1.27   # a comment
    command: ["sh", "-c", "sleep 3600"]
    ports:
    - containerPort: 80
    resources:
      requests: {cpu: 500m, memory: 0.5Gi}
    livenessProbe:
      httpGet: {path: /, port: 80}
  volumes:
  - name: data
    emptyDir: {}
`

func BenchmarkReadOf5000Lines(b *testing.B) {
	text := []byte(strings.Repeat(benchPod+"---\n", 250))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if docs, err := Read(text); err != nil || len(docs) != 250 {
			b.Fatal(err)
		}
	}
}

func benchObject(b *testing.B) (*Node, api.Object) {
	docs, err := Read([]byte(benchPod))
	if err != nil {
		b.Fatal(err)
	}
	o, r := DecodeObject(&docs[0])
	if r != nil {
		b.Fatal(r)
	}
	return &docs[0], o
}

func BenchmarkDecodeOfAPod(b *testing.B) {
	n, _ := benchObject(b)
	b.ReportAllocs()
	for b.Loop() {
		DecodeObject(n)
	}
}

func BenchmarkPrintOfAPodAsJSON(b *testing.B) {
	_, o := benchObject(b)
	b.ReportAllocs()
	for b.Loop() {
		ToJSON(o)
	}
}

func BenchmarkPrintOfAPodAsYAML(b *testing.B) {
	_, o := benchObject(b)
	b.ReportAllocs()
	for b.Loop() {
		ToYAML(o)
	}
}

func BenchmarkTablesOfTypes(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		makeTypes()
	}
}
