package proxy

// Change is a line of rules that came or went.
type Change struct {
	Added bool
	Line  string
}

// Diff compares two texts of rules line by line: what is only in the first went,
// what is only in the second came. Lines stand in the order of their texts, gone
// ones first; a line that is there twice counts twice.
func Diff(before, after []string) []Change {
	left := make(map[string]int, len(before))
	for _, l := range before {
		left[l]++
	}
	var came []Change
	for _, l := range after {
		if left[l] > 0 {
			left[l]--
			continue
		}
		came = append(came, Change{true, l})
	}
	var out []Change
	for i := len(before) - 1; i >= 0; i-- {
		if l := before[i]; left[l] > 0 {
			left[l]--
			out = append(out, Change{false, l})
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return append(out, came...)
}
