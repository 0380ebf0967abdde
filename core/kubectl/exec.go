package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
)

const execFlags = ` container,c= filename,f= pod-running-timeout= quiet,q stdin,i tty,t`

// execVerb is `kubectl exec POD -- COMMAND`.
func (s *session) execVerb() error {
	command := s.command()
	words := s.args[:len(s.args)-len(command)]
	switch {
	case len(words) > 1 || len(words) == 1 && s.flags.has("filename"):
		return plain("exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\nSee 'kubectl exec -h' for help and examples")
	case len(words) == 0 && !s.flags.has("filename"):
		return plain("pod, type/name or --filename must be specified")
	case len(command) == 0:
		return plain("you must specify at least one command for the container")
	}
	pod, err := s.onePod(words)
	if err != nil {
		return err
	}
	if pod.Status.Phase == "Succeeded" || pod.Status.Phase == "Failed" {
		return plain("cannot exec into a container in a completed pod; current phase is " + pod.Status.Phase)
	}
	name, err := s.execContainer(pod)
	if err != nil {
		return err
	}
	if s.flags.bool("tty") {
		s.printErr("Unable to use a TTY - input is not a terminal or the right kind of file\n")
	}
	resp, err := s.do(api.Request{Verb: api.Create, Kind: api.KindNamed("Pod"), Namespace: pod.Namespace, Name: pod.Name, Subresource: "exec",
		Options: map[string]string{"container": name, "command": strings.Join(command, "\x00")}})
	if err != nil {
		return err
	}
	s.print(resp.Text)
	s.printErr(resp.Stderr)
	if resp.Exit != 0 {
		return exitError{resp.Exit, verbatim("command terminated with exit code " + strconv.Itoa(resp.Exit) + "\n")}
	}
	return nil
}

// onePod finds the pod that is meant by itself or by its controller.
func (s *session) onePod(words []string) (*api.Pod, error) {
	var i item
	if s.flags.has("filename") {
		items, errs, err := s.fileItems()
		if err == nil {
			err = join(errs)
		}
		switch {
		case err != nil:
			return nil, err
		case len(items) != 1:
			return nil, plain("cannot exec into multiple objects at a time")
		}
		i = items[0]
	} else {
		i = item{kind: api.KindNamed("Pod"), name: words[0], namespace: s.namespace}
		if word, name, ok := strings.Cut(words[0], "/"); ok {
			k, err := s.kindFor(word)
			if err != nil {
				return nil, err
			}
			i.kind, i.name = k, name
		}
	}
	if err := s.fetch(&i); err != nil {
		return nil, err
	}
	if p, ok := i.object.(*api.Pod); ok {
		return p, nil
	}
	selector, ok := podSelector(i.object)
	if !ok {
		return nil, plain("cannot attach to *" + goType(i.kind) + ": selector for *" + goType(i.kind) + " not implemented")
	}
	items, err := s.list(api.KindNamed("Pod"), selector, "")
	if err != nil {
		return nil, err
	}
	pods := podsOf(items)
	if len(pods) == 0 {
		return nil, plain("timed out waiting for the condition")
	}
	slices.SortStableFunc(pods, func(a, b *api.Pod) int {
		if moreToTell(a, b) {
			return -1
		}
		return 1
	})
	return pods[0], nil
}

// execContainer takes the container that is named, or annotated, or the first.
func (s *session) execContainer(pod *api.Pod) (string, error) {
	if s.flags.bool("quiet") && !s.flags.has("container") {
		return pod.Spec.Containers[0].Name, nil
	}
	name, wanted := s.flags.text("container"), pod.Annotations[defaultContainer]
	all := containerNames(pod)
	switch {
	case name != "" && !slices.Contains(all, name):
		return "", plain("container " + name + " is not valid for pod " + pod.Name + " out of: " + listedContainers(pod))
	case name != "":
		return name, nil
	case wanted != "" && slices.Contains(all, wanted):
		return wanted, nil
	case wanted != "":
		s.printErr("Default container name ", quoted(wanted), " not found in pod ", pod.Name, "\n")
	}
	name = pod.Spec.Containers[0].Name
	if len(all) > 1 {
		s.printErr("Defaulted container ", quoted(name), " out of: ", listedContainers(pod), "\n")
	}
	return name, nil
}

const (
	attachWait = 60  // seconds until a container runs
	attachRest = 600 // seconds until it has ended
)

// attach shows what a container writes from its start to its end. Nothing can be
// typed: a program that waits for input is not simulated.
func (s *session) attach(pod *api.Pod, container string) (*api.Pod, error) {
	if _, ok := s.client.(Waiter); !ok {
		return nil, errNotSimulated("kubectl " + s.path + " attached to a container where no time passes")
	}
	if s.flags.bool("tty") {
		s.printErr("Unable to use a TTY - input is not a terminal or the right kind of file\n")
	}
	i := item{kind: api.KindNamed("Pod"), namespace: pod.Namespace, name: pod.Name}
	state := func() (started, ended bool) {
		if s.fetch(&i) != nil {
			return true, true
		}
		pod = i.object.(*api.Pod)
		for _, list := range [][]api.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses} {
			for _, c := range list {
				if c.Name == container {
					return c.State.Waiting == nil, c.State.Terminated != nil || c.RestartCount > 0
				}
			}
		}
		return false, false
	}
	if !s.waitFor(func() bool { started, _ := state(); return started }, attachWait) {
		return nil, plain("timed out waiting for the condition")
	}
	ended := s.waitFor(func() bool { _, ended := state(); return ended }, attachRest)
	resp, err := s.do(api.Request{Verb: api.Get, Kind: i.kind, Namespace: pod.Namespace, Name: pod.Name, Subresource: "log", Options: map[string]string{"container": container}})
	if err != nil {
		return nil, err
	}
	s.print(resp.Text)
	if !ended {
		return nil, errNotSimulated("attaching to a program that does not end by itself")
	}
	return pod, nil
}

// stream is a command that needs a stream to a pod which nothing stands for here.
func stream(usage string, least int) func(*session) error {
	return func(s *session) error {
		if len(s.args) < least {
			return plain(usage)
		}
		return errNotSimulated("kubectl " + s.path)
	}
}
