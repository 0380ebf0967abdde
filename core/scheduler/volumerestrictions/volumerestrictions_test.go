package volumerestrictions

import (
	"testing"

	"podwalk/core/api"
)

func disk(v api.Volume) *api.Pod { return &api.Pod{Spec: api.PodSpec{Volumes: []api.Volume{v}}} }

func TestDisksThatTwoPodsCannotShare(t *testing.T) {
	gce := func(name string, readOnly bool) *api.Pod {
		return disk(api.Volume{GCEPersistentDisk: &api.GCEPersistentDiskVolumeSource{PDName: name, ReadOnly: readOnly}})
	}
	rbd := func(pool string, monitors ...string) *api.Pod {
		return disk(api.Volume{RBD: &api.RBDVolumeSource{CephMonitors: monitors, RBDPool: pool, RBDImage: "i"}})
	}
	aws := disk(api.Volume{AWSElasticBlockStore: &api.AWSElasticBlockStoreVolumeSource{VolumeID: "v"}})
	for _, c := range []struct {
		name     string
		a, b     *api.Pod
		conflict bool
	}{
		{"one disk", gce("d", false), gce("d", true), true},
		{"one disk, both only read", gce("d", true), gce("d", true), false},
		{"two disks", gce("d", false), gce("e", false), false},
		{"an EBS volume, even to read", aws, aws, true},
		{"one image behind a common monitor", rbd("p", "m1", "m2"), rbd("p", "m2"), true},
		{"other monitors", rbd("p", "m1"), rbd("p", "m2"), false},
		{"another pool", rbd("p", "m"), rbd("q", "m"), false},
	} {
		if got := Conflict(c.a, c.b); got != c.conflict {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
