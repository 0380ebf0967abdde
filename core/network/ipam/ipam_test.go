package ipam

import "testing"

func TestAddressesRiseFromTheSecondOneAndAreReusedOnlyAfterARound(t *testing.T) {
	b, err := Parse("10.244.1.0/29")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 3 {
		var ip string
		b, ip, _ = b.Allocate()
		got = append(got, ip)
	}
	b = b.Release("10.244.1.2")
	for range 2 {
		var ip string
		b, ip, _ = b.Allocate()
		got = append(got, ip)
	}
	b, ip, _ := b.Allocate()
	got = append(got, ip)
	want := []string{"10.244.1.2", "10.244.1.3", "10.244.1.4", "10.244.1.5", "10.244.1.6", "10.244.1.2"}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("addresses %v, want %v", got, want)
		}
	}
	if _, _, err := b.Allocate(); err == nil || err.Error() != "failed to allocate for range 0: no IP addresses available in range set: 10.244.1.1-10.244.1.6" {
		t.Fatalf("exhausted range: %v", err)
	}
}

func TestABlockThatWasCopiedBeforeIsNotChanged(t *testing.T) {
	a, _ := Parse("10.244.1.0/24")
	b, _, _ := a.Allocate()
	c, _, _ := b.Allocate()
	b.Release("10.244.1.2")
	if a.Used() != 0 || b.Used() != 1 || c.Used() != 2 {
		t.Fatalf("used %d %d %d, want 0 1 2", a.Used(), b.Used(), c.Used())
	}
}

func TestARangeWithoutRoomIsRefused(t *testing.T) {
	for _, cidr := range []string{"10.0.0.0/31", "fd00::/64", "nonsense"} {
		if _, err := Parse(cidr); err == nil {
			t.Errorf("%s was accepted", cidr)
		}
	}
}

func TestABlockWithoutARangeGivesNothing(t *testing.T) {
	var b Block
	if _, _, err := b.Allocate(); err == nil || b.Gateway() != "" {
		t.Errorf("error %v, gateway %q", err, b.Gateway())
	}
	b.Release("10.244.1.2")
}
