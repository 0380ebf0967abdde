package persistentvolume

import (
	"sort"
	"strconv"
	"strings"

	"podwalk/core/actor"
	"podwalk/core/actor/claim"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/trace"
)

// match returns the volume for a claim: the one that is meant for it, else the
// smallest of those with the fewest access modes; nil if there is none. A claim
// that waits for its consumer gets only a volume that is meant for it (index.go,
// and FindMatchingVolume of component-helpers/storage/volume). why is the error of
// a claim that cannot be matched at all.
func (l *look) match(c *api.PersistentVolumeClaim, delayed bool) (best *api.PersistentVolume, why string) {
	selector := api.Selector{}
	if c.Spec.Selector != nil {
		s, err := c.Spec.Selector.AsSelector()
		if err != nil {
			return nil, "error creating internal label selector for claim: " + claim.Key(c) + ": " + err.Error()
		}
		selector = s
	}
	fewest := 0
	for _, v := range l.candidates(c) {
		if v.Spec.ClaimRef != nil && !claim.Bound(v, c) || !claim.Offers(v, c) || !claim.Suits(v, c) {
			continue
		}
		if claim.Bound(v, c) {
			return v, ""
		}
		if delayed || v.Status.Phase != "Available" || !selector.Matches(v.Labels) || claim.ClassOfVolume(v) != claim.Class(c) {
			continue
		}
		n := len(v.Spec.AccessModes)
		if best == nil || n < fewest || n == fewest && best.Spec.Capacity["storage"].Cmp(v.Spec.Capacity["storage"]) > 0 {
			best, fewest = v, n
		}
	}
	return best, ""
}

// candidates returns the volumes of the claim's class and those that are meant for
// the claim, by name.
func (l *look) candidates(c *api.PersistentVolumeClaim) []*api.PersistentVolume {
	seen := map[string]bool{}
	var list []*api.PersistentVolume
	add := func(found []api.Object) {
		for _, o := range found {
			if v := l.known(o).(*api.PersistentVolume); !seen[v.Name] {
				seen[v.Name] = true
				list = append(list, v)
			}
		}
	}
	add(l.Read.ByIndex(claim.RefIndex, claim.Key(c)))
	add(l.Read.ByIndex(claim.ClassIndex, "/"+claim.Class(c)))
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// explain records why a claim gets no volume, once for each state of things.
func (l *look) explain(c *api.PersistentVolumeClaim, why string) {
	list := l.whyNot(c)
	text := why
	for _, d := range list {
		text += "\n" + d.Name + ": " + d.Value
	}
	id := claimKind + "/" + claim.Key(c)
	if said, ok := l.k.told[id]; ok && said == text {
		return
	}
	l.k.told[id] = text
	l.Record(trace.Record{Stage: trace.Volumes, Ref: actor.RefOf(c), Verdict: trace.Waiting, Reason: "NoVolume", Message: why, Detail: list})
}

// whyNot tells of each volume of the claim's class why the claim does not get it.
func (l *look) whyNot(c *api.PersistentVolumeClaim) []trace.Detail {
	var list []trace.Detail
	for _, v := range l.candidates(c) {
		why := unfit(v, c)
		switch {
		case v.Spec.ClaimRef != nil && !claim.Bound(v, c):
			why = "meant for " + claim.RefKey(v)
		case why == "" && v.Status.Phase != "Available":
			why = "phase " + v.Status.Phase
		case why == "":
			why = "does not match the selector " + api.FormatLabelSelector(c.Spec.Selector)
		}
		list = append(list, trace.Detail{Name: v.Name, Value: why})
		if len(list) == 20 {
			return append(list, trace.Detail{Name: "...", Value: "more volumes, of " + strconv.Itoa(len(l.candidates(c)))})
		}
	}
	return list
}

// csiNames are the CSI drivers that serve the volumes which Kubernetes itself used
// to serve (csi-translation-lib).
var csiNames = map[string]string{
	"kubernetes.io/aws-ebs":         "ebs.csi.aws.com",
	"kubernetes.io/azure-disk":      "disk.csi.azure.com",
	"kubernetes.io/azure-file":      "file.csi.azure.com",
	"kubernetes.io/cinder":          "cinder.csi.openstack.org",
	"kubernetes.io/gce-pd":          "pd.csi.storage.gke.io",
	"kubernetes.io/portworx-volume": "pxd.portworx.com",
	"kubernetes.io/vsphere-volume":  "csi.vsphere.vmware.com",
}

// provision asks whoever makes volumes of the claim's class for one
// (provisionClaim, provisionClaimOperationExternal).
func (l *look) provision(c *api.PersistentVolumeClaim) *api.Status {
	name := claim.Class(c)
	class := l.class(name)
	if class == nil {
		l.event(c, "Warning", "ProvisioningFailed", "storageclass.storage.k8s.io "+strconv.Quote(name)+" not found")
		return nil
	}
	by := class.Provisioner
	if csi := csiNames[by]; csi != "" {
		by = csi
	} else if strings.HasPrefix(by, "kubernetes.io/") {
		l.event(c, "Warning", "ProvisioningFailed", "no volume plugin matched name: "+by)
		return nil
	}
	id := claimKind + "/" + claim.Key(c)
	if l.Now() < l.k.asked[id] {
		return nil
	}
	now := *c
	if c.Annotations[claim.Provisioner] != by {
		now.Annotations = claim.Annotated(c.Annotations, claim.BetaProvisioner, by, claim.Provisioner, by)
		if by != class.Provisioner {
			now.Annotations[claim.MigratedTo] = by
		}
		o, st := l.keep(l.Update(&now))
		if st != nil {
			l.event(c, "Warning", "ProvisioningFailed", "Error saving claim: "+st.Message)
			return nil
		}
		now = *o.(*api.PersistentVolumeClaim)
		l.k.asked[id] = l.Now() + 10*sim.Millisecond
	}
	l.event(&now, "Normal", "ExternalProvisioning", "Waiting for a volume to be created either by the external provisioner '"+by+
		"' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.")
	return nil
}
