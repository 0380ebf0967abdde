package serviceaccount

import (
	"cmp"
	"strconv"

	"podwalk/core/admission"
	"podwalk/core/api"
)

// refuseMirror checks the pod that a kubelet shows for a static pod.
func refuseMirror(a *admission.Attributes, pod *api.Pod) *api.Status {
	if pod.Spec.ServiceAccountName != "" {
		return a.Forbidden("a mirror pod may not reference service accounts")
	}
	if namesSecrets(pod) {
		return a.Forbidden("a mirror pod may not reference secrets")
	}
	for i := range pod.Spec.Volumes {
		if p := pod.Spec.Volumes[i].Projected; p != nil {
			for _, s := range p.Sources {
				if s.ServiceAccountToken != nil {
					return a.Forbidden("a mirror pod may not use ServiceAccountToken volume projections")
				}
			}
		}
	}
	return nil
}

func namesSecrets(pod *api.Pod) bool {
	if len(pod.Spec.ImagePullSecrets) > 0 {
		return true
	}
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].Secret != nil {
			return true
		}
	}
	all := func(string) bool { return false }
	return limitContainers("", pod.Spec.InitContainers, all, "") != "" ||
		limitContainers("", pod.Spec.Containers, all, "") != ""
}

// limitSecrets says which secret the pod may not use, or "".
func limitSecrets(account *api.ServiceAccount, pod *api.Pod) string {
	not := " is not allowed because service account " + account.Name + " does not reference that "
	allowed := func(name string) bool {
		for _, s := range account.Secrets {
			if s.Name == name {
				return true
			}
		}
		return false
	}
	for i := range pod.Spec.Volumes {
		if s := pod.Spec.Volumes[i].Secret; s != nil && !allowed(s.SecretName) {
			return `volume with secret.secretName="` + s.SecretName + `"` + not + "secret"
		}
	}
	if why := cmp.Or(limitContainers("init container ", pod.Spec.InitContainers, allowed, not+"secret"),
		limitContainers("container ", pod.Spec.Containers, allowed, not+"secret")); why != "" {
		return why
	}
	for i, ref := range pod.Spec.ImagePullSecrets {
		if !pulls(account, ref.Name) {
			return "imagePullSecrets[" + strconv.Itoa(i) + `].name="` + ref.Name + `"` + not + "imagePullSecret"
		}
	}
	return ""
}

func limitContainers(what string, list []api.Container, allowed func(string) bool, not string) string {
	for i := range list {
		c := &list[i]
		for _, e := range c.Env {
			if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil && !allowed(e.ValueFrom.SecretKeyRef.Name) {
				return what + c.Name + " with envVar " + e.Name + ` referencing secret.secretName="` + e.ValueFrom.SecretKeyRef.Name + `"` + not
			}
		}
		for _, e := range c.EnvFrom {
			if e.SecretRef != nil && !allowed(e.SecretRef.Name) {
				return what + c.Name + ` with envFrom referencing secret.secretName="` + e.SecretRef.Name + `"` + not
			}
		}
	}
	return ""
}

func pulls(account *api.ServiceAccount, name string) bool {
	for _, s := range account.ImagePullSecrets {
		if s.Name == name {
			return true
		}
	}
	return false
}
