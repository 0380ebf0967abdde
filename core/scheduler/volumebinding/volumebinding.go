// Package volumebinding is the rule that a pod's claims must be bound, or bindable
// on the node (pkg/scheduler/framework/plugins/volumebinding). A claim that waits
// for its first consumer gets a volume here (match.go) or is given to the
// provisioner for the node; the scheduler writes that down before it binds the
// pod. Not simulated: CSIStorageCapacity (there is room always) and the
// translation of in-tree volumes to CSI.
package volumebinding

import (
	"errors"
	"sort"
	"strconv"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

// The reasons of the rule.
const (
	ErrReasonBindConflict = "node(s) didn't find available persistent volumes to bind"
	ErrReasonNodeConflict = "node(s) didn't match PersistentVolume's node affinity"
	ErrReasonPVNotExist   = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
	ErrReasonUnbound      = "pod has unbound immediate PersistentVolumeClaims"
)

// noProvisioner is the provisioner of a class whose volumes an administrator makes.
const noProvisioner = "kubernetes.io/no-provisioner"

// Plugin is the rule VolumeBinding. Shape is the score at a use of the chosen
// volumes; nil is 100 for an unused one, falling to 0.
type Plugin struct{ Shape []f.ShapePoint }

var (
	_ f.PreFilterPlugin = Plugin{}
	_ f.FilterPlugin    = Plugin{}
	_ f.PreScorePlugin  = Plugin{}
	_ f.ScorePlugin     = Plugin{}
	_ f.ReservePlugin   = Plugin{}
	_ f.EnqueuePlugin   = Plugin{}
)

// ID returns f.VolumeBinding.
func (Plugin) ID() f.ID { return f.VolumeBinding }

// state is what PreFilter found, and for each node what Filter did. A clone of the
// cycle shares it.
type state struct {
	bound, delayed []*api.PersistentVolumeClaim
	volumes        map[string][]*api.PersistentVolume // by class
	nodes          map[string]found
}

// found is how the delayed claims would be served on a node.
type found struct {
	bindings   []binding
	provisions []*api.PersistentVolumeClaim
}

type binding struct {
	claim  *api.PersistentVolumeClaim
	volume *api.PersistentVolume
}

// PreFilter rejects a pod with a claim that is missing, lost, going away, or to be
// bound by the volume controller first. It skips pods without claims.
func (Plugin) PreFilter(st *f.State, p *f.PodInfo) (*f.NodeNames, *f.Status) {
	if len(p.Claims) == 0 {
		return nil, f.Skipped
	}
	s := &state{volumes: map[string][]*api.PersistentVolume{}, nodes: map[string]found{}}
	immediate := false
	for i := range p.Pod.Spec.Volumes {
		c, err := usable(st.Cluster, p.Pod, &p.Pod.Spec.Volumes[i])
		if err != nil {
			return nil, f.NewStatus(f.VolumeBinding, f.UnschedulableAndUnresolvable, err.Error())
		}
		switch {
		case c == nil:
		case f.FullyBound(c):
			s.bound = append(s.bound, c)
		case c.Spec.VolumeName == "" && delayed(st.Cluster, c):
			s.delayed = append(s.delayed, c)
		default:
			immediate = true
		}
	}
	if immediate {
		return nil, f.NewStatus(f.VolumeBinding, f.UnschedulableAndUnresolvable, ErrReasonUnbound)
	}
	s.list(st.Cluster)
	st.SetFilter(f.VolumeBinding, s)
	return nil, nil
}

// usable returns the claim of a volume, nil if it has none.
func usable(k *f.Cluster, p *api.Pod, v *api.Volume) (*api.PersistentVolumeClaim, error) {
	name := f.ClaimName(p, v)
	if name == "" {
		return nil, nil
	}
	c, err := k.Claim(p.Namespace, name)
	switch {
	case err != nil && v.Ephemeral != nil:
		return nil, errors.New("waiting for ephemeral volume controller to create the persistentvolumeclaim " + strconv.Quote(name))
	case err != nil:
		return nil, err
	case c.Status.Phase == "Lost":
		return nil, errors.New("persistentvolumeclaim " + strconv.Quote(name) + " bound to non-existent persistentvolume " + strconv.Quote(c.Spec.VolumeName))
	case c.DeletionTimestamp != nil:
		return nil, errors.New("persistentvolumeclaim " + strconv.Quote(name) + " is being deleted")
	case v.Ephemeral != nil:
		return c, f.OwnedBy(p, c)
	}
	return c, nil
}

func delayed(k *f.Cluster, c *api.PersistentVolumeClaim) bool {
	class := k.Class(f.ClassOfClaim(c))
	return class != nil && class.VolumeBindingMode != nil && *class.VolumeBindingMode == f.WaitForFirstConsumer
}

// list collects the volumes of the classes that the delayed claims ask for, and
// sorts the claims by size.
func (s *state) list(k *f.Cluster) {
	sort.SliceStable(s.delayed, func(i, j int) bool { return size(s.delayed[i]).Cmp(size(s.delayed[j])) < 0 })
	for _, c := range s.delayed {
		class := f.ClassOfClaim(c)
		if _, ok := s.volumes[class]; ok {
			continue
		}
		s.volumes[class] = nil
		k.Objects.Each("PersistentVolume", "", func(o api.Object) bool {
			if v := o.(*api.PersistentVolume); f.ClassOfVolume(v) == class {
				s.volumes[class] = append(s.volumes[class], v)
			}
			return true
		})
	}
}

func size(c *api.PersistentVolumeClaim) api.Quantity { return c.Spec.Resources.Requests["storage"] }

// Filter rejects a node that a bound volume does not reach, or on which a delayed
// claim finds neither a volume nor a provisioner.
func (Plugin) Filter(st *f.State, _ *f.PodInfo, n *f.NodeInfo) *f.Status {
	s, ok := st.Filter(f.VolumeBinding).(*state)
	if !ok {
		return nil
	}
	reason := s.boundOn(st.Cluster, n.Node)
	var reasons []string
	if reason == ErrReasonNodeConflict {
		reasons = append(reasons, reason)
	}
	got, ok, err := s.serve(st.Cluster, n.Node)
	if err != nil {
		return f.NewStatus(f.VolumeBinding, f.Error, err.Error())
	}
	if !ok {
		reasons = append(reasons, ErrReasonBindConflict)
	}
	if reason == ErrReasonPVNotExist {
		reasons = append(reasons, reason)
	}
	if len(reasons) > 0 {
		return f.NewStatus(f.VolumeBinding, f.UnschedulableAndUnresolvable, reasons...)
	}
	s.nodes[n.Name()] = got
	return nil
}

// boundOn returns why a bound claim cannot be used on the node, or "".
func (s *state) boundOn(k *f.Cluster, n *api.Node) string {
	for _, c := range s.bound {
		v := k.Volume(c.Spec.VolumeName)
		if v == nil {
			return ErrReasonPVNotExist
		}
		if !f.VolumeReaches(v, n) {
			return ErrReasonNodeConflict
		}
	}
	return ""
}

// serve finds volumes for the delayed claims, and a provisioner for the rest.
func (s *state) serve(k *f.Cluster, n *api.Node) (found, bool, error) {
	var got found
	chosen := map[string]bool{}
	for _, c := range s.delayed {
		if node := selectedNode(k, c); node != "" {
			if node != n.Name {
				return got, false, nil
			}
			got.provisions = append(got.provisions, c)
			continue
		}
		v, err := match(k, c, s.volumes[f.ClassOfClaim(c)], n, chosen)
		if err != nil {
			return got, false, err
		}
		if v == nil {
			got.provisions = append(got.provisions, c)
			continue
		}
		chosen[v.Name] = true
		got.bindings = append(got.bindings, binding{c, v})
	}
	for _, c := range got.provisions {
		if ok, err := provisionable(k, c, n); !ok || err != nil {
			return got, false, err
		}
	}
	return got, true, nil
}

func selectedNode(k *f.Cluster, c *api.PersistentVolumeClaim) string {
	if node := c.Annotations[f.AnnSelectedNode]; node != "" {
		return node
	}
	return k.Volumes.NodeOf(f.ClaimKey(c))
}

func provisionable(k *f.Cluster, c *api.PersistentVolumeClaim, n *api.Node) (bool, error) {
	name := f.ClassOfClaim(c)
	if name == "" {
		return false, errors.New("no class for claim " + strconv.Quote(f.ClaimKey(c)))
	}
	class := k.Class(name)
	if class == nil {
		return false, errors.New("failed to find storage class " + strconv.Quote(name))
	}
	return class.Provisioner != "" && class.Provisioner != noProvisioner && topologyAllows(class.AllowedTopologies, n.Labels), nil
}

// topologyAllows reports whether one of the terms matches (or there are none).
func topologyAllows(terms []api.TopologySelectorTerm, labels map[string]string) bool {
	for _, t := range terms {
		if matchesTerm(t, labels) {
			return true
		}
	}
	return len(terms) == 0
}

func matchesTerm(t api.TopologySelectorTerm, labels map[string]string) bool {
	for _, e := range t.MatchLabelExpressions {
		v, ok := labels[e.Key]
		found := false
		for _, want := range e.Values {
			found = found || ok && v == want
		}
		if !found {
			return false
		}
	}
	return len(t.MatchLabelExpressions) > 0
}

// Reserve gives the volumes found on the node to the claims.
func (Plugin) Reserve(st *f.State, _ *f.PodInfo, node string, r f.Reservation) {
	s, ok := st.Filter(f.VolumeBinding).(*state)
	if !ok {
		return
	}
	got := s.nodes[node]
	for _, b := range got.bindings {
		r.BindVolume(f.ClaimKey(b.claim), b.volume.Name)
	}
	for _, c := range got.provisions {
		r.Provision(f.ClaimKey(c), node)
	}
}
