package kubectl

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/codec"
)

const drainFlags = ` chunk-size= delete-emptydir-data disable-eviction dry-run*unchanged force grace-period= ignore-daemonsets pod-selector= selector,l= skip-wait-for-delete-timeout= timeout=`

// drain closes nodes for new pods and evicts those that they have
// (kubectl/pkg/cmd/drain, kubectl/pkg/drain).
func (s *session) drain() error {
	switch {
	case len(s.args) == 0 && !s.flags.has("selector"):
		return plain("USAGE: drain NODE [flags]\nSee 'kubectl drain -h' for help and examples")
	case len(s.args) > 0 && s.flags.has("selector"):
		return plain("error: cannot specify both a node name and a --selector option\nSee 'kubectl drain -h' for help and examples")
	}
	if _, err := api.ParseSelector(s.flags.text("pod-selector")); err != nil {
		return plain("--pod-selector=<pod_selector> must be a valid label selector")
	}
	if err := s.checkDryRun(); err != nil {
		return err
	}
	timeout, err := s.flags.duration("timeout")
	if err != nil {
		return err
	}
	nodes, errs, err := s.targets(append([]string{"nodes"}, s.args...))
	if err != nil {
		return err
	}
	if len(errs) > 0 {
		return errs[0]
	}
	if err := s.closeNodes(nodes, false); err != nil {
		return err
	}
	var fatal []error
	pending := ""
	for n := range nodes {
		name := nodes[n].name
		if err := s.drainOne(name, timeout); err != nil {
			s.printErr("error: unable to drain node ", quoted(name), " due to error: ", err.Error(), ", continuing command...\n")
			fatal = append(fatal, err)
			pending += " " + name + "\n"
			continue
		}
		s.print("node/", name, " drained", s.dryRunSuffix(), "\n")
	}
	if pending != "" {
		s.printErr("There are pending nodes to be drained:\n", pending)
	}
	return join(fatal)
}

func (s *session) drainOne(node string, timeout time.Duration) error {
	list, err := s.drained(node)
	if err != nil {
		return err
	}
	if text := list.warnings(); text != "" {
		s.warn(text)
	}
	pods := list.leaving()
	if s.dryRunClient() {
		for _, p := range pods {
			s.print("evicting pod ", p.Namespace, "/", p.Name, " (dry run)\n")
		}
		return nil
	}
	err = s.evictAll(pods, timeout)
	if err == nil {
		return nil
	}
	if rest, _ := s.drained(node); len(rest.leaving()) > 0 {
		s.printErr("There are pending pods in node ", quoted(node), " when an error occurred: ", err.Error(), "\n")
		for _, p := range rest.leaving() {
			s.printErr("pod/", p.Name, "\n")
		}
	}
	return err
}

// drainItem is a pod of a node and what shall become of it.
type drainItem struct {
	pod           *api.Pod
	leaves, fatal bool
	message       string
}

type drainList []drainItem

func (l drainList) leaving() []*api.Pod {
	var out []*api.Pod
	for _, i := range l {
		if i.leaves {
			out = append(out, i.pod)
		}
	}
	return out
}

// grouped names the pods below each message, in the order of the messages' first
// pods.
func (l drainList) grouped(fatal bool) []string {
	var messages []string
	names := map[string][]string{}
	for _, i := range l {
		if i.message == "" || i.fatal != fatal {
			continue
		}
		if names[i.message] == nil {
			messages = append(messages, i.message)
		}
		names[i.message] = append(names[i.message], i.pod.Namespace+"/"+i.pod.Name)
	}
	for n, m := range messages {
		messages[n] = m + ": " + strings.Join(names[m], ", ")
	}
	return messages
}

func (l drainList) warnings() string { return strings.Join(l.grouped(false), "; ") }

// drained lists the pods of a node. The error tells which of them stand in the way.
func (s *session) drained(node string) (drainList, error) {
	resp, err := s.do(api.Request{Verb: api.List, Kind: api.KindNamed("Pod"), FieldSelector: "spec.nodeName=" + node, LabelSelector: s.flags.text("pod-selector")})
	if err != nil {
		return nil, join([]error{err})
	}
	var list drainList
	for _, o := range resp.Items {
		list = append(list, s.judge(o.(*api.Pod)))
	}
	// The real program keeps the errors in a map, whose order is any.
	var errs []error
	for _, text := range list.grouped(true) {
		errs = append(errs, plain("cannot delete "+text))
	}
	slices.Reverse(errs)
	return list, join(errs)
}

// judge says what shall become of a pod (kubectl/pkg/drain/filters.go).
func (s *session) judge(p *api.Pod) drainItem {
	var owner *api.OwnerReference
	for i := range p.OwnerReferences {
		if r := &p.OwnerReferences[i]; r.Controller != nil && *r.Controller {
			owner = r
		}
	}
	finished := p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed"
	ofDaemon := owner != nil && owner.Kind == "DaemonSet" && owner.APIVersion == "apps/v1"
	if ofDaemon && !finished {
		return s.judgeDaemon(p, owner.Name)
	}
	item := drainItem{pod: p, leaves: true}
	if _, mirror := p.Annotations["kubernetes.io/config.mirror"]; mirror {
		return drainItem{pod: p}
	}
	local := slices.ContainsFunc(p.Spec.Volumes, func(v api.Volume) bool { return v.EmptyDir != nil })
	switch {
	case finished:
	case local && !s.flags.bool("delete-emptydir-data"):
		return drainItem{p, false, true, "Pods with local storage (use --delete-emptydir-data to override)"}
	case owner != nil:
	case s.flags.bool("force"):
		item.message = "deleting Pods that declare no controller"
	default:
		return drainItem{p, false, true, "Pods that declare no controller (use --force to override)"}
	}
	return item
}

func (s *session) judgeDaemon(p *api.Pod, owner string) drainItem {
	_, err := s.do(api.Request{Verb: api.Get, Kind: api.KindNamed("DaemonSet"), Namespace: p.Namespace, Name: owner})
	switch {
	case err != nil && isNotFound(err) && s.flags.bool("force"):
		return drainItem{p, true, false, err.Error()}
	case err != nil:
		return drainItem{p, false, true, err.Error()}
	case !s.flags.bool("ignore-daemonsets"):
		return drainItem{p, false, true, "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"}
	}
	return drainItem{p, false, false, "ignoring DaemonSet-managed Pods"}
}

// eviction is the work on one pod: evicted again until that is allowed, then awaited.
type eviction struct {
	pod     *api.Pod
	at      int64 // ns, of the next look
	waiting bool
	done    bool
	err     error
}

const (
	evictionRetry = 5 * int64(time.Second)
	evictionPoll  = int64(time.Second)
)

// evictAll works on all pods at once. As in the real program, whose threads begin
// with the last one, the last pod is the first.
func (s *session) evictAll(pods []*api.Pod, timeout time.Duration) error {
	var list []*eviction
	for _, p := range pods {
		list = append(list, &eviction{pod: p, at: s.client.Now()})
	}
	if n := len(list); n > 1 {
		list = append([]*eviction{list[n-1]}, list[:n-1]...)
	}
	deadline := int64(1<<63 - 1)
	if timeout > 0 {
		deadline = s.client.Now() + int64(timeout)
	}
	for {
		var next *eviction
		for _, e := range list {
			if !e.done && (next == nil || e.at < next.at) {
				next = e
			}
		}
		if next == nil || !s.until(next.at) {
			break
		}
		s.evictStep(next, deadline, timeout)
	}
	var errs []error
	for _, e := range list {
		if e.err != nil {
			errs = append(errs, e.err)
		}
	}
	return join(errs)
}

// until lets time pass up to an instant; false if it does not pass here.
func (s *session) until(at int64) bool {
	if s.client.Now() >= at {
		return true
	}
	w, ok := s.client.(Waiter)
	if ok {
		w.Wait(func() bool { return s.client.Now() >= at }, (at-s.client.Now()+int64(time.Second)-1)/int64(time.Second))
	}
	return ok
}

func (s *session) evictStep(e *eviction, deadline int64, timeout time.Duration) {
	p := e.pod
	place := "pods/" + quoted(p.Name) + " -n " + quoted(p.Namespace)
	if e.waiting {
		s.awaitStep(e, deadline)
		return
	}
	s.print("evicting pod ", p.Namespace, "/", p.Name, s.dryRunSuffix(), "\n")
	if s.client.Now() >= deadline {
		e.done, e.err = true, plain("error when evicting "+place+": global timeout reached: "+timeout.String())
		return
	}
	err := s.evict(p)
	switch {
	case err == nil && s.dryRunServer(), err != nil && isNotFound(err):
		e.done = true
	case err == nil:
		e.waiting = true
		s.awaitStep(e, deadline)
	case isReason(err, api.ReasonTooManyRequests):
		s.printErr("error when evicting ", place, " (will retry after 5s): ", err.Error(), "\n")
		e.at = s.client.Now() + evictionRetry
	default:
		e.done, e.err = true, plain("error when evicting "+place+": "+err.Error())
	}
}

func (s *session) evict(p *api.Pod) error {
	req := api.Request{Verb: api.Create, Kind: api.KindNamed("Pod"), Namespace: p.Namespace, Name: p.Name, Subresource: "eviction", DryRun: s.dryRunServer()}
	options := map[string]any{}
	if grace, err := s.flags.number("grace-period", -1); err == nil && grace >= 0 {
		options["gracePeriodSeconds"] = grace
		req.GracePeriodSeconds = &grace
	}
	if s.flags.bool("disable-eviction") {
		req.Verb, req.Subresource = api.Delete, ""
	} else {
		req.Body = codec.ToJSON(map[string]any{"apiVersion": "policy/v1", "kind": "Eviction",
			"metadata": map[string]any{"name": p.Name, "namespace": p.Namespace}, "deleteOptions": options})
	}
	_, err := s.do(req)
	return err
}

// awaitStep looks whether the pod is gone.
func (s *session) awaitStep(e *eviction, deadline int64) {
	i := item{kind: api.KindNamed("Pod"), namespace: e.pod.Namespace, name: e.pod.Name}
	err := s.fetch(&i)
	if err != nil || i.object.Meta().UID != e.pod.UID {
		e.done = true
		s.print("pod/", e.pod.Name, " evicted\n")
		return
	}
	skip, _ := s.flags.number("skip-wait-for-delete-timeout", 0)
	switch since := i.object.Meta().DeletionTimestamp; {
	case skip > 0 && since != nil && s.client.Now()/1e9-int64(*since) > skip:
		s.print("pod ", quoted(e.pod.Name), " has DeletionTimestamp older than ", strconv.FormatInt(skip, 10), " seconds, skipping\n")
		e.done = true
	case s.client.Now() >= deadline:
		e.done, e.err = true, plain("error when waiting for pod "+quoted(e.pod.Name)+" in namespace "+quoted(e.pod.Namespace)+" to terminate: context deadline exceeded")
	default:
		e.at = s.client.Now() + evictionPoll
	}
}
