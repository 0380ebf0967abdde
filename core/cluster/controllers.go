package cluster

import (
	"podwalk/core/actor"
	"podwalk/core/api"
)

// controllers are the loops of kube-controller-manager and of the other components
// that watch the API server, in the order in which the real one starts them.
func controllers(Config) []actor.Actor {
	return []actor.Actor{}
}

// simulatedControllers names the kinds that a controller of this cluster acts on:
// the API server then leaves them alone.
func simulatedControllers() []string { return nil }

// controllerUser is the identity of a loop: the controller manager gives each a
// service account of its own (--use-service-account-credentials).
func controllerUser(name string) api.User {
	return api.User{Name: "system:serviceaccount:kube-system:" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"}}
}
