package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/units"
)

// Rounds are the values of quantities by name, one of each round: times in picoseconds, of which
// the least counts, as other programs only add to them. A round is a pass over all quantities, so
// that a burst of load meets few values of each.
type Rounds map[string][]float64

const (
	// Tolerance is how much more the second least value of a quantity may be than the least. What
	// two quiet rounds differ by is less, some 10 % for a steal on a virtual machine; what a program
	// adds that shares a core, or all of a cache, is more.
	Tolerance = 0.15
	// MoreRounds is how many times as many rounds are made before a calibration refuses.
	MoreRounds = 3
)

// Add appends the value of a round.
func (r Rounds) Add(what string, ps float64) { r[what] = append(r[what], ps) }

// Least returns the value that counts of a quantity that has any.
func (r Rounds) Least(what string) float64 { return slices.Min(r[what]) }

// Agree reports whether the two least values of a quantity are within [Tolerance]; a quantity with
// fewer has nothing to disagree.
func (r Rounds) Agree(what string) bool {
	v := slices.Sorted(slices.Values(r[what]))
	return len(v) < 2 || v[1] <= (1+Tolerance)*v[0]
}

// Repeat makes n rounds, and more until the values of each quantity agree. Errors: that of round; a
// [*DisturbedError] where they still do not after [MoreRounds] times n.
func (r Rounds) Repeat(n int, round func() error) error {
	for i := 1; ; i++ {
		if err := round(); err != nil {
			return err
		}
		if i < n {
			continue
		}
		if err := r.Check(); err == nil || i >= MoreRounds*n {
			return err
		}
	}
}

// Check returns a [*DisturbedError] for the first quantity by name whose rounds disagree.
func (r Rounds) Check() error {
	for _, what := range slices.Sorted(maps.Keys(r)) {
		if !r.Agree(what) {
			e := &DisturbedError{What: what, PS: r[what]}
			if load := hw.HostFacts().LoadAverage; load != nil {
				e.Load = &load[0]
			}
			return e
		}
	}
	return nil
}

// DisturbedError is returned where the rounds of a measurement disagree: other programs run.
type DisturbedError struct {
	What string
	PS   []float64 // by round
	Load *float64  // the load average of the last minute, nil where the system has none
}

func (e *DisturbedError) Error() string {
	var values []string
	for _, ps := range e.PS {
		values = append(values, units.Times.Format(Digits(uint64(ps))))
	}
	load := "n/a"
	if e.Load != nil {
		load = fmt.Sprintf("%.2f", *e.Load)
	}
	return fmt.Sprintf("%s: the %d rounds took %s, expected the two least within %.0f %%; the load "+
		"average is %s; stop what runs beside it, on the host of a virtual machine too, and repeat",
		e.What, len(values), strings.Join(values, ", "), 100*Tolerance, load)
}

// Class implements [failure.Classed].
func (*DisturbedError) Class() failure.Class { return failure.Capability }
