package correlate

import (
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
)

// signed prints a coefficient. A value close to 0 or 1 may look like it.
func signed(n result.Number) string {
	return n.Print(func(v float64) string { return units.Fixed(v, 3) })
}

func interval(c *Coefficient) string {
	if !c.Low.Known() || !c.High.Known() {
		return "-"
	}
	return signed(c.Low) + " to " + signed(c.High)
}
