package doc

import (
	"encoding/json"

	"krdlab/hw/units"
)

// A Number is a measured quantity, or the zero value where there is no measurement.
type Number = units.Number

// Some returns the Number v, or the zero Number where v is not finite.
func Some(v float64) Number { return units.Some(v) }

// SomeInt returns what p points to, or the zero Number where p is nil.
func SomeInt(p *int64) Number {
	if p == nil {
		return Number{}
	}
	return Some(float64(*p))
}

// A Quantity is the median of a sample of N values with an interval around it. Where there is no
// interval of 95 %, Low, High and Confidence are not known, and Reason has the cause; where there
// is no sample, nothing is, and N is 0.
type Quantity struct {
	Median     Number `json:"median"`
	Low        Number `json:"low"`
	High       Number `json:"high"`
	Confidence Number `json:"confidence"` // attained, at least 0.95
	N          int    `json:"n"`
	Reason     Reason `json:"reason"`
}

// A Reason is the cause why a quantity has no interval. In JSON the zero value is null: it has one,
// or it has no value either.
type Reason string

const (
	// Deterministic: nothing was drawn at random, or nothing that this depends on, so that every
	// repetition gives the one value.
	Deterministic Reason = "deterministic"
	// TooFew: less than MinSample values.
	TooFew Reason = "too few"
)

// MarshalJSON writes r, or null.
func (r Reason) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(r))
}

// Bounds returns the interval of q, which of a deterministic quantity is its value alone; ok is
// false where there is none.
func (q Quantity) Bounds() (low, high float64, ok bool) {
	if q.Reason == Deterministic {
		return q.Median.Float(), q.Median.Float(), q.Median.Known()
	}
	return q.Low.Float(), q.High.Float(), q.Low.Known() && q.High.Known()
}
