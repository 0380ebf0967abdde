package replicaset

import (
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/actor/podcontrol"
	"podwalk/core/api"
	"podwalk/core/trace"
)

// manage creates or deletes pods towards the wanted number (manageReplicas). pods
// are the active ones if they have been listed.
func (l *look) manage(active int32, pods []*api.Pod) *api.Status {
	switch diff := int(active) - int(l.s.replicas); {
	case diff < 0:
		return l.create(min(-diff, burst))
	case diff > 0:
		if pods == nil {
			_, listed, err := l.relist()
			if err != nil {
				return err
			}
			pods = listed
		}
		return l.delete(pods, min(diff, burst))
	}
	return nil
}

func (l *look) create(n int) *api.Status {
	l.note("TooFewReplicas", "need "+strconv.Itoa(int(l.s.replicas))+", creating "+strconv.Itoa(n))
	l.r.expect.ExpectCreations(l.id, n)
	created := 0
	made, err := podcontrol.SlowStart(n, func() *api.Status {
		st := l.r.control.Create(l.c, podcontrol.FromTemplate(l.s.template, l.s.object), l.s.object).Status
		if st == nil {
			created++
		}
		if podcontrol.IsNamespaceTerminating(st) {
			return nil
		}
		return st
	})
	if skipped := n - made; skipped > 0 {
		l.r.expect.CreationFailed(l.id, skipped)
	}
	l.r.expect.CreationFailed(l.id, made-created) // no pod appears in a namespace that is being deleted
	return err
}

func (l *look) delete(pods []*api.Pod, n int) *api.Status {
	l.note("TooManyReplicas", "need "+strconv.Itoa(int(l.s.replicas))+", deleting "+strconv.Itoa(n))
	if n < len(pods) {
		podcontrol.Rank(l.c, pods, l.related())
	}
	pods = pods[:min(n, len(pods))]
	uids := make([]string, len(pods))
	for i, p := range pods {
		uids[i] = p.UID
	}
	l.r.expect.ExpectDeletions(l.id, uids)
	var first *api.Status
	for _, p := range pods {
		st := l.r.control.Delete(l.c, p, l.s.object).Status
		if st == nil {
			continue
		}
		l.r.expect.DeletionFailed(l.id, p.UID)
		if st.Reason != api.ReasonNotFound && first == nil {
			first = st
		}
	}
	return first
}

// related are the pods of all sets of the same owner: of a Deployment, the old and
// the new ones (getIndirectlyRelatedPods). A set without an owner has none, so that
// crowding on a node does not count.
func (l *look) related() []*api.Pod {
	ref := podcontrol.ControllerOf(l.s.object)
	if ref == nil {
		return nil
	}
	var all []*api.Pod
	for _, sibling := range l.c.Read.ByIndex("replicaset.owner", ref.UID) {
		all = append(all, podcontrol.Owned(l.c.Read, sibling)...)
	}
	return all
}

func (l *look) note(reason, message string) {
	l.c.Cause = l.c.Record(trace.Record{Ref: actor.RefOf(l.s.object), Verdict: trace.Info, Reason: reason, Message: message})
}
