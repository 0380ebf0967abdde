// Package difftest compares Podwalk with the libraries that Kubernetes itself is
// made of. It is a module of its own, so that none of them can reach a product
// binary. Each file of tests is one part of Podwalk; known differences stand in
// one table, each with its reason.
package difftest
