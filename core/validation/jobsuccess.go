package validation

import (
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// maxIndexesText is how long a list of indexes may be.
const maxIndexesText = 64 * 1024

// successPolicy checks when a Job counts as done before all of it is
// (validateSuccessPolicy).
func (c *check) successPolicy(s *api.JobSpec, p *field.Path) {
	policy := s.SuccessPolicy
	switch {
	case policy == nil:
		return
	case s.CompletionMode == nil || *s.CompletionMode != "Indexed":
		c.invalid(p, internal(policy), "requires indexed completion mode")
		return
	case len(policy.Rules) == 0:
		c.required(p.Child("rules"), "at least one rules must be specified when the successPolicy is specified")
	case len(policy.Rules) > maxSuccessRules:
		c.add(field.TooMany(p.Child("rules"), len(policy.Rules), maxSuccessRules))
	}
	for i := range policy.Rules {
		c.successRule(&policy.Rules[i], s.Completions, p.Child("rules").Index(i))
	}
}

func (c *check) successRule(r *api.SuccessPolicyRule, completions *int32, p *field.Path) {
	if r.SucceededCount == nil && r.SucceededIndexes == nil {
		c.required(p, "at least one of succeededCount or succeededIndexes must be specified")
	}
	if completions == nil {
		return // told elsewhere
	}
	total := int32(0)
	if list := r.SucceededIndexes; list != nil {
		at := p.Child("succeededIndexes")
		if len(*list) > maxIndexesText {
			c.add(field.TooLong(at, "", maxIndexesText))
		}
		n, why := countIndexes(*list, *completions)
		if total = n; why != "" {
			c.invalid(at, *list, "error parsing succeededIndexes: "+why)
		}
	}
	if n := r.SucceededCount; n != nil {
		at, less := p.Child("succeededCount"), "must be less than or equal to "
		c.nonNegative(at, int64(*n))
		if *n > *completions {
			c.invalid(at, *n, less+strconv.Itoa(int(*completions))+" (the number of specified completions)")
		}
		if r.SucceededIndexes != nil && *n > total {
			c.invalid(at, *n, less+strconv.Itoa(int(total))+" (the number of indexes in the specified succeededIndexes field)")
		}
	}
}

// countIndexes counts a list such as 0,2-5, or says what is wrong with it.
func countIndexes(list string, completions int32) (total int32, why string) {
	if list == "" {
		return 0, ""
	}
	last, any := int32(0), false
	for _, part := range strings.Split(list, ",") {
		x, y, why := indexInterval(part, completions)
		switch {
		case why != "":
			return 0, why
		case any && last >= x:
			return 0, "non-increasing order, previous: " + strconv.Itoa(int(last)) + ", current: " + strconv.Itoa(int(x))
		}
		total += y - x + 1
		last, any = y, true
	}
	return total, ""
}

func indexInterval(part string, completions int32) (x, y int32, why string) {
	ends := strings.Split(part, "-")
	if len(ends) > 2 {
		return 0, 0, "the fragment " + strconv.Quote(part) + " violates the requirement that an index interval can have at most two parts separated by '-'"
	}
	for i, end := range ends {
		n, err := strconv.Atoi(end)
		switch {
		case err != nil:
			return 0, 0, "cannot convert string to integer for index: " + strconv.Quote(end)
		case n >= int(completions):
			return 0, 0, "too large index: " + strconv.Quote(end)
		case i == 0:
			x, y = int32(n), int32(n)
		default:
			if y = int32(n); x >= y {
				return 0, 0, "non-increasing order, previous: " + strconv.Itoa(int(x)) + ", current: " + strconv.Itoa(int(y))
			}
		}
	}
	return x, y, ""
}
