package kubectl

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// generator makes an object of a sub-command of create from its flags.
type generator struct {
	kind string
	make func(s *session, name string) (api.Object, error)
	wrap string // what stands before the server's refusal; "" for nothing
}

var generators map[string]generator

func init() {
	g := map[string]generator{
		"namespace":      {"Namespace", (*session).newNamespace, ""},
		"configmap":      {"ConfigMap", (*session).newConfigMap, "failed to create configmap: "},
		"secret generic": {"Secret", (*session).newSecret, "failed to create secret "},
		"serviceaccount": {"ServiceAccount", (*session).newServiceAccount, "failed to create serviceaccount: "},
		"deployment":     {"Deployment", (*session).newDeployment, "failed to create deployment: "},
		"job":            {"Job", (*session).newJob, "failed to create job: "},
		"cronjob":        {"CronJob", (*session).newCronJob, "failed to create cronjob: "},
		"quota":          {"ResourceQuota", (*session).newQuota, "failed to create quota: "},
		"role":           {"Role", (*session).newRole, ""},
		"clusterrole":    {"ClusterRole", (*session).newClusterRole, ""},
		"rolebinding":    {"RoleBinding", (*session).newRoleBinding, "failed to create rolebinding: "},

		"clusterrolebinding":   {"ClusterRoleBinding", (*session).newClusterRoleBinding, "failed to create clusterrolebinding: "},
		"service clusterip":    {"Service", (*session).newClusterIP, "failed to create ClusterIP service: "},
		"service nodeport":     {"Service", (*session).newNodePort, "failed to create NodePort service: "},
		"service loadbalancer": {"Service", (*session).newLoadBalancer, "failed to create LoadBalancer service: "},
		"service externalname": {"Service", (*session).newExternalName, "failed to create ExternalName service: "},
	}
	for short, long := range map[string]string{
		"ns": "namespace", "cm": "configmap", "sa": "serviceaccount", "deploy": "deployment", "cj": "cronjob", "resourcequota": "quota",
	} {
		g[short] = g[long]
	}
	generators = g
}

// createNamed is `kubectl create TYPE NAME`.
func (s *session) createNamed() error {
	word, rest := s.args[0], s.args[1:]
	if word == "svc" {
		word = "service"
	}
	if (word == "service" || word == "secret") && len(rest) > 0 {
		word, rest = word+" "+rest[0], rest[1:]
	}
	g, ok := generators[word]
	if !ok {
		if known := []string{"ingress", "poddisruptionbudget", "pdb", "priorityclass", "pc", "token"}; contains(known, word) || strings.Contains(word, " ") {
			return errNotSimulated("kubectl create " + word)
		}
		if foreign := s.foreignFlag(); foreign != "" {
			return plain("unknown flag: --" + foreign + "\nSee 'kubectl create --help' for usage.")
		}
		return plain("Unexpected args: [" + strings.Join(s.args, " ") + "]\nSee 'kubectl create -h' for help and examples")
	}
	for _, name := range []string{"non-resource-url", "aggregation-rule", "from-env-file", "append-hash"} {
		if s.flags.has(name) {
			return errNotSimulated("kubectl create " + word + " --" + name)
		}
	}
	if (g.kind == "Deployment" || g.kind == "CronJob") && !s.flags.has("image") {
		return plain("required flag(s) \"image\" not set")
	}
	names := rest
	if n := s.dashes(); n >= 0 && n < len(names) {
		names = names[:n]
	}
	if len(names) != 1 {
		return plain("exactly one NAME is required, got " + strconv.Itoa(len(names)) + "\nSee 'kubectl create " + word + " -h' for help and examples")
	}
	o, err := g.make(s, names[0])
	if err != nil {
		return err
	}
	err = s.sendNew(g.kind, o)
	if _, refused := err.(*refusal); refused && g.wrap != "" {
		return plain(g.wrap + err.Error())
	}
	return err
}

// foreignFlag names a flag that belongs to a sub-command only.
func (s *session) foreignFlag() string {
	for _, d := range definitions(generatorFlags) {
		if s.flags.has(d.name) {
			return d.name
		}
	}
	return ""
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// dashes is how many of the arguments behind the type stand before "--"; -1 if there
// is none.
func (s *session) dashes() int {
	if !s.flags.has("--") {
		return -1
	}
	n, _ := strconv.Atoi(s.flags.text("--"))
	for _, word := range []string{"service", "svc", "secret"} {
		if len(s.args) > 0 && s.args[0] == word {
			n--
		}
	}
	return n - 1
}

// command returns what stands behind "--".
func (s *session) command() []string {
	if !s.flags.has("--") {
		return nil
	}
	n, _ := strconv.Atoi(s.flags.text("--"))
	return s.args[n:]
}

// sendNew creates a generated object in the command's namespace.
func (s *session) sendNew(kind string, o api.Object) error {
	k := api.KindNamed(kind)
	t := o.ObjectType()
	t.APIVersion, t.Kind = k.APIVersion(), k.Kind
	i := item{kind: k, name: o.Meta().Name, namespace: s.namespaceOf(k), object: o}
	if s.flags.has("namespace") && k.Namespaced {
		o.Meta().Namespace = s.namespace
	}
	if !s.dryRunClient() {
		resp, err := s.do(api.Request{
			Verb: api.Create, Kind: k, Namespace: i.namespace, Body: codec.ToJSON(o), FieldManager: "kubectl-" + s.verb,
			FieldValidation: s.validation(), DryRun: s.dryRunServer(),
		})
		if err != nil {
			return err
		}
		i.object = resp.Object
	}
	return s.printDone(&i, "created")
}

func named(name string) api.ObjectMeta { return api.ObjectMeta{Name: name} }

func labelledApp(name string) api.ObjectMeta {
	return api.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}
}

func (s *session) newNamespace(name string) (api.Object, error) {
	return &api.Namespace{ObjectMeta: named(name)}, nil
}

func (s *session) newServiceAccount(name string) (api.Object, error) {
	return &api.ServiceAccount{ObjectMeta: named(name)}, nil
}

func (s *session) newConfigMap(name string) (api.Object, error) {
	data, err := s.data()
	if err != nil {
		return nil, err
	}
	return &api.ConfigMap{ObjectMeta: named(name), Data: data}, nil
}

func (s *session) newSecret(name string) (api.Object, error) {
	data, err := s.data()
	if err != nil {
		return nil, err
	}
	o := &api.Secret{ObjectMeta: named(name), Type: s.flags.text("type")}
	for k, v := range data {
		if o.Data == nil {
			o.Data = map[string][]byte{}
		}
		o.Data[k] = []byte(v)
	}
	return o, nil
}

// data collects --from-literal and --from-file.
func (s *session) data() (map[string]string, error) {
	var out map[string]string
	add := func(key, value string) error {
		if out == nil {
			out = map[string]string{}
		}
		if _, ok := out[key]; ok {
			return plain("cannot add key " + quoted(key) + ", another key by that name already exists in Data for ConfigMap")
		}
		out[key] = value
		return nil
	}
	for _, source := range s.flags["from-file"] {
		key, path, ok := strings.Cut(source, "=")
		if !ok {
			path, key = source, ""
		}
		files, err := s.open([]string{path})
		if err != nil {
			return nil, plain("error reading " + path + ": no such file or directory")
		}
		for _, f := range files {
			if err := add(or(key, f.Name[strings.LastIndexByte(f.Name, '/')+1:]), string(f.Text)); err != nil {
				return nil, err
			}
		}
	}
	for _, source := range s.flags["from-literal"] {
		key, value, ok := strings.Cut(source, "=")
		if !ok || key == "" {
			return nil, plain("invalid literal source " + source + ", expected key=value")
		}
		if err := add(key, unquoted(value)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// imageName is the name of a container made from an image
// (kubectl/pkg/cmd/create/create_deployment.go).
func imageName(image string) string {
	name := image[strings.LastIndexByte(image, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	name, _, _ = strings.Cut(name, "@")
	return name
}

func (s *session) newDeployment(name string) (api.Object, error) {
	replicas, err := s.flags.number("replicas", 1)
	if err != nil {
		return nil, err
	}
	port, err := s.flags.number("port", -1)
	if err != nil {
		return nil, err
	}
	images := s.flags.list("image")
	if len(images) > 1 && len(s.command()) > 0 {
		return nil, plain("cannot specify multiple --image options and command")
	}
	count := int32(replicas)
	labels := map[string]string{"app": name}
	d := &api.Deployment{ObjectMeta: labelledApp(name)}
	d.Spec.Replicas = &count
	d.Spec.Selector = &api.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	for _, image := range images {
		c := api.Container{Name: imageName(image), Image: image, Command: s.command()}
		if port >= 0 {
			c.Ports = []api.ContainerPort{{ContainerPort: int32(port)}}
		}
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, c)
	}
	return d, nil
}

func (s *session) jobSpec(name string) api.JobSpec {
	var spec api.JobSpec
	spec.Template.Spec.RestartPolicy = or(s.flags.text("restart"), "Never")
	spec.Template.Spec.Containers = []api.Container{{Name: name, Image: s.flags.text("image"), Command: s.command()}}
	return spec
}

func (s *session) newJob(name string) (api.Object, error) {
	from, image := s.flags.text("from"), s.flags.text("image")
	switch {
	case from == "" && image == "" || from != "" && image != "":
		return nil, plain("either --image or --from must be specified")
	case image != "":
		return &api.Job{ObjectMeta: named(name), Spec: s.jobSpec(name)}, nil
	}
	sel, err := s.selectArgs([]string{from}, selectOptions{})
	if err != nil {
		return nil, err
	}
	if err := s.fetch(&sel.items[0]); err != nil {
		return nil, err
	}
	c, ok := sel.items[0].object.(*api.CronJob)
	if !ok {
		return nil, plain("from must be an existing cronjob")
	}
	yes := true
	template := c.Spec.JobTemplate
	j := &api.Job{ObjectMeta: named(name), Spec: template.Spec}
	j.Labels = template.Labels
	j.Annotations = map[string]string{"cronjob.kubernetes.io/instantiate": "manual"}
	for k, v := range template.Annotations {
		j.Annotations[k] = v
	}
	j.OwnerReferences = []api.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: c.Name, UID: c.UID, Controller: &yes}}
	return j, nil
}

func (s *session) newCronJob(name string) (api.Object, error) {
	if !s.flags.has("schedule") {
		return nil, plain("required flag(s) \"schedule\" not set")
	}
	c := &api.CronJob{ObjectMeta: named(name)}
	c.Spec.Schedule = s.flags.text("schedule")
	c.Spec.JobTemplate.Name = name
	c.Spec.JobTemplate.Spec = s.jobSpec(name)
	c.Spec.JobTemplate.Spec.Template.Spec.RestartPolicy = or(s.flags.text("restart"), "OnFailure")
	return c, nil
}

func (s *session) newQuota(name string) (api.Object, error) {
	q := &api.ResourceQuota{ObjectMeta: named(name)}
	for _, pair := range s.flags.list("hard") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, plain("Invalid argument syntax " + pair + ", expected <resource>=<value>")
		}
		amount, err := api.ParseQuantity(value)
		if err != nil {
			return nil, err
		}
		if q.Spec.Hard == nil {
			q.Spec.Hard = map[string]api.Quantity{}
		}
		q.Spec.Hard[key] = amount
	}
	if s.flags.has("scopes") {
		q.Spec.Scopes = s.flags.list("scopes")
	}
	return q, nil
}
