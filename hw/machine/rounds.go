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

// Rounds are the values of quantities by name, one of each round: times in picoseconds. A round is a
// pass over all quantities, so that a burst of load meets few values of each. The least value counts
// that another confirms, as other programs only add to a time. It need not be the least of all: on a
// virtual machine a cache that others share may answer once as it does at no other time.
type Rounds map[string][]float64

const (
	// Tolerance is how much more a value may be that confirms another. It bounds a single mishap,
	// and not the error of the value, which is the less of the two.
	Tolerance = 0.5
	// MoreRounds is how many times as many rounds are made before a calibration refuses.
	MoreRounds = 3
	// MostBeside is the share of the CPUs that others may take during a calibration, unless told.
	MostBeside = 0.25
)

// Add appends the value of a round.
func (r Rounds) Add(what string, ps float64) { r[what] = append(r[what], ps) }

// Least returns the value that counts of a quantity that has any; its least one where none is
// confirmed.
func (r Rounds) Least(what string) float64 {
	v, _ := r.confirmed(what)
	return v
}

// Agree reports whether the least value of all is confirmed. The only value of a quantity is.
func (r Rounds) Agree(what string) bool {
	v, ok := r.confirmed(what)
	return ok && v == slices.Min(r[what])
}

func (r Rounds) confirmed(what string) (ps float64, ok bool) {
	v := slices.Sorted(slices.Values(r[what]))
	for i := range v[1:] {
		if v[i+1] <= (1+Tolerance)*v[i] {
			return v[i], true
		}
	}
	return v[0], len(v) == 1
}

// Repeat makes n rounds, and more until the least values of all quantities are confirmed, up to
// [MoreRounds] times n. Errors: that of round; a [*DisturbedError] where no value of a quantity is
// confirmed then, or where others took more than a share of the CPUs meanwhile: beside, 0 for
// [MostBeside], 1 for whatever they take.
func (r Rounds) Repeat(n int, beside float64, round func() error) error {
	if beside == 0 {
		beside = MostBeside
	}
	watch := hw.WatchBeside()
	for i := 1; ; i++ {
		if err := round(); err != nil {
			return err
		}
		if i < n {
			continue
		}
		taken, of, known := watch.CPUs()
		if known && beside < 1 && taken > beside*float64(of) {
			return &DisturbedError{Taken: taken, CPUs: of, Beside: beside, Load: load()}
		}
		agree := true
		for _, what := range slices.Sorted(maps.Keys(r)) {
			agree = agree && r.Agree(what)
			if _, ok := r.confirmed(what); !ok && i >= MoreRounds*n {
				return &DisturbedError{What: what, PS: r[what], Load: load()}
			}
		}
		if agree || i >= MoreRounds*n {
			return nil
		}
	}
}

// load returns the load average of the last minute, nil where the system has none.
func load() *float64 {
	if l := hw.HostFacts().LoadAverage; l != nil {
		return &l[0]
	}
	return nil
}

// DisturbedError is returned where other programs disturb a measurement: its rounds disagree, or
// others took the CPUs.
type DisturbedError struct {
	What   string    // the quantity whose rounds disagree; empty where others took the CPUs
	PS     []float64 // by round
	Taken  float64   // CPUs that others took
	CPUs   int       // of how many
	Beside float64   // the share that they may take
	Load   *float64  // the load average of the last minute, nil where the system has none
}

func (e *DisturbedError) Error() string {
	what := fmt.Sprintf("other programs took %.1f of %d CPUs meanwhile, expected at most %.0f %%",
		e.Taken, e.CPUs, 100*e.Beside)
	if e.What != "" {
		var values []string
		for _, ps := range e.PS {
			values = append(values, units.Times.Format(Digits(uint64(ps))))
		}
		what = fmt.Sprintf("%s: the %d rounds took %s, expected two of them within %.0f %%",
			e.What, len(values), strings.Join(values, ", "), 100*Tolerance)
	}
	load := units.NotAvailable
	if e.Load != nil {
		load = fmt.Sprintf("%.2f", *e.Load)
	}
	return fmt.Sprintf("%s; the load average is %s; stop what runs beside it, on the host of a "+
		"virtual machine too, and repeat", what, load)
}

// Class implements [failure.Classed].
func (*DisturbedError) Class() failure.Class { return failure.Capability }
