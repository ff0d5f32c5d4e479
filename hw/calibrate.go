package hw

import (
	"fmt"
	"math"
	"runtime"
	"time"
)

// calibration is how long CalibrateClock watches both clocks.
const calibration = 40 * time.Millisecond

// A pair is one moment on both clocks: ticks, and raw nanoseconds with the half-width of the window
// it was read in.
type pair struct {
	ticks uint64
	rawNS int64
	slack float64 // ticks
}

// readPair reads the raw clock between two stamps and keeps the tightest of tries, so that an
// interrupt does not count.
func readPair(tries int) (pair, error) {
	best := pair{slack: math.Inf(1)}
	for range tries {
		before := TSC()
		ns, err := rawNS()
		after := TSC()
		if err != nil {
			return pair{}, err
		}
		if after < before {
			return pair{}, fmt.Errorf("the TSC ran backwards by %d ticks on one thread",
				before-after)
		}
		if slack := float64(after-before) / 2; slack < best.slack {
			best = pair{ticks: before + (after-before)/2, rawNS: ns, slack: slack}
		}
	}
	return best, nil
}

// calibrate sets Hz and ErrorPPM from two pairs that are at least d apart. The thread is held, so
// that both are of one TSC as far as the scheduler allows (the offsets of other CPUs are [Offsets]'
// business and far below the error here).
func (c *Clock) calibrate(d time.Duration) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const tries = 25
	a, err := readPair(tries)
	if err != nil {
		return err
	}
	time.Sleep(d)
	b, err := readPair(tries)
	if err != nil {
		return err
	}
	if b.ticks <= a.ticks || b.rawNS <= a.rawNS {
		return fmt.Errorf("the TSC advanced by %d ticks while the raw monotonic clock advanced "+
			"by %d ns", int64(b.ticks-a.ticks), b.rawNS-a.rawNS)
	}
	ticks := float64(b.ticks - a.ticks)
	c.Hz = ticks / (float64(b.rawNS-a.rawNS) / 1e9)
	c.ErrorPPM = (a.slack + b.slack) / ticks * 1e6
	if c.Hz < 1e6 || c.Hz > 1e11 {
		return fmt.Errorf("a TSC of %.0f Hz is not believable", c.Hz)
	}
	return nil
}
