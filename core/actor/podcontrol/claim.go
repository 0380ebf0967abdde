package podcontrol

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/codec"
)

// Claims takes and gives up what a controller manages. One value serves one look.
type Claims struct {
	Owner      api.Object
	Selector   api.Selector
	Match      func(api.Object) bool // narrows the selector, may be nil
	Finalizers []string              // put on what is adopted, taken off what is released
	asked      bool
	refused    *api.Status
}

// Claim returns which of the candidates owner manages: those that it owns and its
// selector selects. It adopts selected ones without a controller and releases
// owned ones that are no longer selected. The error is that of the first write
// that failed; try again later.
func Claim(ctx *actor.Ctx, owner api.Object, selector *api.LabelSelector, candidates []*api.Pod) (mine []*api.Pod, err *api.Status) {
	s, bad := selector.AsSelector()
	if bad != nil {
		return nil, api.NewInternalError(bad.Error())
	}
	return (&Claims{Owner: owner, Selector: s}).Pods(ctx, candidates)
}

// Pods is One for a list of pods.
func (k *Claims) Pods(ctx *actor.Ctx, candidates []*api.Pod) (mine []*api.Pod, err *api.Status) {
	for _, p := range candidates {
		ok, st := k.One(ctx, p)
		if st != nil && err == nil {
			err = st
		}
		if ok {
			mine = append(mine, p)
		}
	}
	return mine, err
}

// One reports whether the owner manages o from now on
// (controller_ref_manager.go, ClaimObject).
func (k *Claims) One(ctx *actor.Ctx, o api.Object) (bool, *api.Status) {
	m, leaving := o.Meta(), k.Owner.Meta().DeletionTimestamp != nil
	ref := ControllerOf(o)
	switch {
	case ref != nil && ref.UID != k.Owner.Meta().UID:
		return false, nil
	case ref != nil && k.matches(o):
		return true, nil
	case leaving:
		return false, nil
	case ref != nil:
		return false, unlessGone(k.patch(ctx, o, k.releasePatch()), true)
	case m.DeletionTimestamp != nil || m.Namespace != k.Owner.Meta().Namespace || !k.matches(o):
		return false, nil
	}
	if st := k.mayAdopt(ctx, o); st != nil {
		return false, st
	}
	st := k.patch(ctx, o, k.adoptPatch())
	return st == nil, unlessGone(st, false)
}

func (k *Claims) matches(o api.Object) bool {
	return k.Selector.Matches(o.Meta().Labels) && (k.Match == nil || k.Match(o))
}

// unlessGone drops the failures that mean that there is nothing left to do.
func unlessGone(st *api.Status, releasing bool) *api.Status {
	if st != nil && (st.Reason == api.ReasonNotFound || releasing && st.Reason == api.ReasonInvalid) {
		return nil
	}
	return st
}

// mayAdopt asks the API server, once, whether the owner is still there: the cache
// may not know that it is being deleted.
func (k *Claims) mayAdopt(ctx *actor.Ctx, o api.Object) *api.Status {
	if !k.asked {
		k.asked, k.refused = true, k.ownerGone(ctx)
	}
	if k.refused == nil {
		return nil
	}
	m := o.Meta()
	return api.NewInternalError("can't adopt " + o.ObjectType().Kind + " " + m.Namespace + "/" + m.Name + " (" + m.UID + "): " + k.refused.Message)
}

func (k *Claims) ownerGone(ctx *actor.Ctx) *api.Status {
	m, t := k.Owner.Meta(), k.Owner.ObjectType()
	res := ctx.Do(api.Request{Verb: api.Get, Kind: api.KindFor(t.APIVersion, t.Kind), Namespace: m.Namespace, Name: m.Name})
	if res.Failed() {
		return res.Status
	}
	fresh := res.Object.Meta()
	switch {
	case fresh.UID != m.UID:
		return api.NewInternalError("original " + t.Kind + " " + m.Namespace + "/" + m.Name + " is gone: got uid " + fresh.UID + ", wanted " + m.UID)
	case fresh.DeletionTimestamp != nil:
		return api.NewInternalError(m.Namespace + "/" + m.Name + " has just been deleted at " + fresh.DeletionTimestamp.String())
	}
	return nil
}

func (k *Claims) patch(ctx *actor.Ctx, o api.Object, meta map[string]any) *api.Status {
	m, t := o.Meta(), o.ObjectType()
	meta["uid"] = m.UID
	return ctx.Do(api.Request{Verb: api.Patch, Kind: api.KindFor(t.APIVersion, t.Kind), Namespace: m.Namespace, Name: m.Name,
		PatchType: "application/strategic-merge-patch+json", Body: codec.ToJSON(map[string]any{"metadata": meta})}).Status
}

func (k *Claims) adoptPatch() map[string]any {
	r := OwnerRef(k.Owner)
	meta := map[string]any{"ownerReferences": []any{map[string]any{"apiVersion": r.APIVersion, "kind": r.Kind, "name": r.Name,
		"uid": r.UID, "controller": true, "blockOwnerDeletion": true}}}
	if len(k.Finalizers) > 0 {
		meta["finalizers"] = list(k.Finalizers)
	}
	return meta
}

func (k *Claims) releasePatch() map[string]any {
	meta := map[string]any{"ownerReferences": []any{map[string]any{"$patch": "delete", "uid": k.Owner.Meta().UID}}}
	if len(k.Finalizers) > 0 {
		meta["$deleteFromPrimitiveList/finalizers"] = list(k.Finalizers)
	}
	return meta
}

func list(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}
