package engine

import (
	"fmt"
	"math/big"
	"math/bits"

	"krdlab/hw/units"
)

// maxObjects is how many objects a program may have for the engines that keep stacks.
const maxObjects = 255

// Options of [Exact] and [Enumerate].
type Options struct {
	// MemoryBytes is how much memory an exact answer may take, about; 0: 1 GiB.
	MemoryBytes uint64
	// Reached asks for the interleavings that have each distance at least once, and those whose
	// largest it is. [Exact] then takes two more passes for each object and distance.
	Reached bool
}

// Exact returns the distances over all interleavings, by a dynamic program over the states of the
// threads and the LRU stacks with which they are reached. Counts are exact integers of any size.
// Errors: an [Error] of the program, [ErrLimit] before work that would need more memory than
// allowed. Cost: an addition for each state, stack and thread; 5 threads of 5 accesses each to the
// same 5 objects have 7 776 states and 326 stacks.
func Exact(p *Program, opt Options) (*Result, error) {
	return overInputs(p, opt, "exact", func(g *graph, t *totals, memory *Account) error {
		return g.exact(t, len(p.Objects), &opt, memory)
	})
}

// overInputs calls use for the states of each choice of inputs, and sums up.
func overInputs(p *Program, opt Options, method string,
	use func(*graph, *totals, *Account) error) (*Result, error) {
	if len(p.Objects) > maxObjects {
		return nil, fmt.Errorf("%w: %d objects, expected at most %d; the samplers take more", ErrLimit,
			len(p.Objects), maxObjects)
	}
	memory, err := newAccount(p, opt.MemoryBytes)
	if err != nil {
		return nil, err
	}
	choices, err := p.choices()
	if err != nil {
		return nil, err
	}
	r := newResult(p, method)
	m := newMachine(p)
	for c := range choices {
		rest := *memory // this choice's graph and counts are gone after it
		g, err := m.build(p.inputs(c), &rest)
		if err != nil {
			return nil, err
		}
		t := &totals{hits: tallies{}}
		if err := g.completions(t, len(p.Objects), &rest); err != nil {
			return nil, err
		}
		if t.interleavings.Sign() > 0 {
			if err := use(g, t, &rest); err != nil {
				return nil, err
			}
		}
		if t.deadlocks.Sign() > 0 && r.Deadlock == nil {
			r.Deadlock = g.schedule(t, p)
		}
		if err := r.add(t, memory); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r, nil
}

// maxInputs is how many choices of inputs there may be.
const maxInputs = 1 << 20

// choices returns the number of choices of inputs.
func (p *Program) choices() (int, error) {
	n := 1
	for _, v := range p.Shared {
		if n *= len(v); n > maxInputs {
			return 0, fmt.Errorf("%w: more than %d choices of inputs", ErrLimit, maxInputs)
		}
	}
	return n, nil
}

// inputs returns the initial values of choice c.
func (p *Program) inputs(c int) []int64 {
	values := make([]int64, len(p.Shared))
	for i, v := range p.Shared {
		values[i] = v[c%len(v)]
		c /= len(v)
	}
	return values
}

// A totals is the counts of one choice of inputs.
type totals struct {
	interleavings *big.Int  // that end
	deadlocks     *big.Int  // that do not
	ends          []big.Int // interleavings from each node on that end
	stuck         []big.Int // and that do not
	hits          tallies
	most          []int // accesses of each object in one interleaving
}

// completions counts how the program may go on from each node, and how often it accesses each of so
// many objects at most. The error is [ErrLimit].
func (g *graph) completions(t *totals, objects int, memory *Account) error {
	n := len(g.nodes)
	number := func(words int) float64 { return 1.5 * 8 * float64(words+4) } // math/big takes 4 more
	if err := memory.Take(float64(n*(2*24+4)), "%s of the threads", units.Count(n, "state")); err != nil {
		return err
	}
	t.ends, t.stuck = make([]big.Int, n), make([]big.Int, n)
	for at := n - 1; at >= 0; at-- {
		x := &g.nodes[at]
		switch x.end {
		case done:
			t.ends[at].SetInt64(1)
		case deadlock:
			t.stuck[at].SetInt64(1)
		}
		for _, e := range x.edges {
			t.ends[at].Add(&t.ends[at], &t.ends[e.to])
			t.stuck[at].Add(&t.stuck[at], &t.stuck[e.to])
		}
		if !memory.Has(number(len(t.ends[at].Bits())) + number(len(t.stuck[at].Bits()))) {
			return tooMany(n-at-1, memory)
		}
	}
	t.interleavings, t.deadlocks = &t.ends[0], &t.stuck[0]
	most := make([]int32, n)
	for o := range int32(objects) {
		for at := n - 1; at >= 0; at-- {
			most[at] = 0
			for _, e := range g.nodes[at].edges {
				k := most[e.to]
				if e.object == o {
					k++
				}
				most[at] = max(most[at], k)
			}
		}
		t.most = append(t.most, int(most[0]))
	}
	return nil
}

// schedule returns the threads of one interleaving that deadlocks.
func (g *graph) schedule(t *totals, p *Program) (threads []string) {
	for at := int32(0); g.nodes[at].end == goesOn; {
		for _, e := range g.nodes[at].edges {
			if t.stuck[e.to].Sign() > 0 {
				threads = append(threads, p.Threads[e.thread].Name)
				at = e.to
				break
			}
		}
	}
	return threads
}

// peak returns how many nodes are alive at once where each is begun at the first edge to it and
// ends when its edges have been followed.
func (g *graph) peak() (most int) {
	alive, begun := 1, make([]bool, len(g.nodes))
	for at := range g.nodes {
		for _, e := range g.nodes[at].edges {
			if !begun[e.to] {
				begun[e.to] = true
				alive++
			}
		}
		most = max(most, alive)
		alive--
	}
	return most
}

// prefixes returns the number of ways to all nodes together, at most limit: so many stacks come up.
func (g *graph) prefixes(limit float64) (sum float64) {
	ways := make([]float64, len(g.nodes))
	ways[0] = 1
	for at := range g.nodes {
		sum += ways[at]
		for _, e := range g.nodes[at].edges {
			ways[e.to] += ways[at]
		}
	}
	return min(sum, limit)
}

// exact counts accesses by distance, and with Options.Reached interleavings.
func (g *graph) exact(t *totals, objects int, opt *Options, memory *Account) error {
	all := new(big.Int).Add(t.interleavings, t.deadlocks)
	limbs := (all.BitLen() + 63) / 64
	peak, width := g.peak(), float64(8*limbs)
	if opt.Reached {
		width *= 2
	}
	list := arrangements(objects, g.prefixes(memory.allowed))
	if err := memory.Take(list*(float64(peak)*width+bytesOfStack+12*float64(objects)),
		"the exact answer, of %s and %s of the threads; sample instead",
		units.Count(objects, "object"), units.Count(peak, "state")); err != nil {
		return err
	}
	s := newStacks(objects)
	if _, err := g.pass(t, s, limbs, hit{none, 0}, false, memory); err != nil || !opt.Reached {
		return err
	}
	for o := range objects {
		further := new(big.Int) // interleavings with a larger distance
		for d := objects - 1; d >= first; d-- {
			h := hit{int32(o), int32(d)}
			x := t.hits[h]
			if x == nil {
				continue
			}
			reached, _ := g.pass(t, s, limbs, h, false, memory)
			x.reached.Set(reached)
			most, _ := g.pass(t, s, limbs, h, true, memory)
			x.largest.Sub(most, further)
			further = most
		}
	}
	return nil
}

// pass goes through all nodes. For each stack at a node it counts the prefixes that lead there, in
// limbs words each. Without an object it adds up the accesses of all, each as often as there are
// prefixes before it and completions after it; otherwise it returns the interleavings in which that
// object has that distance, or with orMore a larger one, at least once, the prefixes that have had
// it being counted apart.
func (g *graph) pass(t *totals, s *stacks, limbs int, of hit, orMore bool, memory *Account) (
	*big.Int, error) {
	object, distance := of.object, of.distance
	flags := 1
	if object != none {
		flags = 2
	}
	width := flags * limbs // words of a stack
	counts := make([][]uint64, len(g.nodes))
	counts[0] = make([]uint64, width)
	counts[0][0] = 1
	sums := make([]uint64, (s.objects+1)*(limbs+1)) // of an edge, by distance + 1
	var product, sum big.Int
	reached := new(big.Int)
	for at := range g.nodes {
		from := counts[at]
		counts[at] = nil
		if object != none && g.nodes[at].end == done {
			for i := limbs; i < len(from); i += width {
				reached.Add(reached, word(&sum, from[i:i+limbs]))
			}
		}
		for _, e := range g.nodes[at].edges {
			if t.ends[e.to].Sign() == 0 {
				continue // all that follows deadlocks
			}
			to := counts[e.to]
			if e.object == none {
				to = grown(to, len(from))
				for i := 0; i < len(from); i += limbs {
					addTo(to[i:i+limbs], from[i:i+limbs])
				}
				counts[e.to] = to
				continue
			}
			clear(sums)
			for i := 0; i < len(from); i += width {
				if zero(from[i : i+width]) {
					continue
				}
				h := s.access(int32(i/width), e.object)
				j := int(h.to) * width
				if j >= len(to) {
					to = grown(to, j+width)
				}
				switch {
				case object == none && limbs == 1:
					to[j] += from[i]
					k := int(h.distance-first) * 2
					var carry uint64
					sums[k], carry = bits.Add64(sums[k], from[i], 0)
					sums[k+1] += carry
				case object == none:
					addTo(to[j:j+limbs], from[i:i+limbs])
					k := int(h.distance-first) * (limbs + 1)
					addTo(sums[k:k+limbs+1], from[i:i+limbs])
				case e.object == object && (h.distance == distance || orMore && h.distance > distance):
					addTo(to[j+limbs:j+width], from[i:i+limbs])
					addTo(to[j+limbs:j+width], from[i+limbs:i+width])
				default:
					addTo(to[j:j+limbs], from[i:i+limbs])
					addTo(to[j+limbs:j+width], from[i+limbs:i+width])
				}
			}
			counts[e.to] = to
			if object != none {
				continue
			}
			for d := first; d < s.objects; d++ {
				list := sums[(d-first)*(limbs+1):][:limbs+1]
				if zero(list) {
					continue
				}
				x, err := t.hits.of(hit{e.object, int32(d)}, memory)
				if err != nil {
					return nil, err
				}
				product.Mul(word(&sum, list), &t.ends[e.to])
				x.accesses.Add(&x.accesses, &product)
			}
		}
	}
	return reached, nil
}

// grown returns list with at least n words.
func grown(list []uint64, n int) []uint64 {
	if n <= len(list) {
		return list
	}
	return append(list, make([]uint64, n-len(list))...)
}

// addTo adds b to a, which has room for the sum.
func addTo(a, b []uint64) {
	var carry uint64
	for i, v := range b {
		a[i], carry = bits.Add64(a[i], v, carry)
	}
	for i := len(b); carry > 0 && i < len(a); i++ {
		a[i], carry = bits.Add64(a[i], 0, carry)
	}
}

func zero(list []uint64) bool {
	for _, v := range list {
		if v != 0 {
			return false
		}
	}
	return true
}

// word sets z to a number of several words, the lowest first.
func word(z *big.Int, list []uint64) *big.Int {
	var b [8]byte
	bytes := make([]byte, 0, 8*len(list))
	for i := len(list) - 1; i >= 0; i-- {
		for k := range b {
			b[k] = byte(list[i] >> (56 - 8*k))
		}
		bytes = append(bytes, b[:]...)
	}
	return z.SetBytes(bytes)
}
