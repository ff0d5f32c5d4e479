package regions

import "krdlab/krd/analysis/loops"

// Classes of loops: those of package loops, where an ordered loop is of one of two.
const (
	classSerial   = "serial"
	classDoAcross = "doacross"

	mostSerial = 1.1 // self-parallelism below which it is serial
)

// class returns that of a loop with a self-parallelism; nil: it had too few iterations.
func class(v *loops.Verdict, self *float64) *string {
	c := v.Class
	switch {
	case c == "":
		return nil
	case c != loops.Ordered:
	case self == nil || *self < mostSerial:
		c = classSerial
	default:
		c = classDoAcross
	}
	return &c
}
