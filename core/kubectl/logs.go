package kubectl

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/printer"
)

const logsFlags = ` container,c= previous,p tail= since= since-time= timestamps all-containers all-pods selector,l= prefix limit-bytes= follow,f` +
	` ignore-errors max-log-requests= pod-running-timeout= insecure-skip-tls-verify-backend`

const logsUsage = "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples"

// logs prints what containers have written (kubectl/pkg/cmd/logs). Followed logs
// end with the present instant.
func (s *session) logs() error {
	opts, err := s.logOptions()
	if err != nil {
		return err
	}
	pods, err := s.logPods()
	if err != nil {
		return err
	}
	for _, pod := range pods {
		if err := s.podLogs(pod, opts); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) logOptions() (map[string]string, error) {
	selector := s.flags.text("selector")
	switch {
	case len(s.args) == 0 && selector == "", len(s.args) > 2:
		return nil, plain(logsUsage)
	case len(s.args) == 1 && selector != "":
		return nil, plain("only a selector (-l) or a POD name is allowed\nSee 'kubectl logs -h' for help and examples")
	case len(s.args) == 2 && s.flags.has("container"):
		return nil, plain("only one of -c or an inline [CONTAINER] arg is allowed")
	case s.flags.has("since") && s.flags.has("since-time"):
		return nil, plain("at most one of `sinceTime` or `sinceSeconds` may be specified")
	case s.flags.has("since-time"):
		return nil, errNotSimulated("kubectl logs --since-time")
	case s.flags.bool("all-containers") && s.logContainer() != "":
		return nil, plain("--all-containers=true should not be specified with container name " + s.logContainer())
	}
	opts := map[string]string{}
	for _, name := range []string{"previous", "timestamps"} {
		if s.flags.bool(name) {
			opts[name] = "true"
		}
	}
	return opts, s.logAmounts(opts, selector)
}

func (s *session) logAmounts(opts map[string]string, selector string) error {
	tail, err := s.flags.number("tail", -1)
	if err != nil {
		return err
	}
	limit, err := s.flags.number("limit-bytes", 0)
	if err != nil {
		return err
	}
	since, err := s.flags.duration("since")
	if err != nil {
		return err
	}
	if selector != "" && !s.flags.has("tail") {
		tail = 10
	}
	switch {
	case limit < 0:
		return plain("--limit-bytes must be greater than 0")
	case since < 0:
		return plain("--since must be greater than 0")
	case tail < -1:
		return plain("--tail must be greater than or equal to -1")
	}
	if tail != -1 {
		opts["tailLines"] = strconv.FormatInt(tail, 10)
	}
	if limit > 0 {
		opts["limitBytes"] = strconv.FormatInt(limit, 10)
	}
	if since > 0 {
		opts["sinceSeconds"] = strconv.FormatInt(int64(since.Seconds()+0.5), 10)
	}
	return nil
}

func (s *session) logContainer() string {
	if len(s.args) == 2 {
		return s.args[1]
	}
	return s.flags.text("container")
}

// logPods finds the pods whose logs are meant.
func (s *session) logPods() ([]*api.Pod, error) {
	pods := api.KindNamed("Pod")
	if selector := s.flags.text("selector"); selector != "" {
		items, err := s.list(pods, selector, "")
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			s.printErr("No resources found in ", s.namespace, " namespace.\n")
		}
		return podsOf(items), nil
	}
	target := item{kind: pods, name: s.args[0], namespace: s.namespace}
	if word, name, ok := strings.Cut(s.args[0], "/"); ok {
		k, err := s.kindFor(word)
		if err != nil {
			return nil, err
		}
		target.kind, target.name = k, name
	}
	if err := s.fetch(&target); err != nil {
		if isNotFound(err) {
			return nil, plain("error from server (NotFound): " + err.Error() + " in namespace " + quoted(s.namespace))
		}
		return nil, err
	}
	if p, ok := target.object.(*api.Pod); ok {
		return []*api.Pod{p}, nil
	}
	return s.controllerPods(&target)
}

func podsOf(items []item) []*api.Pod {
	var out []*api.Pod
	for _, i := range items {
		out = append(out, i.object.(*api.Pod))
	}
	return out
}

// controllerPods chooses the pod of a controller that has most to tell: one that
// runs and is ready before others, the oldest first.
func (s *session) controllerPods(i *item) ([]*api.Pod, error) {
	selector, ok := podSelector(i.object)
	if !ok {
		return nil, plain("cannot get the logs from *" + goType(i.kind) + ": selector for *" + goType(i.kind) + " not implemented")
	}
	items, err := s.list(api.KindNamed("Pod"), selector, "")
	if err != nil {
		return nil, err
	}
	pods := podsOf(items)
	if len(pods) == 0 {
		return nil, plain("timed out waiting for the condition")
	}
	sort.SliceStable(pods, func(a, b int) bool { return moreToTell(pods[a], pods[b]) })
	if s.flags.bool("all-pods") {
		return pods, nil
	}
	if len(pods) > 1 {
		s.printErr("Found ", strconv.Itoa(len(pods)), " pods, using pod/", pods[0].Name, "\n")
	}
	return pods[:1], nil
}

func goType(k *api.Kind) string {
	group, _, _ := strings.Cut(or(k.Group, "core"), ".")
	if group == "core" {
		return "v1." + k.Kind
	}
	return k.Version + "." + k.Kind
}

// podSelector returns the label selector by which a controller knows its pods.
func podSelector(o api.Object) (string, bool) {
	switch o := o.(type) {
	case *api.Deployment:
		return printer.SelectorText(o.Spec.Selector), true
	case *api.ReplicaSet:
		return printer.SelectorText(o.Spec.Selector), true
	case *api.StatefulSet:
		return printer.SelectorText(o.Spec.Selector), true
	case *api.DaemonSet:
		return printer.SelectorText(o.Spec.Selector), true
	case *api.Job:
		return printer.SelectorText(o.Spec.Selector), true
	case *api.ReplicationController:
		return api.SelectorFromSet(o.Spec.Selector).String(), true
	case *api.Service:
		return api.SelectorFromSet(o.Spec.Selector).String(), len(o.Spec.Selector) > 0
	}
	return "", false
}

// moreToTell orders pods as kubectl does before it takes the first
// (kubectl/pkg/util/podutils ByLogging).
func moreToTell(a, b *api.Pod) bool {
	if x, y := a.Spec.NodeName != "", b.Spec.NodeName != ""; x != y {
		return x
	}
	rank := map[string]int{"Unknown": 1, "Pending": 2}
	if x, y := rank[a.Status.Phase], rank[b.Status.Phase]; x != y {
		return x < y
	}
	x, readyA := readySince(a)
	y, readyB := readySince(b)
	if readyA != readyB {
		return readyA
	}
	if readyA && x != y {
		return x < y
	}
	if x, y := maxRestarts(a), maxRestarts(b); x != y {
		return x > y
	}
	return a.CreationTimestamp < b.CreationTimestamp
}

func readySince(p *api.Pod) (api.Time, bool) {
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			return c.LastTransitionTime, c.Status == "True"
		}
	}
	return 0, false
}

func maxRestarts(p *api.Pod) int32 {
	most := int32(0)
	for _, c := range p.Status.ContainerStatuses {
		most = max(most, c.RestartCount)
	}
	return most
}

func (s *session) podLogs(pod *api.Pod, opts map[string]string) error {
	names := []string{}
	if s.flags.bool("all-containers") {
		names = containerNames(pod)
	} else {
		name, err := s.chooseContainer(pod)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	for _, name := range names {
		o := map[string]string{"container": name}
		for k, v := range opts {
			o[k] = v
		}
		resp, err := s.do(api.Request{Verb: api.Get, Kind: api.KindNamed("Pod"), Namespace: pod.Namespace, Name: pod.Name, Subresource: "log", Options: o})
		if err != nil && s.flags.bool("ignore-errors") {
			s.print("error: ", err.Error(), "\n")
			continue
		}
		if err != nil {
			return err
		}
		s.print(s.prefixed(pod, name, resp.Text))
	}
	return nil
}

func (s *session) prefixed(pod *api.Pod, container, text string) string {
	if !s.flags.bool("prefix") && !s.flags.bool("all-pods") || text == "" {
		return text
	}
	head := "[pod/" + pod.Name + "/" + container + "] "
	body := strings.TrimSuffix(text, "\n")
	return head + strings.ReplaceAll(body, "\n", "\n"+head) + text[len(body):]
}

// containerNames are all of a pod in the order in which --all-containers shows them.
func containerNames(pod *api.Pod) []string {
	var out []string
	for _, c := range pod.Spec.InitContainers {
		out = append(out, c.Name)
	}
	for _, c := range pod.Spec.Containers {
		out = append(out, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		out = append(out, c.Name)
	}
	return out
}

// listedContainers names all containers as messages do, with what they are.
func listedContainers(pod *api.Pod) string {
	var out []string
	for _, c := range pod.Spec.Containers {
		out = append(out, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		out = append(out, c.Name+" (ephem)")
	}
	for _, c := range pod.Spec.InitContainers {
		out = append(out, c.Name+" (init)")
	}
	return strings.Join(out, ", ")
}

const defaultContainer = "kubectl.kubernetes.io/default-container"

// chooseContainer takes the one that is named, or annotated, or the first, and says
// which when there was a choice (kubectl/pkg/polymorphichelpers logsForObject).
func (s *session) chooseContainer(pod *api.Pod) (string, error) {
	all := containerNames(pod)
	name := s.logContainer()
	if wanted := pod.Annotations[defaultContainer]; name == "" && wanted != "" {
		if slices.Contains(all, wanted) {
			name = wanted
		} else {
			s.printErr("Default container name ", quoted(wanted), " not found in pod ", pod.Name, "\n")
		}
	}
	if name == "" {
		name = pod.Spec.Containers[0].Name
		if len(all) > 1 && !s.flags.bool("all-pods") {
			s.printErr("Defaulted container ", quoted(name), " out of: ", listedContainers(pod), "\n")
		}
	}
	if !slices.Contains(all, name) {
		return "", plain("container " + name + " is not valid for pod " + pod.Name + " out of: " + listedContainers(pod))
	}
	return name, nil
}
