package heat

import (
	"testing"

	"krdlab/kernels/kernel"
)

// The trapezoids are every element in every step once, after all that it reads; leaves touch at
// most as many tiles as there are kernels for, and are as many as was counted.
func TestTrapezoids(t *testing.T) {
	for _, p := range []kernel.Params{{"n": 3, "steps": 5}, {"n": 97, "steps": 1},
		{"n": 100, "steps": 40, "rows": 8, "cols": 8, "span": 1},
		{"n": 150, "steps": 33, "rows": 10, "cols": 40, "span": 5}, {"n": 64, "steps": 200}} {
		in := newZoids(Kernel.With(p))
		n := in.grid.Rows
		done := make([]int, (n+2)*(n+2)) // steps by element
		leaves := uint64(0)
		var walk func(z zoid)
		walk = func(z zoid) {
			parts, ok := in.cut(&z)
			if !ok {
				leaves++
				for step := range z.dt {
					r0, r1 := z.rows.at(step)
					c0, c1 := z.cols.at(step)
					for r := r0; r < r1; r++ {
						for c := c0; c < c1; c++ {
							at := r*(n+2) + c
							for _, by := range []int{at - 1, at + 1, at - n - 2, at + n + 2} {
								row, col := by/(n+2), by%(n+2)
								border := row == 0 || row == n+1 || col == 0 || col == n+1
								if d := done[by] - done[at]; !border && (d < 0 || d > 1) {
									t.Fatalf("%v: (%d, %d) in step %d: a neighbour is at %d", p,
										r, c, z.t+step, done[by])
								}
							}
							if done[at] != z.t+step {
								t.Fatalf("%v: (%d, %d) in step %d is at %d", p, r, c, z.t+step,
									done[at])
							}
							done[at]++
						}
					}
				}
				r0, r1 := z.rows.reach(z.dt)
				c0, c1 := z.cols.reach(z.dt)
				if r0 < 0 || c0 < 0 || r1 > n+2 || c1 > n+2 ||
					(r1-1)/in.tileRows-r0/in.tileRows >= maxAcross ||
					(c1-1)/in.tileCols-c0/in.tileCols >= maxAcross {
					t.Errorf("%v: a leaf reaches rows %d to %d, columns %d to %d", p, r0, r1, c0, c1)
				}
				return
			}
			// independent parts in either order
			for phase, zs := range parts.zoids {
				for i := range parts.n[phase] {
					walk(zs[parts.n[phase]-1-i])
				}
			}
		}
		walk(in.whole())
		for r := 1; r <= n; r++ {
			for c := 1; c <= n; c++ {
				if d := done[r*(n+2)+c]; d != in.steps {
					t.Fatalf("%v: (%d, %d) had %d steps", p, r, c, d)
				}
			}
		}
		if want := in.leaves(in.whole()); leaves != want {
			t.Errorf("%v: %d leaves, %d were counted", p, leaves, want)
		}
	}
}
