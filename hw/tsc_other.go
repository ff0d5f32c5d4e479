//go:build !amd64

package hw

const haveTSC = false

// TSC returns a time stamp in ticks of the process's [Clock]: here, nanoseconds of the monotonic
// clock.
func TSC() uint64 { return monotonicTicks() }

// TSCP returns TSC and the CPU that it was read on; cpu is -1, for this platform has no instruction
// that reads both.
func TSCP() (tsc uint64, cpu int) { return monotonicTicks(), -1 }

// Pause does nothing here but be called.
//
//go:noinline
func Pause() {}

func orderedTSC() uint64 { return monotonicTicks() }
