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

// Noise is the part of y that a fit to it in another order explains, the search for terms repeated
// each time.
type Noise struct {
	// R2 and T are of each permutation, ascending: what its model explains, and the largest |t| of its
	// coefficients, each by its Scale.
	R2, T []float64
	// Scale is the root of the mean square of the t of a column in orders that have it, 1 at least: of
	// columns that are alike in groups it is larger. That of "" is of all, and of a column of no order.
	Scale map[string]float64
}

// Noise fits d, after a search if by is not "", to so many random orders of y. Rows with the same
// predictors stay together, and change places with as many others, of the same absorbed group: rows
// that repeat a configuration are not independent of each other (Winkler et al., "Multi-level block
// permutation", NeuroImage 123, 2015). together, if not nil, is the number from 0 of each row's group: the
// means of groups change places, and within each group what its rows differ by from it. false: no rows
// can change places. Cost: that of [Design.Search] for each order, on all CPUs.
func (d *Design) Noise(by Criterion, orders int, seed uint64, together []int) (n Noise, ok bool) {
	if d.Group != nil {
		together = nil // means are absorbed
	}
	of := d.Group
	if of == nil {
		of = together
	}
	kinds := d.blocks(of)
	if kinds == nil {
		return n, false
	}
	n.R2, n.T, n.Scale = make([]float64, orders), make([]float64, orders), map[string]float64{}
	ts := make([][]Coefficient, orders)
	var work sync.WaitGroup
	var next atomic.Int64
	for range min(orders, runtime.GOMAXPROCS(0)) {
		work.Go(func() {
			for k := int(next.Add(1)) - 1; k < orders; k = int(next.Add(1)) - 1 {
				x := *d
				x.Y = d.reordered(kinds, together, rand.New(rand.NewPCG(seed, uint64(k))))
				n.R2[k], ts[k] = x.chosen(by)
			}
		})
	}
	work.Wait()
	n.scale(ts)
	for k, list := range ts {
		n.T[k] = n.Most(list)
	}
	slices.Sort(n.R2)
	slices.Sort(n.T)
	return n, true
}

// fewTimes is as how many times the mean of all columns counts in the scale of one.
const fewTimes = 10

// scale sets the scales from the coefficients of each order.
func (n *Noise) scale(orders [][]Coefficient) {
	times, all, mean := map[string]float64{}, 0.0, 0.0
	for _, list := range orders {
		for _, c := range list {
			if !math.IsNaN(c.T) && c.Name != "(Intercept)" {
				all++
				times[c.Name]++
				n.Scale[c.Name] += c.T * c.T
				mean += (c.T*c.T - mean) / all
			}
		}
	}
	for name, sum := range n.Scale {
		n.Scale[name] = math.Sqrt(max(1, (sum+fewTimes*mean)/(times[name]+fewTimes)))
	}
	n.Scale[""] = math.Sqrt(max(1, mean))
}

// chosen returns the R2 and the coefficients of the fit that a search finds; nothing if none is found.
func (d *Design) chosen(by Criterion) (r2 float64, list []Coefficient) {
	if by != "" {
		terms, _, err := d.Search(by, nil)
		if err != nil {
			return 0, nil
		}
		d = d.Terms(terms)
	}
	f, err := d.Fit()
	if err != nil {
		return 0, nil
	}
	return f.R2(), f.Coefficients(false)
}

// Most returns the largest |t| of coefficients, without the intercept, each by its scale; 0: there
// is none.
func (n *Noise) Most(list []Coefficient) (most float64) {
	for _, c := range list {
		scale, seen := n.Scale[c.Name]
		if !seen {
			scale = n.Scale[""]
		}
		if t := math.Abs(c.T) / scale; c.Name != "(Intercept)" && t > most {
			most = t
		}
	}
	return most
}

// blocks returns the rows of y that stay together, by which may change places: those of one group, of is
// that of each row or nil; nil: none may.
func (d *Design) blocks(of []int) (kinds [][][]int) {
	at := map[string]int{}
	var blocks [][]int
	for i := range d.Y {
		var key []byte
		if of != nil {
			key = binary.LittleEndian.AppendUint64(key, uint64(of[i]))
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
		if of != nil {
			k.group = of[b[0]]
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

// reordered returns y with blocks that have changed places, and the means of groups too.
func (d *Design) reordered(kinds [][][]int, together []int, rng *rand.Rand) []float64 {
	y := slices.Clone(d.Y)
	var means []float64
	if together != nil {
		means = make([]float64, slices.Max(together)+1)
		rows := make([]float64, len(means))
		for i, g := range together {
			rows[g]++
			means[g] += (d.Y[i] - means[g]) / rows[g]
		}
	}
	places := rng.Perm(len(means))
	for _, blocks := range kinds {
		for to, from := range rng.Perm(len(blocks)) {
			for i, row := range blocks[to] {
				y[row] = d.Y[blocks[from][i]]
			}
		}
	}
	for i, g := range together {
		y[i] += means[places[g]] - means[g]
	}
	return y
}
