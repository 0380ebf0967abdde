package kubectl

import (
	"slices"
	"strings"

	"podwalk/core/api"
)

// pruned are the kinds that apply --prune looks at where no list is given.
var pruned = []string{"ConfigMap", "Endpoints", "PersistentVolumeClaim", "Pod", "ReplicationController", "Secret", "Service", "Job", "CronJob", "Ingress",
	"DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"}

// prunedEverywhere are those among them that have no namespace.
var prunedEverywhere = []string{"Namespace", "PersistentVolume"}

// pruner deletes what was applied once and is not among the files any more
// (kubectl/pkg/cmd/apply/prune.go).
type pruner struct {
	kinds, global []*api.Kind
	selector      string
	uids          map[string]bool
	namespaces    []string
	listed        bool // the kinds were chosen by --prune-allowlist
}

func (s *session) newPruner() (*pruner, error) {
	if !s.flags.bool("prune") {
		return nil, nil
	}
	all, selector := s.flags.bool("all"), s.flags.text("selector")
	switch {
	case !all && selector == "":
		return nil, plain("all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector")
	case all && selector != "":
		return nil, plain("cannot set --all and --selector at the same time")
	case s.flags.bool("server-side"):
		return nil, errNotSimulated("kubectl apply --prune with --server-side")
	}
	p := &pruner{selector: selector, uids: map[string]bool{}, listed: s.flags.has("prune-allowlist")}
	for _, text := range s.flags.list("prune-allowlist") {
		parts := strings.Split(text, "/")
		if len(parts) != 3 {
			return nil, plain("invalid GroupVersionKind format: " + text + ", please follow <group/version/kind>")
		}
		if parts[0] == "core" {
			parts[0] = ""
		}
		k := api.KindNamed(parts[2])
		if k == nil || k.Group != parts[0] || k.Version != parts[1] {
			return nil, plain("no matches for kind " + quoted(parts[2]) + " in version " + quoted(strings.TrimPrefix(parts[0]+"/"+parts[1], "/")))
		}
		p.add(k)
	}
	if !p.listed {
		for _, name := range append(slices.Clone(pruned), prunedEverywhere...) {
			p.add(api.KindNamed(name))
		}
	}
	return p, nil
}

func (p *pruner) add(k *api.Kind) {
	if k.Namespaced {
		p.kinds = append(p.kinds, k)
	} else {
		p.global = append(p.global, k)
	}
}

// note remembers an object that was applied.
func (p *pruner) note(i *item) {
	if i.object != nil {
		p.uids[i.object.Meta().UID] = true
	}
	if i.namespace != "" && !slices.Contains(p.namespaces, i.namespace) {
		p.namespaces = append(p.namespaces, i.namespace)
	}
}

func (p *pruner) prune(s *session) error {
	if !p.listed {
		s.printErr(s.logHead("W", "prune.go:71"), "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.\n")
	}
	for _, namespace := range p.namespaces {
		for _, k := range p.kinds {
			if err := p.pruneKind(s, k, namespace); err != nil {
				return plain("error pruning namespaced object " + k.Group + "/" + k.Version + ", Kind=" + k.Kind + ": " + err.Error())
			}
		}
	}
	for _, k := range p.global {
		if err := p.pruneKind(s, k, ""); err != nil {
			return plain("error pruning nonNamespaced object " + k.Group + "/" + k.Version + ", Kind=" + k.Kind + ": " + err.Error())
		}
	}
	return nil
}

func (p *pruner) pruneKind(s *session, k *api.Kind, namespace string) error {
	resp, err := s.do(api.Request{Verb: api.List, Kind: k, Namespace: namespace, LabelSelector: p.selector})
	if err != nil {
		return err
	}
	for _, o := range resp.Items {
		m := o.Meta()
		if _, applied := m.Annotations[lastApplied]; !applied || p.uids[m.UID] {
			continue
		}
		i := item{kind: k, namespace: m.Namespace, name: m.Name, object: o}
		if !s.dryRunClient() {
			if _, err := s.do(api.Request{Verb: api.Delete, Kind: k, Namespace: m.Namespace, Name: m.Name, Propagation: "Background", DryRun: s.dryRunServer()}); err != nil {
				return err
			}
		}
		if err := s.printDone(&i, "pruned"); err != nil {
			return err
		}
	}
	return nil
}
