package goroutines

import (
	"fmt"

	"krdlab/hw/failure"
)

// ErrNoSchedule is wrapped by the error of accesses that stand in an order which no schedule has.
var ErrNoSchedule = failure.New(failure.Data, "the order of the trace is no schedule")

// Repeat makes the accesses in the order of the trace a schedule of the program cut to single ones, which
// has to allow it, and returns its measures by row. Errors:
// [ErrNoSchedule]. Cost: that of a schedule of single accesses and of its distances; 100 bytes an access.
func (p *Program) Repeat() ([]Outcome, error) {
	q := p.Cut(1)
	next, want := make([]int32, len(q.first)-1), make([]int32, 0, len(q.units))
	copy(next, q.first)
	for _, x := range q.turns {
		for range x.n {
			for q.from[next[x.by]] == q.from[next[x.by]+1] {
				next[x.by]++
			}
			want = append(want, next[x.by])
			next[x.by]++
		}
	}
	done := 0
	r := newRunner(q)
	ended := r.run(func(r *runner) int {
		// a lock that is held over no access is acquired where it was before the one of the next access
		at, first := -1, -1
		for k, i := range r.enabled {
			switch {
			case done < len(want) && i == want[done]:
				at = k
			case q.from[i] == q.from[i+1] && (first < 0 || q.begin(i) < q.begin(r.enabled[first])):
				first = k
			}
		}
		if at >= 0 && (first < 0 || q.takes[want[done]] == 0 || q.begin(want[done]) <= q.begin(r.enabled[first])) {
			done++
			return at
		}
		return first
	})
	if !ended {
		return nil, fmt.Errorf("%w: %d of its %d accesses may come in this order", ErrNoSchedule, done, len(want))
	}
	return newMeter(q).measure(r.order), nil
}
