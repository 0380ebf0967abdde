package kubectl

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/codec"
)

func (s *session) newConfigMap(name string) (api.Object, error) {
	data, err := s.data("ConfigMap")
	if err != nil {
		return nil, err
	}
	o := &api.ConfigMap{ObjectMeta: named(name)}
	for _, d := range data {
		switch {
		case !d.binary && o.Data == nil:
			o.Data = map[string]string{d.key: d.value}
		case !d.binary:
			o.Data[d.key] = d.value
		case o.BinaryData == nil:
			o.BinaryData = map[string][]byte{d.key: []byte(d.value)}
		default:
			o.BinaryData[d.key] = []byte(d.value)
		}
	}
	if s.flags.bool("append-hash") {
		v := map[string]any{"kind": "ConfigMap", "name": name, "data": codec.ToValue(o.Data)}
		if o.Data == nil {
			v["data"] = map[string]any{}
		}
		if len(o.BinaryData) > 0 {
			v["binaryData"] = codec.ToValue(o.BinaryData)
		}
		o.Name += "-" + contentHash(v)
	}
	return o, nil
}

func (s *session) newSecret(name string) (api.Object, error) {
	data, err := s.data("Secret")
	if err != nil {
		return nil, err
	}
	o := &api.Secret{ObjectMeta: named(name), Type: s.flags.text("type")}
	for _, d := range data {
		if o.Data == nil {
			o.Data = map[string][]byte{}
		}
		o.Data[d.key] = []byte(d.value)
	}
	return s.hashedSecret(o), nil
}

// hashedSecret is a secret with a hash behind its name if --append-hash asks for it.
func (s *session) hashedSecret(o *api.Secret) *api.Secret {
	if s.flags.bool("append-hash") {
		v := map[string]any{"kind": "Secret", "type": o.Type, "name": o.Name, "data": codec.ToValue(o.Data)}
		if o.Data == nil {
			v["data"] = map[string]any{}
		}
		o.Name += "-" + contentHash(v)
	}
	return o
}

// contentHash is the suffix of --append-hash (kubectl/pkg/util/hash).
func contentHash(v any) string {
	sum := sha256.Sum256(codec.ToJSON(v))
	return strings.NewReplacer("0", "g", "1", "h", "3", "k", "a", "m", "e", "t").Replace(hex.EncodeToString(sum[:])[:10])
}

const dockerFlags = ` docker-server= docker-username= docker-password= docker-email= from-file= append-hash`

func (s *session) newDockerSecret(name string) (api.Object, error) {
	f := s.flags
	if f.has("from-file") {
		data, err := s.data("Secret")
		if err != nil {
			return nil, err
		}
		o := &api.Secret{ObjectMeta: named(name), Type: "kubernetes.io/dockerconfigjson", Data: map[string][]byte{}}
		for _, d := range data {
			o.Data[d.key] = []byte(d.value)
		}
		return s.hashedSecret(o), nil
	}
	user, password, server := f.text("docker-username"), f.text("docker-password"), or(f.text("docker-server"), "https://index.docker.io/v1/")
	if user == "" || password == "" {
		return nil, plain("either --from-file or the combination of --docker-username, --docker-password and --docker-server is required")
	}
	entry := map[string]string{"username": user, "password": password, "email": f.text("docker-email"),
		"auth": base64.StdEncoding.EncodeToString([]byte(user + ":" + password))}
	text := ""
	for _, key := range []string{"username", "password", "email", "auth"} {
		if entry[key] != "" {
			text += "," + string(codec.ToJSON(key)) + ":" + string(codec.ToJSON(entry[key]))
		}
	}
	config := `{"auths":{` + string(codec.ToJSON(server)) + ":{" + text[1:] + "}}}"
	return s.hashedSecret(&api.Secret{ObjectMeta: named(name), Type: "kubernetes.io/dockerconfigjson",
		Data: map[string][]byte{".dockerconfigjson": []byte(config)}}), nil
}

// newTLSSecret holds what the files hold; whether key and certificate belong
// together is not looked at.
func (s *session) newTLSSecret(name string) (api.Object, error) {
	if s.flags.text("key") == "" || s.flags.text("cert") == "" {
		return nil, plain("key and cert must be specified")
	}
	o := &api.Secret{ObjectMeta: named(name), Type: "kubernetes.io/tls", Data: map[string][]byte{}}
	for flag, key := range map[string]string{"cert": "tls.crt", "key": "tls.key"} {
		path := s.flags.text(flag)
		files, err := s.open([]string{path})
		if err != nil || len(files) != 1 {
			return nil, plain("open " + path + ": no such file or directory")
		}
		if !strings.Contains(string(files[0].Text), "-----BEGIN ") {
			return nil, plain("tls: failed to find any PEM data in " + map[string]string{"cert": "certificate", "key": "key"}[flag] + " input")
		}
		o.Data[key] = files[0].Text
	}
	return s.hashedSecret(o), nil
}

// datum is one entry of a ConfigMap or Secret.
type datum struct {
	key, value string
	binary     bool
}

// data collects --from-file, --from-literal and --from-env-file.
func (s *session) data(kind string) ([]datum, error) {
	if s.flags.has("from-env-file") && (s.flags.has("from-file") || s.flags.has("from-literal")) {
		return nil, plain("from-env-file cannot be combined with from-file or from-literal")
	}
	c := &collector{kind: kind, name: s.args[0]}
	sources := []struct {
		flag string
		add  func(*collector, string) error
	}{{"from-literal", s.addLiteral}, {"from-file", s.addFile}, {"from-env-file", s.addEnvFile}}
	if kind == "ConfigMap" {
		sources[0], sources[1] = sources[1], sources[0]
	}
	for _, source := range sources {
		for _, value := range s.flags[source.flag] {
			if err := source.add(c, value); err != nil {
				return nil, err
			}
		}
	}
	return c.list, nil
}

type collector struct {
	kind, name string
	list       []datum
}

func (c *collector) add(key, value string) error {
	bad := badKey(key)
	known := slices.ContainsFunc(c.list, func(d datum) bool { return d.key == key })
	switch {
	case len(bad) > 0 && c.kind == "Secret":
		return plain(quoted(key) + " is not valid key name for a Secret " + strings.Join(bad, ";"))
	case len(bad) > 0:
		return plain(quoted(key) + " is not a valid key name for a ConfigMap: " + strings.Join(bad, ","))
	case known && c.kind == "Secret":
		return plain("cannot add key " + key + ", another key by that name already exists")
	case known:
		return plain("cannot add key " + quoted(key) + ", another key by that name already exists in Data for ConfigMap " + quoted(c.name))
	}
	c.list = append(c.list, datum{key, value, !utf8.ValidString(value)})
	return nil
}

// badKey says what is wrong with a key of a ConfigMap or Secret
// (apimachinery/pkg/util/validation IsConfigMapKey).
func badKey(key string) (bad []string) {
	if len(key) > 253 {
		bad = append(bad, "must be no more than 253 characters")
	}
	strange := strings.ContainsFunc(key, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-._", r)
	})
	switch {
	case key == "" || strange:
		bad = append(bad, field.RegexError("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
			"[-._a-zA-Z0-9]+", "key.name", "KEY_NAME", "key-name"))
	case key == ".":
		bad = append(bad, "must not be '.'")
	case key == "..":
		bad = append(bad, "must not be '..'")
	case strings.HasPrefix(key, ".."):
		bad = append(bad, "must not start with '..'")
	}
	return bad
}

func (s *session) addLiteral(c *collector, source string) error {
	key, value, ok := strings.Cut(source, "=")
	if !ok || key == "" {
		return plain("invalid literal source " + source + ", expected key=value")
	}
	return c.add(key, value)
}

func (s *session) addFile(c *collector, source string) error {
	key, path, given := strings.Cut(source, "=")
	switch {
	case !given:
		path, key = source, ""
	case strings.Contains(path, "="):
		return plain("key names or file paths cannot contain '='")
	case key == "":
		return plain("key name for file path " + path + " missing")
	case path == "":
		return plain("file path for key name " + key + " missing")
	}
	files, err := s.open([]string{path})
	switch {
	case err != nil:
		return plain("error reading " + path + ": no such file or directory")
	case given && (len(files) != 1 || files[0].Name != path):
		return plain("cannot give a key name for a directory path")
	}
	for _, f := range files {
		if err := c.add(or(key, f.Name[strings.LastIndexByte(f.Name, '/')+1:]), string(f.Text)); err != nil {
			return err
		}
	}
	return nil
}

// addEnvFile reads lines KEY=VALUE; blank ones and those that begin with # are
// skipped. A key alone would take its value from the environment, of which there is
// none.
func (s *session) addEnvFile(c *collector, path string) error {
	files, err := s.open([]string{path})
	switch {
	case err != nil:
		return plain("error reading " + path + ": no such file or directory")
	case len(files) != 1 || files[0].Name != path:
		return plain("env config file cannot be a directory")
	}
	for _, line := range strings.Split(string(files[0].Text), "\n") {
		line = strings.TrimLeft(strings.TrimSuffix(line, "\r"), " \t")
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if bad := badEnvName(key); bad != "" {
			return plain(quoted(key) + " is not a valid key name: " + bad)
		}
		if err := c.add(key, value); err != nil {
			return err
		}
	}
	return nil
}
