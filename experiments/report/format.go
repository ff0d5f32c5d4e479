package report

import (
	"fmt"
	"math"
	"strconv"

	"krdlab/experiments/result"
	"krdlab/experiments/show"
	"krdlab/hw/units"
)

const (
	notAvailable = show.NotAvailable
	nbsp         = "\u00a0" // between a number and its unit
)

// duration prints a time in ns with 4 significant digits and its unit.
func duration(n result.Number) string {
	if !n.Known() {
		return notAvailable
	}
	if n.Float() == 0 {
		return "0" + nbsp + "ns"
	}
	unit, size := show.TimeUnit(n.Float())
	return show.Digits(n.Float()/size, 4) + nbsp + unit
}

// count prints a whole number in groups of three digits, with a thin space between them.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return sign + s
}

// plural prints n of a thing, such as "1 cell" and "3 cells".
func plural(n int, what string) string { return count(int64(n)) + " " + units.Noun(n, what) }

// list joins words as a sentence does: a, b and c.
func list(words []string) string { return units.List(words) }

// A style says how the numbers of a column are printed.
type style int

const (
	ratio   style = iota // 1.077, 21.93
	seconds              // ns, in the largest unit that the median is at least one of
	percent              // of a share between 0 and 1
	events               // a count
)

// format returns the number v of a quantity in the units of its median m, without the unit.
func (s style) format(v, m float64) string {
	switch s {
	case seconds:
		_, size := show.TimeUnit(m)
		return significantLike(v/size, m/size)
	case percent:
		return strconv.FormatFloat(100*v, 'f', percentDecimals(m), 64)
	case events:
		return count(int64(math.Round(v)))
	}
	return significantLike(v, m)
}

// unit is what is written behind a median.
func (s style) unit(m float64) string {
	switch s {
	case seconds:
		name, _ := show.TimeUnit(m)
		return nbsp + name
	case percent:
		return nbsp + "%"
	}
	return ""
}

// significantLike prints v with as many decimals as m has when it has 4 significant digits, but at
// most 3 where m is 0.1 or more.
func significantLike(v, m float64) string {
	decimals := 3
	if m = math.Abs(m); m > 0 {
		decimals -= int(math.Floor(math.Log10(m)))
		if m >= 0.1 {
			decimals = min(decimals, 3)
		}
	}
	return strconv.FormatFloat(v, 'f', max(0, decimals), 64)
}

// percentDecimals is how many decimals a share of m has in per cent: two, and more where there
// would be less than two digits.
func percentDecimals(m float64) int {
	if p := 100 * math.Abs(m); p > 0 && p < 0.1 {
		return 1 - int(math.Floor(math.Log10(p)))
	}
	return 2
}

// quantity prints a median and its interval; the latter is "" where there is none.
func (s style) quantity(q result.Quantity) (median, interval string) {
	m := q.Median.Float()
	median = s.format(m, m) + s.unit(m)
	if q.Low.Known() && q.High.Known() {
		interval = s.format(q.Low.Float(), m) + "–" + s.format(q.High.Float(), m)
	}
	return median, interval
}

// sentence prints a quantity for a text: 21.93 (21.80–22.01), or the median alone.
func (s style) sentence(q result.Quantity) string {
	median, interval := s.quantity(q)
	if interval == "" {
		return median
	}
	return fmt.Sprintf("%s (%s)", median, interval)
}
