package cluster

import (
	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/apiserver"
	"podwalk/core/controllers/attachdetach"
	"podwalk/core/controllers/clusterroleaggregation"
	"podwalk/core/controllers/cronjob"
	"podwalk/core/controllers/customresource"
	"podwalk/core/controllers/daemonset"
	"podwalk/core/controllers/deployment"
	"podwalk/core/controllers/disruption"
	"podwalk/core/controllers/endpoint"
	"podwalk/core/controllers/endpointslice"
	"podwalk/core/controllers/endpointslicemirroring"
	"podwalk/core/controllers/ephemeral"
	"podwalk/core/controllers/expand"
	"podwalk/core/controllers/garbagecollector"
	"podwalk/core/controllers/horizontalpodautoscaler"
	"podwalk/core/controllers/ingressnginx"
	"podwalk/core/controllers/job"
	"podwalk/core/controllers/kubernetesservice"
	"podwalk/core/controllers/namespace"
	"podwalk/core/controllers/nodelifecycle"
	"podwalk/core/controllers/persistentvolume"
	"podwalk/core/controllers/podgc"
	"podwalk/core/controllers/pvcprotection"
	"podwalk/core/controllers/pvprotection"
	"podwalk/core/controllers/replicaset"
	"podwalk/core/controllers/resourcequota"
	"podwalk/core/controllers/rootcacertpublisher"
	"podwalk/core/controllers/serviceaccount"
	"podwalk/core/controllers/servicelb"
	"podwalk/core/controllers/statefulset"
	"podwalk/core/controllers/storagedriver"
	"podwalk/core/controllers/tainteviction"
	"podwalk/core/controllers/ttl"
	"podwalk/core/controllers/ttlafterfinished"
	"podwalk/core/controllers/vacprotection"
	"podwalk/core/controllers/validatingadmissionpolicystatus"
)

// controllers are the loops of kube-controller-manager and of the other components
// that watch the API server, in the order in which the real one starts them.
func controllers(cfg Config) []actor.Actor {
	return []actor.Actor{
		expand.New(),
		storagedriver.NewResizer(),
		customresource.New(),
		validatingadmissionpolicystatus.New(),
		vacprotection.New(),
		attachdetach.New(),
		storagedriver.New(),
		storagedriver.NewAttacher(),
		tainteviction.New(),
		nodelifecycle.New(cfg.hosts()),
		serviceaccount.New(),
		rootcacertpublisher.New(),
		resourcequota.New(),
		clusterroleaggregation.New(),
		ephemeral.New(),
		disruption.New(),
		endpoint.New(cfg.Latency.Request),
		endpointslice.New(cfg.Latency.Request),
		endpointslicemirroring.New(cfg.Latency.Request),
		servicelb.New(cfg.has(servicelb.Addon)),
		ingressnginx.New(cfg.has(ingressnginx.Addon)),
		kubernetesservice.New(apiserver.KubernetesService(cfg.ServiceCIDR, cfg.apiAddress())),
		namespace.New(),
		daemonset.New(),
		garbagecollector.New(),
		podgc.New(podgc.Threshold),
		ttl.New(),
		statefulset.New(),
		persistentvolume.New(),
		pvcprotection.New(),
		pvprotection.New(),
		job.New(),
		deployment.New(),
		replicaset.New(),
		replicaset.NewForReplicationControllers(),
		horizontalpodautoscaler.New(),
		ttlafterfinished.New(),
		cronjob.New(),
	}
}

// simulatedControllers names the kinds that a controller of this cluster acts on:
// the API server then leaves them alone.
func simulatedControllers() []string {
	return []string{"CustomResourceDefinition", "CronJob", "DaemonSet", "StatefulSet", "ResourceQuota", "ServiceAccount", "PodDisruptionBudget", "Job", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Service", "Ingress"}
}

// controllerUser is the identity of a loop: the controller manager gives each a
// service account of its own (--use-service-account-credentials).
func controllerUser(name string) api.User {
	return api.User{Name: "system:serviceaccount:kube-system:" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"}}
}
