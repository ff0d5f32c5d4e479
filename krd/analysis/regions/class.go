package regions

import "krdlab/loi"

// Classes of loops.
const (
	classDoAll     = "doall"
	classReduction = "reduction"
	classSerial    = "serial"
	classDoAcross  = "doacross"

	// A loop is doall from so much of its iterations on, as self-parallelism, or of what it would have
	// if they, of unlike length, did not depend on each other; and serial below mostSerial.
	leastDoAll = 0.9
	mostSerial = 1.1
)

// class returns that of a loop; nil: it is none, has less than two iterations on average, or nothing
// in it takes time.
func (t *tree) class(n *node, reductions bool) *string {
	var iterations uint64
	for f, c := range n.children {
		if f.kind == loi.Iteration.String() {
			iterations += t.nodes[c].instances
		}
	}
	if n.kind != loi.Loop.String() || iterations < 2*n.instances || n.instances == 0 ||
		n.paths[0].serial == 0 {
		return nil
	}
	doall := func(p *paths) float64 {
		most := float64(iterations) / float64(n.instances)
		if p.even > 0 {
			most = min(most, float64(n.work)/p.even)
		}
		return leastDoAll * most
	}
	self := func(p *paths) float64 {
		if p.serial == 0 {
			return 0
		}
		return float64(n.work) / p.serial
	}
	class, sp := classDoAcross, self(&n.paths[0])
	switch {
	case sp < mostSerial:
		class = classSerial
	case sp >= doall(&n.paths[0]) && reductions && self(&n.paths[1]) < doall(&n.paths[1]):
		class = classReduction
	case sp >= doall(&n.paths[0]):
		class = classDoAll
	}
	return &class
}
