package correlate

import (
	"strconv"

	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// signed prints a coefficient. What is not quite 0 or 1 may look like it.
func signed(n result.Number) string {
	if !n.Known() {
		return doc.NotAvailable
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
