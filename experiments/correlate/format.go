package correlate

import (
	"strconv"
	"strings"

	"krdlab/experiments/result"
	"krdlab/experiments/show"
)

// withInterval prints a median and its interval below, each by one.
func withInterval(q result.Quantity, one func(float64) string) string {
	if !q.Median.Known() {
		return show.NotAvailable
	}
	s := one(q.Median.Float())
	if q.Low.Known() && q.High.Known() {
		s += "\n" + one(q.Low.Float()) + "-" + one(q.High.Float())
	}
	return s
}

// durations prints ns in a unit of which the median is at least one.
func durations(q result.Quantity) string {
	if !q.Median.Known() {
		return show.NotAvailable
	}
	unit, size := show.TimeUnit(q.Median.Float())
	s := withInterval(q, func(v float64) string { return show.Digits(v/size, 4) })
	median, rest, two := strings.Cut(s, "\n")
	s = median + " " + unit
	if two {
		s += "\n" + rest
	}
	return s
}

// counts prints all digits up to six, and 3 significant ones beyond.
func counts(q result.Quantity) string {
	return withInterval(q, func(v float64) string { return show.Count(result.Some(v)) })
}

func ratios(q result.Quantity, decimals int) string {
	return withInterval(q, func(v float64) string {
		return strconv.FormatFloat(v, 'f', decimals,
			64)
	})
}

func percents(q result.Quantity) string {
	return withInterval(q, func(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) })
}

// signed prints a coefficient. What is not quite 0 or 1 may look like it.
func signed(n result.Number) string {
	if !n.Known() {
		return show.NotAvailable
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
