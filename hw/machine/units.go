package machine

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// A unit is a name and what it is worth in the base unit of its dimension.
type unit struct {
	name  string
	worth uint64
}

// A dimension is how quantities of one sort are written: a decimal number and a unit, as "1.86GHz"; a space between them is allowed.
// Values must be whole numbers of the base unit.
type dimension struct {
	what  string // in error messages
	units []unit // ascending; the first is the base
	max   uint64
}

// The bounds are far beyond any machine, and small enough that sums and products of a simulation do not overflow 64 bits soon.
var (
	sizes      = &dimension{"a size like \"32KiB\" (B, KiB, MiB, GiB)", []unit{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}, 1 << 40}
	times      = &dimension{"a time like \"45ns\" or \"4 cycles\" (ps, ns, us, ms, cycles of core.clock; sums with +)", []unit{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}}, 1e12}
	clocks     = &dimension{"a frequency like \"1.86GHz\" (Hz, kHz, MHz, GHz)", []unit{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}, 1e12}
	bandwidths = &dimension{"a bandwidth like \"17GB/s\" (B/s, kB/s, MB/s, GB/s; powers of 1000)", []unit{{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}}, 1e15}
	flops      = &dimension{"a rate like \"7.7GFLOP/s\" (FLOP/s, kFLOP/s, MFLOP/s, GFLOP/s)", []unit{{"FLOP/s", 1}, {"kFLOP/s", 1e3}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}}, 1e15}
)

// errNoClock says that a time is in cycles and the clock is not known.
var errNoClock = errors.New("a time in ps, ns, us or ms, core.clock not being known")

var plus = regexp.MustCompile(` *\+ *`)

var quantity = regexp.MustCompile(`^(-?)([0-9]{1,20}(?:\.[0-9]{1,20})?) ?([A-Za-z/]*)$`)

// parse reads s. hz is what a cycle is, 0 where cycles are not allowed or not known. The error says what is wrong, without s.
func (d *dimension) parse(s string, hz uint64) (uint64, error) {
	terms := []string{s}
	if d == times {
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
		return 0, fmt.Errorf("a whole number of %s", d.units[0].name)
	}
	if sum.Cmp(new(big.Rat).SetUint64(d.max)) > 0 {
		return 0, fmt.Errorf("at most %s", d.format(d.max))
	}
	return sum.Num().Uint64(), nil
}

func (d *dimension) term(s string, hz uint64) (*big.Rat, error) {
	m := quantity.FindStringSubmatch(s)
	if m == nil {
		return nil, fmt.Errorf("%s", d.what)
	}
	v, _ := new(big.Rat).SetString(m[2]) // the expression admits only decimal numbers
	if m[1] == "-" {
		return nil, fmt.Errorf("%s, not negative", d.what)
	}
	if d == times && (m[3] == "cycles" || m[3] == "cycle") {
		if hz == 0 {
			return nil, errNoClock
		}
		v.Mul(v, new(big.Rat).SetFrac(big.NewInt(1e12), new(big.Int).SetUint64(hz)))
		return new(big.Rat).SetInt(round(v)), nil
	}
	for _, u := range d.units {
		if u.name == m[3] {
			return v.Mul(v, new(big.Rat).SetUint64(u.worth)), nil
		}
	}
	return nil, fmt.Errorf("%s", d.what)
}

// round returns the nearest integer to v, halves up. v is not negative.
func round(v *big.Rat) *big.Int {
	twice := new(big.Int).Lsh(v.Num(), 1)
	twice.Add(twice, v.Denom())
	return twice.Div(twice, new(big.Int).Lsh(v.Denom(), 1))
}

// format is the inverse of parse: exact, in the largest unit that v reaches.
func (d *dimension) format(v uint64) string {
	if v == 0 && d == times {
		return "0ns"
	}
	u := d.units[0]
	for _, x := range d.units {
		if v >= x.worth && (d != sizes || v%x.worth == 0) { // KiB with decimals would be exact too, and hard to read
			u = x
		}
	}
	s := new(big.Rat).SetFrac(new(big.Int).SetUint64(v), new(big.Int).SetUint64(u.worth)).FloatString(12)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + u.name
}
