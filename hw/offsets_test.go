package hw

import (
	"errors"
	"runtime"
	"testing"
)

func TestOffsetsLive(t *testing.T) {
	cpus, err := Affinity()
	if err != nil {
		t.Skip(err)
	}
	c := CalibrateClock()
	got, err := Offsets(cpus)
	if errors.Is(err, ErrNoAnswer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range got {
		t.Logf("CPU %d: %d ± %d ticks (%.0f ± %.0f ns), %d rounds", o.CPU, o.Ticks, o.Bound,
			float64(o.Ticks)/c.Hz*1e9, float64(o.Bound)/c.Hz*1e9, o.Rounds)
	}
	if len(got) != len(cpus) || got[0] != (Offset{CPU: cpus[0]}) {
		t.Errorf("got %v for CPUs %v", got, cpus)
	}
}

func TestOffsetsOfCPUThatIsNotThere(t *testing.T) {
	cpus, err := Affinity()
	if err != nil {
		t.Skip(err)
	}
	if got, err := Offsets([]int{cpus[0], 1023}); err == nil {
		t.Errorf("got %v and no error for CPU 1023", got)
	}
	if _, err := Offsets(nil); err == nil {
		t.Error("no error for no CPUs")
	}
}

// TestOffsetOfSkewedClock uses an answerer whose clock is ahead, as no machine here has one.
func TestOffsetOfSkewedClock(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("needs two CPUs")
	}
	for _, skew := range []int64{1_000_000, -1_000_000} {
		var x exchange
		go func() {
			for turn := int64(1); ; turn += 2 {
				for x.turn.Load() != turn {
					if x.turn.Load() < 0 {
						return
					}
				}
				x.stamp = orderedTSC() + uint64(skew)
				x.turn.CompareAndSwap(turn, turn+1)
			}
		}()
		o, err := x.ask(Thorough, 7)
		x.turn.Store(-1)
		if errors.Is(err, ErrNoAnswer) {
			t.Skip(err)
		}
		if err != nil || o.CPU != 7 || o.Ticks-int64(o.Bound) > skew ||
			o.Ticks+int64(o.Bound) < skew {
			t.Errorf("skew %d: %+v, %v", skew, o, err)
		}
		// a loaded machine may have answered late each time, and then the bound is large
		if o.Bound < 100_000 && !o.Seen() {
			t.Errorf("skew %d is not seen: %+v", skew, o)
		}
	}
}

func TestBoundContradiction(t *testing.T) {
	var x exchange
	if _, err := x.bound(Thorough, Offset{}, nil, -5, 5); err == nil {
		t.Error("no error without a single round")
	}
	o, err := x.bound(Thorough, Offset{CPU: 3, Rounds: 2}, []uint64{500, 700},
		900, 1100)
	if err != nil || o.Ticks != 1000 || o.Bound < 100 || !o.Seen() {
		t.Errorf("got %+v, %v, want 1000 ± at least 100", o, err)
	}
	_, err = x.bound(Thorough, Offset{CPU: 3, Rounds: 2}, []uint64{500, 700},
		5000, -5000)
	var ce *ClockError
	if !errors.As(err, &ce) || ce.CPU != 3 {
		t.Errorf("got %v, want a *ClockError of CPU 3", err)
	}
}
