package config

import (
	"strings"
	"testing"

	"podwalk/core/codec"
)

func read(t *testing.T, text string) (*Configuration, []Problem) {
	nodes, err := codec.Read([]byte("apiVersion: " + Version + "\nkind: " + Kind + "\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	return Read(&nodes[0])
}

func names(l []Placed) string {
	var parts []string
	for _, x := range l {
		parts = append(parts, x.Name)
	}
	return strings.Join(parts, " ")
}

// What a point enables comes before what multiPoint brings, in its own order, where
// multiPoint has it too; what it disables is gone from that point only
// (framework/runtime, expandMultiPointPlugins).
func TestAPointGoesBeforeMultiPoint(t *testing.T) {
	c, bad := read(t, `profiles:
- plugins:
    multiPoint: {disabled: [{name: DynamicResources}, {name: NodeDeclaredFeatures}, {name: VolumeBinding}]}
    filter: {enabled: [{name: VolumeZone}, {name: NodeName}], disabled: [{name: NodePorts}]}
    score: {enabled: [{name: ImageLocality, weight: 9}], disabled: [{name: "*"}]}
`)
	if bad != nil {
		t.Fatal(bad)
	}
	p := &c.Profiles[0]
	if got, want := names(p.Points[Filter]), "VolumeZone NodeName NodeUnschedulable TaintToleration NodeAffinity NodeResourcesFit VolumeRestrictions NodeVolumeLimits PodTopologySpread InterPodAffinity"; got != want {
		t.Errorf("filters %s\nwant %s", got, want)
	}
	if !p.Runs("NodePorts", PreFilter) || p.Runs("NodePorts", Filter) {
		t.Error("NodePorts is to be gone from filter only")
	}
	if len(p.Points[Score]) != 1 || p.Points[Score][0] != (Placed{"ImageLocality", 9}) {
		t.Errorf("%v", p.Points[Score])
	}
}

func TestWhatHasNoEffectIsNamed(t *testing.T) {
	c, bad := read(t, "parallelism: 2\nleaderElection: {leaderElect: false, resourceName: x}\nextenders: [{urlPrefix: 'http://x'}]\nprofiles: [{plugins: {permit: {enabled: [{name: GangScheduling}]}}}]\n")
	if bad != nil {
		t.Fatal(bad)
	}
	want := "extenders is accepted and has no effect\nleaderElection is accepted and has no effect\nparallelism is accepted and has no effect\nplugin GangScheduling of profile default-scheduler has no effect"
	if got := strings.Join(c.NotSimulated, "\n"); got != want {
		t.Error(got)
	}
}
