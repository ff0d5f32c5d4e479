// Package units reads and writes sizes, times, frequencies and rates as people write them. All
// numbers are whole ones of a base unit, and conversions are exact.
package units

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"

	"krdlab/hw/failure"
)

// A unit is a name and what it is worth in the base unit of its dimension.
type unit struct {
	name  string
	worth uint64
}

// A Dimension is how quantities of one sort are written: a decimal number and a unit, as "1.86GHz";
// a space between them is allowed. Values must be whole numbers of the base unit.
type Dimension struct {
	What  string // for error messages: "a size like ..."
	Max   uint64 // the largest value that Parse takes
	units []unit // ascending; the first is the base
}

// The dimensions of a machine's numbers. The bounds are far beyond any machine, and small enough
// that sums and products of a simulation do not overflow 64 bits soon.
var (
	Sizes = &Dimension{"a size like \"32KiB\" (B, KiB, MiB, GiB)", 1 << 40,
		[]unit{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}}
	Times = &Dimension{"a time like \"45ns\" or \"4 cycles\" (ps, ns, us, ms, cycles of " +
		"core.clock; sums with +)", 1e12, []unit{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}}}
	Clocks = &Dimension{"a frequency like \"1.86GHz\" (Hz, kHz, MHz, GHz)", 1e12,
		[]unit{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}}
	Bandwidths = &Dimension{"a bandwidth like \"17GB/s\" (B/s, kB/s, MB/s, GB/s; powers of 1000)",
		1e15,
		[]unit{{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}}}
	Rates = &Dimension{"a rate like \"7.7Gop/s\" (op/s, kop/s, Mop/s, Gop/s)", 1e15,
		[]unit{{"op/s", 1}, {"kop/s", 1e3}, {"Mop/s", 1e6}, {"Gop/s", 1e9}}}
)

// ErrNoClock records that a time is in cycles and the clock is not known.
var ErrNoClock = failure.New(failure.Request,
	"a time in ps, ns, us or ms, core.clock not being known")

var plus = regexp.MustCompile(` *\+ *`)

var quantity = regexp.MustCompile(`^(-?)([0-9]{1,20}(?:\.[0-9]{1,20})?) ?([A-Za-z/]*)$`)

// Base returns the name of the unit that values are in.
func (d *Dimension) Base() string { return d.units[0].name }

// Parse reads s. hz is the number of cycles a second, 0 where cycles are not allowed or not known.
// The error names the fault, without s.
func (d *Dimension) Parse(s string, hz uint64) (uint64, error) {
	terms := []string{s}
	if d == Times {
		terms = plus.Split(s, -1)
	}
	sum := new(big.Rat)
	for _, t := range terms {
		v, err := d.term(t, hz)
		if err != nil {
			return 0, err
		}
		sum.Add(sum, v)
	}
	if !sum.IsInt() {
		return 0, fmt.Errorf("a whole number of %s", d.Base())
	}
	if sum.Cmp(new(big.Rat).SetUint64(d.Max)) > 0 {
		return 0, fmt.Errorf("at most %s", d.Format(d.Max))
	}
	return sum.Num().Uint64(), nil
}

func (d *Dimension) term(s string, hz uint64) (*big.Rat, error) {
	m := quantity.FindStringSubmatch(s)
	if m == nil {
		return nil, fmt.Errorf("%s", d.What)
	}
	v, _ := new(big.Rat).SetString(m[2]) // the expression admits only decimal numbers
	if m[1] == "-" {
		return nil, fmt.Errorf("%s, not negative", d.What)
	}
	if d == Times && (m[3] == "cycles" || m[3] == "cycle") {
		if hz == 0 {
			return nil, ErrNoClock
		}
		v.Mul(v, new(big.Rat).SetFrac(big.NewInt(1e12), new(big.Int).SetUint64(hz)))
		return new(big.Rat).SetInt(round(v)), nil
	}
	for _, u := range d.units {
		if u.name == m[3] {
			return v.Mul(v, new(big.Rat).SetUint64(u.worth)), nil
		}
	}
	return nil, fmt.Errorf("%s", d.What)
}

// round returns the nearest integer to v, halves up. v is not negative.
func round(v *big.Rat) *big.Int {
	twice := new(big.Int).Lsh(v.Num(), 1)
	twice.Add(twice, v.Denom())
	return twice.Div(twice, new(big.Int).Lsh(v.Denom(), 1))
}

// Format inverts Parse: exact, in the largest unit that v reaches.
func (d *Dimension) Format(v uint64) string {
	if v == 0 && d == Times {
		return "0ns"
	}
	u := d.units[0]
	for _, x := range d.units {
		// KiB with decimals would be exact too, and hard to read
		if v >= x.worth && (d != Sizes || v%x.worth == 0) {
			u = x
		}
	}
	s := strconv.AppendUint(nil, v/u.worth, 10)
	if v%u.worth > 0 {
		s = append(s, '.')
	}
	for rest := v % u.worth; rest > 0; rest %= u.worth { // it ends: worths are powers of ten
		rest *= 10
		s = append(s, '0'+byte(rest/u.worth))
	}
	return string(s) + u.name
}
