package kubectl

import (
	"crypto/sha256"
	"slices"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const debugFlags = ` arguments-only attach container,c= copy-to= custom= env= filename,f= image= image-pull-policy= keep-annotations keep-init-containers keep-labels keep-liveness` +
	` keep-readiness keep-startup profile= quiet,q replace same-node set-image= share-processes stdin,i target= tty,t`

// debug is `kubectl debug`: a container more in a pod, a copy of a pod, or a pod on a
// node (kubectl/pkg/cmd/debug).
func (s *session) debug() error {
	names := s.args[:len(s.args)-len(s.command())]
	if err := s.checkDebug(names); err != nil {
		return err
	}
	for _, name := range names {
		i := item{kind: api.KindNamed("Pod"), namespace: s.namespace, name: name}
		if word, rest, ok := strings.Cut(name, "/"); ok {
			k, err := s.kindFor(word)
			if err != nil {
				return err
			}
			i.kind, i.name, i.namespace = k, rest, s.namespaceOf(k)
		}
		if err := s.fetch(&i); err != nil {
			return err
		}
		pod, container, err := s.debugOne(&i)
		if err != nil {
			return err
		}
		attach := s.flags.bool("stdin") && !s.flags.has("attach") || s.flags.bool("attach")
		if attach && container != "" {
			if _, err := s.attach(pod, container); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *session) checkDebug(names []string) error {
	f := s.flags
	has := func(name string) bool { return f.text(name) != "" }
	profile := or(f.text("profile"), "general")
	switch {
	case !slices.Contains([]string{"legacy", "general", "baseline", "restricted", "netadmin", "sysadmin"}, profile):
		return plain("unknown profile: " + profile)
	case f.has("custom") || f.has("filename"):
		return errNotSimulated("kubectl debug --custom and --filename")
	case f.bool("attach") && !has("image") && !has("container"):
		return plain("you must specify --container or create a new container using --image in order to attach.")
	case has("copy-to") && !has("image") && !has("set-image") && len(s.command()) == 0:
		return plain("you must specify --image, --set-image or command arguments.")
	case has("copy-to") && len(s.command()) > 0 && !has("container") && !has("image"):
		return plain("you must specify an existing container or a new image when specifying args.")
	case !has("copy-to") && f.bool("replace"):
		return plain("--replace may only be used with --copy-to.")
	case !has("copy-to") && f.bool("same-node"):
		return plain("--same-node may only be used with --copy-to.")
	case !has("copy-to") && f.has("set-image"):
		return plain("--set-image may only be used with --copy-to.")
	case !has("copy-to") && !has("image"):
		return plain("you must specify --image when not using --copy-to.")
	case has("image") && badImage(f.text("image")):
		return plain("invalid image name " + quoted(f.text("image")) + ": invalid reference format")
	case len(names) == 0:
		return plain("NAME or filename is required for debug")
	case !contains([]string{"", "Always", "IfNotPresent", "Never"}, f.text("image-pull-policy")):
		return plain("invalid image pull policy: " + f.text("image-pull-policy"))
	case has("target") && has("copy-to"):
		return plain("--target is incompatible with --copy-to. Use --share-processes instead.")
	case f.bool("tty") && !f.bool("stdin"):
		return plain("-i/--stdin is required for containers with -t/--tty=true")
	}
	if has("target") && !f.bool("quiet") {
		s.print("Targeting container ", quoted(f.text("target")), ". If you don't see processes from this container it may be because the container runtime doesn't support this feature.\n")
	}
	if profile == "legacy" {
		s.printErr("--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other profile, for example \"--profile=general\".\n")
	}
	return nil
}

func badImage(image string) bool {
	return strings.ContainsAny(image, " \t") || strings.ToLower(imageName(image)) != imageName(image)
}

func (s *session) debugOne(i *item) (*api.Pod, string, error) {
	switch o := i.object.(type) {
	case *api.Node:
		return s.debugNode(o)
	case *api.Pod:
		if s.flags.text("copy-to") != "" {
			return s.debugCopy(o)
		}
		return s.debugPod(i, o)
	}
	k := i.kind
	return nil, "", plain(quoted(k.Group+"/"+k.Version+", Kind="+k.Name()) + " not supported by debug")
}

// debugContainer is the new container.
func (s *session) debugContainer(name string) (api.Container, error) {
	c := api.Container{Name: name, Image: s.flags.text("image"), ImagePullPolicy: s.flags.text("image-pull-policy"), Stdin: s.flags.bool("stdin"),
		TTY: s.flags.bool("tty"), TerminationMessagePolicy: "File"}
	env, err := s.envFlags()
	if c.Env = env; s.flags.bool("arguments-only") {
		c.Args = s.command()
	} else {
		c.Command = s.command()
	}
	return c, err
}

// debugName is the name of the new container, told where it was not given.
func (s *session) debugName(pod *api.Pod) string {
	if name := s.flags.text("container"); name != "" {
		return name
	}
	name := "debugger-" + s.suffix(pod.UID)
	if !s.flags.bool("quiet") {
		s.print("Defaulting debug container name to ", name, ".\n")
	}
	return name
}

// suffix makes five letters of a name, the same ones whenever the command is run
// again at that instant.
func (s *session) suffix(of string) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	sum := sha256.Sum256([]byte(of + num(s.client.Now())))
	text := ""
	for _, b := range sum[:5] {
		text += letters[int(b)%len(letters) : int(b)%len(letters)+1]
	}
	return text
}

func (s *session) debugPod(i *item, pod *api.Pod) (*api.Pod, string, error) {
	c, err := s.debugContainer(s.debugName(pod))
	if err != nil {
		return nil, "", err
	}
	target := &api.Pod{}
	s.profile(target, &c, "ephemeral")
	value, _ := codec.ToValue(c).(map[string]any)
	if name := s.flags.text("target"); name != "" {
		value["targetContainerName"] = name
	}
	patch := map[string]any{"spec": map[string]any{"ephemeralContainers": []any{value}}}
	resp, err := s.do(api.Request{Verb: api.Patch, Kind: i.kind, Namespace: i.namespace, Name: i.name, Subresource: "ephemeralcontainers",
		Body: codec.ToJSON(patch), PatchType: strategicPatch})
	if err != nil {
		return nil, "", err
	}
	return resp.Object.(*api.Pod), c.Name, nil
}

func (s *session) debugNode(node *api.Node) (*api.Pod, string, error) {
	c, err := s.debugContainer(or(s.flags.text("container"), "debugger"))
	if err != nil {
		return nil, "", err
	}
	pod := &api.Pod{ObjectMeta: api.ObjectMeta{Name: "node-debugger-" + node.Name + "-" + s.suffix(node.UID), Labels: map[string]string{"app.kubernetes.io/managed-by": "kubectl-debug"}}}
	if !s.flags.bool("quiet") {
		s.print("Creating debugging pod ", pod.Name, " with container ", c.Name, " on node ", node.Name, ".\n")
	}
	s.profile(pod, &c, "node")
	pod.Spec.Containers, pod.Spec.NodeName, pod.Spec.RestartPolicy = []api.Container{c}, node.Name, "Never"
	pod.Spec.Tolerations = []api.Toleration{{Operator: "Exists"}}
	created, err := s.createDebug(pod)
	return created, c.Name, err
}

func (s *session) createDebug(pod *api.Pod) (*api.Pod, error) {
	k := api.KindNamed("Pod")
	pod.ObjectType().APIVersion, pod.ObjectType().Kind = k.APIVersion(), k.Kind
	resp, err := s.do(api.Request{Verb: api.Create, Kind: k, Namespace: or(pod.Namespace, s.namespace), Body: codec.ToJSON(pod)})
	if err != nil {
		return nil, err
	}
	return resp.Object.(*api.Pod), nil
}

func (s *session) debugCopy(pod *api.Pod) (*api.Pod, string, error) {
	from := api.DeepCopy(pod)
	dup := &api.Pod{ObjectMeta: api.ObjectMeta{Name: s.flags.text("copy-to"), Namespace: from.Namespace, Annotations: from.Annotations, Labels: from.Labels}, Spec: from.Spec}
	dup.Spec.EphemeralContainers = nil
	if !s.flags.bool("same-node") {
		dup.Spec.NodeName = ""
	}
	images := pairMap(s.flags.list("set-image"))
	for n := range dup.Spec.Containers {
		c := &dup.Spec.Containers[n]
		c.Image = or(images[c.Name], or(images["*"], c.Image))
	}
	name, err := s.copyContainer(dup, len(images) > 0)
	if err != nil {
		return nil, "", err
	}
	created, err := s.createDebug(dup)
	if err == nil && s.flags.bool("replace") {
		zero := int64(0)
		_, err = s.do(api.Request{Verb: api.Delete, Kind: api.KindNamed("Pod"), Namespace: pod.Namespace, Name: pod.Name, GracePeriodSeconds: &zero})
	}
	return created, name, err
}

// copyContainer changes the container of the copy that is named, or adds one.
func (s *session) copyContainer(dup *api.Pod, imagesOnly bool) (string, error) {
	name := s.flags.text("container")
	at := slices.IndexFunc(dup.Spec.Containers, func(c api.Container) bool { return c.Name == name })
	if at < 0 {
		switch {
		case s.flags.text("image") == "" && imagesOnly:
			return "", nil
		case s.flags.text("image") == "":
			return "", plain("you must specify image when creating new container")
		}
		name = s.debugName(dup)
		dup.Spec.Containers = append(dup.Spec.Containers, api.Container{Name: name, TerminationMessagePolicy: "File"})
		at = len(dup.Spec.Containers) - 1
	}
	want, err := s.debugContainer(name)
	if err != nil {
		return "", err
	}
	c := &dup.Spec.Containers[at]
	if len(want.Command) > 0 {
		c.Command, c.Args = want.Command, nil
	}
	if len(want.Args) > 0 {
		c.Args = want.Args
	}
	if len(want.Env) > 0 {
		c.Env = want.Env
	}
	c.Image, c.ImagePullPolicy = or(want.Image, c.Image), or(want.ImagePullPolicy, c.ImagePullPolicy)
	c.Stdin, c.TTY = want.Stdin, want.TTY
	s.profile(dup, c, "copy")
	return name, nil
}
