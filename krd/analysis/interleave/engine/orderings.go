package engine

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"krdlab/hw/units"
)

// Guarantee holds the bound of the disconpro paper's theorem 1 for a distance of an object.
type Guarantee struct {
	// Orderings is the least number of orderings of two steps of different threads that guarantee the
	// distance: the paper's minimum depth (4). Exact is false where it is a bound from above: as
	// many as an interleaving that has the distance changes from one thread to another.
	Orderings int  `json:"orderings"`
	Exact     bool `json:"exact"`
	// Bound is 1 / (n k^(Orderings-1)) for n threads and k steps, the least probability with which a
	// run of PCT of that depth has it; Runs are those in which one has it with 95 % at least.
	Threads int     `json:"threads"`
	Steps   int     `json:"steps"`
	Bound   float64 `json:"bound"`
	Runs    float64 `json:"runs"`
	// PCTDepth is the least depth at which some run of PCT has it, and PCTProbability how likely that
	// is; nil: it was not found within the choices that are tried. Walk is the probability that a
	// random walk has it; nil where orderings are not searched, or not to the end.
	PCTDepth       *int     `json:"pct_depth"`
	PCTProbability *float64 `json:"pct_probability"`
	Walk           *float64 `json:"walk_probability"`
}

const (
	// maxListed is how many interleavings of a program are listed to find orderings.
	maxListed = 20_000
	// maxChoices is how many choices of PCT are tried for each depth.
	maxChoices = 1e6
	// maxOrderings is how many orderings are tried at most, and maxSearch in how many steps.
	maxOrderings = 8
	maxSearch    = 2e6
	// maxWork is how much is done for all distances together: words of interleavings that are looked
	// at, and states of random walks.
	maxWork = 2e9
	// maxDrawn is how many steps the interleavings have that are drawn.
	maxDrawn = 2e7
	walkWork = 500 // of a state of a random walk, in words
)

// A step is one of an interleaving: the thread, and how many of its steps came before.
type step struct{ thread, number int32 }

// listed is all interleavings of a program.
type listed struct {
	p      *Program
	g      *graph
	stacks *stacks
	lists  [][]step
	hits   []map[hit]bool // what each has
	pairs  [][]uint64     // for each ordering of two steps, the interleavings in which it holds
	work   float64        // that is left
}

// onlyGraph returns the states of a program with one choice of inputs. The error is [ErrLimit]
// where there are more.
func onlyGraph(p *Program, memory *Account) (g *graph, err error) {
	choices, err := p.choices()
	if err != nil {
		return nil, err
	}
	if choices > 1 {
		return nil, fmt.Errorf("%w: %d choices of inputs, expected one", ErrLimit, choices)
	}
	return newMachine(p).build(p.inputs(0), memory)
}

// list makes it of the states of p. The error is [ErrLimit] for too many interleavings.
func list(p *Program, g *graph, memory Account) (*listed, error) {
	l := &listed{p: p, g: g, stacks: newStacks(len(p.Objects)), work: maxWork}
	t := &totals{}
	if err := l.g.completions(t, 0, &memory); err != nil {
		return nil, err
	}
	n := t.interleavings
	if !n.IsInt64() || n.Int64() > maxListed {
		return nil, fmt.Errorf("%w: %v interleavings, expected at most %d to list", ErrLimit, n,
			maxListed)
	}
	// each with its hits, and with what walkExactly keeps; pairs of steps with a bit for each
	all, steps := float64(n.Int64()), float64(p.Steps())
	if err := memory.Take(steps*(bytesOfCall+all*(64+bytesOfStack+12*float64(len(p.Objects)))+
		steps*(24+all/8)), "%v interleavings of %s", n, units.Count(int(steps), "step")); err != nil {
		return nil, err
	}
	l.visit(0, 0, nil, map[hit]bool{}, make([]int32, len(p.Threads)))
	l.order()
	return l, nil
}

// visit goes on from a node with what the interleaving has so far.
func (l *listed) visit(at, stack int32, steps []step, have map[hit]bool, next []int32) {
	if l.g.nodes[at].end == done {
		hits := make(map[hit]bool, len(have))
		for h := range have {
			hits[h] = true
		}
		l.lists, l.hits = append(l.lists, append([]step(nil), steps...)), append(l.hits, hits)
	}
	for _, e := range l.g.nodes[at].edges {
		s := step{e.thread, next[e.thread]}
		next[e.thread]++
		to := stack
		var h hit
		fresh := false
		if e.object != none {
			x := l.stacks.access(stack, e.object)
			to, h = x.to, hit{e.object, x.distance}
			fresh = !have[h]
			have[h] = true
		}
		l.visit(e.to, to, append(steps, s), have, next)
		if fresh {
			delete(have, h)
		}
		next[e.thread]--
	}
}

// order finds in which interleavings each ordering of two steps of different threads holds.
func (l *listed) order() {
	numbers := map[step]int{}
	for _, list := range l.lists {
		for _, s := range list {
			if _, ok := numbers[s]; !ok {
				numbers[s] = len(numbers)
			}
		}
	}
	n, words := len(numbers), (len(l.lists)+63)/64
	pairs := make([][]uint64, n*n)
	for i, list := range l.lists {
		for a, s := range list {
			for _, t := range list[a+1:] {
				if s.thread == t.thread {
					continue
				}
				k := numbers[s]*n + numbers[t]
				if pairs[k] == nil {
					pairs[k] = make([]uint64, words)
				}
				pairs[k][i>>6] |= 1 << (i & 63)
			}
		}
	}
	for _, x := range pairs {
		if x != nil {
			l.pairs = append(l.pairs, x)
		}
	}
}

// least returns the least number of orderings that guarantee h, and whether that is proved.
func (l *listed) least(h hit) (n int, exact bool) {
	words := (len(l.lists) + 63) / 64
	good, all := make([]uint64, words), make([]uint64, words)
	atMost := math.MaxInt
	for i, have := range l.hits {
		all[i>>6] |= 1 << (i & 63)
		if have[h] {
			good[i>>6] |= 1 << (i & 63)
			atMost = min(atMost, changes(l.lists[i]))
		}
	}
	left := int(maxSearch)
	stack := make([][]uint64, maxOrderings+1)
	for i := range stack {
		stack[i] = make([]uint64, words)
	}
	// some reports whether n more orderings guarantee h of the interleavings in stack[at]
	var some func(at, n int) bool
	some = func(at, n int) bool {
		bad := -1
		for i, w := range stack[at] {
			if b := w &^ good[i]; b != 0 {
				bad = i<<6 + bits.TrailingZeros64(b)
				break
			}
		}
		if bad < 0 {
			return true
		}
		if n == 0 {
			return false
		}
		for _, x := range l.pairs {
			if x[bad>>6]>>(bad&63)&1 != 0 { // it holds there, too
				continue
			}
			if left, l.work = left-1, l.work-float64(words); left < 0 || l.work < 0 {
				return false
			}
			any := uint64(0)
			for i := range x {
				stack[at+1][i] = stack[at][i] & x[i]
				any |= stack[at+1][i] & good[i]
			}
			if any != 0 && some(at+1, n-1) {
				return true
			}
		}
		return false
	}
	for n := range min(maxOrderings, atMost) + 1 {
		copy(stack[0], all)
		if some(0, n) {
			return n, true
		}
		if left < 0 || l.work < 0 {
			break
		}
	}
	return atMost, false
}

// changes counts how often a list goes on with another thread.
func changes(list []step) (n int) {
	for i := 1; i < len(list); i++ {
		if list[i].thread != list[i-1].thread {
			n++
		}
	}
	return n
}

// bounded is how many interleavings are drawn of a program with too many to list, where these have
// at most maxDrawn steps.
const bounded = 10_000

// bound finds how often those of some uniformly drawn interleavings that have a distance change
// threads at least.
func bound(p *Program, g *graph, seed uint64, memory Account) (map[hit]int, error) {
	t := &totals{}
	if err := g.completions(t, 0, &memory); err != nil {
		return nil, err
	}
	if t.interleavings.Sign() == 0 {
		return nil, fmt.Errorf("%w: every interleaving deadlocks", ErrLimit)
	}
	d, err := newDraw(p, SampleOptions{Sampler: Uniform, Seed: seed}, &memory)
	if err != nil {
		return nil, err
	}
	d.g, d.totals = g, t
	least := map[hit]int{}
	for range min(bounded, 1+maxDrawn/max(1, p.Steps())) {
		if _, err := d.run(p.inputs(0)); err != nil {
			return nil, err
		}
		changes := 0
		for i, t := range d.threads[1:] {
			if t != d.threads[i] {
				changes++
			}
		}
		for _, h := range d.hits {
			if n, seen := least[h]; !seen || changes < n {
				least[h] = changes
			}
		}
	}
	return least, nil
}

// Guarantee adds to the distances of r, the exact result of p, how many orderings guarantee each,
// the bound of PCT for that and the least depth of PCT that has it. Of a program of more than 20
// 000 interleavings, orderings are bounded by those of 10 000 that are drawn, fewer of long ones,
// and distances that none of them has get nothing; so are they once maxWork is done. The error is
// [ErrLimit] for a program with inputs. Cost: up to some ten seconds.
func (r *Result) Guarantee(p *Program, opt Options) error {
	memory, err := newAccount(p, opt.MemoryBytes)
	if err != nil {
		return err
	}
	g, err := onlyGraph(p, memory)
	if err != nil {
		return err
	}
	var drawn map[hit]int
	l, err := list(p, g, *memory)
	if errors.Is(err, ErrLimit) {
		drawn, err = bound(p, g, 1, *memory)
	}
	if err != nil {
		return err
	}
	k := max(1, p.Steps())
	for i := range r.Objects {
		for j := range r.Objects[i].Distances {
			x := &r.Objects[i].Distances[j]
			h := hit{int32(i), int32(x.Distance)}
			y := &Guarantee{Threads: len(p.Threads), Steps: k}
			if drawn == nil {
				y.Orderings, y.Exact = l.least(h)
				if v := g.walkExactly(l.stacks, h, &l.work); v != nil {
					walk, _ := v.Float64()
					y.Walk = &walk
				}
			} else if n, seen := drawn[h]; seen {
				y.Orderings = n
			} else {
				continue
			}
			y.Bound = 1 / (float64(len(p.Threads)) * math.Pow(float64(k), float64(max(0, y.Orderings-1))))
			y.Runs, x.Guarantee = runsFor(y.Bound), y
		}
	}
	return r.reachedByPCT(p, *memory)
}

// reachedByPCT finds the least depth of PCT for each distance that has a guarantee.
func (r *Result) reachedByPCT(p *Program, memory Account) error {
	for depth, more := 1, true; more; depth++ {
		list, err := pctExactly(p, PCT, depth, maxChoices, memory)
		if errors.Is(err, ErrLimit) {
			return nil // deeper ones have more choices
		} else if err != nil {
			return err
		}
		more = false
		for i := range r.Objects {
			for j := range r.Objects[i].Distances {
				x := &r.Objects[i].Distances[j]
				if x.Guarantee == nil || x.Guarantee.PCTDepth != nil {
					continue
				}
				if v := list[hit{int32(i), int32(x.Distance)}]; v != nil {
					probability, _ := v.Float64()
					x.Guarantee.PCTDepth, x.Guarantee.PCTProbability = &depth, &probability
				} else {
					more = more || depth < x.Guarantee.Orderings
				}
			}
		}
	}
	return nil
}

// runsFor returns how many runs have an event of probability p in one at least once, with a
// probability of 95 %.
func runsFor(p float64) float64 {
	if p >= 1 {
		return 1
	}
	return math.Ceil(math.Log(0.05) / math.Log1p(-p))
}
