package hw

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"krdlab/hw/failure"
)

// An Offset is how far the clock of a CPU is ahead of the first CPU's: its true value lies within
// Ticks ± Bound. Subtract Ticks from stamps taken on CPU to bring them to the first CPU's clock, if
// |Ticks| > Bound; otherwise no offset was seen.
type Offset struct {
	CPU    int    `json:"cpu"`
	Ticks  int64  `json:"ticks"`
	Bound  uint64 `json:"bound_ticks"`
	Rounds int    `json:"rounds"` // exchanges that the bound comes from
	// RoundTrip is the median time of an exchange, ticks: a cache line goes to CPU and comes back.
	RoundTrip uint64 `json:"round_trip_ticks"`
}

// Seen reports whether the clocks of the two CPUs differ for certain.
func (o Offset) Seen() bool { return o.Ticks > int64(o.Bound) || -o.Ticks > int64(o.Bound) }

// Effort is how much a comparison of two clocks may cost.
type Effort struct {
	Rounds int
	Time   time.Duration // so that a busy machine ends too
}

// Thorough is the effort of [Offsets], for each CPU.
var Thorough = Effort{2000, 50 * time.Millisecond}

// Offsets measures the clock of each CPU of cpus against the first. It pins two threads, which
// exchange stamps through one cache line: a stamp of the second thread lies between two of the
// first, which bounds the offset from both sides, and the bounds of all rounds are intersected
// (Cristian, Probabilistic clock synchronization, 1989). The stamps are fenced: without, the asking
// thread's second is taken while it still waits for the answer, and an offset of 90 ± 37 ns was
// seen between synchronous clocks. Up to 2000 rounds and 50 ms for each CPU; a loaded machine gives
// fewer rounds and a wider bound. The first entry is {cpus[0], 0, 0, 0}. An error, with the offsets
// found until then, means that a CPU may not be used, that no exchange succeeded in time
// ([ErrNoAnswer]), or that the bounds contradict each other (*[ClockError]). Without pinning it is
// [ErrUnsupported].
func Offsets(cpus []int) ([]Offset, error) { return OffsetsWithin(Thorough, cpus) }

// OffsetsWithin works like [Offsets], with another effort for each CPU.
func OffsetsWithin(e Effort, cpus []int) ([]Offset, error) {
	if len(cpus) == 0 {
		return nil, fmt.Errorf("clock offsets: no CPUs given")
	}
	out := []Offset{{CPU: cpus[0]}}
	for _, cpu := range cpus[1:] {
		if cpu == cpus[0] {
			out = append(out, Offset{CPU: cpu})
			continue
		}
		o, err := pairOffset(e, cpus[0], cpu)
		if err != nil {
			return out, fmt.Errorf("clock offset of CPU %d to CPU %d: %w", cpu, cpus[0], err)
		}
		out = append(out, o)
	}
	return out, nil
}

// ErrNoAnswer records that no exchange of stamps succeeded in the time given: other programs hold
// one of the CPUs.
var ErrNoAnswer = failure.New(failure.Failed, "the two CPUs never ran at the same time; other "+
	"programs hold them")

// A ClockError reports that no constant offset explains the stamps of two CPUs: one of the clocks
// drifts, jumps or runs backwards.
type ClockError struct {
	CPU       int
	Low, High int64 // the contradicting bounds: the offset is at least Low and at most High, ticks
}

func (e *ClockError) Error() string {
	return fmt.Sprintf("clock of CPU %d: the offset is at least %d and at most %d ticks, a "+
		"contradiction; the clock drifts or jumps", e.CPU, e.Low, e.High)
}

// Class implements [failure.Classed].
func (*ClockError) Class() failure.Class { return failure.Failed }

// exchange is the cache line of two threads. turn is written by both with the atomics that order
// stamp: odd, the responder is to answer; even, the asker may read; -1, the responder is to leave
// (written by the asker alone).
type exchange struct {
	_     [64]byte
	turn  atomic.Int64
	stamp uint64 // written by the responder before it makes turn even
	_     [64]byte
}

func pairOffset(e Effort, first, second int) (o Offset, err error) {
	var x exchange
	ready, done := make(chan error, 2), make(chan struct{})
	go func() {
		defer close(done)
		ready <- OnCPU(second, func() {
			ready <- nil
			x.respond()
		})
	}()
	var askErr error
	err = OnCPU(first, func() {
		if askErr = <-ready; askErr == nil {
			o, askErr = x.ask(e, second)
		}
	})
	x.turn.Store(-1)
	<-done
	return o, cmp.Or(err, askErr)
}

// respond answers until turn is negative.
func (x *exchange) respond() {
	for want := int64(1); ; want += 2 {
		for x.turn.Load() != want {
			if x.turn.Load() < 0 {
				return
			}
		}
		x.stamp = orderedTSC()
		if !x.turn.CompareAndSwap(want, want+1) {
			return // the asker gave up
		}
	}
}

// ask runs the rounds and intersects their bounds.
func (x *exchange) ask(e Effort, cpu int) (Offset, error) {
	deadline := time.Now().Add(e.Time)
	trips := make([]uint64, 0, e.Rounds)
	o := Offset{CPU: cpu}
	low, high := int64(-1<<62), int64(1<<62)
	for turn := int64(1); o.Rounds < e.Rounds; turn += 2 {
		before := orderedTSC()
		x.turn.Store(turn)
		for spins := 0; x.turn.Load() != turn+1; spins++ {
			if spins&0xff == 0xff && time.Now().After(deadline) {
				return x.bound(e, o, trips, low, high)
			}
		}
		after := orderedTSC()
		low = max(low, int64(x.stamp-after))
		high = min(high, int64(x.stamp-before))
		trips = append(trips, after-before)
		o.Rounds++
	}
	return x.bound(e, o, trips, low, high)
}

// bound returns the offset that the bounds of all rounds leave, and the median of their times.
func (x *exchange) bound(e Effort, o Offset, trips []uint64, low, high int64) (Offset, error) {
	if o.Rounds == 0 {
		return o, fmt.Errorf("%w (waited %v)", ErrNoAnswer, e.Time)
	}
	slices.Sort(trips)
	o.RoundTrip = trips[len(trips)/2]
	const slack = 2 // a hypervisor's scaling of the TSC rounds
	low, high = low-slack, high+slack
	if low > high {
		return o, &ClockError{CPU: o.CPU, Low: low, High: high}
	}
	o.Ticks = low + (high-low)/2
	o.Bound = uint64(high-low+1) / 2
	return o, nil
}
