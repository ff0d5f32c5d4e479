package units

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// A Number is a measured quantity. The zero value means that there is no measurement, so that what
// was forgotten is never taken for 0; in JSON it is null.
type Number struct {
	value float64
	known bool
}

// Some returns the Number v, or the zero Number where v is not finite.
func Some(v float64) Number {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Number{}
	}
	return Number{v, true}
}

// Known reports whether n was measured.
func (n Number) Known() bool { return n.known }

// Float returns the value of n, NaN where there is none.
func (n Number) Float() float64 {
	if !n.known {
		return math.NaN()
	}
	return n.value
}

// MarshalJSON writes n with all its digits, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.known {
		return []byte("null"), nil
	}
	return json.Marshal(n.value)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number{}
	if string(b) == "null" {
		return nil
	}
	if err := json.Unmarshal(b, &n.value); err != nil {
		return err
	}
	n.known = true
	return nil
}

// NotAvailable is printed for a number that there is not.
const NotAvailable = "n/a"

// Text returns n with at least so many significant digits, or [NotAvailable].
func (n Number) Text(digits int) string {
	return n.Print(func(v float64) string { return Digits(v, digits) })
}

// Print returns n as text makes it, or [NotAvailable].
func (n Number) Print(text func(v float64) string) string {
	if !n.known {
		return NotAvailable
	}
	return text(n.value)
}

// Fixed returns v with so many decimals; a number that rounds to 0 has no sign.
func Fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// Digits returns v with at least n significant digits and no exponent: 1.642, 18.40, 97312.
func Digits(v float64, n int) string {
	rounded := strconv.FormatFloat(v, 'e', n-1, 64)
	place, _ := strconv.Atoi(rounded[strings.IndexByte(rounded, 'e')+1:]) // of the first digit
	return strconv.FormatFloat(v, 'f', max(0, n-1-place), 64)
}

// Grouped returns n in groups of three digits, apart by a no-break space.
func Grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return s
}
