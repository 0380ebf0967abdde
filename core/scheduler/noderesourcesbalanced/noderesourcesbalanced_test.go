package noderesourcesbalanced

import "testing"

// The standard deviation of two shares is half their distance.
func TestBalanceFallsWithTheDistanceOfTheShares(t *testing.T) {
	for _, c := range []struct{ cpu, cpuCapacity, memory, memoryCapacity, balance int64 }{
		{1, 4, 2, 8, 100}, {4, 4, 0, 8, 50}, {2, 4, 0, 8, 75}, {9, 4, 0, 8, 50}, {1, 0, 8, 8, 100},
	} {
		if got := Balance(c.cpu, c.cpuCapacity, c.memory, c.memoryCapacity); got != c.balance {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
