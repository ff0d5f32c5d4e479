package engine

import (
	"fmt"
	"math/big"
	"slices"

	"krdlab/hw/units"
)

// pctExactly returns the exact probabilities with which a run of PCT of a depth has distances, over
// all priorities of threads and all change points. Errors: [ErrLimit] where there are more than
// most choices of them. Cost: a run for each.
func pctExactly(p *Program, s Sampler, depth int, most float64, memory Account) (map[hit]*big.Rat,
	error) {
	n, k := len(p.Threads), max(1, p.Steps())
	choices := 1.0
	for i := range n {
		choices *= float64(i + 1)
	}
	for i := range depth - 1 {
		if choices *= float64(k); s == PCTDistinct {
			choices *= float64(k-i) / float64(k)
		}
	}
	if choices > most || choices*float64(k) > 100*most {
		return nil, fmt.Errorf("%w: %.3g choices of PCT for %s, expected at most %.3g", ErrLimit, choices,
			units.Count(k, "step"), most)
	}
	d, err := newDraw(p, SampleOptions{Sampler: s, Depth: depth}, &memory)
	if err != nil {
		return nil, err
	}
	runs, all := map[hit]int64{}, int64(0)
	changes := make([]int, depth-1)
	var place func(order []int, i int)
	place = func(order []int, i int) {
		if i == len(changes) {
			d.priorities, d.changes = d.priorities[:0], append(d.changes[:0], changes...)
			for _, i := range order {
				d.priorities = append(d.priorities, float64(depth+i))
			}
			all++
			if _, bad := d.follow(p.inputs(0)); bad != nil {
				err = bad
			}
			for i, h := range d.hits {
				if !slices.Contains(d.hits[:i], h) {
					runs[h]++
				}
			}
			return
		}
		for at := 1; at <= k; at++ {
			if s == PCTDistinct && slices.Contains(changes[:i], at) {
				continue
			}
			changes[i] = at
			place(order, i+1)
		}
	}
	permutations(n, func(order []int) { place(order, 0) })
	list := make(map[hit]*big.Rat, len(runs))
	for h, n := range runs {
		list[h] = big.NewRat(n, all)
	}
	return list, err
}

// permutations calls use with each order of 0 to n-1.
func permutations(n int, use func([]int)) {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	var place func(i int)
	place = func(i int) {
		if i == n {
			use(list)
			return
		}
		for j := i; j < n; j++ {
			list[i], list[j] = list[j], list[i]
			place(i + 1)
			list[i], list[j] = list[j], list[i]
		}
	}
	place(0)
}

// walkExactly returns the exact probability that a random walk has h, nil once no work is left. Cost:
// some additions of fractions for each state of the threads and each stack.
func (g *graph) walkExactly(s *stacks, h hit, work *float64) *big.Rat {
	type key struct{ at, stack int32 }
	known, certain := map[key]*big.Rat{}, big.NewRat(1, 1)
	var from func(at, stack int32) *big.Rat
	from = func(at, stack int32) *big.Rat {
		k := key{at, stack}
		if v, ok := known[k]; ok {
			return v
		}
		sum := new(big.Rat)
		if *work -= walkWork; *work < 0 {
			return sum
		}
		for _, e := range g.nodes[at].edges {
			to := hop{stack, first}
			if e.object != none {
				to = s.access(stack, e.object)
			}
			if e.object == h.object && to.distance == h.distance {
				sum.Add(sum, certain)
			} else {
				sum.Add(sum, from(e.to, to.to))
			}
		}
		if n := len(g.nodes[at].edges); n > 0 {
			sum.Mul(sum, big.NewRat(1, int64(n)))
		}
		known[k] = sum
		return sum
	}
	if v := from(0, 0); *work >= 0 {
		return v
	}
	return nil
}
