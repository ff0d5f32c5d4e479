package engine

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"krdlab/hw/units"
)

// SchemaVersion is that of [Result].
const SchemaVersion = 1

// A Result is which distances are possible over interleavings, and how often.
type Result struct {
	SchemaVersion int    `json:"schema_version"`
	Method        string `json:"method"`
	Unit          string `json:"unit"` // of distances: objects
	// Interleavings counts those that end, over all inputs; Deadlocks those that do not, which are in
	// nothing else, and Deadlock is the threads of one of them, step by step.
	Interleavings *Count   `json:"interleavings"`
	Deadlocks     *Count   `json:"deadlocks"`
	Deadlock      []string `json:"deadlock,omitempty"`
	Inputs        int      `json:"inputs"`         // choices of inputs
	Runs          int      `json:"runs,omitempty"` // that were drawn; of samplers
	Depth         int      `json:"depth,omitempty"`
	Objects       []Object `json:"objects"`
	Warnings      []string `json:"warnings"`

	hits   tallies
	weight []float64 // by object: the sum of probabilities, the number of inputs that access it
	// of samplers, by object: the sum over runs of its accesses squared, and its accesses in a run
	squares, run []float64
}

// A hit is an access with a distance.
type hit struct{ object, distance int32 }

// A tally holds the counts of a hit.
type tally struct {
	accesses big.Int
	reached  big.Int // interleavings, or runs, that have it
	largest  big.Int // interleavings where it is the largest of the object
	// the sum over inputs of the probability
	probability float64
	// sums over runs, of how many accesses of an object have the distance, c, among its n
	cc, cn float64
}

// tallies are those of distances that occur.
type tallies map[hit]*tally

// of returns the tally of h, which may be new. The error is [ErrLimit].
func (l tallies) of(h hit, memory *Account) (*tally, error) {
	x := l[h]
	if x == nil {
		if !memory.Has(bytesOfHit) {
			return nil, memory.Take(0, "more than %s of objects occur", units.Count(len(l), "distance"))
		}
		x = &tally{}
		l[h] = x
	}
	return x, nil
}

// A Count is a whole number of any size, in JSON a string of decimal digits.
type Count struct{ big.Int }

// MarshalJSON implements [json.Marshaler].
func (c *Count) MarshalJSON() ([]byte, error) { return []byte(`"` + c.String() + `"`), nil }

// An Object is the distances of the accesses to one object.
type Object struct {
	Name      string     `json:"name"`
	Accesses  int        `json:"accesses"` // in an interleaving, at most
	Minimum   *int       `json:"minimum"`  // finite distance; null: there is none
	Maximum   *int       `json:"maximum"`
	Distances []Distance `json:"distances"` // ascending; those that occur
}

// A Distance is one that accesses to an object have.
type Distance struct {
	Distance int    `json:"distance"` // -1: first accesses (disconpro, 3)
	Count    *Count `json:"count"`    // accesses, over all interleavings
	// Probability is that of an access; inputs, and then the interleavings of each, are equally
	// likely.
	Probability float64 `json:"probability"`
	// Low and High are an interval of 95 % for it; of samplers.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Reached counts the interleavings that have it at least once; absent: not asked for.
	Reached *Count `json:"reached,omitempty"`
	// Largest counts the interleavings where it is the largest of the object; likewise.
	Largest *Count `json:"largest,omitempty"`
	// Guarantee is absent where it was not asked for.
	Guarantee *Guarantee `json:"guarantee,omitempty"`
	// Run is the probability that a run has it; of samplers.
	Run *Estimate `json:"run,omitempty"`
}

func newResult(p *Program, method string) *Result {
	r := &Result{SchemaVersion: SchemaVersion, Method: method, Unit: "objects",
		Interleavings: &Count{},
		Deadlocks:     &Count{}, Objects: []Object{}, Warnings: []string{},
		hits: tallies{}, weight: make([]float64, len(p.Objects))}
	for _, name := range p.Objects {
		r.Objects = append(r.Objects, Object{Name: name})
	}
	return r
}

// add adds the counts of one choice of inputs. The error is [ErrLimit].
func (r *Result) add(t *totals, memory *Account) error {
	r.Inputs++
	r.Interleavings.Add(&r.Interleavings.Int, t.interleavings)
	r.Deadlocks.Add(&r.Deadlocks.Int, t.deadlocks)
	all := make([]big.Int, len(r.Objects))
	for h, x := range t.hits {
		all[h.object].Add(&all[h.object], &x.accesses)
	}
	for i := range r.Objects {
		r.Objects[i].Accesses = max(r.Objects[i].Accesses, t.most[i])
		r.weight[i] += float64(all[i].Sign())
	}
	for h, n := range t.hits {
		x, err := r.hits.of(h, memory)
		if err != nil {
			return err
		}
		x.accesses.Add(&x.accesses, &n.accesses)
		x.reached.Add(&x.reached, &n.reached)
		x.largest.Add(&x.largest, &n.largest)
		p, _ := new(big.Rat).SetFrac(&n.accesses, &all[h.object]).Float64()
		x.probability += p
	}
	return nil
}

// finish makes the distances of objects.
func (r *Result) finish() {
	for i := range r.Objects {
		r.Objects[i].Distances = []Distance{}
	}
	for _, h := range slices.SortedFunc(maps.Keys(r.hits), func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.distance, b.distance))
	}) {
		n, o, d := r.hits[h], &r.Objects[h.object], int(h.distance)
		x := Distance{Distance: d, Count: &Count{n.accesses}, Probability: n.probability / r.weight[h.object]}
		if n.reached.Sign() != 0 {
			x.Reached = &Count{n.reached}
			if r.Runs == 0 {
				x.Largest = &Count{n.largest}
			}
		}
		o.Distances = append(o.Distances, x)
		if d != first {
			if o.Minimum == nil {
				o.Minimum = &d
			}
			o.Maximum = &d
		}
	}
}
