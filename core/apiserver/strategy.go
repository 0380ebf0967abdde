package apiserver

import (
	"podwalk/core/api"
)

// counted lists the kinds whose metadata.generation counts changes of the spec.
var counted = []string{"Pod", "ReplicationController", "PodTemplate", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet",
	"Job", "CronJob", "HorizontalPodAutoscaler", "PodDisruptionBudget", "Ingress", "IngressClass", "NetworkPolicy", "EndpointSlice",
	"PriorityClass", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy",
	"MutatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "CustomResourceDefinition"}

// prepareCreate clears what a writer may not set on a new object and adds what the
// server does (PrepareForCreate of the strategies in pkg/registry).
func (c *call) prepareCreate(obj api.Object) {
	m := obj.Meta()
	if contains(counted, c.req.Kind.Kind) {
		m.Generation = 1
	}
	c.dropDisabled(obj)
	switch x := obj.(type) {
	case *api.Custom:
		c.prepareCustom(x)
	case *api.Pod:
		c.preparePod(x)
	case *api.Namespace:
		x.Status = api.NamespaceStatus{Phase: "Active"}
		if !contains(x.Spec.Finalizers, "kubernetes") {
			x.Spec.Finalizers = append(x.Spec.Finalizers, "kubernetes")
		}
		if x.Labels["kubernetes.io/metadata.name"] == "" {
			x.Labels = map[string]string{"kubernetes.io/metadata.name": x.Name}
		}
	case *api.Secret:
		x.Data, x.StringData = withText(x.Data, x.StringData), nil
	case *api.ServiceAccount:
		namesOnly(x.Secrets)
	case *api.Role:
		x.Rules = filledList(x.Rules)
	case *api.ClusterRole:
		x.Rules = filledList(x.Rules)
	case *api.CSINode:
		x.Spec.Drivers = filledList(x.Spec.Drivers)
	case *api.PersistentVolumeClaim:
		agreeOnSource(&x.Spec, nil)
		x.Status = api.PersistentVolumeClaimStatus{Phase: "Pending"}
		if !contains(m.Finalizers, "kubernetes.io/pvc-protection") {
			m.Finalizers = append(m.Finalizers, "kubernetes.io/pvc-protection")
		}
	case *api.VolumeAttributesClass:
		if !contains(m.Finalizers, "kubernetes.io/vac-protection") {
			m.Finalizers = append(m.Finalizers, "kubernetes.io/vac-protection")
		}
	case *api.PersistentVolume:
		now := c.time()
		x.Status = api.PersistentVolumeStatus{Phase: "Pending", LastPhaseTransitionTime: &now}
		if !contains(m.Finalizers, "kubernetes.io/pv-protection") {
			m.Finalizers = append(m.Finalizers, "kubernetes.io/pv-protection")
		}
	case *api.Job:
		x.Status = api.JobStatus{}
		c.labelJob(x)
	case *api.DaemonSet:
		x.Status = api.DaemonSetStatus{}
		setTemplateGeneration(x, 1)
	case *api.LimitRange:
		if x.Name == "" {
			x.Name = x.UID
			c.req.Name = x.Name
		}
	case *api.ResourceQuota:
		x.Status = api.ResourceQuotaStatus{}
	case *api.CustomResourceDefinition:
		x.Status = api.CustomResourceDefinitionStatus{}
		storeVersion(x)
	case *api.Node:
	case *api.EndpointSlice:
		emptySlice(x)
	case *api.Service:
		x.Status = api.ServiceStatus{}
		dropInternalPolicy(x)
	default:
		clearStatus(obj)
	}
}

// emptySlice stores empty lists as none, as etcd's form does.
func emptySlice(s *api.EndpointSlice) {
	s.Endpoints, s.Ports = filledList(s.Endpoints), filledList(s.Ports)
	for i := range s.Endpoints {
		s.Endpoints[i].DeprecatedTopology = nil
	}
}

// filledList stores an empty list as none.
func filledList[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// namesOnly leaves of the Secrets of an account their names.
func namesOnly(list []api.ObjectReference) {
	for i := range list {
		list[i] = api.ObjectReference{Name: list[i].Name}
	}
}

// agreeOnSource makes the two ways to say where a claim's data comes from say the
// same, and leaves out what was never more than ignored
// (pkg/api/persistentvolumeclaim/util.go).
func agreeOnSource(s, old *api.PersistentVolumeClaimSpec) {
	if r := s.DataSourceRef; r != nil && r.Namespace != nil && *r.Namespace != "" && (old == nil || old.DataSourceRef == nil) {
		s.DataSourceRef = nil // the feature CrossNamespaceVolumeDataSource is off
	}
	used := old != nil && (old.DataSource != nil || old.DataSourceRef != nil)
	if s.DataSourceRef == nil && !used && !isKnownSource(s.DataSource) {
		s.DataSource = nil
	}
	switch d, r := s.DataSource, s.DataSourceRef; {
	case d != nil && r == nil:
		s.DataSourceRef = &api.TypedObjectReference{APIGroup: d.APIGroup, Kind: d.Kind, Name: d.Name}
	case d == nil && r != nil && (r.Namespace == nil || *r.Namespace == ""):
		s.DataSource = &api.TypedLocalObjectReference{APIGroup: r.APIGroup, Kind: r.Kind, Name: r.Name}
	}
}

func isKnownSource(d *api.TypedLocalObjectReference) bool {
	if d == nil {
		return false
	}
	group := ""
	if d.APIGroup != nil {
		group = *d.APIGroup
	}
	return d.Kind == "PersistentVolumeClaim" && group == "" || d.Kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io"
}

// storeVersion notes the version in which the objects of a custom kind are stored
// from now on.
func storeVersion(d *api.CustomResourceDefinition) {
	for i := range d.Spec.Versions {
		if v := &d.Spec.Versions[i]; v.Storage && !contains(d.Status.StoredVersions, v.Name) {
			d.Status.StoredVersions = append(d.Status.StoredVersions[:len(d.Status.StoredVersions):len(d.Status.StoredVersions)], v.Name)
		}
	}
}

// clearStatus empties the status of an object that has one.
func clearStatus(obj api.Object) {
	if s := part(obj, "Status"); s.IsValid() {
		s.SetZero()
	}
}

// withText moves the plain values of a Secret into its data.
func withText(data map[string][]byte, text map[string]string) map[string][]byte {
	if len(text) == 0 {
		return data
	}
	all := make(map[string][]byte, len(data)+len(text))
	for k, v := range data {
		all[k] = v
	}
	for k, v := range text {
		all[k] = []byte(v)
	}
	return all
}

// keep takes over from the stored state what this kind of update cannot change
// (PrepareForUpdate of the strategies).
func (c *call) keep(obj, old api.Object) {
	if o, ok := obj.(*api.Custom); ok {
		c.keepCustom(o, old.(*api.Custom))
		return
	}
	switch c.req.Subresource {
	case "status":
		c.keepAllButStatus(obj, old)
		return
	case "resize", "ephemeralcontainers":
		keepPodPart(c.req.Subresource, obj, old)
		return
	}
	if s := part(obj, "Status"); s.IsValid() {
		s.Set(part(old, "Status"))
	}
	c.dropDisabled(obj)
	switch x := obj.(type) {
	case *api.Secret:
		x.Data, x.StringData = withText(x.Data, x.StringData), nil
	case *api.Role:
		x.Rules = filledList(x.Rules)
	case *api.ClusterRole:
		x.Rules = filledList(x.Rules)
	case *api.PersistentVolumeClaim:
		agreeOnSource(&x.Spec, &old.(*api.PersistentVolumeClaim).Spec)
	case *api.Namespace:
		if c.req.Subresource != "finalize" {
			x.Spec.Finalizers = old.(*api.Namespace).Spec.Finalizers
		}
	case *api.CustomResourceDefinition:
		storeVersion(x)
	case *api.Service:
		dropForType(x, old.(*api.Service))
	case *api.EndpointSlice:
		emptySlice(x)
	case *api.DaemonSet:
		was := old.(*api.DaemonSet)
		n := templateGeneration(was)
		if !api.Equal(&x.Spec.Template, &was.Spec.Template) {
			n++
		}
		setTemplateGeneration(x, n)
	case *api.Pod:
		if x.Spec.Resources == nil {
			x.Spec.Resources = old.(*api.Pod).Spec.Resources
		}
	}
}

// keepAllButStatus is what a status update may not touch. Pods may have their
// labels and annotations changed by it, other kinds not.
func (c *call) keepAllButStatus(obj, old api.Object) {
	given := obj.Copy()
	for _, name := range []string{"Spec", "ObjectMeta"} {
		if p := part(obj, name); p.IsValid() {
			p.Set(part(old, name))
		}
	}
	mergeStatus(obj, given, old, c.time())
}

// keepPodPart lets only the named part of a pod's spec through.
func keepPodPart(sub string, obj, old api.Object) {
	pod, ok := obj.(*api.Pod)
	if !ok {
		return
	}
	was, given := old.(*api.Pod), pod.Spec
	pod.Spec, pod.Status = was.Spec, was.Status
	pod.Labels, pod.Annotations, pod.Finalizers, pod.OwnerReferences = was.Labels, was.Annotations, was.Finalizers, was.OwnerReferences
	if sub == "ephemeralcontainers" {
		pod.Spec.EphemeralContainers = given.EphemeralContainers
		return
	}
	pod.Spec.Containers = resized(given.Containers, was.Spec.Containers)
	pod.Spec.InitContainers = resized(given.InitContainers, was.Spec.InitContainers)
	pod.Spec.Resources = given.Resources
	pod.Status.QOSClass = qosOf(&pod.Spec)
}

// resized returns the old containers with the new resources.
func resized(given, old []api.Container) []api.Container {
	if len(given) != len(old) {
		return given
	}
	out := append([]api.Container(nil), old...)
	for i := range out {
		out[i].Resources, out[i].ResizePolicy = given[i].Resources, given[i].ResizePolicy
	}
	return out
}

// specChanged reports whether an update counts as a new generation.
func specChanged(obj, old api.Object) bool {
	switch obj.(type) {
	case *api.Custom:
		return false // keepCustom has counted
	case *api.ValidatingWebhookConfiguration, *api.MutatingWebhookConfiguration:
		return !samePart(obj, old, "Webhooks")
	case *api.Deployment:
		return !samePart(obj, old, "Spec") || !api.Equal(obj.Meta().Annotations, old.Meta().Annotations)
	case *api.EndpointSlice:
		return !samePart(obj, old, "Endpoints") || !samePart(obj, old, "Ports") || !api.Equal(obj.Meta().Labels, old.Meta().Labels)
	}
	return !samePart(obj, old, "Spec")
}
