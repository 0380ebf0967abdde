package workload

import "strings"

// furnish puts an image's own programs, files and user into its root.
func (i *Image) furnish(tools []string) {
	for _, t := range tools {
		switch t {
		case "bash":
			addShell(i.root, "usr/local/bin/bash", "bash")
			addShell(i.root, "bin/zsh", "bash")
		case "python", "python3", "node", "redis-cli", "java":
			i.root.putProgram("usr/local/bin/"+t, t)
		default:
			i.root.putProgram("usr/bin/"+t, t)
		}
	}
	if kind := i.Program.Kind; kind != "" {
		i.addServer(kind)
	}
	for n, words := range [][]string{i.Entrypoint, i.Cmd} {
		if len(words) == 0 {
			continue
		}
		i.addEntry(words[0], n == 0)
	}
	i.addUser()
	if i.WorkingDir != "" {
		i.root.PutDir(i.WorkingDir, 0o755, 0, 0)
	}
	i.addFiles()
}

// addServer makes the server binary findable under its process name.
func (i *Image) addServer(kind string) {
	if len(i.Entrypoint) > 0 && strings.HasPrefix(i.Entrypoint[0], "/") && !isEntryScript(i.Entrypoint[0]) {
		i.root.putProgram(i.real(i.Entrypoint[0]), serverPrefix+kind)
		return
	}
	name := i.Program.Name
	if len(i.Cmd) > 0 && !strings.HasPrefix(i.Cmd[0], "-") && i.root.find(splitPath("usr/bin/"+baseName(i.Cmd[0]))) == nil {
		name = i.Cmd[0]
	}
	if name == "sh" || name == "/bin/sh" || name == "bash" {
		return
	}
	if strings.HasPrefix(name, "/") {
		i.root.putProgram(i.real(name), serverPrefix+kind)
		return
	}
	dir := "usr/local/bin/"
	if kind == "nginx" || kind == "nginx-unprivileged" || kind == "mysql" {
		dir = "usr/sbin/"
		i.root.Delete("usr/bin/" + name)
	}
	i.root.putProgram(dir+name, serverPrefix+kind)
}

func isEntryScript(name string) bool {
	name = baseName(name)
	return strings.Contains(name, "entrypoint") || name == "tini" || name == "run.sh" || name == "entry.sh"
}

// addEntry makes the first word of entrypoint or cmd exist.
func (i *Image) addEntry(name string, entry bool) {
	path := name
	if !strings.Contains(name, "/") {
		path = "usr/local/bin/" + name
		for _, dir := range []string{"bin/", "usr/bin/", "usr/sbin/", "usr/local/bin/", "sbin/"} {
			if i.root.find(splitPath(dir+name)) != nil {
				return
			}
		}
	} else if i.root.find(splitPath(name)) != nil {
		return
	}
	if path = i.real(path); i.root.find(splitPath(path)) != nil {
		return
	}
	switch {
	case entry && isEntryScript(name), baseName(name) == "tini", strings.HasSuffix(name, "entrypoint"), strings.HasSuffix(name, "entrypoint.sh"):
		i.root.putProgram(path, entryProgram)
	case i.Program.Kind != "":
		i.root.putProgram(path, serverPrefix+i.Program.Kind)
	default:
		i.root.putProgram(path, baseName(name))
	}
}

// real follows the link that /bin and /sbin are in most distributions.
func (i *Image) real(path string) string {
	dir, rest, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if n := i.root.find([]string{dir}); ok && n != nil && n.target != "" {
		return n.target + "/" + rest
	}
	return path
}

// knownUsers are users that the official images add to passwd.
var knownUsers = map[string]string{"nginx": "101", "haproxy": "99", "redis": "999", "memcache": "11211", "postgres": "999", "mysql": "999", "curl_user": "100",
	"jetty": "999", "solr": "8983", "fluent": "1000", "node": "1000"}

func (i *Image) addUser() {
	name, _, _ := strings.Cut(i.User, ":")
	uid, ok := knownUsers[name]
	if !ok {
		return
	}
	passwd, _ := i.root.Read("etc/passwd")
	i.root.Put("etc/passwd", append(passwd[:len(passwd):len(passwd)], name+":x:"+uid+":"+uid+"::/home/"+name+":/bin/sh\n"...), 0o644, 0, 0)
}

const welcomeNginx = "<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome to nginx!</title>\n<style>\nhtml { color-scheme: light dark; }\nbody { width: 35em; margin: 0 auto;\n" +
	"font-family: Tahoma, Verdana, Arial, sans-serif; }\n</style>\n</head>\n<body>\n<h1>Welcome to nginx!</h1>\n<p>If you see this page, the nginx web server is successfully installed and\n" +
	"working. Further configuration is required.</p>\n\n<p>For online documentation and support please refer to\n<a href=\"http://nginx.org/\">nginx.org</a>.<br/>\n" +
	"Commercial support is available at\n<a href=\"http://nginx.com/\">nginx.com</a>.</p>\n\n<p><em>Thank you for using nginx.</em></p>\n</body>\n</html>\n"

// addFiles puts the content that the servers serve by default.
func (i *Image) addFiles() {
	put := func(path, text string) { i.root.Put(path, []byte(text), 0o644, 0, 0) }
	switch i.Program.Kind {
	case "nginx", "nginx-unprivileged":
		put("usr/share/nginx/html/index.html", welcomeNginx)
		put("etc/nginx/nginx.conf", "user  nginx;\nworker_processes  auto;\n\nevents {\n    worker_connections  1024;\n}\n\nhttp {\n    include       /etc/nginx/mime.types;\n"+
			"    include /etc/nginx/conf.d/*.conf;\n}\n")
		put("etc/nginx/mime.types", "types {\n    text/html  html htm shtml;\n}\n")
		port := "80"
		if i.Program.Kind != "nginx" {
			port = "8080"
		}
		put("etc/nginx/conf.d/default.conf", "server {\n    listen       "+port+";\n    server_name  localhost;\n\n    location / {\n        root   /usr/share/nginx/html;\n"+
			"        index  index.html index.htm;\n    }\n\n    error_page   500 502 503 504  /50x.html;\n}\n")
		i.root.PutDir("var/cache/nginx", 0o755, 0, 0)
		i.root.PutDir("var/log/nginx", 0o755, 0, 0)
		i.root.PutLink("var/log/nginx/access.log", "/dev/stdout")
		i.root.PutLink("var/log/nginx/error.log", "/dev/stderr")
	case "httpd":
		put("usr/local/apache2/htdocs/index.html", "<html><body><h1>It works!</h1></body></html>\n")
	case "prometheus":
		put("etc/prometheus/prometheus.yml", "global:\n  scrape_interval: 15s\nscrape_configs:\n  - job_name: prometheus\n    static_configs:\n      - targets: [\"localhost:9090\"]\n")
		i.root.PutDir("prometheus", 0o755, 65534, 65534)
	case "redis":
		i.root.PutDir("data", 0o755, 999, 999)
	}
}
