package agent

import (
	"os"
	"slices"
	"strings"
	"time"
	_ "unsafe" // for linkname
)

// clock takes stamps: ticks of the time-stamp counter, or nanoseconds.
type clock struct {
	tsc   bool
	ticks uint64 // when began
	began time.Time
}

func newClock() clock {
	c := clock{tsc: haveTSC && steady(), began: time.Now()}
	c.ticks = c.now()
	return c
}

// steady reports that the system holds the counter for one that always counts at one rate, and for
// one clock of all CPUs.
func steady() bool {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(info), "\nflags")
	line, _, _ := strings.Cut(rest, "\n")
	flags := strings.Fields(line)
	offered, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/available_clocksource")
	return slices.Contains(flags, "constant_tsc") && slices.Contains(flags, "nonstop_tsc") &&
		(err != nil || slices.ContainsFunc(strings.Fields(string(offered)), func(s string) bool {
			return s == "tsc" || s == "kvm-clock" || s == "hyperv_clocksource_tsc_page" || s == "xen"
		}))
}

func (c *clock) now() uint64 {
	if c.tsc {
		return tsc()
	}
	return uint64(time.Since(c.began))
}

// hz measures the rate of the counter, over 20 ms at least.
func (c *clock) hz() float64 {
	time.Sleep(20*time.Millisecond - time.Since(c.began))
	ticks, passed := c.now()-c.ticks, time.Since(c.began)
	return float64(ticks) / passed.Seconds()
}

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// p returns the number of the P that the goroutine runs on.
func p() int32 {
	n := procPin()
	procUnpin()
	return int32(n)
}
