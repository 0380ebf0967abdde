package kubectl

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

// The flags of create -f, and those that every sub-command of it takes.
const (
	createFlags    = printFlags + ` filename,f= dry-run*unchanged validate*strict save-config edit recursive,R kustomize,k= selector,l= field-manager= record raw= windows-line-endings`
	generatorFlags = printFlags + ` dry-run*unchanged validate*strict save-config field-manager=`
)

// generator makes an object of a sub-command of create from its flags.
type generator struct {
	kind     string
	make     func(s *session, name string) (api.Object, error)
	flags    string
	required string // flags that must be given, a blank between
	wrap     string // what stands before the server's refusal; "" for nothing
}

var generators map[string]generator

// The words of RBAC, of sources of data and of subjects.
const (
	roleFlags    = ` verb= resource= resource-name=`
	subjectFlags = ` user= group= serviceaccount=`
	dataFlags    = ` from-literal= from-file= from-env-file= append-hash`
)

func init() {
	generators = map[string]generator{
		"namespace":              {kind: "Namespace", make: (*session).newNamespace},
		"configmap":              {"ConfigMap", (*session).newConfigMap, dataFlags, "", "failed to create configmap: "},
		"secret generic":         {"Secret", (*session).newSecret, dataFlags + ` type=`, "", "failed to create secret "},
		"secret tls":             {"Secret", (*session).newTLSSecret, ` cert= key= append-hash`, "", "failed to create secret "},
		"secret docker-registry": {"Secret", (*session).newDockerSecret, dockerFlags, "", "failed to create secret "},
		"serviceaccount":         {"ServiceAccount", (*session).newServiceAccount, "", "", "failed to create serviceaccount: "},
		"deployment":             {"Deployment", (*session).newDeployment, ` image= port= replicas,r=`, "image", "failed to create deployment: "},
		"job":                    {"Job", (*session).newJob, ` image= from=`, "", "failed to create job: "},
		"cronjob":                {"CronJob", (*session).newCronJob, ` image= schedule= restart=`, "image schedule", "failed to create cronjob: "},
		"quota":                  {"ResourceQuota", (*session).newQuota, ` hard= scopes=`, "", "failed to create quota: "},
		"role":                   {"Role", (*session).newRole, roleFlags, "", ""},
		"clusterrole":            {"ClusterRole", (*session).newClusterRole, roleFlags + ` non-resource-url= aggregation-rule=`, "", ""},
		"rolebinding":            {"RoleBinding", (*session).newRoleBinding, subjectFlags + ` role= clusterrole=`, "", "failed to create rolebinding: "},
		"clusterrolebinding":     {"ClusterRoleBinding", (*session).newClusterRoleBinding, subjectFlags + ` clusterrole=`, "clusterrole", "failed to create clusterrolebinding: "},
		"service clusterip":      {"Service", (*session).newClusterIP, ` tcp= clusterip=`, "", "failed to create ClusterIP service: "},
		"service nodeport":       {"Service", (*session).newNodePort, ` tcp= node-port=`, "", "failed to create NodePort service: "},
		"service loadbalancer":   {"Service", (*session).newLoadBalancer, ` tcp=`, "", "failed to create LoadBalancer service: "},
		"service externalname":   {"Service", (*session).newExternalName, ` tcp= external-name=`, "external-name", "failed to create ExternalName service: "},
		"poddisruptionbudget":    {"PodDisruptionBudget", (*session).newBudget, ` selector= min-available= max-unavailable=`, "", "failed to create poddisruptionbudgets: "},
		"priorityclass":          {"PriorityClass", (*session).newPriorityClass, ` value= description= preemption-policy= global-default`, "", "failed to create priorityclass: "},
		"ingress":                {"Ingress", (*session).newIngress, ` rule= class= annotation= default-backend=`, "", "failed to create ingress: "},
	}
}

var createAliases = map[string]string{"ns": "namespace", "cm": "configmap", "sa": "serviceaccount", "deploy": "deployment", "dep": "deployment",
	"cj": "cronjob", "resourcequota": "quota", "svc": "service", "pdb": "poddisruptionbudget", "pc": "priorityclass", "ing": "ingress", "new": "namespace"}

// generatorPath finds the sub-command of create that arguments name, and what is
// left of them.
func generatorPath(argv []string) (path string, rest []string, ok bool) {
	word, rest := leadingVerb(argv)
	if long, short := createAliases[word]; short {
		word = long
	}
	if word == "service" || word == "secret" {
		sub, others := leadingVerb(rest)
		if _, ok := generators[word+" "+sub]; !ok {
			return word, rest, true
		}
		word, rest = word+" "+sub, others
	}
	_, ok = generators[word]
	return word, rest, ok
}

// createVerb is `kubectl create` of files.
func (s *session) createVerb() error {
	if err := s.checkDryRun(); err != nil {
		return err
	}
	switch {
	case s.flags.has("raw") && !s.flags.has("edit"):
		return s.createRaw()
	case s.flags.bool("edit"):
		return errNotSimulated("kubectl create --edit")
	case len(s.args) > 0:
		return plain("Unexpected args: [" + strings.Join(s.args, " ") + "]\nSee 'kubectl create -h' for help and examples")
	case !s.flags.has("filename"):
		return plain("must specify one of -f and -k")
	}
	return s.createFiles()
}

// createNamed is `kubectl create TYPE NAME`.
func (s *session) createNamed() error {
	g := generators[strings.TrimPrefix(s.path, "create ")]
	if missing := s.missingFlags(g.required); missing != nil {
		return missing
	}
	if err := s.checkDryRun(); err != nil {
		return err
	}
	names := s.args[:len(s.args)-len(s.command())]
	if len(names) != 1 {
		return plain("exactly one NAME is required, got " + strconv.Itoa(len(names)) + "\nSee 'kubectl " + s.path + " -h' for help and examples")
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

// missingFlags says which of the flags that must be given are not.
func (s *session) missingFlags(names string) error {
	var missing []string
	for _, name := range strings.Fields(names) {
		if !s.flags.has(name) {
			missing = append(missing, quoted(name))
		}
	}
	if missing == nil {
		return nil
	}
	return plain("required flag(s) " + strings.Join(missing, ", ") + " not set")
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
func (s *session) sendNew(kind string, o api.Object) error { return s.sendNewAs(kind, o, "created") }

func (s *session) sendNewAs(kind string, o api.Object, done string) error {
	k := api.KindNamed(kind)
	t := o.ObjectType()
	t.APIVersion, t.Kind = k.APIVersion(), k.Kind
	i := item{kind: k, name: o.Meta().Name, namespace: s.namespaceOf(k), object: o}
	if s.flags.has("namespace") && k.Namespaced {
		o.Meta().Namespace = s.namespace
	}
	if s.flags.bool("save-config") {
		object, _ := codec.ToValue(o).(map[string]any)
		setLastApplied(object, lastAppliedText(object))
		o.Meta().Annotations = map[string]string{lastApplied: metadataOf(object)["annotations"].(map[string]any)[lastApplied].(string)}
	}
	if !s.dryRunClient() {
		resp, err := s.do(api.Request{
			Verb: api.Create, Kind: k, Namespace: i.namespace, Body: codec.ToJSON(o), FieldManager: s.manager(),
			FieldValidation: s.validation(), DryRun: s.dryRunServer(),
		})
		if err != nil {
			return err
		}
		i.object = resp.Object
	}
	return s.printDone(&i, done)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
