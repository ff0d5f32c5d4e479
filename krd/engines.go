package krd

import (
	"fmt"
	"strconv"
	"strings"

	"krdlab/loi"
)

// An Engine names how distances are computed. The zero value is the exact one.
type Engine struct {
	Name     string  // "" and "exact", "scale-tree", "shards" or "shards-keys"
	Accuracy float64 // scale-tree: the distances are right to the share 1 - Accuracy of themselves
	Rate     float64 // shards: the share of the blocks that are followed
	Keys     int     // shards-keys: how many blocks are followed at most
}

// The names of engines.
const (
	EngineExact      = "exact"
	EngineScaleTree  = "scale-tree"
	EngineShards     = "shards"
	EngineShardsKeys = "shards-keys"
	EngineBursts     = "bursts" // estimated: see [BurstEstimate]; reuses that are shared are not
)

// Engines lists the forms that [ParseEngine] reads.
var Engines = []string{EngineExact, EngineScaleTree + "[:ACCURACY]", EngineShards + "[:RATE]",
	EngineShardsKeys + "[:COUNT]"}

// ParseEngine reads exact, scale-tree[:ACCURACY] (0.999 by default, as in the virda paper),
// shards[:RATE] (0.01) or shards-keys[:COUNT] (8192). Errors wrap ErrOption.
func ParseEngine(text string) (Engine, error) {
	name, value, given := strings.Cut(text, ":")
	e := Engine{Name: name, Accuracy: 0.999, Rate: 0.01, Keys: 8192}
	bad := func(want string) (Engine, error) {
		return Engine{}, fmt.Errorf("krd: %w: engine %q: %s", ErrOption, text, want)
	}
	var err error
	switch name {
	case EngineExact, "":
		if given {
			return bad("the exact engine has no setting")
		}
		return Engine{Name: EngineExact}, nil
	case EngineScaleTree:
		if given {
			e.Accuracy, err = strconv.ParseFloat(value, 64)
		}
		if err != nil || !(e.Accuracy > 0 && e.Accuracy <= 1) {
			return bad("expected an accuracy above 0 and at most 1, as in scale-tree:0.999")
		}
	case EngineShards:
		if given {
			e.Rate, err = strconv.ParseFloat(value, 64)
		}
		if err != nil || !(e.Rate > 0 && e.Rate <= 1) {
			return bad("expected a rate above 0 and at most 1, as in shards:0.01")
		}
	case EngineShardsKeys:
		if given {
			e.Keys, err = strconv.Atoi(value)
		}
		if err != nil || e.Keys < 1 {
			return bad("expected a number of blocks, at least 1, as in shards-keys:8192")
		}
	default:
		return bad("expected " + strings.Join(Engines, ", "))
	}
	return e, nil
}

// Sampling reports whether e looks at a sample of the blocks, and so estimates no histogram: see
// [Sample].
func (e Engine) Sampling() bool { return e.Name == EngineShards || e.Name == EngineShardsKeys }

// Approximate reports whether e is anything but exact.
func (e Engine) Approximate() bool { return e.Name != "" && e.Name != EngineExact }

// Suits returns an error if e cannot take a trace with this header.
func (e Engine) Suits(h *loi.Header) error {
	for i := range h.Registry.Objects {
		if o := &h.Registry.Objects[i]; o.Kind == loi.Span && e.Approximate() {
			return fmt.Errorf("krd: %w: engine %v follows whole blocks, and object %q is an address "+
				"space; expected exact", ErrOption, e, o.Name)
		}
	}
	return nil
}

// String returns the form that ParseEngine reads.
func (e Engine) String() string {
	switch e.Name {
	case "":
		return EngineExact
	case EngineScaleTree:
		return fmt.Sprintf("%s:%v", e.Name, e.Accuracy)
	case EngineShards:
		return fmt.Sprintf("%s:%v", e.Name, e.Rate)
	case EngineShardsKeys:
		return fmt.Sprintf("%s:%d", e.Name, e.Keys)
	}
	return e.Name
}
