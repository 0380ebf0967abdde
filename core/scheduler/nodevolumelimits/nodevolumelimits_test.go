package nodevolumelimits

import "testing"

func TestADriverTakesSoManyVolumes(t *testing.T) {
	one, two := map[string]string{"d/1": "d"}, map[string]string{"d/1": "d", "d/2": "d"}
	for _, c := range []struct {
		name                 string
		wanted, pods, others map[string]string
		limit                int
		exceeds              bool
	}{
		{"room", one, nil, nil, 1, false},
		{"none", one, nil, nil, 0, true},
		{"a volume that is there already", one, one, nil, 1, false},
		{"one more beside it", two, one, nil, 1, true},
		{"an attachment that no pod explains", map[string]string{"d/3": "d"}, nil, one, 1, true},
		{"an attachment of a pod counts once", map[string]string{"d/3": "d"}, one, one, 2, false},
	} {
		if got := Exceeds(c.wanted, c.pods, c.others, map[string]int{"d": c.limit}); got != c.exceeds {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	if Exceeds(one, nil, nil, map[string]int{"another": 0}) {
		t.Error("a driver without a limit is limited")
	}
}
