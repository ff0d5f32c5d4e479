package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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
	return strings.Replace(show.Time(n), " ", nbsp, 1)
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

// of is what a median m is multiplied with, and the unit written behind it.
func (s style) of(m float64) (scale float64, unit string) {
	switch s {
	case seconds:
		unit, scale = show.TimeUnit(m)
	case events:
		unit, scale = show.CountUnit(m)
	case percent:
		return 100, nbsp + "%"
	default:
		return 1, ""
	}
	if unit != "" {
		unit = nbsp + unit
	}
	return 1 / scale, unit
}

// quantity prints a median and its interval; the latter is "" where there is none.
func (s style) quantity(q result.Quantity) (median, interval string) {
	scale, unit := s.of(q.Median.Float())
	number := func(n result.Number) string {
		if s == events && unit == "" {
			return count(int64(math.Round(n.Float())))
		}
		return show.Number(q, n.Float(), scale)
	}
	median = number(q.Median) + unit
	if q.Low.Known() && q.High.Known() {
		interval = number(q.Low) + "–" + number(q.High)
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
