package kubectl

import (
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const (
	setFlags          = ` all selector,l= filename,f= recursive,R kustomize,k= dry-run*unchanged output,o= local record show-managed-fields field-manager= template= allow-missing-template-keys`
	setEnvFlags       = setFlags + ` containers,c= from= prefix= env,e= keys= list resolve overwrite`
	setResourcesFlags = setFlags + ` containers,c= limits= requests=`
	setSelectorFlags  = setFlags + ` resource-version=`
	setSubjectFlags   = setFlags + ` user= group= serviceaccount=`
)

// setTargets finds the objects of a set command: those of the server or, with
// --local, those that the files hold.
func (s *session) setTargets(resources []string) ([]item, []error, error) {
	local := s.flags.bool("local")
	switch {
	case local && len(resources) > 0 || local && !s.flags.has("filename"):
		return nil, nil, plain("you must specify resources by --filename when --local is set.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'")
	case s.flags.bool("all") && s.flags.has("selector"):
		return nil, nil, plain("cannot set --all and --selector at the same time")
	case local && s.dryRunServer():
		return nil, nil, plain("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
	case !local:
		return s.targets(resources)
	}
	items, errs, err := s.fileItems()
	for n := range items {
		o, bad := codec.DecodeObject(items[n].node)
		if bad != nil {
			return nil, nil, plain("unable to decode " + quoted(items[n].source) + ": " + bad.Error())
		}
		items[n].object = o
	}
	return items, errs, err
}

// setting is one of the set commands.
type setting struct {
	change func(api.Object) error
	failed string // what stands before a refusal of the patch
	done   string
	always bool // a patch is sent although nothing changes
	err    error
}

// setAll makes a change to objects and sends each the patch of what became of it
// (kubectl/pkg/cmd/set CalculatePatches).
func (s *session) setAll(items []item, errs []error, c *setting) error {
	for n := range items {
		i := &items[n]
		if err := s.setOne(i, c); err != nil {
			errs = append(errs, err)
		}
		if c.err != nil {
			errs, c.err = append(errs, c.err), nil
		}
	}
	return join(errs)
}

func (s *session) setOne(i *item, c *setting) error {
	changed := api.DeepCopy(i.object)
	if err := c.change(changed); err != nil {
		return plain("error: " + i.shown() + " " + err.Error() + "\n")
	}
	if s.flags.bool("record") {
		s.recordCause(changed)
	}
	before, _ := codec.ToValue(i.object).(map[string]any)
	after, _ := codec.ToValue(changed).(map[string]any)
	patch, err := codec.PatchTwoWay(before, after, i.kind)
	if err != nil {
		return err
	}
	if len(patch) == 0 && !c.always {
		return nil
	}
	if s.flags.bool("local") || s.dryRunClient() {
		i.object = changed
		return s.printDone(i, c.done)
	}
	if err := s.strategic(i, patch); err != nil {
		if c.failed == "" {
			return err
		}
		return plain(c.failed + err.Error())
	}
	return s.printDone(i, c.done)
}

// recordCause notes the command line in the object, as --record asks.
func (s *session) recordCause(o api.Object) {
	m := o.Meta()
	if m.Annotations == nil {
		m.Annotations = map[string]string{}
	}
	m.Annotations["kubernetes.io/change-cause"] = "kubectl " + s.path + " " + strings.Join(s.args, " ") + " --record=true"
}

// setImage is `kubectl set image`.
func (s *session) setImage() error {
	resources, pairs, err := pairArgs(s.args, "image")
	if err != nil {
		return err
	}
	items, errs, err := s.setTargets(resources)
	if err == nil {
		err = join(errs)
	}
	if err != nil {
		return err
	}
	images := parseChanges(pairs)
	_, all := images.set["*"]
	switch {
	case len(resources) == 0 && !s.flags.has("filename"):
		return plain("one or more resources must be specified as <resource> <name> or <resource>/<name>")
	case len(pairs) == 0:
		return plain("at least one image update is required")
	case all && len(images.set) > 1:
		return plain("all containers are already specified by *, but saw more than one container_name=container_image pairs")
	}
	c := &setting{failed: "failed to patch image update to pod template: ", done: "image updated"}
	c.change = func(o api.Object) error {
		spec := podSpecOf(o)
		if spec == nil {
			return plain("the object is not a pod or does not have a pod template: " + typeName(o))
		}
		var missing []error
		for _, name := range images.order {
			found := setContainerImage(spec.InitContainers, name, images.set[name])
			if !setContainerImage(spec.Containers, name, images.set[name]) && !found {
				missing = append(missing, plain("error: unable to find container named "+quoted(name)))
			}
		}
		c.err = join(missing)
		return nil
	}
	return s.setAll(items, nil, c)
}

// typeName is an object's Go type in the real program.
func typeName(o api.Object) string {
	k := api.KindNamed(o.ObjectType().Kind)
	if k == nil {
		return o.ObjectType().Kind
	}
	return "*" + k.Version + "." + k.Kind
}

func setContainerImage(list []api.Container, name, image string) bool {
	found := false
	for i := range list {
		if list[i].Name == name || name == "*" {
			found = true
			list[i].Image = image
		}
	}
	return found
}

func (s *session) strategic(i *item, patch map[string]any) error {
	if s.dryRunClient() {
		return nil
	}
	resp, err := s.do(api.Request{
		Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, Body: codec.ToJSON(patch), PatchType: strategicPatch,
		FieldManager: s.manager(), DryRun: s.dryRunServer(),
	})
	if err == nil {
		i.object = resp.Object
	}
	return err
}

// manager is who owns the fields that a command sets.
func (s *session) manager() string { return or(s.flags.text("field-manager"), "kubectl-"+s.verb) }

// selected are the containers of a pod that a pattern of --containers names, the
// init containers last.
func selected(spec *api.PodSpec, pattern string) []*api.Container {
	var out []*api.Container
	for _, list := range [][]api.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			if wildcard(list[i].Name, pattern) {
				out = append(out, &list[i])
			}
		}
	}
	return out
}

// wildcard matches a name with a pattern in which * stands for anything.
func wildcard(name, pattern string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return name == pattern
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// setResources is `kubectl set resources`.
func (s *session) setResources() error {
	items, errs, err := s.setTargets(s.args)
	if err == nil {
		err = join(errs)
	}
	if err != nil {
		return err
	}
	if s.flags.text("limits") == "" && s.flags.text("requests") == "" {
		return plain("you must specify an update to requests or limits (in the form of --requests/--limits)")
	}
	limits, err := resourceList(s.flags.text("limits"))
	if err != nil {
		return err
	}
	requests, err := resourceList(s.flags.text("requests"))
	if err != nil {
		return err
	}
	pattern := s.containerPattern()
	c := &setting{failed: "failed to patch resources update to pod template ", done: "resource requirements updated"}
	c.change = func(o api.Object) error {
		spec := podSpecOf(o)
		if spec == nil {
			return plain("the object is not a pod or does not have a pod template: " + typeName(o))
		}
		found := selected(spec, pattern)
		for _, ctr := range found {
			ctr.Resources.Limits = withResources(ctr.Resources.Limits, limits)
			ctr.Resources.Requests = withResources(ctr.Resources.Requests, requests)
		}
		if len(found) == 0 {
			c.err = plain("error: unable to find container named " + pattern)
		}
		return nil
	}
	return s.setAll(items, nil, c)
}

func (s *session) containerPattern() string {
	if s.flags.has("containers") {
		return s.flags.text("containers")
	}
	return "*"
}

func resourceList(text string) (map[string]api.Quantity, error) {
	if text == "" {
		return nil, nil
	}
	out := map[string]api.Quantity{}
	for _, pair := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || strings.Contains(value, "=") {
			return nil, plain("invalid argument syntax " + pair + ", expected <resource>=<value>")
		}
		q, err := api.ParseQuantity(value)
		if err != nil {
			return nil, err
		}
		out[name] = q
	}
	return out, nil
}

func withResources(have, set map[string]api.Quantity) map[string]api.Quantity {
	if have == nil && set != nil {
		have = map[string]api.Quantity{}
	}
	for name, q := range set {
		have[name] = q
	}
	return have
}

// setServiceAccount is `kubectl set serviceaccount`: the last argument is its name.
func (s *session) setServiceAccount() error {
	if len(s.args) == 0 {
		return plain("serviceaccount is required")
	}
	last := len(s.args) - 1
	items, errs, err := s.setTargets(s.args[:last])
	if err == nil {
		err = join(errs)
	}
	if err != nil {
		return err
	}
	name := s.args[last]
	c := &setting{failed: "failed to patch ServiceAccountName ", done: "serviceaccount updated", always: true}
	c.change = func(o api.Object) error {
		spec := podSpecOf(o)
		if spec == nil {
			return plain("the object is not a pod or does not have a pod template: " + typeName(o))
		}
		spec.ServiceAccountName = name
		return nil
	}
	return s.setAll(items, nil, c)
}

// setSelector is `kubectl set selector`, of Services only.
func (s *session) setSelector() error {
	if len(s.args) == 0 {
		return plain("one selector is required")
	}
	last := len(s.args) - 1
	sel, err := api.ParseSelector(s.args[last])
	if err != nil {
		return plain("couldn't parse the selector string \"" + s.args[last] + "\": " + err.Error())
	}
	labels, exact := exactLabels(sel)
	items, errs, err := s.setTargets(s.args[:last])
	if err != nil {
		return err
	}
	c := &setting{done: "selector updated", always: true}
	c.change = func(o api.Object) error {
		svc, ok := o.(*api.Service)
		switch {
		case !ok:
			return plain("setting a selector is only supported for Services")
		case !exact:
			return plain("match expression " + s.args[last] + " not supported on this object")
		}
		svc.Spec.Selector = labels
		if rev := s.flags.text("resource-version"); rev != "" {
			svc.ResourceVersion = rev
		}
		return nil
	}
	for n := range items {
		if err := c.change(api.DeepCopy(items[n].object)); err != nil {
			return err
		}
	}
	return s.setAll(items, errs, c)
}

// exactLabels are the labels of a selector that only compares for equality.
func exactLabels(sel api.Selector) (map[string]string, bool) {
	out := map[string]string{}
	for _, r := range sel.Requirements {
		if len(r.Values) != 1 || r.Op != api.OpIn && r.Op != api.OpEquals && r.Op != api.OpDoubleEquals {
			return nil, false
		}
		out[r.Key] = r.Values[0]
	}
	return out, true
}

// setSubject is `kubectl set subject`, of bindings of roles.
func (s *session) setSubject() error {
	items, errs, err := s.setTargets(s.args)
	if err == nil {
		err = join(errs)
	}
	if err != nil {
		return err
	}
	add, err := s.newSubjects()
	if err != nil {
		return err
	}
	c := &setting{failed: "failed to patch subjects to rolebinding: ", done: "subjects updated"}
	c.change = func(o api.Object) error {
		switch b := o.(type) {
		case *api.RoleBinding:
			b.Subjects = withSubjects(b.Subjects, add)
		case *api.ClusterRoleBinding:
			b.Subjects = withSubjects(b.Subjects, add)
		default:
			return plain("setting subjects is only supported for RoleBinding/ClusterRoleBinding")
		}
		return nil
	}
	return s.setAll(items, nil, c)
}

func (s *session) newSubjects() ([]api.RBACSubject, error) {
	if !s.flags.has("user") && !s.flags.has("group") && !s.flags.has("serviceaccount") {
		return nil, plain("you must specify at least one value of user, group or serviceaccount")
	}
	for _, account := range s.flags["serviceaccount"] {
		if namespace, name, ok := strings.Cut(account, ":"); !ok || name == "" || strings.Contains(name, ":") {
			return nil, plain("serviceaccount must be <namespace>:<name>")
		} else if namespace == "" {
			s.flags["serviceaccount"] = append(s.flags["serviceaccount"], s.namespace+account)
		}
	}
	s.flags["serviceaccount"] = slices.DeleteFunc(s.flags["serviceaccount"], func(a string) bool { return strings.HasPrefix(a, ":") })
	for _, name := range []string{"user", "group", "serviceaccount"} {
		slices.Sort(s.flags[name])
		s.flags[name] = slices.Compact(s.flags[name])
	}
	return s.subjects()
}

func withSubjects(have, add []api.RBACSubject) []api.RBACSubject {
	out := slices.Clone(have)
	for _, subject := range add {
		if !slices.Contains(have, subject) {
			out = append(out, subject)
		}
	}
	return out
}
