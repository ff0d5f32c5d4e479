package krd

import (
	"fmt"

	"krdlab/hw/failure"
	"krdlab/krd/smith"
)

// A Distance is a convention of what a reuse distance counts.
type Distance string

const (
	// Exclusive counts the distinct other blocks: an access right after one to the same block has
	// distance 0.
	Exclusive Distance = "exclusive"
	// Inclusive counts the block itself too, the convention of the KRD paper's authors' own tools.
	Inclusive Distance = "inclusive"
)

// A Weight is the weight of an access in a histogram.
type Weight string

const (
	WeightCount Weight = "count" // one
	WeightBytes Weight = "bytes" // the size of its block in bytes
)

// Options of [Analyze]. The zero value is the default: exclusive distances, each access counted
// once, no losses allowed.
type Options struct {
	Distance  Distance // "" is Exclusive
	Weight    Weight   // "" is WeightCount
	AllowLoss bool     // analyse a trace with discarded records too; the report warns

	// Coherence makes a write on one node invalidate the copies of the others: see package
	// coherence. The bytes of an access are then touched in ascending order, row by row.
	Coherence bool
	// Cores asks for a histogram of each worker's accesses alone too, as its core's own caches see
	// them. With Coherence, a write by one worker invalidates the copies of all others.
	Cores bool
	// Caches are caches, one a node, whose misses are to be predicted from the distances: see
	// package smith.
	Caches []smith.Cache
	// Engine is how distances are computed. Analyze takes the exact one and the scale tree; for
	// those that sample see [Sample].
	Engine Engine
	// Causes asks who causes the accesses of a range of distances; nil: do not. Only with the exact
	// engine.
	Causes *CauseOptions
	// Progress, if not nil, is called now and then with about the bytes of records read so far, and
	// those to read. Calls do not overlap.
	Progress func(done, total uint64)
}

// CauseOptions say which accesses' causes are asked for: those with a distance of at least
// FromBytes and less than ToBytes, as Options.Distance counts it.
type CauseOptions struct {
	// ToBytes of causes.Unbounded: there is no end, and cold accesses are in the range
	FromBytes, ToBytes uint64
	// and which objects were touched in between, and which kernels came before: see package causes
	Pairs bool
	Paths bool // and which path of open regions leads to them
}

// ErrOption is wrapped by the error of an option that is none of its values.
var ErrOption = failure.New(failure.Request, "invalid option")

// resolve fills in the defaults.
func (o *Options) resolve() error {
	switch o.Distance {
	case "":
		o.Distance = Exclusive
	case Exclusive, Inclusive:
	default:
		return fmt.Errorf("krd: %w: distance %q, expected %q or %q", ErrOption, o.Distance,
			Exclusive, Inclusive)
	}
	switch o.Weight {
	case "":
		o.Weight = WeightCount
	case WeightCount, WeightBytes:
	default:
		return fmt.Errorf("krd: %w: weight %q, expected %q or %q", ErrOption, o.Weight, WeightCount,
			WeightBytes)
	}
	switch {
	case o.Engine.Sampling():
		return fmt.Errorf("krd: %w: engine %v samples, and gives no histogram; expected exact or "+
			"scale-tree", ErrOption, o.Engine)
	case o.Engine.Approximate() && o.Coherence:
		return fmt.Errorf("krd: %w: engine %v has no coherence; expected exact", ErrOption,
			o.Engine)
	case o.Engine.Approximate() && o.Causes != nil:
		return fmt.Errorf("krd: %w: engine %v has no causes; expected exact", ErrOption, o.Engine)
	case o.Coherence && o.Causes != nil:
		return fmt.Errorf("krd: %w: causes are counted without coherence; ask for one of them",
			ErrOption)
	}
	if o.Engine.Name == "" {
		o.Engine.Name = EngineExact
	}
	return nil
}

// ErrTooLarge is wrapped by the error of a trace whose bytes do not fit into the numbers of the
// analysis: 2^62 of distinct data on a node, or, where accesses weigh their bytes, 2^64 accessed.
var ErrTooLarge = failure.New(failure.Data, "too many bytes")

func tooLarge() error {
	return fmt.Errorf(
		"krd: %w: the trace touches 2^62 bytes or more of distinct data, expected less",
		ErrTooLarge)
}
