package goroutines

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

var errNoSchedule = errors.New("the order of the trace is no schedule")

// repeat makes the accesses in the order of the trace a schedule of the program cut to single ones, which
// has to allow it, and returns its measures by row. Errors: errNoSchedule.
func (p *Program) repeat() ([]Outcome, error) {
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
		return nil, fmt.Errorf("%w: %d of its %d accesses may come in this order", errNoSchedule, done, len(want))
	}
	return newMeter(q).measure(r.order), nil
}

// repeats checks that the order of a trace is a schedule, of the measures that the recorded one has.
func repeats(t *testing.T, p *Program) {
	t.Helper()
	got, err := p.repeat()
	if err != nil {
		t.Fatal(err)
	}
	if want := newMeter(p).recorded(); !slices.Equal(got, want) {
		t.Fatalf("the order of the trace comes to %v, expected %v", got, want)
	}
}

// TestRepeat checks that the order of a trace is a schedule, also where locks are held over no access, and
// that a change of it is none.
func TestRepeat(t *testing.T) {
	for _, did := range []string{"0go 0lock 0a 0b 1c 0a 0unlock 1d 1lock 1e 1unlock 1f",
		"0go 0lock 0unlock 0send 1lock 1receive 1a 1unlock", "0go 1lock 1unlock 0lock 0a 1b 0a 0unlock"} {
		repeats(t, read(t, traceOf(t, 1, did)))
	}
	for _, did := range []string{"0go 0lock 0a 0a 0unlock 1lock 1b 1unlock", "0go 0a 0a 0send 1receive 1b"} {
		p := read(t, traceOf(t, 1, did))
		p.turns = []turn{{0, 1}, {1, 1}, {0, 1}}
		if _, err := p.repeat(); !errors.Is(err, errNoSchedule) {
			t.Errorf("%s: %v", did, err)
		}
	}
}
