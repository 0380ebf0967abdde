package limitranger

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"podwalk/core/admission"
	"podwalk/core/admission/podsum"
	"podwalk/core/api"
)

// Validate refuses what is beyond the limits.
func (Plugin) Validate(a *admission.Attributes) *api.Status {
	for _, r := range ranges(a) {
		var bad []string
		for i := range r.Spec.Limits {
			bad = append(bad, violations(a.Object, &r.Spec.Limits[i])...)
		}
		if len(bad) > 0 {
			return a.Forbidden(aggregate(bad))
		}
	}
	return nil
}

// aggregate joins messages as utilerrors.NewAggregate does.
func aggregate(list []string) string {
	var distinct []string
	for _, m := range list {
		if !slices.Contains(distinct, m) {
			distinct = append(distinct, m)
		}
	}
	if len(distinct) == 1 {
		return distinct[0]
	}
	return "[" + strings.Join(distinct, ", ") + "]"
}

func violations(o api.Object, l *api.LimitRangeItem) (bad []string) {
	switch x := o.(type) {
	case *api.Pod:
		if l.Type == "Pod" {
			return beyond(l, podsum.Requests(&x.Spec), podsum.Limits(&x.Spec))
		}
		if l.Type != "Container" {
			return nil
		}
		for _, list := range [][]api.Container{x.Spec.Containers, x.Spec.InitContainers} {
			for i := range list {
				bad = append(bad, beyond(l, list[i].Resources.Requests, list[i].Resources.Limits)...)
			}
		}
	case *api.PersistentVolumeClaim:
		if l.Type == "PersistentVolumeClaim" {
			return ofClaim(l, x.Spec.Resources.Requests)
		}
	}
	return bad
}

func names(list podsum.List) []string { return slices.Sorted(maps.Keys(list)) }

// beyond tells which limits of an item are not kept. The real server visits the
// resources in any order.
func beyond(l *api.LimitRangeItem, requests, limits podsum.List) (bad []string) {
	add := func(text string) {
		if text != "" {
			bad = append(bad, text)
		}
	}
	for _, n := range names(l.Min) {
		add(below(l.Type, n, l.Min[n], requests, limits))
	}
	for _, n := range names(l.Max) {
		add(above(l.Type, n, l.Max[n], requests, limits))
	}
	for _, n := range names(l.MaxLimitRequestRatio) {
		add(ratio(l.Type, n, l.MaxLimitRequestRatio[n], requests, limits))
	}
	return bad
}

func ofClaim(l *api.LimitRangeItem, requests podsum.List) (bad []string) {
	for _, n := range names(l.Min) {
		if text := below(l.Type, n, l.Min[n], requests, nil); text != "" {
			bad = append(bad, text)
		}
	}
	for _, n := range names(l.Max) {
		limit, head := l.Max[n], "maximum "+n+" usage per "+l.Type+" is "
		request, ok := requests[n]
		switch {
		case !ok:
			bad = append(bad, head+limit.String()+".  No request is specified")
		case request.Cmp(limit) > 0:
			bad = append(bad, head+limit.String()+", but request is "+request.String())
		}
	}
	return bad
}

func below(kind, name string, least api.Quantity, requests, limits podsum.List) string {
	head := "minimum " + name + " usage per " + kind + " is " + least.String()
	request, ok := requests[name]
	limit, limited := limits[name]
	switch {
	case !ok:
		return head + ".  No request is specified"
	case request.Cmp(least) < 0:
		return head + ", but request is " + request.String()
	case limited && limit.Cmp(least) < 0:
		return head + ", but limit is " + limit.String()
	}
	return ""
}

func above(kind, name string, most api.Quantity, requests, limits podsum.List) string {
	head := "maximum " + name + " usage per " + kind + " is " + most.String()
	request, ok := requests[name]
	limit, limited := limits[name]
	switch {
	case !limited:
		return head + ".  No limit is specified"
	case limit.Cmp(most) > 0:
		return head + ", but limit is " + limit.String()
	case ok && request.Cmp(most) > 0:
		return head + ", but request is " + request.String()
	}
	return ""
}

func ratio(kind, name string, most api.Quantity, requests, limits podsum.List) string {
	head := name + " max limit to request ratio per " + kind + " is " + most.String() + ", but "
	request, limit := requests[name], limits[name]
	switch {
	case request.IsZero():
		return head + "no request is specified or request is 0"
	case limit.IsZero():
		return head + "no limit is specified or limit is 0"
	}
	have := float64(limit.MilliValue()) / float64(request.MilliValue())
	if have*1000 > float64(most.MilliValue()) {
		return head + "provided ratio is " + strconv.FormatFloat(have, 'f', 6, 64)
	}
	return ""
}
