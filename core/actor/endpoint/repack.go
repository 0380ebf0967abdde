package endpoint

import (
	"slices"
	"sort"
	"strconv"

	"podwalk/core/api"
)

// address is an address of a subset with its state.
type address struct {
	of    api.EndpointAddress
	ready bool
}

// portGroup are the addresses that offer a port.
type portGroup struct {
	port  api.EndpointPort
	none  bool // the addresses have no port
	addrs []address
	at    map[string]int
}

// Repack puts subsets into their canonical form: addresses that offer the same
// ports stand together, not ready wins over ready, and everything is in the order
// of the real controllers (pkg/api/v1/endpoints/util.go, RepackSubsets).
func Repack(subsets []api.EndpointSubset) []api.EndpointSubset {
	groups := groupByPort(subsets)
	byAddrs := map[string]*api.EndpointSubset{}
	var order []string
	for _, g := range groups {
		sort.Slice(g.addrs, func(i, j int) bool { return lessAddress(&g.addrs[i].of, &g.addrs[j].of) })
		key := addressesKey(g.addrs)
		s := byAddrs[key]
		if s == nil {
			s = subsetOf(g.addrs)
			byAddrs[key] = s
			order = append(order, key)
		}
		if !g.none {
			s.Ports = append(s.Ports, g.port)
		}
	}
	var final []api.EndpointSubset
	for _, key := range order {
		final = append(final, *byAddrs[key])
	}
	return sortSubsets(final)
}

func groupByPort(subsets []api.EndpointSubset) []*portGroup {
	var groups []*portGroup
	known, first := map[string]*portGroup{}, map[string]api.EndpointAddress{}
	for i := range subsets {
		s := &subsets[i]
		if len(s.Addresses)+len(s.NotReadyAddresses) == 0 {
			continue
		}
		ports := s.Ports
		none := len(ports) == 0
		if none {
			ports = []api.EndpointPort{{Port: -1}}
		}
		for _, p := range ports {
			key := portText(&p)
			g := known[key]
			if g == nil {
				g = &portGroup{port: p, none: none, at: map[string]int{}}
				known[key] = g
				groups = append(groups, g)
			}
			g.add(s.Addresses, true, first)
			g.add(s.NotReadyAddresses, false, first)
		}
	}
	return groups
}

// add adds addresses; one that was met before, at whatever port, is as it was first.
func (g *portGroup) add(list []api.EndpointAddress, ready bool, first map[string]api.EndpointAddress) {
	for _, a := range list {
		key := a.IP + " "
		if a.TargetRef != nil {
			key += a.TargetRef.UID
		}
		if met, ok := first[key]; ok {
			a = met
		} else {
			first[key] = a
		}
		if i, ok := g.at[key]; ok {
			g.addrs[i].ready = g.addrs[i].ready && ready
			continue
		}
		g.at[key] = len(g.addrs)
		g.addrs = append(g.addrs, address{a, ready})
	}
}

func addressesKey(list []address) string {
	b := make([]byte, 0, 64*len(list))
	for i := range list {
		b = append(b, list[i].of.IP...)
		b = append(b, ' ')
		if r := list[i].of.TargetRef; r != nil {
			b = append(b, r.UID...)
		}
		b = strconv.AppendBool(append(b, ' '), list[i].ready)
	}
	return string(b)
}

func subsetOf(list []address) *api.EndpointSubset {
	s := &api.EndpointSubset{}
	for _, a := range list {
		if a.ready {
			s.Addresses = append(s.Addresses, a.of)
		} else {
			s.NotReadyAddresses = append(s.NotReadyAddresses, a.of)
		}
	}
	return s
}

func sortSubsets(list []api.EndpointSubset) []api.EndpointSubset {
	for i := range list {
		ports := list[i].Ports
		if len(ports) > 1 {
			sort.Slice(ports, func(a, b int) bool {
				return hashText("(v1.EndpointPort)"+portText(&ports[a])) < hashText("(v1.EndpointPort)"+portText(&ports[b]))
			})
		}
	}
	if len(list) > 1 {
		slices.SortFunc(list, func(a, b api.EndpointSubset) int { return compare(hashText(subsetText(&a)), hashText(subsetText(&b))) })
	}
	return list
}

// lessAddress orders by address as text, then by the UID of the target.
func lessAddress(a, b *api.EndpointAddress) bool {
	switch {
	case a.IP != b.IP:
		return a.IP < b.IP
	case b.TargetRef == nil:
		return false
	case a.TargetRef == nil:
		return true
	}
	return a.TargetRef.UID < b.TargetRef.UID
}

func portText(p *api.EndpointPort) string {
	return "{Name:(string)" + p.Name + " Port:(int32)" + strconv.Itoa(int(p.Port)) + " Protocol:(v1.Protocol)" + p.Protocol +
		" AppProtocol:(*string)" + orNil(p.AppProtocol) + "}"
}

// subsetText is the Go form of a subset, whose hash orders subsets.
func subsetText(s *api.EndpointSubset) string {
	b := []byte("(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)")
	b = addressesText(b, s.Addresses)
	b = append(b, " NotReadyAddresses:([]v1.EndpointAddress)"...)
	b = addressesText(b, s.NotReadyAddresses)
	b = append(b, " Ports:([]v1.EndpointPort)"...)
	if s.Ports == nil {
		return string(append(b, "<nil>}"...))
	}
	for i := range s.Ports {
		b = append(b, before(i)...)
		b = append(b, portText(&s.Ports[i])...)
	}
	return string(append(b, "]}"...))
}

func addressesText(b []byte, list []api.EndpointAddress) []byte {
	if list == nil {
		return append(b, "<nil>"...)
	}
	for i := range list {
		a := &list[i]
		b = append(b, before(i)...)
		b = append(b, "{IP:(string)"+a.IP+" Hostname:(string)"+a.Hostname+" NodeName:(*string)"+orNil(a.NodeName)+" TargetRef:(*v1.ObjectReference)"...)
		if r := a.TargetRef; r == nil {
			b = append(b, "<nil>}"...)
		} else {
			b = append(b, "{Kind:(string)"+r.Kind+" Namespace:(string)"+r.Namespace+" Name:(string)"+r.Name+" UID:(types.UID)"+r.UID+
				" APIVersion:(string)"+r.APIVersion+" ResourceVersion:(string)"+r.ResourceVersion+" FieldPath:(string)"+r.FieldPath+"}}"...)
		}
	}
	return append(b, ']')
}

func before(i int) string {
	if i == 0 {
		return "["
	}
	return " "
}
