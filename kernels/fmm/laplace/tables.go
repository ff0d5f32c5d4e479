package laplace

import (
	"slices"
	"sync"
)

// tables are the index arithmetic of one order, as lists for plain loops.
type tables struct {
	Terms
	fullM, fullL int // coefficients with any z: degrees up to Order-1, up to Order
	monomials    []monomial
	// raise[axis][n] = n + e_axis as full numbers, degree of n below Order
	raise [3][]uint16
	folds []fold // z >= 2, by falling z
	// along one axis, degrees up to Order-1, by rising lo, whose z is 0 or 1
	shiftsM [3][]shift
	shiftsL [3][]shift   // likewise, up to Order
	degree  []uint8      // of a full number
	fullOf  []uint16     // full number of a term
	derivs  []recurrence // of degree 1 and up, each after those that it needs
	// pairs[n][k] = deriv number of n+k, for the terms k that term n takes part with
	pairs [][]uint8
}

// monomial means v^n/n! = (v^from/from!) v_axis inv.
type monomial struct {
	from uint16
	axis uint8
	inv  float64
}

// fold records that index n, twice by z, is minus the sum of those with z-2 and x+2 or y+2:
// Laplace's equation.
type fold struct{ n, x, y uint16 }

// shift means hi = lo + power steps along the axis.
type shift struct{ lo, hi, power uint16 }

// recurrence means T_n = sum over t of (c u_axis T_from, without the factor u where axis is 3).
type recurrence struct {
	n     uint8 // a deriv number, as from
	terms []recurrenceTerm
}

type recurrenceTerm struct {
	from uint8
	axis uint8
	c    float32
}

var tablesOf [MaxOrder + 1]func() *tables

func init() {
	for p := MinOrder; p <= MaxOrder; p++ {
		tablesOf[p] = sync.OnceValue(func() *tables { return newTables(p) })
	}
}

func newTables(order int) *tables {
	terms, err := TermsOf(order)
	if err != nil {
		panic(err) // tablesOf holds valid orders only
	}
	all := indices(order, order)
	t := &tables{Terms: terms, fullL: len(all), fullM: len(indices(order-1, order-1))}
	units := [3]index{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for _, n := range all {
		t.degree = append(t.degree, uint8(n.degree()))
		var m monomial
		switch {
		case n.x > 0:
			m = monomial{uint16(index{n.x - 1, n.y, n.z}.full()), 0, 1 / float64(n.x)}
		case n.y > 0:
			m = monomial{uint16(index{n.x, n.y - 1, n.z}.full()), 1, 1 / float64(n.y)}
		case n.z > 0:
			m = monomial{uint16(index{n.x, n.y, n.z - 1}.full()), 2, 1 / float64(n.z)}
		}
		t.monomials = append(t.monomials, m)
		for a, e := range units {
			if n.degree() < order {
				t.raise[a] = append(t.raise[a], uint16(n.plus(e).full()))
			}
			if n.z > 1 {
				continue
			}
			for p, hi := 1, n.plus(e); hi.degree() <= order; p, hi = p+1, hi.plus(e) {
				s := shift{uint16(n.full()), uint16(hi.full()), uint16(p)}
				t.shiftsL[a] = append(t.shiftsL[a], s)
				if hi.degree() < order {
					t.shiftsM[a] = append(t.shiftsM[a], s)
				}
			}
		}
		if n.z >= 2 {
			t.folds = append(t.folds, fold{uint16(n.full()),
				uint16(index{n.x + 2, n.y, n.z - 2}.full()),
				uint16(index{n.x, n.y + 2, n.z - 2}.full())})
		}
	}
	slices.SortStableFunc(t.folds, func(a, b fold) int { return all[b.n].z - all[a.n].z })
	for _, n := range indices(order, 1) {
		t.fullOf = append(t.fullOf, uint16(n.full()))
		row := make([]uint8, 0, t.Multipoles)
		for _, k := range indices(min(order-n.degree(), order-1), 1) {
			row = append(row, uint8(n.plus(k).deriv()))
		}
		t.pairs = append(t.pairs, row)
	}
	for d := 1; d <= order; d++ {
		for z := range 3 { // those with z = 2 need others of their degree
			for _, n := range indices(order, 2) {
				if n.degree() == d && n.z == z {
					t.derivs = append(t.derivs, recurrenceOf(n))
				}
			}
		}
	}
	return t
}

func (n index) plus(k index) index { return index{n.x + k.x, n.y + k.y, n.z + k.z} }

// recurrenceOf returns equation (7) of the package's comment, or (6) where z = 2.
func recurrenceOf(n index) recurrence {
	r := recurrence{n: uint8(n.deriv())}
	if n.z >= 2 {
		r.terms = []recurrenceTerm{
			{uint8(index{n.x + 2, n.y, n.z - 2}.deriv()), 3, -1},
			{uint8(index{n.x, n.y + 2, n.z - 2}.deriv()), 3, -1},
		}
		return r
	}
	d := float32(n.degree())
	for a, c := range [3]int{n.x, n.y, n.z} {
		for down := 1; down <= min(c, 2); down++ {
			from, f, axis := n, -(2*d-1)/d*float32(c), uint8(a)
			if down == 2 {
				f, axis = -(d-1)/d*float32(c*(c-1)), 3
			}
			switch a {
			case 0:
				from.x -= down
			case 1:
				from.y -= down
			case 2:
				from.z -= down
			}
			r.terms = append(r.terms, recurrenceTerm{uint8(from.deriv()), axis, f})
		}
	}
	return r
}
