package doc

import (
	"math"
	"strconv"

	"krdlab/hw/units"
)

// NotAvailable is printed in place of a missing number.
const NotAvailable = units.NotAvailable

// Digits calls [units.Digits].
func Digits(v float64, n int) string { return units.Digits(v, n) }

// timeUnits are in ns.
var timeUnits = []struct {
	name string
	ns   float64
}{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}

// TimeUnit returns the largest unit that ns is at least one of.
func TimeUnit(ns float64) (name string, size float64) {
	for _, u := range timeUnits {
		if ns >= u.ns {
			return u.name, u.ns
		}
	}
	return "ns", 1
}

// Time prints a duration of ns nanoseconds with 4 significant digits, such as 1.642 s.
func Time(n Number) string {
	if !n.Known() {
		return NotAvailable
	}
	name, size := TimeUnit(n.Float())
	return Digits(n.Float()/size, 4) + " " + name
}

// countUnits are the SI prefixes of counts.
var countUnits = []struct {
	name string
	size float64
}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}}

// CountUnit returns the prefix of counts of the size of v, from 100 000 on.
func CountUnit(v float64) (name string, size float64) {
	if v >= 1e5 {
		for _, u := range countUnits {
			if v >= 0.99995*u.size { // with four digits it is one
				return u.name, u.size
			}
		}
	}
	return "", 1
}

// Count prints a count: all its digits below 100 000, and 4 significant ones with an SI prefix from
// there on, such as 1.834M.
func Count(n Number) string {
	if !n.Known() {
		return NotAvailable
	}
	v := n.Float()
	if name, size := CountUnit(v); name != "" {
		return Digits(v/size, 4) + name
	}
	return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
}

// Probability prints a p-value, "-" where there is none.
func Probability(p Number) string {
	switch {
	case !p.Known():
		return "-"
	case p.Float() < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p.Float(), 'f', 4, 64)
}
