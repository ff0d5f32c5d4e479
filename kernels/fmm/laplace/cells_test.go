package laplace

import "testing"

// TestAligned: cells begin on cache lines.
func TestAligned(t *testing.T) {
	for order := MinOrder; order <= MaxOrder; order++ {
		terms, err := TermsOf(order)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			c := terms.NewCells(n)
			if len(c.M) != n*terms.MultipoleStride || len(c.L) != n*terms.LocalStride ||
				len(c.Centres) != n {
				t.Fatalf("order %d: lengths of %d cells: %d, %d, %d", order, n, len(c.M), len(c.L),
					len(c.Centres))
			}
			for i := range n {
				if a := address(&c.M[i*terms.MultipoleStride]) | address(
					&c.L[i*terms.LocalStride]); a%64 != 0 {
					t.Errorf("order %d: cell %d of %d is not at the start of a line", order, i, n)
				}
				if address(&c.Centres[i])%32 != 0 {
					t.Errorf("centre %d of %d lies on two lines", i, n)
				}
			}
		}
	}
}
