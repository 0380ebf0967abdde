package noderesourcesfit

import (
	"slices"
	"testing"

	"podwalk/core/api"
	f "podwalk/core/scheduler/framework"
)

func list(pairs ...string) map[string]api.Quantity {
	m := map[string]api.Quantity{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = api.MustQuantity(pairs[i+1])
	}
	return m
}

func TestEachShortageIsNamed(t *testing.T) {
	all := f.NewResource(list("cpu", "4", "memory", "8Gi", "ephemeral-storage", "10Gi", "pods", "10", "example.com/gpu", "2", "hugepages-2Mi", "0"))
	free := f.NewResource(list("cpu", "1", "memory", "1Gi", "ephemeral-storage", "10Gi", "pods", "10", "example.com/gpu", "0"))
	for _, c := range []struct {
		name    string
		want    map[string]api.Quantity
		pods    int64
		reasons []string
		never   bool
	}{
		{"it fits", list("cpu", "1", "memory", "1Gi"), 3, nil, false},
		{"too many pods", nil, 10, []string{"Too many pods"}, false},
		{"cpu", list("cpu", "1001m"), 0, []string{"Insufficient cpu"}, false},
		{"more cpu than the node has", list("cpu", "5"), 0, []string{"Insufficient cpu"}, true},
		{"both", list("cpu", "2", "memory", "2Gi"), 0, []string{"Insufficient cpu", "Insufficient memory"}, false},
		{"storage", list("ephemeral-storage", "11Gi"), 0, []string{"Insufficient ephemeral-storage"}, true},
		{"extended", list("example.com/gpu", "1"), 0, []string{"Insufficient example.com/gpu"}, false},
		{"extended that no node has", list("example.com/fpga", "1"), 0, []string{"Insufficient example.com/fpga"}, true},
		{"huge pages", list("hugepages-2Mi", "2Mi"), 0, []string{"Insufficient hugepages-2Mi"}, true},
		{"zero of a resource that is overcommitted", list("cpu", "0", "memory", "1Gi"), 0, nil, false},
	} {
		want := f.NewResource(c.want)
		reasons, never := Shortage(&want, &free, &all, c.pods)
		if !slices.Equal(reasons, c.reasons) || never != c.never {
			t.Errorf("%s: %q, never %t", c.name, reasons, never)
		}
	}
}

// (4000-1000)*100/4000 = 75 and (8-4)*100/8 = 50.
func TestTheScoreIsTheMeanOfTheFreeShares(t *testing.T) {
	for _, c := range []struct{ cpu, cpuCapacity, memory, memoryCapacity, score int64 }{
		{1000, 4000, 4, 8, 62}, {0, 4000, 0, 8, 100}, {5000, 4000, 4, 8, 25}, {1, 0, 4, 8, 50}, {1, 0, 1, 0, 0},
	} {
		if got := LeastAllocated(c.cpu, c.cpuCapacity, c.memory, c.memoryCapacity); got != c.score {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
