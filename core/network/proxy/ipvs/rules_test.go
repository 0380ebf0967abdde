package ipvs

import (
	"strings"
	"testing"

	"podwalk/core/network/proxy"
)

// The columns are those of ipvsadm's libipvs output, as in the troubleshooting guide
// for Services of kubernetes.io.
func TestVirtualServersArePrintedAsIpvsadmDoes(t *testing.T) {
	e := &proxy.Entry{Port: proxy.Port{Namespace: "default", Service: "hostnames", Protocol: "TCP", ClusterIP: "10.0.1.175", Port: 80, NodePort: 30080, Sticky: 10800},
		Endpoints: []proxy.Endpoint{{IP: "10.244.0.5", Port: 9376, Ready: true}, {IP: "10.244.0.6", Port: 9376, Ready: true}}}
	want := `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.0.1.175:80 rr persistent 10800
  -> 10.244.0.5:9376              Masq    1      0          0         
  -> 10.244.0.6:9376              Masq    1      0          0         
TCP  172.18.0.3:30080 rr persistent 10800
  -> 10.244.0.5:9376              Masq    1      0          0         
  -> 10.244.0.6:9376              Masq    1      0          0         `
	if got := strings.Join(Lines(All(proxy.Node{Name: "n", IP: "172.18.0.3"}, []*proxy.Entry{e})), "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
}
