package endpointslice

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"podwalk/core/actor"
	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// overload is the most that one endpoint may be asked above its share.
const overload = 0.2

// topology spreads the endpoints of Services over the zones by their CPUs, for
// Services annotated with topology-mode Auto (endpointslice/topologycache).
type topology struct {
	fresh     bool // ratios have been counted
	stale     bool // nodes have changed since
	ratios    map[string]float64
	zones     map[serviceType]map[string]int // hints given, by zone; never changed once stored
	populated map[sim.Key]bool
}

// serviceType is a Service with the type of its addresses.
type serviceType struct {
	service sim.Key
	kind    string
}

func (t *topology) clone() topology {
	c := *t
	c.zones, c.populated = maps.Clone(t.zones), maps.Clone(t.populated)
	return c
}

// placesChanged reports whether a node came, went, changed its zone or its
// readiness.
func placesChanged(ch store.Change) bool {
	old, ok := ch.Old.(*api.Node)
	now, also := ch.New.(*api.Node)
	return !ok || !also || nodeReady(old) != nodeReady(now) || zoneOf(old) != zoneOf(now)
}

func zoneOf(n *api.Node) string { return n.Labels["topology.kubernetes.io/zone"] }

func nodeReady(n *api.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" {
			return c.Status == "True"
		}
	}
	return false
}

// count works out the share of each zone in the CPUs of the ready workers. There
// are none where a node has no zone, or all are in one.
func (t *topology) count(read store.Snapshot) {
	if t.fresh && !t.stale {
		return
	}
	t.fresh, t.stale, t.ratios = true, false, nil
	cpus, total, enough := map[string]int64{}, int64(0), true
	read.Each("Node", "", func(o api.Object) bool {
		n := o.(*api.Node)
		_, plane := n.Labels["node-role.kubernetes.io/control-plane"]
		_, master := n.Labels["node-role.kubernetes.io/master"]
		if plane || master || !nodeReady(n) {
			return true
		}
		cpu := n.Status.Allocatable["cpu"]
		milli := cpu.MilliValue()
		if enough = zoneOf(n) != "" && milli > 0; !enough {
			return false
		}
		cpus[zoneOf(n)] += milli
		total += milli
		return true
	})
	if !enough || len(cpus) < 2 {
		return
	}
	t.ratios = map[string]float64{}
	for zone, cpu := range cpus {
		t.ratios[zone] = float64(cpu) / float64(total)
	}
}

// overloaded are the Services that have too few endpoints for a zone since the
// nodes changed.
func (t *topology) overloaded(read store.Snapshot) []sim.Key {
	if len(t.zones) == 0 {
		return nil
	}
	t.count(read)
	found := map[sim.Key]bool{}
	for h, zones := range t.zones {
		if t.isOverloaded(zones) {
			found[h.service] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b sim.Key) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
}

func (t *topology) isOverloaded(zones map[string]int) bool {
	if len(zones) == 0 {
		return false
	}
	total := 0
	for _, n := range zones {
		total += n
	}
	for zone, ratio := range t.ratios {
		n, ok := zones[zone]
		if !ok || n < int(math.Ceil(float64(total)*ratio*(1/(1+overload)))) {
			return true
		}
	}
	return len(t.ratios) == 0
}

// removeHints forgets the hints of a Service.
func (t *topology) removeHints(k sim.Key, kind string) {
	delete(t.zones, serviceType{k, kind})
	delete(t.populated, k)
}

func (t *topology) forget(k sim.Key) {
	t.removeHints(k, "IPv4")
	t.removeHints(k, "IPv6")
}

// share is how many endpoints a zone should have.
type share struct {
	most    int
	desired float64
}

// shares returns the share of each zone, or why there can be none.
func (t *topology) shares(endpoints int) (map[string]share, string) {
	count := " (" + strconv.Itoa(endpoints) + " endpoints, " + strconv.Itoa(len(t.ratios)) + " zones)"
	switch {
	case t.ratios == nil:
		return nil, "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"
	case len(t.ratios) < 2:
		return nil, "Nodes only ready in one zone"
	case len(t.ratios) > endpoints:
		return nil, "Insufficient number of endpoints" + count
	}
	least := map[string]int{}
	all := map[string]share{}
	sum := 0
	for zone, ratio := range t.ratios {
		desired := ratio * float64(endpoints)
		least[zone] = int(math.Ceil(desired * (1 / (1 + overload))))
		all[zone] = share{desired: math.Max(desired, float64(least[zone]))}
		sum += least[zone]
	}
	if sum > endpoints {
		return nil, "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold" + count
	}
	for zone, s := range all {
		s.most = least[zone] + endpoints - sum
		all[zone] = s
	}
	return all, ""
}

func topologyEvent(kind, reason, message, addresses string) actor.Event {
	return actor.Event{Type: kind, Reason: reason, Message: message + ", addressType: " + addresses, Component: "endpoint-slice-controller"}
}

// addHints gives each ready endpoint a zone: its own, or that of a zone with too
// few.
func (t *topology) addHints(r *reconciler, p *plan, kind string, rest []*api.EndpointSlice) []actor.Event {
	t.count(r.ctx.Read)
	total := 0
	for _, s := range slices.Concat(p.create, p.update, rest) {
		for i := range s.Endpoints {
			if isReady(&s.Endpoints[i]) {
				total++
			}
		}
	}
	refuse := func(why string) []actor.Event {
		t.removeHints(r.key, kind)
		removeHints(p, unchanged(rest, p))
		return []actor.Event{topologyEvent("Warning", "TopologyAwareHintsDisabled", why, kind)}
	}
	shares, why := t.shares(total)
	if why != "" {
		return refuse(why)
	}
	given := keepHints(p, rest, shares)
	if !sameZone(p, given) {
		return refuse("One or more endpoints do not have a zone specified")
	}
	redistribute(p, shares, given)
	if len(given) == 0 {
		return refuse("No hints allocated for zones")
	}
	was := t.populated[r.key]
	if t.zones == nil {
		t.zones, t.populated = map[serviceType]map[string]int{}, map[sim.Key]bool{}
	}
	t.zones[serviceType{r.key, kind}], t.populated[r.key] = given, true
	if was {
		return nil
	}
	return []actor.Event{topologyEvent("Normal", "TopologyAwareHintsEnabled", "Topology Aware Hints has been enabled", kind)}
}

// keepHints counts the hints of slices that stay as they are; those whose hints do
// not fit any more are updated (getAllocatedHintsByZone).
func keepHints(p *plan, rest []*api.EndpointSlice, shares map[string]share) map[string]int {
	given := map[string]int{}
	for _, s := range rest {
		zones := hintsOf(s, given, shares)
		if zones == nil {
			c := *s
			p.update = append(p.update, &c)
			continue
		}
		for zone, n := range zones {
			given[zone] += n
		}
	}
	return given
}

func hintsOf(s *api.EndpointSlice, given map[string]int, shares map[string]share) map[string]int {
	zones := map[string]int{}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if !isReady(e) {
			continue
		}
		if e.Hints == nil || len(e.Hints.ForZones) == 0 {
			return nil
		}
		for _, z := range e.Hints.ForZones {
			if _, ok := shares[z.Name]; !ok {
				return nil
			}
			zones[z.Name]++
		}
	}
	for zone, n := range zones {
		if n+given[zone] > shares[zone].most {
			return nil
		}
	}
	return zones
}

// sameZone hints each endpoint of the plan to its own zone.
func sameZone(p *plan, given map[string]int) bool {
	for _, s := range slices.Concat(p.create, p.update) {
		s.Endpoints = slices.Clone(s.Endpoints)
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			if !isReady(e) {
				continue
			}
			if e.Zone == nil || *e.Zone == "" {
				return false
			}
			given[*e.Zone]++
			e.Hints = &api.EndpointHints{ForZones: []api.ForZone{{Name: *e.Zone}}}
		}
	}
	return true
}

// redistribute hints endpoints of zones with too many to zones with too few.
func redistribute(p *plan, shares map[string]share, given map[string]int) {
	giving, receiving := balance(shares, given)
	for _, s := range slices.Concat(p.create, p.update) {
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			if !isReady(e) || e.Zone == nil || giving[*e.Zone] == 0 || len(receiving) == 0 {
				continue
			}
			to := slices.Sorted(maps.Keys(receiving))[0]
			e.Hints = &api.EndpointHints{ForZones: []api.ForZone{{Name: to}}}
			take(giving, *e.Zone)
			take(receiving, to)
			given[to]++
			given[*e.Zone]--
		}
	}
}

func take(m map[string]int, zone string) {
	if m[zone]--; m[zone] == 0 {
		delete(m, zone)
	}
}

// balance returns how many endpoints each zone gives and receives
// (getGivingAndReceivingZones).
func balance(shares map[string]share, given map[string]int) (giving, receiving map[string]int) {
	give, receive := map[string]float64{}, map[string]float64{}
	for zone, s := range shares {
		if d := float64(given[zone]) - s.desired; d > 0 {
			give[zone] = d
		} else if d < 0 {
			receive[zone] = -d
		}
	}
	giving, receiving = map[string]int{}, map[string]int{}
	for {
		from, n := greatest(give)
		to, m := greatest(receive)
		if from == "" || to == "" || n < 1 && m < 1 || n < 0.5 || m < 0.5 {
			return giving, receiving
		}
		giving[from]++
		give[from]--
		receiving[to]++
		receive[to]--
	}
}

func greatest(zones map[string]float64) (zone string, most float64) {
	for _, z := range slices.Sorted(maps.Keys(zones)) {
		if zones[z] > most {
			zone, most = z, zones[z]
		}
	}
	return zone, most
}
