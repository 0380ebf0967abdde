package volumezone

import (
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

func TestAVolumeIsReachedFromItsZones(t *testing.T) {
	for _, c := range []struct {
		name  string
		label map[string]string
		value string
		fits  bool
	}{
		{"the zone", map[string]string{zone: "a"}, "a", true},
		{"one of two", map[string]string{zone: "b"}, "a__b", true},
		{"another zone", map[string]string{zone: "c"}, "a__b", false},
		{"a node without labels of place", map[string]string{"x": "y"}, "a", true},
		{"a node that has only a region", map[string]string{region: "r"}, "a", false},
	} {
		n := &f.NodeInfo{}
		n.SetNode(&api.Node{ObjectMeta: api.ObjectMeta{Name: "n", Labels: c.label}})
		s := &f.State{}
		s.SetFilter(f.VolumeZone, []topology{{zone, zones(c.value)}})
		if st := (Plugin{}).Filter(s, nil, n); st.OK() != c.fits {
			t.Errorf("%s: %s", c.name, st.Message())
		}
	}
}
