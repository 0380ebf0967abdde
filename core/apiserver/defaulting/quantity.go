package defaulting

import "podwalk/core/api"

// roundUp rounds amounts up to thousandths, the finest that the API keeps
// (SetDefaults_ResourceList).
func roundUp(list map[string]api.Quantity) {
	for name, q := range list {
		if r := api.NewMilliQuantity(q.MilliValue(), q.Format()); finer(q, r) {
			list[name] = r
		}
	}
}

// finer reports whether r is q rounded up. It is not where q does not fit into
// thousandths of 64 bits.
func finer(q, r api.Quantity) bool {
	d := r.Sub(q)
	return d.Sign() > 0 && d.Cmp(api.NewMilliQuantity(1, api.DecimalSI)) < 0
}

func resources(r *api.ResourceRequirements) {
	roundUp(r.Limits)
	roundUp(r.Requests)
}

// missing returns into completed with the entries of from that it lacks.
func missing(into, from map[string]api.Quantity) map[string]api.Quantity {
	if into == nil {
		into = make(map[string]api.Quantity, len(from))
	}
	for name, q := range from {
		if _, ok := into[name]; !ok {
			into[name] = q
		}
	}
	return into
}

func limitRangeItem(l *api.LimitRangeItem) {
	if l.Type == "Container" {
		l.Default = missing(l.Default, l.Max)
		l.DefaultRequest = missing(missing(l.DefaultRequest, l.Default), l.Min)
	}
	for _, list := range []map[string]api.Quantity{l.Max, l.Min, l.Default, l.DefaultRequest, l.MaxLimitRequestRatio} {
		roundUp(list)
	}
}
