package endpoint

import (
	"strconv"
	"testing"

	"podwalk/core/api"
)

func some(n int) (list []api.EndpointAddress) {
	for i := range n {
		list = append(list, api.EndpointAddress{IP: "10.0.0." + strconv.Itoa(i)})
	}
	return list
}

// The rule is that of truncateEndpoints: at most 1,000 addresses, those that are not
// ready go first, each subset gives in proportion.
func TestAddressesAboveTheCapacityAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		ready, not         []int // by subset
		wantReady, wantNot []int
		truncated          bool
	}{
		{[]int{600, 400}, []int{0, 0}, []int{600, 400}, []int{0, 0}, false},
		{[]int{900}, []int{200}, []int{900}, []int{100}, true},
		{[]int{1500, 500}, []int{10, 10}, []int{750, 250}, []int{0, 0}, true},
		{[]int{500, 400}, []int{100, 100}, []int{500, 400}, []int{50, 50}, true},
	} {
		e := &api.Endpoints{}
		for i := range c.ready {
			e.Subsets = append(e.Subsets, api.EndpointSubset{Addresses: some(c.ready[i]), NotReadyAddresses: some(c.not[i])})
		}
		if got := truncate(e); got != c.truncated {
			t.Errorf("%v %v: truncated %v", c.ready, c.not, got)
		}
		for i, s := range e.Subsets {
			if len(s.Addresses) != c.wantReady[i] || len(s.NotReadyAddresses) != c.wantNot[i] {
				t.Errorf("%v %v: subset %d has %d and %d, want %d and %d", c.ready, c.not, i, len(s.Addresses), len(s.NotReadyAddresses), c.wantReady[i], c.wantNot[i])
			}
		}
	}
}

func TestLabelsOfTheServiceAreThoseOfTheEndpoints(t *testing.T) {
	own := map[string]string{managedBy: component}
	for _, c := range []struct {
		have, want map[string]string
		fit        bool
	}{
		{own, nil, true},
		{map[string]string{managedBy: component, headless: ""}, nil, true},
		{nil, nil, false},
		{map[string]string{managedBy: component, "a": "b"}, map[string]string{"a": "b"}, true},
		{map[string]string{managedBy: component, "a": "b"}, nil, false},
		{own, map[string]string{"a": "b"}, false},
	} {
		if labelsFit(c.have, c.want) != c.fit {
			t.Errorf("%v for %v", c.have, c.want)
		}
	}
}
