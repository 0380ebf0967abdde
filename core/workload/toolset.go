package workload

import (
	"strings"
)

// toolset is the user land of an image.
type toolset struct {
	gnu   bool
	guess bool // the content is not known: every command may exist
	shell dialect
}

// programs of busybox, as the official image has them in /bin.
const busyboxTools = "[ [[ arch awk base64 basename bc bzip2 cat chgrp chmod chown cksum clear cmp comm cp crond cut date dc dd df diff dirname dmesg " +
	"dos2unix du echo ed egrep env expand expr factor false fgrep find flock fold free fsync ftpget getopt grep groups gunzip gzip " +
	"head hexdump hostid hostname httpd id ifconfig install ip kill killall less link ln logger login ls lsof md5sum mkdir mkfifo mknod mktemp " +
	"more mount mv nc netstat nice nl nohup nproc nslookup od paste patch pgrep pidof ping ping6 pkill printenv printf ps pwd readlink realpath renice rev " +
	"rm rmdir route run-parts sed seq setsid sha1sum sha256sum sha512sum shuf sleep sort split stat strings stty su sum swapoff sync sysctl " +
	"tac tail tar tee telnet test time timeout top touch tr traceroute true truncate tty tune2fs umount uname uniq unlink unzip uptime usleep uuencode vi watch " +
	"wc wget which who whoami xargs xxd yes zcat traceroute6 unix2dos"

// programs of a slim Debian image.
const debianTools = "[ apt apt-get arch awk base64 basename cat chgrp chmod chown cksum clear cmp comm cp cut date dd df diff dirname dpkg du echo egrep " +
	"env expand expr factor false fgrep find flock fold getent getopt grep groups gunzip gzip head hostid hostname id install join kill link ln login " +
	"ls md5sum mkdir mkfifo mknod mktemp more mount mv nice nl nohup nproc numfmt od paste perl pgrep pidof pkill printenv printf pwd readlink realpath " +
	"rev rm rmdir sed seq setsid sha1sum sha256sum sha512sum shuf sleep sort split stat stdbuf stty su sum sync tac tail tar tee test timeout touch tr " +
	"true truncate tsort tty umount uname unexpand uniq unlink useradd wc which whoami xargs yes zcat"

const alpineBin = " ash base64 bbconfig busybox cat chgrp chmod chown cp date dd df dmesg dnsdomainname echo ed egrep false fgrep fsync getopt grep gunzip gzip " +
	"hostname kill link ln login ls mkdir mknod mktemp more mount mountpoint mv netstat nice pidof ping ping6 printenv ps pwd rev rm rmdir run-parts sed " +
	"sh sleep stat stty su sync tar touch true umount uname usleep watch zcat "

var passwdFiles = map[string]string{
	"busybox": "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/usr/sbin:/bin/false\nbin:x:2:2:bin:/bin:/bin/false\nsys:x:3:3:sys:/dev:/bin/false\n" +
		"sync:x:4:100:sync:/bin:/bin/sync\nmail:x:8:8:mail:/var/spool/mail:/bin/false\nwww-data:x:33:33:www-data:/var/www:/bin/false\n" +
		"operator:x:37:37:Operator:/var:/bin/false\nnobody:x:65534:65534:nobody:/home:/bin/false\n",
	"alpine": "root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/bin:/sbin/nologin\ndaemon:x:2:2:daemon:/sbin:/sbin/nologin\n" +
		"mail:x:8:12:mail:/var/mail:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n",
	"debian": "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nbin:x:2:2:bin:/bin:/usr/sbin/nologin\n" +
		"mail:x:8:8:mail:/var/mail:/usr/sbin/nologin\nwww-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n" +
		"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
}

// baseRoot makes the file system of a distribution: busybox, alpine, debian (slim,
// also ubuntu), fedora, full (for images of unknown content) or none.
func baseRoot(kind string) (*Tree, *toolset) {
	t := NewTree()
	set := &toolset{}
	for _, dir := range strings.Fields("bin dev etc home lib proc root sbin sys tmp run usr/bin usr/lib usr/local/bin usr/sbin usr/local/sbin var/lib var/log var/run var/tmp var/cache opt mnt srv") {
		if kind == "none" && (strings.Contains(dir, "/") || dir == "bin") {
			continue
		}
		t.PutDir(dir, 0o755, 0, 0)
	}
	for _, dir := range []string{"tmp", "var/tmp"} {
		if n := t.find(splitPath(dir)); n != nil {
			n.mode = ModeDir | 0o1777
		}
	}
	t.find([]string{"root"}).mode = ModeDir | 0o700
	passwd := passwdFiles[kind]
	switch kind {
	case "none":
		passwd = "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"
	case "busybox":
		addPrograms(t, "bin/", busyboxTools)
		addShell(t, "bin/sh", "ash")
		addShell(t, "bin/ash", "ash")
		t.putProgram("usr/bin/env", "env")
	case "alpine":
		addAlpine(t)
	default:
		addDebian(t, set, kind)
		passwd = passwdFiles["debian"]
	}
	t.Put("etc/passwd", []byte(passwd), 0o644, 0, 0)
	t.Put("etc/group", groupFile(passwd), 0o644, 0, 0)
	if text := osRelease(kind); text != "" {
		t.Put("etc/os-release", []byte(text), 0o644, 0, 0)
	}
	return t, set
}

func addPrograms(t *Tree, dir, list string) {
	for _, name := range strings.Fields(list) {
		t.putProgram(dir+name, name)
	}
}

func addShell(t *Tree, path, kind string) { t.putProgram(path, shellPrefix+kind) }

func addAlpine(t *Tree) {
	for _, name := range strings.Fields(busyboxTools) {
		dir := "usr/bin/"
		if strings.Contains(alpineBin, " "+name+" ") {
			dir = "bin/"
		}
		t.putProgram(dir+name, name)
	}
	addShell(t, "bin/sh", "ash")
	addShell(t, "bin/ash", "ash")
	t.putProgram("bin/busybox", "busybox")
	addPrograms(t, "sbin/", "apk ifconfig ip route sysctl")
	t.putProgram("usr/bin/getent", "getent")
}

// addDebian also serves Fedora and images of unknown content, which have more.
func addDebian(t *Tree, set *toolset, kind string) {
	set.gnu, set.shell = true, dash
	for _, dir := range []string{"bin", "sbin", "lib"} {
		t.Delete(dir)
		t.PutLink(dir, "usr/"+dir)
	}
	addPrograms(t, "usr/bin/", debianTools)
	addShell(t, "usr/bin/bash", "bash")
	addShell(t, "usr/bin/sh", "dash")
	addShell(t, "usr/bin/dash", "dash")
	switch kind {
	case "ubuntu":
		t.putProgram("usr/bin/ps", "ps")
	case "fedora", "full":
		set.shell = bash
		addShell(t, "usr/bin/sh", "bash")
		addPrograms(t, "usr/bin/", "curl ps killall free top")
	}
	if kind == "full" {
		set.guess = true
		addPrograms(t, "usr/bin/", "wget nc ncat nslookup ping ip python3 killall netstat jq")
	}
}

func groupFile(passwd string) []byte {
	var b strings.Builder
	for _, line := range strings.SplitAfter(passwd, "\n") {
		f := strings.Split(line, ":")
		if len(f) < 4 {
			continue
		}
		b.WriteString(f[0] + ":x:" + f[3] + ":\n")
	}
	return []byte(b.String())
}

func osRelease(kind string) string {
	switch kind {
	case "alpine":
		return "NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.22.1\nPRETTY_NAME=\"Alpine Linux v3.22\"\n"
	case "debian":
		return "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"13\"\nVERSION=\"13 (trixie)\"\nVERSION_CODENAME=trixie\nID=debian\n"
	case "ubuntu":
		return "PRETTY_NAME=\"Ubuntu 24.04.3 LTS\"\nNAME=\"Ubuntu\"\nVERSION_ID=\"24.04\"\nVERSION_CODENAME=noble\nID=ubuntu\nID_LIKE=debian\n"
	case "fedora":
		return "NAME=\"Fedora Linux\"\nVERSION=\"42 (Container Image)\"\nID=fedora\nVERSION_ID=42\n"
	}
	return ""
}
