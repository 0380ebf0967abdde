package defaulting

import "podwalk/core/api"

// workloads completes the kinds that make pods and reports whether o is one.
func workloads(o api.Object) bool {
	switch x := o.(type) {
	case *api.Deployment:
		deployment(&x.Spec)
	case *api.ReplicaSet:
		ptr(&x.Spec.Replicas, 1)
		template(&x.Spec.Template)
	case *api.StatefulSet:
		statefulSet(&x.Spec)
	case *api.DaemonSet:
		daemonSet(&x.Spec)
	case *api.Job:
		if labels := x.Spec.Template.Labels; labels != nil && len(x.Labels) == 0 {
			x.Labels = labels
		}
		job(&x.Spec)
	case *api.CronJob:
		cronJob(&x.Spec)
	case *api.HorizontalPodAutoscaler:
		autoscaler(&x.Spec)
	default:
		return false
	}
	return true
}

func deployment(s *api.DeploymentSpec) {
	ptr(&s.Replicas, 1)
	str(&s.Strategy.Type, "RollingUpdate")
	if s.Strategy.Type == "RollingUpdate" {
		ptr(&s.Strategy.RollingUpdate, api.RollingUpdateDeployment{})
		ptr(&s.Strategy.RollingUpdate.MaxUnavailable, api.FromString("25%"))
		ptr(&s.Strategy.RollingUpdate.MaxSurge, api.FromString("25%"))
	}
	ptr(&s.RevisionHistoryLimit, 10)
	ptr(&s.ProgressDeadlineSeconds, 600)
	template(&s.Template)
}

func daemonSet(s *api.DaemonSetSpec) {
	str(&s.UpdateStrategy.Type, "RollingUpdate")
	if s.UpdateStrategy.Type == "RollingUpdate" {
		ptr(&s.UpdateStrategy.RollingUpdate, api.RollingUpdateDaemonSet{})
		ptr(&s.UpdateStrategy.RollingUpdate.MaxUnavailable, api.FromInt(1))
		ptr(&s.UpdateStrategy.RollingUpdate.MaxSurge, api.FromInt(0))
	}
	ptr(&s.RevisionHistoryLimit, 10)
	template(&s.Template)
}

func statefulSet(s *api.StatefulSetSpec) {
	str(&s.PodManagementPolicy, "OrderedReady")
	if s.UpdateStrategy.Type == "" {
		s.UpdateStrategy.Type = "RollingUpdate"
		ptr(&s.UpdateStrategy.RollingUpdate, api.RollingUpdateStatefulSetStrategy{})
	}
	if r := s.UpdateStrategy.RollingUpdate; s.UpdateStrategy.Type == "RollingUpdate" && r != nil {
		ptr(&r.Partition, 0)
		ptr(&r.MaxUnavailable, api.FromInt(1))
	}
	ptr(&s.PersistentVolumeClaimRetentionPolicy, api.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	str(&s.PersistentVolumeClaimRetentionPolicy.WhenDeleted, "Retain")
	str(&s.PersistentVolumeClaimRetentionPolicy.WhenScaled, "Retain")
	ptr(&s.Replicas, 1)
	ptr(&s.RevisionHistoryLimit, 10)
	template(&s.Template)
	for i := range s.VolumeClaimTemplates {
		c := &s.VolumeClaimTemplates[i]
		c.APIVersion, c.Kind = "v1", "PersistentVolumeClaim"
		str(&c.Status.Phase, "Pending")
		claimSpec(&c.Spec)
	}
}

func job(s *api.JobSpec) {
	if s.Completions == nil && s.Parallelism == nil {
		ptr(&s.Completions, 1)
	}
	ptr(&s.Parallelism, 1)
	if s.BackoffLimitPerIndex != nil {
		ptr(&s.BackoffLimit, 1<<31-1)
	}
	ptr(&s.BackoffLimit, 6)
	ptr(&s.CompletionMode, "NonIndexed")
	ptr(&s.Suspend, false)
	if s.PodFailurePolicy != nil {
		ptr(&s.PodReplacementPolicy, "Failed")
		for _, r := range s.PodFailurePolicy.Rules {
			for i := range r.OnPodConditions {
				str(&r.OnPodConditions[i].Status, "True")
			}
		}
	}
	ptr(&s.PodReplacementPolicy, "TerminatingOrFailed")
	ptr(&s.ManualSelector, false)
	template(&s.Template)
}

func cronJob(s *api.CronJobSpec) {
	str(&s.ConcurrencyPolicy, "Allow")
	ptr(&s.Suspend, false)
	ptr(&s.SuccessfulJobsHistoryLimit, 3)
	ptr(&s.FailedJobsHistoryLimit, 1)
	template(&s.JobTemplate.Spec.Template)
}

func autoscaler(s *api.HorizontalPodAutoscalerSpec) {
	ptr(&s.MinReplicas, 1)
	if len(s.Metrics) == 0 {
		target := int32(80)
		s.Metrics = []api.MetricSpec{{Type: "Resource", Resource: &api.ResourceMetricSource{Name: "cpu",
			Target: api.MetricTarget{Type: "Utilization", AverageUtilization: &target}}}}
	}
	if s.Behavior == nil {
		return
	}
	percent := api.HPAScalingPolicy{Type: "Percent", Value: 100, PeriodSeconds: 15}
	pods := api.HPAScalingPolicy{Type: "Pods", Value: 4, PeriodSeconds: 15}
	rules(&s.Behavior.ScaleUp, pods, percent)
	ptr(&s.Behavior.ScaleUp.StabilizationWindowSeconds, 0)
	rules(&s.Behavior.ScaleDown, percent)
}

func rules(r **api.HPAScalingRules, policies ...api.HPAScalingPolicy) {
	ptr(r, api.HPAScalingRules{})
	ptr(&(*r).SelectPolicy, "Max")
	if (*r).Policies == nil {
		(*r).Policies = policies
	}
}
