package difftest

import (
	"context"
	"math/rand"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	kubeproxyconfig "k8s.io/kubernetes/pkg/proxy/apis/config"
	realnftables "k8s.io/kubernetes/pkg/proxy/nftables"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
	"sigs.k8s.io/knftables"

	"podwalk/core/api"
	"podwalk/core/network/proxy"
	"podwalk/core/network/proxy/nftables"
)

// set puts a value into a field of the real proxier that only its own tests reach.
func set(target any, field string, value any) {
	f := reflect.ValueOf(target).Elem().FieldByName(field)
	reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
}

// fakeNFT makes a program nft that says only that it is there: the real proxier does
// not start without one.
func fakeNFT(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\ncase \"$1\" in --version) echo 'nftables v1.0.9 (Old Doc Yak #3)' ;; *) cat >/dev/null ;; esac\n"
	if err := os.WriteFile(filepath.Join(dir, "nft"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("KUBE_PROXY_NFTABLES_SKIP_KERNEL_VERSION_CHECK", "yes")
}

func realNFT(t *testing.T, services []*api.Service, slices []*api.EndpointSlice, zone string) string {
	t.Helper()
	bit := int32(14)
	cfg := &kubeproxyconfig.KubeProxyConfiguration{SyncPeriod: metav1.Duration{Duration: time.Hour}, MinSyncPeriod: metav1.Duration{Duration: time.Hour}}
	cfg.NFTables.MasqueradeBit = &bit
	p, err := realnftables.NewProxier(context.Background(), cfg, v1.IPv4Protocol, proxyutil.NewDetectLocalByCIDR(podRange), proxyNode, net.ParseIP(proxyNodeIP), nil, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	fake := knftables.NewFake(knftables.IPv4Family, "kube-proxy")
	set(p, "nftables", fake)
	p.OnServiceCIDRsChanged([]string{"10.96.0.0/12"})
	p.OnTopologyChange(map[string]string{v1.LabelTopologyZone: zone})
	for _, s := range services {
		p.OnServiceAdd(real[v1.Service](t, s))
	}
	for _, s := range slices {
		p.OnEndpointSliceAdd(real[discovery.EndpointSlice](t, s))
	}
	p.OnEndpointSlicesSynced()
	p.OnServiceSynced()
	return fake.Dump()
}

// listed turns a line of a transaction into what "nft list" prints of it: knftables
// hands over the words of kube-proxy, and nft has its own.
var listed = strings.NewReplacer(
	"mark and 0x00004000 != 0 mark set mark xor 0x00004000", "meta mark & 0x00004000 != 0x00000000 meta mark set meta mark ^ 0x00004000",
	"mark set mark or 0x00004000", "meta mark set meta mark | 0x00004000",
	"dnat ip addr . port to", "dnat ip to", " , ", ", ",
	" reject comment", " reject with icmp port-unreachable comment")

// realObjects groups what the real proxier has written: rules by chain, elements by
// set, and the heads of both. Elements and heads are sorted.
func realObjects(dump string) map[string][]string {
	l := map[string][]string{}
	for line := range strings.Lines(dump) {
		line = listed.Replace(strings.TrimSpace(line))
		word := strings.SplitN(line, " ", 6)
		if len(word) < 5 || word[0] != "add" {
			continue
		}
		kind, name, rest := word[1], word[4], ""
		if len(word) == 6 {
			rest = word[5]
		}
		switch kind {
		case "chain", "set", "map":
			head := kind + " " + rest
			head = strings.TrimSuffix(strings.TrimSuffix(strings.Replace(head, "{ ", "", 1), "}"), " ")
			l["head "+name] = append(l["head "+name], strings.TrimSpace(head))
		case "rule":
			if rest == "reject" {
				rest = "reject with icmp port-unreachable"
			}
			l["rules "+name] = append(l["rules "+name], rest)
		case "element":
			l["elements "+name] = append(l["elements "+name], strings.TrimSuffix(strings.TrimPrefix(rest, "{ "), " }"))
		}
	}
	for k, v := range l {
		if !strings.HasPrefix(k, "rules ") {
			sort.Strings(v)
		}
	}
	return l
}

// priorities are the names that nft has for numbers.
var priorities = strings.NewReplacer("priority dstnat - 10", "priority -110", "priority dstnat", "priority -100", "priority srcnat", "priority 100",
	"priority filter", "priority 0", "; policy accept;", " ;")

// ourObjects groups our table in the same way.
func ourObjects(t nftables.Table) map[string][]string {
	l := map[string][]string{}
	for _, c := range t.Chains {
		head := "chain"
		if c.Hook != "" {
			head += " " + priorities.Replace(c.Hook)
		}
		if c.Comment != "" {
			head += ` comment "` + c.Comment + `" ;`
		}
		l["head "+c.Name] = []string{head}
		if len(c.Rules) > 0 {
			l["rules "+c.Name] = c.Rules
		}
	}
	for _, s := range t.Sets {
		head := map[bool]string{true: "map", false: "set"}[s.Map] + " type " + s.Type + " ;"
		if _, timeout, ok := strings.Cut(s.Flags, "timeout\n\t\ttimeout "); ok {
			d, _ := time.ParseDuration(timeout)
			head += " flags dynamic,timeout ; timeout " + strconv.Itoa(int(d.Seconds())) + "s ;"
		}
		if s.Comment != "" {
			head += ` comment "` + s.Comment + `" ;`
		}
		l["head "+s.Name] = []string{head}
		if len(s.Elements) > 0 {
			l["elements "+s.Name] = slices.Sorted(slices.Values(s.Elements))
		}
	}
	return l
}

func TestTheTableOfNftablesIsThatOfTheRealProxier(t *testing.T) {
	fakeNFT(t)
	klog.SetLogger(klog.New(nil))
	rng := rand.New(rand.NewSource(8))
	objects, lines := 0, 0
	for round := range 100 {
		services, endpoints := randomServices(rng)
		zone := []string{"", "zone-a", "zone-b"}[rng.Intn(3)]
		want := realObjects(realNFT(t, services, endpoints, zone))
		table := proxy.NewTable("IPv4")
		for _, s := range services {
			table.Set(s.Namespace, s.Name, s, slicesOf(s, endpoints))
		}
		got := ourObjects(nftables.All(nftables.Default(proxy.Node{Name: proxyNode, IP: proxyNodeIP, Zone: zone}, podRange, "10.96.0.0/12"), table.Entries()))
		for k := range want {
			if !slices.Equal(got[k], want[k]) {
				t.Fatalf("round %d, %s:\ngot\n%s\nwant\n%s", round, k, strings.Join(got[k], "\n"), strings.Join(want[k], "\n"))
			}
			objects, lines = objects+1, lines+len(want[k])
		}
		for k := range got {
			if _, ok := want[k]; !ok {
				t.Fatalf("round %d: the real one has no %s:\n%s", round, k, strings.Join(got[k], "\n"))
			}
		}
	}
	t.Logf("%d chains, sets and maps, %d lines equal", objects, lines)
}
