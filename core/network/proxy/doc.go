// Package proxy is what the kube-proxies of a cluster know: the ports of Services
// with their endpoints, which of those a node may use, and the addresses that lead
// to them. The rules that a node writes from it are the packages below: iptables,
// nftables and ipvs. It is pure: it takes API objects and returns values.
// Start reading at Table, Port and Categorize.
package proxy
