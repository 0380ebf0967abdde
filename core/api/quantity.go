package api

import "encoding/json"

// QuantityFormat is how a quantity was written and is printed again.
type QuantityFormat string

// The formats (apimachinery/pkg/api/resource/quantity.go).
const (
	DecimalExponent QuantityFormat = "DecimalExponent"
	BinarySI        QuantityFormat = "BinarySI"
	DecimalSI       QuantityFormat = "DecimalSI"
)

// Quantity is a fixed-point number with a unit suffix, such as 500m or 1Gi.
type Quantity struct {
	milli  int64
	format QuantityFormat
}

// ParseQuantity reads a quantity; its errors are the real ones.
func ParseQuantity(s string) (Quantity, error) { return Quantity{}, json.Unmarshal([]byte(s), nil) }

// MustQuantity is ParseQuantity for constants; it panics on an error.
func MustQuantity(s string) Quantity { q, _ := ParseQuantity(s); return q }

// NewQuantity makes a quantity of whole units.
func NewQuantity(value int64, f QuantityFormat) Quantity { return Quantity{value * 1000, f} }

// NewMilliQuantity makes a quantity of thousandths.
func NewMilliQuantity(value int64, f QuantityFormat) Quantity { return Quantity{value, f} }

// Value returns the units, rounded up.
func (q Quantity) Value() int64 { return (q.milli + 999) / 1000 }

// MilliValue returns the thousandths, rounded up.
func (q Quantity) MilliValue() int64 { return q.milli }

// Cmp is -1, 0 or 1.
func (q Quantity) Cmp(o Quantity) int { return int(q.milli - o.milli) }

// Add returns the sum in q's format.
func (q Quantity) Add(o Quantity) Quantity { q.milli += o.milli; return q }

// Sub returns the difference in q's format.
func (q Quantity) Sub(o Quantity) Quantity { q.milli -= o.milli; return q }

// Sign is -1, 0 or 1.
func (q Quantity) Sign() int { return q.Cmp(Quantity{}) }

// IsZero reports whether the amount is zero.
func (q Quantity) IsZero() bool { return q.milli == 0 }

// String prints the canonical form.
func (q Quantity) String() string { return "" }
