// Package ipam hands out the addresses of one range, in the order of the
// host-local plugin: rising from the last one given, round again at the end. A
// Block is a value; nothing here reads or writes anything else.
// Start reading at Block.
package ipam

import (
	"errors"
	"net/netip"
	"slices"
)

// Block is a range of IPv4 addresses and which of them are in use. The first
// address is the network's, the second the gateway's, the last the broadcast's.
type Block struct {
	prefix netip.Prefix
	last   uint32
	used   []uint32 // ascending
	whole  bool     // no gateway, no broadcast: all but the first are given out
}

// Parse makes an empty block of a CIDR such as 10.244.1.0/24.
func Parse(cidr string) (Block, error) {
	p, err := netip.ParsePrefix(cidr)
	if err != nil {
		return Block{}, err
	}
	if !p.Addr().Is4() || p.Bits() > 30 {
		return Block{}, errors.New("CIDR " + cidr + ": not an IPv4 range with room for pods")
	}
	b := Block{prefix: p.Masked()}
	b.last = b.first() - 1
	return b, nil
}

// Split cuts an empty block into blocks of a number of bits that have no gateway
// and no broadcast address of their own.
func (b Block) Split(bits int) []Block {
	if !b.prefix.IsValid() || bits < b.prefix.Bits() || bits > 30 {
		return nil
	}
	var l []Block
	for n := range uint32(1) << (bits - b.prefix.Bits()) {
		a := b.base() + n<<(32-bits)
		part := Block{prefix: netip.PrefixFrom(number4(a), bits), whole: true, last: a}
		l = append(l, part)
	}
	return l
}

// Take returns the block with one address in use, if it is free.
func (b Block) Take(offset uint32) (Block, string, bool) {
	a := b.base() + offset
	i, taken := slices.BinarySearch(b.used, a)
	if taken || a < b.first() || a > b.end() {
		return b, "", false
	}
	b.used = slices.Insert(slices.Clone(b.used), i, a)
	return b, address(a), true
}

// Bits returns the length of the prefix.
func (b Block) Bits() int { return b.prefix.Bits() }

// Size returns how many addresses the range has.
func (b Block) Size() int {
	if !b.prefix.IsValid() {
		return 0
	}
	return 1 << (32 - b.prefix.Bits())
}

// CIDR returns the range.
func (b Block) CIDR() string { return b.prefix.String() }

// Gateway returns the second address of the range.
func (b Block) Gateway() string {
	if !b.prefix.IsValid() {
		return ""
	}
	return address(b.base() + 1)
}

// Used returns how many addresses are given out.
func (b Block) Used() int { return len(b.used) }

// Allocate returns the block with one more address in use and that address. The
// error is the plugin's (containernetworking/plugins, host-local allocator.go).
func (b Block) Allocate() (Block, string, error) {
	if !b.prefix.IsValid() {
		return b, "", errors.New("no IP ranges specified")
	}
	first, end := b.first(), b.end()
	for n := first; n <= end; n++ {
		a := b.last + (n - first) + 1
		if a > end {
			a = first + (a - end - 1)
		}
		i, taken := slices.BinarySearch(b.used, a)
		if taken {
			continue
		}
		b.used = slices.Insert(slices.Clone(b.used), i, a)
		b.last = a
		return b, address(a), nil
	}
	return b, "", errors.New("failed to allocate for range 0: no IP addresses available in range set: " + address(first-1) + "-" + address(end))
}

// Release returns the block without an address; an unknown one is ignored.
func (b Block) Release(ip string) Block {
	a, err := netip.ParseAddr(ip)
	if err != nil || !a.Is4() || !b.prefix.IsValid() {
		return b
	}
	if i, ok := slices.BinarySearch(b.used, number(a)); ok {
		b.used = slices.Delete(slices.Clone(b.used), i, i+1)
	}
	return b
}

func (b Block) base() uint32 { return number(b.prefix.Addr()) }
func (b Block) first() uint32 {
	if b.whole {
		return b.base() + 1
	}
	return b.base() + 2
}

func (b Block) end() uint32 {
	if b.whole {
		return b.base() + 1<<(32-b.prefix.Bits()) - 1
	}
	return b.base() + 1<<(32-b.prefix.Bits()) - 2
}

func number(a netip.Addr) uint32 {
	q := a.As4()
	return uint32(q[0])<<24 | uint32(q[1])<<16 | uint32(q[2])<<8 | uint32(q[3])
}

func address(n uint32) string { return number4(n).String() }

func number4(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}
