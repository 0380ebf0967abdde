package difftest

import (
	"math/rand"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"podwalk/core/api"
)

// quantityTexts returns written quantities: all forms of a table, then random
// ones that are nearly right.
func quantityTexts() []string {
	var list []string
	numbers := strings.Fields("0 1 5 9 10 100 500 999 1000 1001 1023 1024 1025 1536 2048 4096 65536 1048576 1000000 007 010 0.5 0.1 0.25 " +
		"1.5 1.25 1.500 1.000 10.10 .5 5. . 0. .0 0.0001 0.0000000001 123456789 9223372036854775807 9223372036854775808 " +
		"18446744073709551616 123456789012345678 1234567890123456789 12345678901234567890123456789 99999999999999999999999999999.5 1.2.3 ''")
	suffixes := []string{"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", "e-3", "e+6", "e18", "e19", "e21", "e-9",
		"e-10", "e", "K", "i", "mi", "KiB", "e3e", "+3", "g", " ", "e99", "e4294967296", "e9223372036854775808"}
	for _, sign := range []string{"", "-", "+", "--", " "} {
		for _, n := range numbers {
			for _, s := range suffixes {
				list = append(list, sign+n+s)
			}
		}
	}
	r := rand.New(rand.NewSource(1))
	for range rounds(40000) {
		b := make([]byte, r.Intn(9)+1)
		for i := range b {
			b[i] = "00112345678.9999eEinumkKMGTP+-"[r.Intn(30)]
		}
		list = append(list, string(b))
	}
	return list
}

// tooCostly reports amounts on which the real library works for minutes (known
// difference quantity/huge-exponent).
func tooCostly(s string) bool {
	i := strings.IndexAny(s, "eE")
	return i >= 0 && len(strings.Trim(s[i+1:], "+-")) > 3 && !strings.HasPrefix(s[i+1:], "9223372036854775808")
}

func TestQuantityReadsAndPrintsLikeTheRealOne(t *testing.T) {
	n := 0
	for _, s := range quantityTexts() {
		if tooCostly(s) {
			continue
		}
		n++
		want, wantErr := resource.ParseQuantity(s)
		got, gotErr := api.ParseQuantity(s)
		if errText(wantErr) != errText(gotErr) {
			t.Errorf("%q: error %q, want %q", s, errText(gotErr), errText(wantErr))
			continue
		}
		if wantErr != nil {
			continue
		}
		checkQuantity(t, s, got, want)
		checkQuantity(t, "-("+s+")", got.Neg(), negated(want))
	}
	t.Log(n, "quantities compared")
}

func negated(q resource.Quantity) resource.Quantity {
	q = q.DeepCopy()
	q.Neg()
	return q
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func checkQuantity(t *testing.T, what string, got api.Quantity, want resource.Quantity) {
	t.Helper()
	negative := want.Sign() < 0 && got.Sign() < 0             // known difference quantity/negative-value
	if negative || want.Cmp(resource.MustParse("1e20")) > 0 { // known difference quantity/overflow
		comparePrinted(t, what, got, want)
		return
	}
	if got.Value() != want.Value() || got.MilliValue() != want.MilliValue() || got.Sign() != want.Sign() || got.IsZero() != want.IsZero() {
		t.Errorf("%s: value %d milli %d sign %d, want %d %d %d", what, got.Value(), got.MilliValue(), got.Sign(), want.Value(), want.MilliValue(), want.Sign())
	}
	comparePrinted(t, what, got, want)
}

func comparePrinted(t *testing.T, what string, got api.Quantity, want resource.Quantity) {
	t.Helper()
	g, _ := got.MarshalJSON()
	w, _ := want.MarshalJSON()
	if string(g) != string(w) {
		t.Errorf("%s: prints %s, want %s", what, g, w)
	}
}

func TestQuantityArithmeticEqualsTheRealOne(t *testing.T) {
	texts := quantityTexts()
	r := rand.New(rand.NewSource(2))
	n := 0
	for n < rounds(60000) {
		a, b := texts[r.Intn(len(texts))], texts[r.Intn(len(texts))]
		x, err1 := resource.ParseQuantity(a)
		y, err2 := resource.ParseQuantity(b)
		if err1 != nil || err2 != nil || tooCostly(a) || tooCostly(b) {
			continue
		}
		n++
		p, q := api.MustQuantity(a), api.MustQuantity(b)
		if p.Cmp(q) != x.Cmp(y) || p.Equal(q) != x.Equal(y) {
			t.Errorf("%s compared with %s: %d, want %d", a, b, p.Cmp(q), x.Cmp(y))
		}
		sum, difference := x.DeepCopy(), x.DeepCopy()
		sum.Add(y)
		difference.Sub(y)
		checkQuantity(t, a+" + "+b, p.Add(q), sum)
		checkQuantity(t, a+" - "+b, p.Sub(q), difference)
	}
}
