package engine

import "math/big"

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

	weight []float64 // by object: the sum of probabilities, the number of inputs that access it
	// of samplers: of each distance, and by object the sum over runs of its accesses squared
	sums    map[hit]*runSums
	squares []float64
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
	// Largest counts the interleavings of which it is the largest of the object; likewise.
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
		weight: make([]float64, len(p.Objects))}
	for _, name := range p.Objects {
		o := Object{Name: name}
		for d := range len(p.Objects) + 1 {
			o.Distances = append(o.Distances, Distance{Distance: d + first, Count: &Count{},
				Reached: &Count{}, Largest: &Count{}})
		}
		r.Objects = append(r.Objects, o)
	}
	return r
}

// add adds the counts of one choice of inputs.
func (r *Result) add(t *totals) {
	r.Inputs++
	r.Interleavings.Add(&r.Interleavings.Int, t.interleavings)
	r.Deadlocks.Add(&r.Deadlocks.Int, t.deadlocks)
	for i := range r.Objects {
		o := &r.Objects[i]
		o.Accesses = max(o.Accesses, t.most[i])
		all := new(big.Int)
		for _, n := range t.accesses[i] {
			all.Add(all, n)
		}
		if all.Sign() == 0 {
			continue
		}
		r.weight[i]++
		for d := range o.Distances {
			x, n := &o.Distances[d], t.accesses[i][d]
			x.Count.Add(&x.Count.Int, n)
			x.Reached.Add(&x.Reached.Int, t.reached[i][d])
			x.Largest.Add(&x.Largest.Int, t.largest[i][d])
			p, _ := new(big.Rat).SetFrac(n, all).Float64()
			x.Probability += p
		}
	}
}

// finish leaves out what does not occur.
func (r *Result) finish() {
	for i := range r.Objects {
		o := &r.Objects[i]
		list := []Distance{}
		for _, x := range o.Distances {
			if x.Count.Sign() == 0 {
				continue
			}
			if x.Reached.Sign() == 0 {
				x.Reached, x.Largest = nil, nil
			}
			if r.Runs > 0 {
				x.Largest = nil
			}
			x.Probability /= r.weight[i]
			list = append(list, x)
			if d := x.Distance; d != first {
				if o.Minimum == nil {
					o.Minimum = &d
				}
				o.Maximum = &d
			}
		}
		o.Distances = list
	}
}
