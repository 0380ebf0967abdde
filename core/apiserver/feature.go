package apiserver

import (
	"strconv"

	"podwalk/core/api"
	"podwalk/core/trace"
	"podwalk/core/validation"
)

// dropper clears the fields of features that are off by default in v1.37, and
// remembers their paths (pkg/api/pod/util.go dropDisabledFields).
type dropper struct{ dropped []trace.Detail }

// dropDisabled clears such fields of a pod or of the template of a workload.
func (c *call) dropDisabled(obj api.Object) {
	var d dropper
	switch x := obj.(type) {
	case *api.Pod:
		d.pod(&x.Spec, "spec")
	case *api.Job:
		drop(&d, &x.Spec.Scheduling, "spec.scheduling", "WorkloadWithJob")
		d.template(&x.Spec.Template, "spec.template")
	case *api.CronJob:
		drop(&d, &x.Spec.JobTemplate.Spec.Scheduling, "spec.jobTemplate.spec.scheduling", "WorkloadWithJob")
		d.template(&x.Spec.JobTemplate.Spec.Template, "spec.jobTemplate.spec.template")
	case *api.PodTemplate:
		d.template(&x.Template, "template")
	case *api.Node:
		drop(&d, &x.Spec.ConfigSource, "spec.configSource", "DynamicKubeletConfig")
	case *api.Lease:
		drop(&d, &x.Spec.Strategy, "spec.strategy", "CoordinatedLeaderElection")
		drop(&d, &x.Spec.PreferredHolder, "spec.preferredHolder", "CoordinatedLeaderElection")
	default:
		if t := templateOf(obj); t != nil {
			d.template(t, "spec.template")
		}
	}
	if len(d.dropped) > 0 && c.loud {
		c.record(trace.Record{Source: "apiserver", Stage: trace.Admitted, Verdict: trace.Changed, Reason: "FeatureDisabled", Detail: d.dropped})
	}
}

// templateOf returns the pod template of a workload that keeps pods.
func templateOf(obj api.Object) *api.PodTemplateSpec {
	switch x := obj.(type) {
	case *api.Deployment:
		return &x.Spec.Template
	case *api.ReplicaSet:
		return &x.Spec.Template
	case *api.StatefulSet:
		return &x.Spec.Template
	case *api.DaemonSet:
		return &x.Spec.Template
	case *api.ReplicationController:
		return x.Spec.Template
	}
	return nil
}

// drop clears one field if it is set.
func drop[T any](d *dropper, field **T, path, feature string) {
	if *field != nil {
		*field = nil
		d.note(path, feature)
	}
}

func (d *dropper) note(path, feature string) {
	d.dropped = append(d.dropped, trace.Detail{Name: path, Value: "dropped: the feature " + feature + " is off"})
}

func (d *dropper) template(t *api.PodTemplateSpec, path string) { d.pod(&t.Spec, path+".spec") }

func (d *dropper) pod(s *api.PodSpec, path string) {
	if s.EvictionResponders != nil {
		s.EvictionResponders = nil
		d.note(path+".evictionResponders", "EvictionRequestAPI")
	}
	drop(d, &s.SchedulingGroup, path+".schedulingGroup", "GenericWorkload")
	for i := range s.Volumes {
		d.volume(&s.Volumes[i], path+".volumes["+strconv.Itoa(i)+"]")
	}
	for _, list := range []struct {
		name string
		of   []api.Container
	}{{"initContainers", s.InitContainers}, {"containers", s.Containers}} {
		for i := range list.of {
			d.container(&list.of[i], path+"."+list.name+"["+strconv.Itoa(i)+"]")
		}
	}
}

func (d *dropper) volume(v *api.Volume, path string) {
	const users = "AtomicWriteVolumeUserFields"
	switch {
	case v.EmptyDir != nil:
		drop(d, &v.EmptyDir.Mode, path+".emptyDir.mode", "EmptyDirVolumeMode")
	case v.Secret != nil:
		drop(d, &v.Secret.DefaultUser, path+".secret.defaultUser", users)
		d.keys(v.Secret.Items, path+".secret")
	case v.ConfigMap != nil:
		drop(d, &v.ConfigMap.DefaultUser, path+".configMap.defaultUser", users)
		d.keys(v.ConfigMap.Items, path+".configMap")
	case v.DownwardAPI != nil:
		drop(d, &v.DownwardAPI.DefaultUser, path+".downwardAPI.defaultUser", users)
		d.files(v.DownwardAPI.Items, path+".downwardAPI")
	case v.Projected != nil:
		drop(d, &v.Projected.DefaultUser, path+".projected.defaultUser", users)
		for i := range v.Projected.Sources {
			d.projection(&v.Projected.Sources[i], path+".projected.sources["+strconv.Itoa(i)+"]")
		}
	}
}

// projection clears the owners of the files of the first source that is set, as
// upstream does.
func (d *dropper) projection(s *api.VolumeProjection, path string) {
	const users = "AtomicWriteVolumeUserFields"
	switch {
	case s.Secret != nil:
		d.keys(s.Secret.Items, path+".secret")
	case s.DownwardAPI != nil:
		d.files(s.DownwardAPI.Items, path+".downwardAPI")
	case s.ConfigMap != nil:
		d.keys(s.ConfigMap.Items, path+".configMap")
	case s.ServiceAccountToken != nil:
		drop(d, &s.ServiceAccountToken.User, path+".serviceAccountToken.user", users)
	case s.ClusterTrustBundle != nil:
		drop(d, &s.ClusterTrustBundle.User, path+".clusterTrustBundle.user", users)
	case s.PodCertificate != nil:
		drop(d, &s.PodCertificate.User, path+".podCertificate.user", users)
	}
}

func (d *dropper) files(items []api.DownwardAPIVolumeFile, path string) {
	for i := range items {
		drop(d, &items[i].User, path+".items["+strconv.Itoa(i)+"].user", "AtomicWriteVolumeUserFields")
	}
}

func (d *dropper) keys(items []api.KeyToPath, path string) {
	for i := range items {
		drop(d, &items[i].User, path+".items["+strconv.Itoa(i)+"].user", "AtomicWriteVolumeUserFields")
	}
}

func (d *dropper) container(c *api.Container, path string) {
	for i := range c.VolumeMounts {
		if m := &c.VolumeMounts[i]; m.BindMountOptions != nil {
			m.BindMountOptions = nil
			d.note(path+".volumeMounts["+strconv.Itoa(i)+"].bindMountOptions", "VolumeBindMountOptions")
		}
	}
	if c.Lifecycle != nil {
		given := c.Lifecycle.StopSignal != nil
		drop(d, &c.Lifecycle.StopSignal, path+".lifecycle.stopSignal", "ContainerStopSignals")
		if given && *c.Lifecycle == (api.Lifecycle{}) {
			c.Lifecycle = nil
		}
	}
	if l := c.Lifecycle; l != nil {
		d.handler(l.PostStart, path+".lifecycle.postStart")
		d.handler(l.PreStop, path+".lifecycle.preStop")
	}
	for _, p := range []struct {
		name string
		of   *api.Probe
	}{{"livenessProbe", c.LivenessProbe}, {"readinessProbe", c.ReadinessProbe}, {"startupProbe", c.StartupProbe}} {
		if p.of == nil {
			continue
		}
		if p.of.GRPC != nil {
			drop(d, &p.of.GRPC.Mode, path+"."+p.name+".grpc.mode", "GRPCContainerProbeTLS")
		}
		if p.of.HTTPGet != nil {
			drop(d, &p.of.HTTPGet.Protocol, path+"."+p.name+".httpGet.protocol", "H2CContainerProbe")
		}
	}
}

func (d *dropper) handler(h *api.LifecycleHandler, path string) {
	if h != nil && h.HTTPGet != nil {
		drop(d, &h.HTTPGet.Protocol, path+".httpGet.protocol", "H2CContainerProbe")
	}
}

const appArmorKey = "container.apparmor.security.beta.kubernetes.io/"

// syncAppArmor turns the annotations by which profiles were chosen once into
// fields (pkg/registry/core/pod/strategy.go applyAppArmorVersionSkew).
func (c *call) syncAppArmor(p *api.Pod) {
	if len(p.Annotations) == 0 || p.Spec.OS != nil && p.Spec.OS.Name == "windows" {
		return
	}
	for _, list := range [][]api.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range list {
			c.syncProfile(&list[i], p)
		}
	}
}

func (c *call) syncProfile(ctr *api.Container, p *api.Pod) {
	key := appArmorKey + ctr.Name
	annotation, ok := p.Annotations[key]
	if !ok || ctr.SecurityContext != nil && ctr.SecurityContext.AppArmorProfile != nil {
		return
	}
	var ofPod *api.AppArmorProfile
	if p.Spec.SecurityContext != nil {
		ofPod = p.Spec.SecurityContext.AppArmorProfile
	}
	profile := validation.AppArmorProfile(annotation)
	switch {
	case profile != nil && api.Equal(profile, ofPod):
		return
	case profile != nil:
		if ctr.SecurityContext == nil {
			ctr.SecurityContext = &api.SecurityContext{}
		}
		ctr.SecurityContext.AppArmorProfile = profile
	}
	c.warnings = append(c.warnings, "metadata.annotations["+key+`]: deprecated since v1.30; use the "appArmorProfile" field instead`)
}
