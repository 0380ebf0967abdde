package workload

import (
	"strings"
	"testing"

	"podwalk/core/sim"
)

const runcText = "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: "

// The texts are runc's and those of Go's os/exec.
func TestContainersThatCannotStartSayWhy(t *testing.T) {
	busybox := testImage("busybox")
	for _, c := range []struct {
		name string
		img  *Image
		argv []string
		dir  string
		want string
	}{
		{"a missing command", busybox, []string{"thiscommanddoesnotexist"}, "", `exec: "thiscommanddoesnotexist": executable file not found in $PATH`},
		{"a missing path", busybox, []string{"/no/such"}, "", `exec: "/no/such": stat /no/such: no such file or directory`},
		{"a directory", busybox, []string{"/etc"}, "", `exec: "/etc": is a directory`},
		{"a file without the execute bit", busybox, []string{"/scripts/start.sh"}, "", `exec: "/scripts/start.sh": permission denied`},
		{"bash in alpine", resolve(t, "alpine:3.20"), []string{"bash", "-c", "x"}, "", `exec: "bash": executable file not found in $PATH`},
		{"a shell in distroless", resolve(t, "gcr.io/distroless/static"), []string{"sh"}, "", `exec: "sh": executable file not found in $PATH`},
		{"a shell in pause", resolve(t, "registry.k8s.io/pause:3.9"), []string{"/bin/sh"}, "", `exec: "/bin/sh": stat /bin/sh: no such file or directory`},
		{"a working directory that is a file", busybox, []string{"sh"}, "/etc/passwd", `chdir to cwd ("/etc/passwd") set in config.json failed: not a directory`},
	} {
		b := newBench(c.img)
		scripts := NewTree()
		scripts.Put("start.sh", []byte("#!/bin/sh\nexec sleep 3600\n"), 0o644, 0, 0)
		b.FS.Mounts = []Mount{{Path: "/scripts", Tree: scripts}}
		_, err := Start(Spec{Image: c.img, Argv: c.argv, Env: c.img.Env, WorkingDir: c.dir}, b)
		if err == nil || err.Code != 128 || err.Message != runcText+c.want {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// runc has let the container go when execve fails (libcontainer/init_linux.go): the
// reason is in the log and the code is 255.
func TestAContainerWhoseProgramIsNoProgramEndsWith255(t *testing.T) {
	img := testImage("busybox")
	for file, want := range map[string]string{"plain": "exec format error", "bash.sh": "no such file or directory"} {
		b := newBench(img)
		scripts := NewTree()
		scripts.Put("plain", []byte("echo hi\n"), 0o755, 0, 0)
		scripts.Put("bash.sh", []byte("#!/bin/bash\necho hi\n"), 0o755, 0, 0)
		b.FS.Mounts = []Mount{{Path: "/scripts", Tree: scripts}}
		p := b.start(t, Spec{Image: img, Argv: []string{"/scripts/" + file}, Env: img.Env})
		if step := b.drive(p, sim.Minute); step.Code != 255 || b.text() != "exec /scripts/"+file+": "+want {
			t.Errorf("%s: %+v %q", file, step, b.text())
		}
	}
}

func TestAnExecThatCannotStartHasTheShellsCode(t *testing.T) {
	img := testImage("busybox")
	for name, code := range map[string]int{"nope": 127, "/etc/passwd": 126} {
		_, err := Start(Spec{Image: img, Argv: []string{name}, Env: img.Env, PID: 7}, newBench(img))
		if err == nil || err.Code != code || !strings.HasPrefix(err.Message, "OCI runtime exec failed: exec failed: unable to start container process: exec: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCommandAndArgsReplaceEntrypointAndCmd(t *testing.T) {
	img := &Image{Entrypoint: []string{"/entry"}, Cmd: []string{"run", "all"}}
	for _, c := range []struct {
		command, args []string
		want          string
	}{
		{nil, nil, "/entry run all"},
		{nil, []string{"one"}, "/entry one"},
		{[]string{"sh", "-c"}, nil, "sh -c"},
		{[]string{"sh", "-c"}, []string{"x"}, "sh -c x"},
	} {
		if got := strings.Join(Argv(img, c.command, c.args), " "); got != c.want {
			t.Errorf("%q %q: %s", c.command, c.args, got)
		}
	}
}

// An image whose command is a shell ends at once without a terminal; with an open
// standard input it stays.
func TestAnInteractiveShellWithoutInputEndsAtOnce(t *testing.T) {
	for _, name := range []string{"busybox:1.36", "alpine:3.20", "ubuntu:24.04", "debian:12", "bash:5", "python:3.12", "node:20"} {
		img := resolve(t, name)
		b, p := begin(t, img, Argv(img, nil, nil)...)
		if step := b.drive(p, sim.Minute); !step.Done || step.Code != 0 {
			t.Errorf("%s: %+v", name, step)
		}
		b = newBench(img)
		p = b.start(t, Spec{Image: img, Argv: Argv(img, nil, nil), Env: img.Env, Stdin: true})
		if step := b.drive(p, sim.Minute); step.Done {
			t.Errorf("%s with stdin: %+v", name, step)
		}
	}
}

func TestScriptsOfAVolumeRunByTheirFirstLine(t *testing.T) {
	img := testImage("busybox")
	b := newBench(img)
	v := NewTree()
	v.Put("run.sh", []byte("#!/bin/sh -e\necho $0 $#\nfalse\necho no\n"), 0o755, 0, 0)
	v.Put("env.sh", []byte("#!/usr/bin/env sh\necho env $1\n"), 0o755, 0, 0)
	b.FS.Mounts = []Mount{{Path: "/s", Tree: v}}
	p := b.start(t, Spec{Image: img, Env: img.Env, Argv: []string{"sh", "-c", "/s/env.sh a; exec /s/run.sh x y"}})
	if step := b.drive(p, sim.Minute); step.Code != 1 || b.text() != "env a\n/s/run.sh 2" {
		t.Errorf("%+v %q", step, b.text())
	}
}
