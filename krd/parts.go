package krd

import (
	"fmt"
	"math/bits"
	"strings"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd/causes"
)

// A Part is the accesses of a Go program that have something in common.
type Part struct {
	Name         string  `json:"name"`
	Accesses     uint64  `json:"accesses"`
	Cold         *uint64 `json:"cold"` // nil: a sample has too little of it
	Bytes        uint64  `json:"bytes"`
	Bins         []Bin   `json:"bins"` // those that are not empty; null as cold
	*SampledPart         // of a sample
}

// A SampledPart is how well a part is known by a sample: standard errors, nil where it is not known.
type SampledPart struct {
	AccessesError *float64       `json:"accesses_error"` // 0: they are counted
	ColdError     *float64       `json:"cold_error"`     // of those that are cold, or beyond what was seen
	Beyond        []SampledCount `json:"beyond"`
	Why           string         `json:"why,omitempty"` // something is not known
}

// A SampledCount is the accesses of a part that are cold or have at least a distance.
type SampledCount struct {
	FromBytes uint64   `json:"from_bytes"`
	Count     *float64 `json:"count"`
	Error     *float64 `json:"error"`
}

// First returns the accesses that are cold, 0 if that is not known.
func (p *Part) First() uint64 {
	if p.Cold == nil {
		return 0
	}
	return *p.Cold
}

// From returns the accesses of a part with a finite distance of at least so many bytes, a power of
// two.
func (p *Part) From(bytes uint64) uint64 { return within(p.Bins, bytes, causes.Unbounded) }

// within returns the accesses of whole bins with a distance from so many bytes on, and less than
// to.
func within(bins []Bin, from, to uint64) (n uint64) {
	for _, b := range bins {
		if b.FromBytes >= from && (to == causes.Unbounded || b.FromBytes < to) {
			n += b.Count
		}
	}
	return n
}

// Parts are the accesses of a Go program by what they have in common.
type Parts struct {
	Functions   []Part `json:"functions"`
	Loops       []Part `json:"loops"`
	Objects     []Part `json:"objects"`     // types with field, elements, variables
	Allocations []Part `json:"allocations"` // by what made the object that is accessed
}

// ErrRange is wrapped by the error of a range that divides a bin.
var ErrRange = failure.New(failure.Request, "not whole bins")

// Rank makes r.Causes a ranking of the parts of its accesses, by one of [ProgramRankings], in a
// range of distances. Both ends must be powers of two, or 0 and [causes.Unbounded], since of parts
// only bins are known; nil is the bins from the size of the LLC on. Errors: [ErrRange]; [ErrOption]
// where there are no such parts.
func (r *Report) Rank(parts *Parts, by string, in *CauseOptions) error {
	list := map[string][]Part{ByFunction: parts.Functions, ByLoop: parts.Loops,
		ByType: parts.Allocations, ByField: parts.Objects, BySite: parts.Allocations}[by]
	if list == nil {
		return fmt.Errorf("krd: %w: %s: a result of krdlab trace go has %s, and others have none of "+
			"these", ErrOption, by, strings.Join(ProgramRankings, ", "))
	}
	if in == nil {
		if r.LLCBytes == nil || *r.LLCBytes == 0 {
			return fmt.Errorf("%w: --by %s needs --bins, as in --bins 32K-: the size of the LLC is not "+
				"known", ErrRange, by)
		}
		in = &CauseOptions{FromBytes: 1 << bits.Len64(*r.LLCBytes-1), ToBytes: causes.Unbounded}
	}
	from, to := in.FromBytes, in.ToBytes
	power := func(n uint64) bool { return n&(n-1) == 0 }
	if end := "no end"; !power(from) || to != causes.Unbounded && !power(to) || from >= to {
		if to != causes.Unbounded {
			end = units.Bytes(to)
		}
		return fmt.Errorf("--bins: %w: found %s to %s, expected powers of two, the first the smaller",
			ErrRange, units.Bytes(from), end)
	}
	c := &causes.Result{FromBytes: from, ColdInRange: to == causes.Unbounded,
		AllAccesses: r.Accesses, Cold: r.Cold, Kernels: []causes.KernelRow{},
		Objects: []causes.ObjectRow{}}
	if to != causes.Unbounded {
		c.ToBytes = &to
	}
	count := func(bins []Bin, cold uint64) uint64 {
		if !c.ColdInRange {
			cold = 0
		}
		return within(bins, from, to) + cold
	}
	c.Accesses = count(r.Bins, r.Cold)
	var rows []causes.GroupRow
	for _, p := range list {
		if p.Bins == nil {
			c.NotKnown++
			continue
		}
		name := p.Name
		if by == ByType {
			name = ObjectType(name)
		}
		rows = append(rows, causes.GroupRow{Name: name, Counts: causes.Counts{
			Accesses: count(p.Bins, p.First()), AllAccesses: p.Accesses, Cold: p.First()}})
	}
	c.Group(by, rows)
	r.Causes = c
	return nil
}
