package cluster

import (
	"strings"

	"podwalk/core/network/request"
	"podwalk/core/workload"
)

// outside answers for what is not simulated: any server outside the cluster takes
// connections and says nothing of itself.
type outside struct{}

// Answer is an empty page.
func (outside) Answer(req workload.Request) workload.Response {
	if req.Proto == "tcp" || req.Proto == "grpc" {
		return workload.Response{}
	}
	return workload.Response{Code: 200, Headers: []workload.Header{{Name: "Content-Type", Value: "text/html"}}}
}

// apiFace is the API server as a program without credentials sees it.
type apiFace struct{}

// Answer refuses all but the few paths that are open to everybody.
func (apiFace) Answer(req workload.Request) workload.Response {
	if req.Proto != "https" {
		return workload.Response{Code: 400, Body: "Client sent an HTTP request to an HTTPS server.\n"}
	}
	path, _, _ := strings.Cut(req.Path, "?")
	switch path {
	case "/healthz", "/livez", "/readyz":
		return workload.Response{Code: 200, Body: "ok", Headers: []workload.Header{{Name: "Content-Type", Value: "text/plain; charset=utf-8"}}}
	case "/version":
		return workload.Response{Code: 200, Body: "{\n  \"major\": \"1\",\n  \"minor\": \"37\",\n  \"gitVersion\": \"v1.37.2\"\n}",
			Headers: []workload.Header{{Name: "Content-Type", Value: "application/json"}}}
	}
	return workload.Response{Code: 403, Headers: []workload.Header{{Name: "Content-Type", Value: "application/json"}},
		Body: "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n  \"status\": \"Failure\",\n  \"message\": \"forbidden: User \\\"system:anonymous\\\" cannot get path \\\"" +
			path + "\\\"\",\n  \"reason\": \"Forbidden\",\n  \"details\": {},\n  \"code\": 403\n}"}
}

// isAPIServer reports whether a route ends at the API server.
func (n *network) isAPIServer(r *request.Route) bool {
	return r.Port == 6443 && r.To != nil && r.To.Name == "" && r.To.Node != "" && r.Service == "default/kubernetes:https"
}

// isPublic guesses whether a name is one of the Internet.
func isPublic(name string) bool {
	i := strings.LastIndexByte(name, '.')
	return i > 0 && strings.Contains(publicDomains, " "+strings.ToLower(name[i+1:])+" ")
}
