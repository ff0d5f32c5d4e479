package result

import "krdlab/krd/doc"

// Results are made of the values that documents show.
type (
	// Number is a measured quantity, or none.
	Number = doc.Number
	// Quantity is the median of a sample with an interval around it.
	Quantity = doc.Quantity
	// Reason is why a quantity has no interval.
	Reason = doc.Reason
)

// The reasons.
const (
	Deterministic = doc.Deterministic
	TooFew        = doc.TooFew
)

// Some returns the Number v, or the zero Number where v is not finite.
func Some(v float64) Number { return doc.Some(v) }

// SomeInt returns what p points to, or the zero Number where p is nil.
func SomeInt(p *int64) Number { return doc.SomeInt(p) }
