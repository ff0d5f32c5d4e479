package regress

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Noise is what a fit to y in another order explains, the search for terms repeated each time.
type Noise struct {
	// R2 and T are of each permutation, ascending: what its model explains, and the largest |t| of its
	// coefficients.
	R2, T []float64
}

// Noise fits d, after a search if by is not "", to so many random orders of y. Rows with the same
// predictors stay together, and change places with as many others, of the same absorbed group: rows
// that repeat a configuration are not independent of each other (Winkler et al., "Multi-level block
// permutation", NeuroImage 123, 2015). false: no rows can change places. Cost: that of [Design.Search]
// for each order, on all CPUs.
func (d *Design) Noise(by Criterion, orders int, seed uint64) (n Noise, ok bool) {
	kinds := d.blocks()
	if kinds == nil {
		return n, false
	}
	n.R2, n.T = make([]float64, orders), make([]float64, orders)
	var work sync.WaitGroup
	var next atomic.Int64
	for range min(orders, runtime.GOMAXPROCS(0)) {
		work.Go(func() {
			for k := int(next.Add(1)) - 1; k < orders; k = int(next.Add(1)) - 1 {
				x := *d
				x.Y = d.reordered(kinds, rand.New(rand.NewPCG(seed, uint64(k))))
				n.R2[k], n.T[k] = x.strongest(by)
			}
		})
	}
	work.Wait()
	slices.Sort(n.R2)
	slices.Sort(n.T)
	return n, true
}

// strongest returns the R2 of the fit that a search finds, and the largest |t| in it; 0 if none is
// found.
func (d *Design) strongest(by Criterion) (r2, t float64) {
	if by != "" {
		terms, _, err := d.Search(by, nil)
		if err != nil {
			return 0, 0
		}
		d = d.Terms(terms)
	}
	f, err := d.Fit()
	if err != nil {
		return 0, 0
	}
	return f.R2(), f.MostT()
}

// MostT is the largest |t| of a coefficient, without the intercept; 0: there is none.
func (f *Fit) MostT() (most float64) {
	for _, c := range f.Coefficients(false) {
		if t := math.Abs(c.T); c.Name != "(Intercept)" && t > most {
			most = t
		}
	}
	return most
}

// blocks returns the rows of y that stay together, by which may change places; nil: none may.
func (d *Design) blocks() (kinds [][][]int) {
	at := map[string]int{}
	var blocks [][]int
	for i := range d.Y {
		var key []byte
		if d.Group != nil {
			key = binary.LittleEndian.AppendUint64(key, uint64(d.Group[i]))
		}
		for _, c := range d.Columns {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(c[i]))
		}
		b, seen := at[string(key)]
		if !seen {
			b = len(blocks)
			at[string(key)] = b
			blocks = append(blocks, nil)
		}
		blocks[b] = append(blocks[b], i)
	}
	type kind struct{ rows, group int }
	numbers := map[kind]int{}
	free := false
	for _, b := range blocks {
		k := kind{rows: len(b)}
		if d.Group != nil {
			k.group = d.Group[b[0]]
		}
		n, seen := numbers[k]
		if !seen {
			n = len(kinds)
			numbers[k] = n
			kinds = append(kinds, nil)
		}
		kinds[n] = append(kinds[n], b)
		free = free || len(kinds[n]) > 1
	}
	if !free {
		return nil
	}
	return kinds
}

// reordered returns y with blocks that have changed places.
func (d *Design) reordered(kinds [][][]int, rng *rand.Rand) []float64 {
	y := slices.Clone(d.Y)
	for _, blocks := range kinds {
		for to, from := range rng.Perm(len(blocks)) {
			for i, row := range blocks[to] {
				y[row] = d.Y[blocks[from][i]]
			}
		}
	}
	return y
}
