package difftest

import (
	"encoding/json"
	"math/rand"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"
	endpointsliceutil "k8s.io/endpointslice/util"
	endpointsv1 "k8s.io/kubernetes/pkg/api/v1/endpoints"

	"podwalk/core/actor/endpoint"
	"podwalk/core/api"
)

func randomEndpointPorts(r *rand.Rand) (list []corev1.EndpointPort) {
	for range r.Intn(4) {
		p := corev1.EndpointPort{Name: []string{"", "http", "https", "dns", "metrics"}[r.Intn(5)], Port: int32(r.Intn(3)*1000 + 80),
			Protocol: []corev1.Protocol{"TCP", "UDP", "SCTP"}[r.Intn(3)]}
		if r.Intn(4) == 0 {
			app := "kubernetes.io/h2c"
			p.AppProtocol = &app
		}
		list = append(list, p)
	}
	return list
}

func randomEndpointAddresses(r *rand.Rand) (list []corev1.EndpointAddress) {
	for range r.Intn(4) {
		a := corev1.EndpointAddress{IP: "10.0.0." + strconv.Itoa(r.Intn(12))}
		if r.Intn(3) > 0 {
			node, n := "node-"+strconv.Itoa(r.Intn(3)), strconv.Itoa(r.Intn(5))
			a.NodeName, a.Hostname = &node, []string{"", "", "web-0"}[r.Intn(3)]
			a.TargetRef = &corev1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "p" + n, UID: types.UID("uid-" + n)}
		}
		list = append(list, a)
	}
	return list
}

// Ports that differ in their app protocol only are apart in the real code by
// pointer; ours by value, as the pointers of one Service's ports are.
func sharedProtocols(list []corev1.EndpointSubset) {
	app := "kubernetes.io/h2c"
	for i := range list {
		for j := range list[i].Ports {
			if list[i].Ports[j].AppProtocol != nil {
				list[i].Ports[j].AppProtocol = &app
			}
		}
	}
}

func TestSubsetsAreRepackedAsByTheRealControllers(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for n := range rounds(4000) {
		var subsets []corev1.EndpointSubset
		for range r.Intn(4) {
			subsets = append(subsets, corev1.EndpointSubset{Addresses: randomEndpointAddresses(r), NotReadyAddresses: randomEndpointAddresses(r), Ports: randomEndpointPorts(r)})
		}
		sharedProtocols(subsets)
		raw, _ := json.Marshal(subsets)
		var ours []api.EndpointSubset
		if err := json.Unmarshal(raw, &ours); err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(endpointsv1.RepackSubsets(subsets))
		got, _ := json.Marshal(endpoint.Repack(ours))
		if string(got) == "null" {
			got = []byte("[]")
		}
		if sortedJSON(t, got) != sortedJSON(t, want) {
			t.Fatalf("round %d: %s\n got %s\nwant %s", n, raw, got, want)
		}
	}
}

func sortedJSON(t *testing.T, raw []byte) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func TestPortsOfSlicesAreInTheOrderOfTheRealController(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for range rounds(2000) {
		var theirs []discoveryv1.EndpointPort
		var ours []api.EndpointSlicePort
		for _, p := range randomEndpointPorts(r) {
			theirs = append(theirs, discoveryv1.EndpointPort{Name: &p.Name, Port: &p.Port, Protocol: &p.Protocol, AppProtocol: p.AppProtocol})
			protocol := string(p.Protocol)
			ours = append(ours, api.EndpointSlicePort{Name: &p.Name, Port: &p.Port, Protocol: &protocol, AppProtocol: p.AppProtocol})
		}
		endpointsliceutil.NewPortMapKey(theirs)
		endpoint.SortSlicePorts(ours)
		want, _ := json.Marshal(theirs)
		got, _ := json.Marshal(ours)
		if sortedJSON(t, got) != sortedJSON(t, want) {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
}
