package hw

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The sources of a [Clock].
const (
	SourceTSC       = "tsc"
	SourceMonotonic = "monotonic"
)

// A Clock describes the unit and rate of [TSC]. The zero Clock converts nothing; get one from
// [CalibrateClock].
type Clock struct {
	Source   string  `json:"source"`    // SourceTSC or SourceMonotonic
	Hz       float64 `json:"hz"`        // ticks per second
	ErrorPPM float64 `json:"error_ppm"` // bound on the relative error of Hz, in millionths
	// the processor's TSC runs at one rate in every state of power and sleep
	Invariant bool   `json:"invariant_tsc"`
	Reason    string `json:"reason,omitempty"` // why Source is not the TSC
}

// Nanoseconds converts a difference of two stamps. Exact to Hz for differences below 2^53 ticks (a
// month at 3 GHz).
func (c Clock) Nanoseconds(ticks uint64) float64 { return float64(ticks) * (1e9 / c.Hz) }

// NS returns Nanoseconds rounded to an integer.
func (c Clock) NS(ticks uint64) int64 { return int64(math.Round(c.Nanoseconds(ticks))) }

// Ticks inverts NS.
func (c Clock) Ticks(ns int64) uint64 { return uint64(math.Round(float64(ns) * (c.Hz / 1e9))) }

// forced, when not 0, makes TSC read the monotonic clock. Written under
// process.mu, before any stamp is taken; read by assembly at each stamp.
var forced uint32

// start is the origin of monotonicTicks.
var start = time.Now()

// monotonicTicks stands in for TSC without a usable counter: it returns nanoseconds since the
// package was initialised.
func monotonicTicks() uint64 { return uint64(time.Since(start)) }

// process is the one clock of the process.
var process struct {
	mu    sync.Mutex
	clock *Clock
}

// CalibrateClock decides, once per process, which clock [TSC] reads, and measures its frequency:
// the TSC where the processor calls it invariant and the kernel has not found it unstable,
// otherwise the monotonic clock, with the reason in the result. Call it before the first stamp that
// is kept. The first call takes 40 ms, most of it asleep; later ones return the same Clock.
//
// The frequency is measured and not read: CPUID leaf 15H is absent on AMD and in many VMs, and
// /proc/cpuinfo rounds. Both ends of the interval are pairs (TSC, CLOCK_MONOTONIC_RAW), each the
// tightest of several, and ErrorPPM is the sum of what those two pairs leave open. The raw clock is
// not slewed by NTP, but its own scale is the kernel's calibration.
func CalibrateClock() Clock {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.clock == nil {
		c := chooseClock(os.DirFS("/"))
		if c.Source == SourceMonotonic {
			atomic.StoreUint32(&forced, 1)
		} else if err := c.calibrate(calibration); err != nil {
			atomic.StoreUint32(&forced, 1)
			c = monotonicClock(err.Error(), c.Invariant)
		}
		process.clock = &c
	}
	return *process.clock
}

func monotonicClock(reason string, invariant bool) Clock {
	return Clock{Source: SourceMonotonic, Hz: 1e9, Reason: reason, Invariant: invariant}
}

// chooseClock decides the source from the flags of /proc/cpuinfo and the kernel's clock sources. It
// measures nothing.
func chooseClock(fsys fs.FS) Clock {
	if !haveTSC {
		return monotonicClock("this build has no time-stamp counter", false)
	}
	f := readTSCFacts(fsys)
	if f.Flags == nil {
		return monotonicClock(
			"/proc/cpuinfo names no flags: whether the TSC is invariant is not known", false)
	}
	var missing []string
	for _, flag := range []string{"constant_tsc", "nonstop_tsc"} {
		if !slices.Contains(f.Flags, flag) {
			missing = append(missing, flag)
		}
	}
	if missing != nil {
		return monotonicClock(fmt.Sprintf("/proc/cpuinfo lacks %s: the TSC is not invariant",
			strings.Join(missing, " and ")), false)
	}
	if f.Available != nil && !slices.ContainsFunc(f.Available, tscBased) {
		return monotonicClock(fmt.Sprintf("the kernel does not offer the TSC as a clock source "+
			"(it offers %s): it found it unstable",
			strings.Join(f.Available, ", ")), true)
	}
	return Clock{Source: SourceTSC, Invariant: true}
}

// tscBased reports whether a clock source of the kernel is the TSC or a scaled TSC that the
// hypervisor provides.
func tscBased(source string) bool {
	return source == "tsc" || source == "kvm-clock" || source == "hyperv_clocksource_tsc_page" ||
		source == "xen"
}

// tscFacts holds the kernel's facts on the TSC; nil fields are not known.
type tscFacts struct {
	Flags     []string // of the first processor in /proc/cpuinfo
	Current   string
	Available []string
}

func readTSCFacts(fsys fs.FS) tscFacts {
	const dir = "sys/devices/system/clocksource/clocksource0/"
	var f tscFacts
	if flags, ok := cpuinfoField(fsys, "flags"); ok {
		f.Flags = strings.Fields(flags)
	}
	f.Current, _ = readText(fsys, dir+"current_clocksource")
	if s, ok := readText(fsys, dir+"available_clocksource"); ok {
		f.Available = strings.Fields(s)
	}
	return f
}
