package laplace

import "testing"

// TestAligned: by arrays cells begin on cache lines; packed, each has its centre, multipoles and
// locals to itself, in this order.
func TestAligned(t *testing.T) {
	for order := MinOrder; order <= MaxOrder; order++ {
		terms, err := TermsOf(order)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			c := terms.NewCells(n)
			if len(c.M) != n*terms.MultipoleStride || len(c.L) != n*terms.LocalStride {
				t.Fatalf("order %d: lengths of %d cells: %d, %d", order, n, len(c.M), len(c.L))
			}
			for i := range n {
				if a := address(&c.M[i*terms.MultipoleStride]) | address(
					&c.L[i*terms.LocalStride]); a%64 != 0 {
					t.Errorf("order %d: cell %d of %d is not at the start of a line", order, i, n)
				}
				if address(c.Centre(i))%32 != 0 {
					t.Errorf("centre %d of %d lies on two lines", i, n)
				}
			}
			p := terms.Pack()
			c = p.NewCells(n)
			for i := range n {
				at := address(c.Centre(0)) + uintptr(i*p.CellBytes())
				m, l := address(&c.M[i*p.MultipoleStride]), address(&c.L[i*p.LocalStride])
				if address(c.Centre(i)) != at || at%8 != 0 || m != at+HeaderBytes ||
					l != m+uintptr(4*p.Multipoles) || int(l-at)+4*((p.Locals+15)&^15) > p.CellBytes() {
					t.Errorf("order %d: packed cell %d of %d at %#x, its multipoles at %#x, its "+
						"locals at %#x", order, i, n, at, m, l)
				}
			}
		}
	}
}

// TestAbout: the only cell is cell i about another centre.
func TestAbout(t *testing.T) {
	for _, packed := range []bool{false, true} {
		k, err := New(Options{Order: 4, Packed: packed})
		if err != nil {
			t.Fatal(err)
		}
		c := k.NewCells(3)
		one := c.About(2, &Centre{X: 7})
		one.M[1], one.L[3] = 1, 2
		if one.Centre(0).X != 7 || c.Centre(2).X != 0 || c.M[2*k.MultipoleStride+1] != 1 ||
			c.L[2*k.LocalStride+3] != 2 {
			t.Errorf("packed %v: %+v of %+v", packed, one, c)
		}
		if c.ClearLocals(); one.M[1] != 1 || one.L[3] != 0 {
			t.Errorf("packed %v: locals are cleared: %+v", packed, one)
		}
	}
}
