package correlate

import (
	"math"
	"strconv"
	"strings"

	"krdlab/experiments"
)

const notAvailable = "n/a"

// digits prints v with n significant digits and no exponent.
func digits(v float64, n int) string {
	decimals := n - 1
	if v != 0 {
		decimals -= int(math.Floor(math.Log10(math.Abs(v))))
	}
	return strconv.FormatFloat(v, 'f', max(0, decimals), 64)
}

// withInterval prints a median and its interval below, each by one.
func withInterval(q experiments.Quantity, one func(float64) string) string {
	if !q.Median.Known() {
		return notAvailable
	}
	s := one(q.Median.Float())
	if q.Low.Known() && q.High.Known() {
		s += "\n" + one(q.Low.Float()) + "-" + one(q.High.Float())
	}
	return s
}

// durations prints ns in a unit of which the median is at least one.
func durations(q experiments.Quantity) string {
	unit, size := "ns", 1.0
	for _, u := range []struct {
		name string
		ns   float64
	}{{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}} {
		if q.Median.Known() && q.Median.Float() >= u.ns {
			unit, size = u.name, u.ns
		}
	}
	s := withInterval(q, func(v float64) string { return digits(v/size, 4) })
	if s == notAvailable {
		return s
	}
	median, rest, two := strings.Cut(s, "\n")
	s = median + " " + unit
	if two {
		s += "\n" + rest
	}
	return s
}

// counts prints all digits up to six, and 3 significant ones beyond.
func counts(q experiments.Quantity) string {
	return withInterval(q, func(v float64) string {
		if v < 1e6 {
			return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
		}
		return strings.Replace(strconv.FormatFloat(v, 'e', 2, 64), "e+0", "e", 1)
	})
}

func ratios(q experiments.Quantity, decimals int) string {
	return withInterval(q, func(v float64) string { return strconv.FormatFloat(v, 'f', decimals, 64) })
}

func percents(q experiments.Quantity) string {
	return withInterval(q, func(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) })
}

// signed prints a coefficient. What is not quite 0 or 1 may look like it.
func signed(n experiments.Number) string {
	if !n.Known() {
		return notAvailable
	}
	s := strconv.FormatFloat(n.Float(), 'f', 3, 64)
	if s == "-0.000" {
		return "0.000"
	}
	return s
}

func interval(c *Coefficient) string {
	if !c.Low.Known() || !c.High.Known() {
		return "-"
	}
	return signed(c.Low) + " to " + signed(c.High)
}

func probability(p experiments.Number) string {
	switch {
	case !p.Known():
		return "-"
	case p.Float() < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p.Float(), 'f', 4, 64)
}
