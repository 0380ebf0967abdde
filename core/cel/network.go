package cel

import (
	"errors"
	"net/netip"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

var (
	ipType   = cel.OpaqueType("net.IP")
	cidrType = cel.OpaqueType("net.CIDR")
)

func newIP(a netip.Addr) ref.Val {
	return &opaque[netip.Addr]{typ: ipType, is: a, equal: func(a, b netip.Addr) bool { return a == b },
		text: netip.Addr.String, size: func(a netip.Addr) int { return (a.BitLen() + 7) / 8 }}
}

func newCIDR(p netip.Prefix) ref.Val {
	return &opaque[netip.Prefix]{typ: cidrType, is: p, equal: func(a, b netip.Prefix) bool { return a == b },
		text: netip.Prefix.String, size: func(p netip.Prefix) int { return (p.Bits() + 7) / 8 }}
}

func parseIP(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return a, errors.New("IP Address " + strconv.Quote(s) + " parse error during conversion from string: " + err.Error())
	case a.Zone() != "":
		return a, errors.New("IP address " + strconv.Quote(s) + " with zone value is not allowed")
	case a.Is4In6():
		return a, errors.New("IPv4-mapped IPv6 address " + strconv.Quote(s) + " is not allowed")
	}
	return a, nil
}

func parseCIDR(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return p, errors.New("network address parse error during conversion from string: " + err.Error())
	case p.Addr().Is4In6():
		return p, errors.New("IPv4-mapped IPv6 address " + strconv.Quote(s) + " is not allowed")
	}
	return p, nil
}

func toIP(s string) ref.Val {
	a, err := parseIP(s)
	if err != nil {
		return types.NewErr("%v", err)
	}
	return newIP(a)
}

func toCIDR(s string) ref.Val {
	p, err := parseCIDR(s)
	if err != nil {
		return types.NewErr("network address parse error during conversion from string: %v", err)
	}
	return newCIDR(p)
}

// ipFunctions is the library ip (apiserver/pkg/cel/library/ip.go).
func ipFunctions() map[string][]cel.FunctionOpt {
	is := func(id string, f func(netip.Addr) bool) []cel.FunctionOpt {
		return member(id, args(ipType), cel.BoolType, unary(func(a netip.Addr) ref.Val { return types.Bool(f(a)) }))
	}
	return map[string][]cel.FunctionOpt{
		"ip": global("string_to_ip", args(cel.StringType), ipType, fromText(toIP)),
		"family": member("ip_family", args(ipType), cel.IntType, unary(func(a netip.Addr) ref.Val {
			if a.Is4() {
				return types.Int(4)
			}
			return types.Int(6)
		})),
		"ip.isCanonical": global("ip_is_canonical", args(cel.StringType), cel.BoolType, fromText(func(s string) ref.Val {
			a, err := parseIP(s)
			if err != nil {
				return types.NewErr("%v", err)
			}
			return types.Bool(a.String() == s)
		})),
		"isUnspecified":        is("ip_is_unspecified", netip.Addr.IsUnspecified),
		"isLoopback":           is("ip_is_loopback", netip.Addr.IsLoopback),
		"isLinkLocalMulticast": is("ip_is_link_local_multicast", netip.Addr.IsLinkLocalMulticast),
		"isLinkLocalUnicast":   is("ip_is_link_local_unicast", netip.Addr.IsLinkLocalUnicast),
		"isGlobalUnicast":      is("ip_is_global_unicast", netip.Addr.IsGlobalUnicast),
		"isIP": global("is_ip", args(cel.StringType), cel.BoolType, fromText(func(s string) ref.Val {
			_, err := parseIP(s)
			return types.Bool(err == nil)
		})),
		"string": global("ip_to_string", args(ipType), cel.StringType, unary(func(a netip.Addr) ref.Val { return types.String(a.String()) })),
	}
}

// cidrFunctions is the library cidr (apiserver/pkg/cel/library/cidr.go).
func cidrFunctions() map[string][]cel.FunctionOpt {
	return map[string][]cel.FunctionOpt{
		"cidr": global("string_to_cidr", args(cel.StringType), cidrType, fromText(toCIDR)),
		"containsIP": {
			cel.MemberOverload("cidr_contains_ip_string", args(cidrType, cel.StringType), cel.BoolType, cel.BinaryBinding(func(c, s ref.Val) ref.Val {
				return containsIP(c, toIP(string(s.(types.String))))
			})),
			cel.MemberOverload("cidr_contains_ip_ip", args(cidrType, ipType), cel.BoolType, cel.BinaryBinding(containsIP)),
		},
		"containsCIDR": {
			cel.MemberOverload("cidr_contains_cidr_string", args(cidrType, cel.StringType), cel.BoolType, cel.BinaryBinding(func(c, s ref.Val) ref.Val {
				return containsCIDR(c, toCIDR(string(s.(types.String))))
			})),
			cel.MemberOverload("cidr_contains_cidr", args(cidrType, cidrType), cel.BoolType, cel.BinaryBinding(containsCIDR)),
		},
		"ip":           member("cidr_ip", args(cidrType), ipType, unary(func(p netip.Prefix) ref.Val { return newIP(p.Addr()) })),
		"prefixLength": member("cidr_prefix_length", args(cidrType), cel.IntType, unary(func(p netip.Prefix) ref.Val { return types.Int(p.Bits()) })),
		"masked":       member("cidr_masked", args(cidrType), cidrType, unary(func(p netip.Prefix) ref.Val { return newCIDR(p.Masked()) })),
		"isCIDR": global("is_cidr", args(cel.StringType), cel.BoolType, fromText(func(s string) ref.Val {
			_, err := parseCIDR(s)
			return types.Bool(err == nil)
		})),
		"string": global("cidr_to_string", args(cidrType), cel.StringType, unary(func(p netip.Prefix) ref.Val { return types.String(p.String()) })),
	}
}

func containsIP(c, a ref.Val) ref.Val {
	p, ok := c.(*opaque[netip.Prefix])
	if !ok {
		return types.MaybeNoSuchOverloadErr(a)
	}
	ip, ok := a.(*opaque[netip.Addr])
	if !ok {
		return types.MaybeNoSuchOverloadErr(c)
	}
	return types.Bool(p.is.Contains(ip.is))
}

func containsCIDR(c, other ref.Val) ref.Val {
	p, ok := c.(*opaque[netip.Prefix])
	if !ok {
		return types.MaybeNoSuchOverloadErr(c)
	}
	q, ok := other.(*opaque[netip.Prefix])
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(p.is.Overlaps(q.is) && p.is.Bits() <= q.is.Bits())
}
