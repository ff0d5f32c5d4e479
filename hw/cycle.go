package hw

import (
	"math"
	"sync/atomic"
)

const (
	// cycleSteps is how many dependent steps are timed in one go, some 30 us: short, so that one of
	// several finds the CPU undisturbed.
	cycleSteps = 1 << 14
	cycleTries = 16
	// cycleOps is how many instructions of one cycle each follow one another in a step.
	cycleOps = 6
)

// cycleSink keeps the compiler from dropping the chain.
var cycleSink atomic.Uint64

// Cycle returns how many ticks of the clock one dependent instruction takes on the calling thread's
// CPU: shifts and exclusive ors of registers, which take one cycle of the core each, so that a
// change of its frequency shows. It is the least of several tries, half a millisecond in all. A
// caller that compares two of them holds and pins the thread.
func Cycle() float64 {
	best := uint64(math.MaxUint64)
	x := uint64(88172645463325252)
	for range cycleTries {
		before := orderedTSC()
		for range cycleSteps { // Marsaglia, Xorshift RNGs, 2003
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		cycleSink.Store(x)
		best = min(best, orderedTSC()-before)
	}
	return float64(best) / (cycleSteps * cycleOps)
}
