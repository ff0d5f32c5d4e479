package goroutines

import (
	"errors"
	"slices"
	"testing"
)

// repeats checks that the order of a trace is a schedule, of the measures that the recorded one has.
func repeats(t *testing.T, p *Program) {
	t.Helper()
	got, err := p.Repeat()
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
		if _, err := p.Repeat(); !errors.Is(err, ErrNoSchedule) {
			t.Errorf("%s: %v", did, err)
		}
	}
}
