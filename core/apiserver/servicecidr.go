package apiserver

import (
	"math/bits"
	"net/netip"
	"strconv"
	"strings"
)

// cidr is a range of service addresses.
type cidr struct {
	prefix netip.Prefix
	size   uint64 // at most 1<<62 of an IPv6 range
}

// parseCIDRs reads one range, or two of different families with a comma between;
// the first is the primary one.
func parseCIDRs(s string) (list []cidr, why string) {
	for _, text := range strings.Split(s, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(text))
		switch {
		case err != nil:
			return nil, strconv.Quote(text) + " is no range of addresses"
		case p.Addr().Is4() && (p.Bits() > 30 || p.Bits() < 8):
			return nil, strconv.Quote(text) + ": a range of service addresses has 8 to 30 bits"
		case !p.Addr().Is4() && (p.Bits() > 126 || p.Bits() < 64):
			return nil, strconv.Quote(text) + ": a range of IPv6 service addresses has 64 to 126 bits"
		}
		r := cidr{prefix: p.Masked(), size: 1 << min(62, p.Addr().BitLen()-p.Bits())}
		if len(list) == 1 && list[0].family() == r.family() {
			return nil, strconv.Quote(s) + ": two ranges must be of different families"
		}
		list = append(list, r)
	}
	if len(list) > 2 {
		return nil, strconv.Quote(s) + ": more than two ranges"
	}
	return list, ""
}

// CheckServiceCIDR says what is wrong with the ranges of service addresses, or "".
func CheckServiceCIDR(s string) string {
	_, why := parseCIDRs(s)
	return why
}

func (r cidr) family() string {
	if r.prefix.Addr().Is4() {
		return "IPv4"
	}
	return "IPv6"
}

// at returns the n-th address of the range.
func (r cidr) at(n uint64) netip.Addr {
	b := r.prefix.Addr().As16()
	var high, low uint64
	for i := range 8 {
		high, low = high<<8|uint64(b[i]), low<<8|uint64(b[8+i])
	}
	low, carry := bits.Add64(low, n, 0)
	high += carry
	for i := range 8 {
		b[i], b[8+i] = byte(high>>(56-8*i)), byte(low>>(56-8*i))
	}
	a := netip.AddrFrom16(b)
	if r.prefix.Addr().Is4() {
		return a.Unmap()
	}
	return a
}

// last is the offset of the last usable address: an IPv4 range keeps one for
// broadcasts.
func (r cidr) last() uint64 {
	if r.prefix.Addr().Is4() {
		return r.size - 2
	}
	return r.size - 1
}

// usable reports whether an address may be given to a Service.
func (r cidr) usable(a netip.Addr) bool {
	return r.prefix.Contains(a) && a != r.at(0) && (!a.Is4() || a != r.at(r.size-1))
}

// band is how many addresses at the beginning are left to those that are asked for
// (pkg/registry/core/service/ipallocator, calculateRangeOffset).
func (r cidr) band() uint64 {
	if r.size <= 16 {
		return 0
	}
	return min(max(r.size/16, 16), 256)
}

// free draws an address that is not taken: above the band while there is one, else
// in it. It returns "" if the range is full.
func (r cidr) free(taken func(string) bool, draw uint64) string {
	first := max(r.band(), 1)
	for _, part := range [][2]uint64{{first, r.last()}, {1, first - 1}} {
		if part[1] < part[0] {
			continue
		}
		n := part[1] - part[0] + 1
		for i := range n {
			if a := r.at(part[0] + (draw+i)%n).String(); !taken(a) {
				return a
			}
		}
	}
	return ""
}
