package api

import (
	"encoding/json"
	"testing"
)

// The canonical forms follow apimachinery/pkg/api/resource; core/difftest
// compares many more with that library.
func TestQuantityPrintsTheCanonicalForm(t *testing.T) {
	for in, want := range map[string]string{
		"1000m": "1", "0.5Gi": "512Mi", "1.5Gi": "1536Mi", "1e3": "1e3", "100m": "100m", "0": "0", "0.0": "0",
		"1024Mi": "1Gi", "1025Mi": "1025Mi", "2048": "2048", "1500M": "1500M", "0.1": "100m", "1.5": "1500m",
		"0.1m": "100u", "1e-10": "1e-9", "0.0000000001": "1n", "-1.5": "-1500m", "100Ei": "9223372036854775807",
		"1E": "1E", "1000000": "1M", "12E6": "12E6", "1.500": "1.500", "+1": "+1", "1000E": "1",
		"123456789012345678901234567890": "123456789012345678901234567890", "0.5Ki": "512", "1.1Ki": "1126400m",
	} {
		q, err := ParseQuantity(in)
		if err != nil || q.String() != want {
			t.Errorf("%s prints %q (%v), want %q", in, q, err, want)
		}
	}
}

func TestQuantityErrorsAreUpstreams(t *testing.T) {
	for in, want := range map[string]error{
		"": ErrQuantityFormat, "abc": ErrQuantityFormat, "1.5.5": ErrQuantityFormat, "1 Gi": ErrQuantityFormat,
		"1gb": ErrQuantityFormat, "1Gib": ErrQuantityFormat, "5GiGi": ErrQuantitySuffix, "1K": ErrQuantitySuffix,
		"1E+": ErrQuantitySuffix, ".Ei": ErrQuantityNumeric, "10mm": ErrQuantitySuffix,
	} {
		if _, err := ParseQuantity(in); err != want {
			t.Errorf("%q: %v, want %v", in, err, want)
		}
	}
}

func TestQuantityReadsJSONStringsAndNumbers(t *testing.T) {
	var list []Quantity
	if err := json.Unmarshal([]byte(`["1Gi", 2, 0.5, " 3 ", null, 1e3]`), &list); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(list)
	if want := `["1Gi","2","500m","3","0","1e3"]`; err != nil || string(b) != want {
		t.Errorf("%s (%v), want %s", b, err, want)
	}
}

func TestQuantityArithmeticOfCommonValuesDoesNotAllocate(t *testing.T) {
	a, b := MustQuantity("1500m"), MustQuantity("2Gi")
	n := testing.AllocsPerRun(100, func() {
		c := a.Add(b).Sub(a)
		if c.Value() != 2<<30 || c.MilliValue() != 2<<30*1000 || c.Cmp(b) != 0 {
			t.Error("2Gi + 1.5 - 1.5 is not 2Gi")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestQuantityOfAnySizeIsBounded(t *testing.T) {
	huge, one := MustQuantity("1e2000000000"), MustQuantity("1")
	if huge.Cmp(one) != 1 || huge.Add(one).Cmp(huge) != 0 || MustQuantity("1e-2000000000").String() != "1e-9" {
		t.Error("huge exponents are wrong")
	}
}

func FuzzQuantityPrintsWhatItReadsAgain(f *testing.F) {
	for _, s := range []string{"1", "1.5Gi", "100m", "1e3", "-0.5", "100Ei", ".5", "1e-20"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := ParseQuantity(s)
		if err != nil {
			return
		}
		r, err := ParseQuantity(q.String())
		if err == nil && q.format != DecimalSI && q.Cmp(r) != 0 {
			t.Errorf("%q prints %q, which is another amount", s, q)
		}
		_ = q.Add(r).Sub(q).Value()
	})
}
