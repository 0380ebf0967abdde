// Package serviceaccount gives each pod a ServiceAccount, the volume with its
// token, and the account's image pull secrets (plugin/pkg/admission/serviceaccount).
package serviceaccount

import (
	"strconv"
	"strings"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// Plugin is the rule ServiceAccount.
type Plugin struct{}

var (
	_ admission.Mutator   = Plugin{}
	_ admission.Validator = Plugin{}
)

const (
	volumePrefix = "kube-api-access-"
	// MountPath is where containers find the token.
	MountPath   = "/var/run/secrets/kubernetes.io/serviceaccount"
	mirror      = "kubernetes.io/config.mirror"
	enforceKey  = "kubernetes.io/enforce-mountable-secrets"
	defaultName = "default"
	// tokenSeconds marks tokens whose use beyond an hour is only warned about.
	tokenSeconds = 3607
)

// Name returns ServiceAccount.
func (Plugin) Name() string { return "ServiceAccount" }

// Handles creations of pods.
func (Plugin) Handles(a *admission.Attributes) bool {
	return a.Operation == admission.Create && a.Pod() != nil
}

// Admit completes the pod.
func (p Plugin) Admit(a *admission.Attributes) (bool, *api.Status) {
	pod := a.Pod()
	if _, isMirror := pod.Annotations[mirror]; isMirror {
		return false, p.Validate(a)
	}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName, pod.Spec.DeprecatedServiceAccount = defaultName, defaultName
	}
	account, refusal := find(a, pod.Spec.ServiceAccountName)
	if refusal != nil {
		return false, refusal
	}
	if automounts(account, pod) {
		mountToken(a, pod)
	}
	if len(pod.Spec.ImagePullSecrets) == 0 && len(account.ImagePullSecrets) > 0 {
		pod.Spec.ImagePullSecrets = append([]api.LocalObjectReference(nil), account.ImagePullSecrets...)
	}
	return true, p.Validate(a)
}

// Validate checks the references of a pod that is otherwise complete.
func (Plugin) Validate(a *admission.Attributes) *api.Status {
	pod := a.Pod()
	if _, isMirror := pod.Annotations[mirror]; isMirror {
		return refuseMirror(a, pod)
	}
	if pod.Spec.ServiceAccountName == "" {
		return a.Forbidden("no service account specified for pod " + a.Namespace + "/" + pod.Name)
	}
	account, refusal := find(a, pod.Spec.ServiceAccountName)
	if refusal != nil {
		return refusal
	}
	if on, _ := strconv.ParseBool(account.Annotations[enforceKey]); on {
		if why := limitSecrets(account, pod); why != "" {
			return a.Forbidden(why)
		}
	}
	return nil
}

func find(a *admission.Attributes, name string) (*api.ServiceAccount, *api.Status) {
	account, ok := a.Read.Get("ServiceAccount", a.Namespace, name).(*api.ServiceAccount)
	if !ok && name == defaultName && young(a) {
		return &api.ServiceAccount{ObjectMeta: api.ObjectMeta{Namespace: a.Namespace, Name: name}}, nil
	}
	if !ok {
		return nil, a.Forbidden("error looking up service account " + a.Namespace + "/" + name +
			": serviceaccount " + strconv.Quote(name) + " not found")
	}
	return account, nil
}

// young holds for a namespace that its controllers have not come to. The real rule
// then waits for the default account, a second or two, in which they do.
func young(a *admission.Attributes) bool {
	ns, ok := a.Read.Get("Namespace", "", a.Namespace).(*api.Namespace)
	return ok && ns.DeletionTimestamp == nil && a.Read.Get("ConfigMap", a.Namespace, "kube-root-ca.crt") == nil
}

func automounts(account *api.ServiceAccount, pod *api.Pod) bool {
	for _, choice := range []*bool{pod.Spec.AutomountServiceAccountToken, account.AutomountServiceAccountToken} {
		if choice != nil {
			return *choice
		}
	}
	return true
}

// mountToken mounts the token into each container that mounts nothing at its
// place, and adds the volume if one needs it.
func mountToken(a *admission.Attributes, pod *api.Pod) {
	name, found := tokenVolume(pod)
	if !found {
		name = volumePrefix + admission.Suffix(a.Random, a.Namespace+"/"+pod.Name+pod.GenerateName+"/token", a.Serial)
	}
	m := api.VolumeMount{Name: name, ReadOnly: true, MountPath: MountPath}
	inits := mountInto(pod.Spec.InitContainers, m)
	mains := mountInto(pod.Spec.Containers, m)
	if !found && (inits || mains) {
		pod.Spec.Volumes = append(pod.Spec.Volumes[:len(pod.Spec.Volumes):len(pod.Spec.Volumes)],
			api.Volume{Name: name, Projected: TokenSource()})
	}
}

func tokenVolume(pod *api.Pod) (string, bool) {
	for i := range pod.Spec.Volumes {
		if n := pod.Spec.Volumes[i].Name; strings.HasPrefix(n, volumePrefix) {
			return n, true
		}
	}
	return "", false
}

func mountInto(list []api.Container, m api.VolumeMount) (any bool) {
	for i := range list {
		c := &list[i]
		if !mountsAt(c, MountPath) {
			c.VolumeMounts = append(c.VolumeMounts[:len(c.VolumeMounts):len(c.VolumeMounts)], m)
			any = true
		}
	}
	return any
}

func mountsAt(c *api.Container, path string) bool {
	for i := range c.VolumeMounts {
		if c.VolumeMounts[i].MountPath == path {
			return true
		}
	}
	return false
}

// TokenSource is the projected volume of token, cluster certificate and namespace.
func TokenSource() *api.ProjectedVolumeSource {
	seconds, mode := int64(tokenSeconds), int32(0o644)
	return &api.ProjectedVolumeSource{DefaultMode: &mode, Sources: []api.VolumeProjection{
		{ServiceAccountToken: &api.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: &seconds}},
		{ConfigMap: &api.ConfigMapProjection{Name: "kube-root-ca.crt", Items: []api.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		{DownwardAPI: &api.DownwardAPIProjection{Items: []api.DownwardAPIVolumeFile{{Path: "namespace",
			FieldRef: &api.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
	}}
}
