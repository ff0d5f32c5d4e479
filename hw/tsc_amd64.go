package hw

import (
	"runtime"

	"github.com/intel-go/cpuid"
)

// TSC returns a time stamp in ticks of the process's [Clock]: the time-stamp counter (RDTSC), or
// nanoseconds of the monotonic clock where [CalibrateClock] found that counter unfit.
//
// The instruction is not fenced, and runs out of order like any other: a stamp after a branch on a
// value that another core writes may be taken while that value is still awaited (100 ns early were
// seen), one after arithmetic before its results. Cost: one RDTSC, a call and a branch that is
// never taken.
func TSC() uint64

// orderedTSC reads TSC between two fences: it is read after all earlier loads and before anything
// that follows.
func orderedTSC() uint64

// TSCP returns TSC and the CPU that it was read on, by one instruction (RDTSCP), so that no
// migration falls between the two. It waits for earlier instructions to finish. cpu is -1 where the
// processor or the system does not have it.
//
// Linux keeps the CPU number in the low 12 bits of TSC_AUX and the NUMA node above them.
func TSCP() (tsc uint64, cpu int)

// Pause marks a spin loop for the core, twice (PAUSE: some 10 to 50 ns each, by model), and leaves
// the resources that an SMT sibling shares to it meanwhile. Short, so that a spinner sees a lock of
// tens of ns when it is released; call it repeatedly to wait longer.
func Pause()

//lint:ignore U1000 called by slowTSCP
func rdtscp() (tsc uint64, aux uint32)

const haveTSC = true

// hasTSCP is constant after the initialisation of the package.
//
//lint:ignore U1000 read by the assembly of TSCP
var hasTSCP = runtime.GOOS == "linux" && cpuid.HasExtraFeature(cpuid.RDTSCP)

// slowTSCP works like TSCP, on the monotonic clock or without RDTSCP.
//
//lint:ignore U1000 called by the assembly of TSCP
func slowTSCP() (tsc uint64, cpu int) {
	if !hasTSCP {
		return TSC(), -1
	}
	_, aux := rdtscp()
	return TSC(), int(aux & 0xfff)
}
