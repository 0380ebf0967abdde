// Package config reads a KubeSchedulerConfiguration: it decodes strictly, puts the
// defaults in, validates in the words of the real scheduler and works out which
// plugins each profile runs at each extension point. It knows the plugins by name
// only. Start reading at Read and Profile.
package config

import "podwalk/core/api"

// The document's place in the API (k8s.io/kube-scheduler/config/v1).
const (
	Group   = "kubescheduler.config.k8s.io"
	Version = Group + "/v1"
	Kind    = "KubeSchedulerConfiguration"
)

// KubeSchedulerConfiguration is the document as it is written.
type KubeSchedulerConfiguration struct {
	api.TypeMeta
	Parallelism               *int32                        `json:"parallelism,omitempty"`
	LeaderElection            LeaderElectionConfiguration   `json:"leaderElection"`
	ClientConnection          ClientConnectionConfiguration `json:"clientConnection"`
	EnableProfiling           *bool                         `json:"enableProfiling,omitempty"`
	EnableContentionProfiling *bool                         `json:"enableContentionProfiling,omitempty"`
	PercentageOfNodesToScore  *int32                        `json:"percentageOfNodesToScore,omitempty"`
	PodInitialBackoffSeconds  *int64                        `json:"podInitialBackoffSeconds,omitempty"`
	PodMaxBackoffSeconds      *int64                        `json:"podMaxBackoffSeconds,omitempty"`
	Profiles                  []KubeSchedulerProfile        `json:"profiles,omitempty"`
	Extenders                 []Extender                    `json:"extenders,omitempty"`
	DelayCacheUntilActive     bool                          `json:"delayCacheUntilActive,omitempty"`
}

// LeaderElectionConfiguration has no effect here: there is one scheduler.
type LeaderElectionConfiguration struct {
	LeaderElect       *bool  `json:"leaderElect"`
	LeaseDuration     string `json:"leaseDuration"`
	RenewDeadline     string `json:"renewDeadline"`
	RetryPeriod       string `json:"retryPeriod"`
	ResourceLock      string `json:"resourceLock"`
	ResourceName      string `json:"resourceName"`
	ResourceNamespace string `json:"resourceNamespace"`
}

// ClientConnectionConfiguration has no effect here: requests have no limit.
type ClientConnectionConfiguration struct {
	Kubeconfig         string  `json:"kubeconfig"`
	AcceptContentTypes string  `json:"acceptContentTypes"`
	ContentType        string  `json:"contentType"`
	QPS                float64 `json:"qps"`
	Burst              int32   `json:"burst"`
}

// KubeSchedulerProfile is a profile as it is written.
type KubeSchedulerProfile struct {
	SchedulerName            *string        `json:"schedulerName,omitempty"`
	PercentageOfNodesToScore *int32         `json:"percentageOfNodesToScore,omitempty"`
	Plugins                  *Plugins       `json:"plugins,omitempty"`
	PluginConfig             []PluginConfig `json:"pluginConfig,omitempty"`
}

// Plugins names plugins to enable and to disable at each extension point.
type Plugins struct {
	PreEnqueue         PluginSet `json:"preEnqueue,omitempty"`
	QueueSort          PluginSet `json:"queueSort,omitempty"`
	PreFilter          PluginSet `json:"preFilter,omitempty"`
	Filter             PluginSet `json:"filter,omitempty"`
	PostFilter         PluginSet `json:"postFilter,omitempty"`
	PreScore           PluginSet `json:"preScore,omitempty"`
	Score              PluginSet `json:"score,omitempty"`
	Reserve            PluginSet `json:"reserve,omitempty"`
	Permit             PluginSet `json:"permit,omitempty"`
	PreBind            PluginSet `json:"preBind,omitempty"`
	Bind               PluginSet `json:"bind,omitempty"`
	PostBind           PluginSet `json:"postBind,omitempty"`
	MultiPoint         PluginSet `json:"multiPoint,omitempty"`
	PlacementGenerate  PluginSet `json:"placementGenerate,omitempty"`
	PlacementScore     PluginSet `json:"placementScore,omitempty"`
	PodGroupPostFilter PluginSet `json:"podGroupPostFilter,omitempty"`
}

// PluginSet is what a profile changes at one extension point.
type PluginSet struct {
	Enabled  []Plugin `json:"enabled,omitempty"`
	Disabled []Plugin `json:"disabled,omitempty"`
}

// Plugin names a plugin, and its weight where it scores.
type Plugin struct {
	Name   string `json:"name"`
	Weight *int32 `json:"weight,omitempty"`
}

// PluginConfig holds the arguments of a plugin.
type PluginConfig struct {
	Name string      `json:"name"`
	Args api.RawJSON `json:"args,omitempty"`
}

// Extender is accepted and not simulated.
type Extender struct {
	URLPrefix        string                    `json:"urlPrefix"`
	FilterVerb       string                    `json:"filterVerb,omitempty"`
	PreemptVerb      string                    `json:"preemptVerb,omitempty"`
	PrioritizeVerb   string                    `json:"prioritizeVerb,omitempty"`
	Weight           int64                     `json:"weight,omitempty"`
	BindVerb         string                    `json:"bindVerb,omitempty"`
	EnableHTTPS      bool                      `json:"enableHTTPS,omitempty"`
	TLSConfig        api.RawJSON               `json:"tlsConfig,omitempty"`
	HTTPTimeout      string                    `json:"httpTimeout,omitempty"`
	NodeCacheCapable bool                      `json:"nodeCacheCapable,omitempty"`
	ManagedResources []ExtenderManagedResource `json:"managedResources,omitempty"`
	Ignorable        bool                      `json:"ignorable,omitempty"`
}

// ExtenderManagedResource is a resource that an extender looks after.
type ExtenderManagedResource struct {
	Name               string `json:"name"`
	IgnoredByScheduler bool   `json:"ignoredByScheduler,omitempty"`
}

// Args are the arguments of all plugins of a profile, the defaults put in.
type Args struct {
	Fit        NodeResourcesFitArgs
	Balanced   NodeResourcesBalancedAllocationArgs
	Affinity   NodeAffinityArgs
	Pods       InterPodAffinityArgs
	Spread     PodTopologySpreadArgs
	Preemption DefaultPreemptionArgs
	Volumes    VolumeBindingArgs
	Devices    DynamicResourcesArgs
}

// DefaultPreemptionArgs bound the search for victims.
type DefaultPreemptionArgs struct {
	api.TypeMeta
	MinCandidateNodesPercentage *int32 `json:"minCandidateNodesPercentage,omitempty"`
	MinCandidateNodesAbsolute   *int32 `json:"minCandidateNodesAbsolute,omitempty"`
}

// InterPodAffinityArgs say how terms of running pods count.
type InterPodAffinityArgs struct {
	api.TypeMeta
	HardPodAffinityWeight              *int32 `json:"hardPodAffinityWeight,omitempty"`
	IgnorePreferredTermsOfExistingPods bool   `json:"ignorePreferredTermsOfExistingPods"`
}

// NodeResourcesFitArgs say what is not asked for and how nodes rank.
type NodeResourcesFitArgs struct {
	api.TypeMeta
	IgnoredResources      []string         `json:"ignoredResources,omitempty"`
	IgnoredResourceGroups []string         `json:"ignoredResourceGroups,omitempty"`
	ScoringStrategy       *ScoringStrategy `json:"scoringStrategy,omitempty"`
}

// ScoringStrategy ranks nodes by their use.
type ScoringStrategy struct {
	Type                     string                         `json:"type,omitempty"`
	Resources                []ResourceSpec                 `json:"resources,omitempty"`
	RequestedToCapacityRatio *RequestedToCapacityRatioParam `json:"requestedToCapacityRatio,omitempty"`
}

// RequestedToCapacityRatioParam is the shape of that strategy.
type RequestedToCapacityRatioParam struct {
	Shape []UtilizationShapePoint `json:"shape,omitempty"`
}

// ResourceSpec is a resource that counts in a score.
type ResourceSpec struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight,omitempty"`
}

// UtilizationShapePoint is a score, 0 to 10, at a use in percent.
type UtilizationShapePoint struct {
	Utilization int32 `json:"utilization"`
	Score       int32 `json:"score"`
}

// PodTopologySpreadArgs hold the constraints of pods that state none.
type PodTopologySpreadArgs struct {
	api.TypeMeta
	DefaultConstraints []api.TopologySpreadConstraint `json:"defaultConstraints,omitempty"`
	DefaultingType     string                         `json:"defaultingType,omitempty"`
}

// NodeResourcesBalancedAllocationArgs name the resources to even out.
type NodeResourcesBalancedAllocationArgs struct {
	api.TypeMeta
	Resources []ResourceSpec `json:"resources,omitempty"`
}

// NodeAffinityArgs hold an affinity that every pod gets.
type NodeAffinityArgs struct {
	api.TypeMeta
	AddedAffinity *api.NodeAffinity `json:"addedAffinity,omitempty"`
}

// VolumeBindingArgs bound the binding and shape the score of capacity.
type VolumeBindingArgs struct {
	api.TypeMeta
	BindTimeoutSeconds *int64                  `json:"bindTimeoutSeconds,omitempty"`
	Shape              []UtilizationShapePoint `json:"shape,omitempty"`
}

// DynamicResourcesArgs have no effect: devices are not simulated.
type DynamicResourcesArgs struct {
	api.TypeMeta
	FilterTimeout  *string `json:"filterTimeout"`
	BindingTimeout *string `json:"bindingTimeout,omitempty"`
}
