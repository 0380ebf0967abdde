// Package history is what the controllers with ControllerRevisions share: the text
// of a revision, its name, the look for equal ones, adoption and renumbering
// (pkg/controller/history). It never decides which revision a pod gets, nor which
// are no longer needed. Start reading at Data and List.
package history

import (
	"hash/fnv"
	"maps"
	"sort"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/store"
)

// HashLabel is the label of pods, and of the revisions of DaemonSets, that tells
// revisions apart; those of StatefulSets have RevisionLabel.
const (
	HashLabel     = "controller-revision-hash"
	RevisionLabel = "controller.kubernetes.io/hash"
)

// Data returns the text of a revision: the patch that puts the template back.
func Data(t *api.PodTemplateSpec) api.RawJSON {
	text := codec.ToJSON(t)
	head := `{"spec":{"template":{"$patch":"replace"`
	if len(text) > 2 {
		head += ","
	}
	return api.RawJSON(head + string(text[1:]) + "}}")
}

// Template returns the template that a revision puts back.
func Template(data api.RawJSON) (*api.PodTemplateSpec, bool) {
	n, err := codec.ParseJSON(data)
	if err != nil {
		return nil, false
	}
	at := n.Get("spec", "template")
	if at == nil {
		return nil, false
	}
	t := &api.PodTemplateSpec{}
	codec.Decode(at, t)
	return t, true
}

// Hash names a revision by its text and the number of collisions so far
// (HashControllerRevision); it gives the real names.
func Hash(data api.RawJSON, collisions *int32) string {
	h := fnv.New32()
	h.Write(data)
	if collisions != nil {
		h.Write([]byte(strconv.Itoa(int(*collisions))))
	}
	return podcontrol.SafeEncode(strconv.FormatUint(uint64(h.Sum32()), 10))
}

// Name joins the name of a revision's owner, cut where it is too long, and a hash.
func Name(owner, hash string) string { return owner[:min(len(owner), 223)] + "-" + hash }

// New makes a revision of an owner, whose hash stands in the label of the given key;
// it is not stored yet.
func New(owner api.Object, labels map[string]string, data api.RawJSON, number int64, key, hash string) *api.ControllerRevision {
	m := owner.Meta()
	r := &api.ControllerRevision{TypeMeta: api.TypeMeta{APIVersion: "apps/v1", Kind: "ControllerRevision"}, Data: data, Revision: number}
	r.Namespace, r.Name = m.Namespace, Name(m.Name, hash)
	r.Labels = map[string]string{}
	maps.Copy(r.Labels, labels)
	r.Labels[key] = hash
	r.Annotations = maps.Clone(m.Annotations)
	r.OwnerReferences = []api.OwnerReference{podcontrol.OwnerRef(owner)}
	return r
}

// Equal reports whether two revisions put the same template back.
func Equal(a, b api.RawJSON) bool { return string(a) == string(b) }

// List returns the revisions that an owner manages, the oldest first, adopting
// those that its selector selects and nothing manages.
func List(ctx *actor.Ctx, owner api.Object, selector api.Selector) ([]*api.ControllerRevision, *api.Status) {
	var mine []*api.ControllerRevision
	for _, o := range ctx.Read.ByIndex("revision.owner", owner.Meta().UID) {
		if selector.Matches(o.Meta().Labels) {
			mine = append(mine, o.(*api.ControllerRevision))
		}
	}
	claims := &podcontrol.Claims{Owner: owner, Selector: selector}
	for _, o := range Orphans(ctx.Read, owner.Meta().Namespace) {
		if !selector.Matches(o.Labels) {
			continue
		}
		ok, st := claims.One(ctx, o)
		if st != nil {
			return nil, st
		}
		if ok {
			mine = append(mine, o)
		}
	}
	Sort(mine)
	return mine, nil
}

// Orphans returns the revisions of a namespace that nothing manages.
func Orphans(read store.Snapshot, namespace string) []*api.ControllerRevision {
	var out []*api.ControllerRevision
	for _, o := range read.ByIndex("revision.orphan", namespace) {
		out = append(out, o.(*api.ControllerRevision))
	}
	return out
}

// Sort sorts revisions, the oldest first.
func Sort(list []*api.ControllerRevision) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case a.Revision != b.Revision:
			return a.Revision < b.Revision
		case a.CreationTimestamp != b.CreationTimestamp:
			return a.CreationTimestamp < b.CreationTimestamp
		}
		return a.Name < b.Name
	})
}

// Next is the number of the revision after these, which are sorted.
func Next(list []*api.ControllerRevision) int64 {
	if len(list) == 0 {
		return 1
	}
	return list[len(list)-1].Revision + 1
}

// Renumber makes a stored revision the newest one.
func Renumber(ctx *actor.Ctx, r *api.ControllerRevision, number int64) (*api.ControllerRevision, *api.Status) {
	if r.Revision == number {
		return r, nil
	}
	c := r.Copy().(*api.ControllerRevision)
	c.Revision = number
	res := ctx.Update(c)
	if res.Failed() {
		return nil, res.Status
	}
	return res.Object.(*api.ControllerRevision), nil
}

// Truncate deletes the oldest of the revisions that are not live until no more
// than limit of them are left; none where limit is negative.
func Truncate(ctx *actor.Ctx, list []*api.ControllerRevision, live func(*api.ControllerRevision) bool, limit int) *api.Status {
	var old []*api.ControllerRevision
	for _, r := range list {
		if !live(r) {
			old = append(old, r)
		}
	}
	if limit < 0 {
		return nil
	}
	for _, r := range old[:max(0, len(old)-limit)] {
		if res := ctx.Do(api.Request{Verb: api.Delete, Kind: api.KindNamed("ControllerRevision"), Namespace: r.Namespace, Name: r.Name}); res.Failed() {
			return res.Status
		}
	}
	return nil
}
