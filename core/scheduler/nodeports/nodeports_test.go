package nodeports

import (
	"testing"

	f "podwalk/core/scheduler/framework"
)

func TestAPortIsTakenByTheSamePortProtocolAndAddress(t *testing.T) {
	for _, c := range []struct {
		name         string
		wanted, used f.HostPort
		fits         bool
	}{
		{"the same", f.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: 80}, f.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: 80}, false},
		{"another port", f.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: 80}, f.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: 81}, true},
		{"another protocol", f.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: 80}, f.HostPort{IP: "0.0.0.0", Protocol: "UDP", Port: 80}, true},
		{"two addresses", f.HostPort{IP: "10.0.0.1", Protocol: "TCP", Port: 80}, f.HostPort{IP: "10.0.0.2", Protocol: "TCP", Port: 80}, true},
		{"one address and all", f.HostPort{IP: "10.0.0.1", Protocol: "TCP", Port: 80}, f.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: 80}, false},
		{"all and one address", f.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: 80}, f.HostPort{IP: "10.0.0.1", Protocol: "TCP", Port: 80}, false},
	} {
		if got := Fits([]f.HostPort{c.wanted}, []f.HostPort{c.used}); got != c.fits {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
