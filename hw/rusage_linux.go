package hw

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// usage holds the counts that the kernel keeps for every thread anyway.
type usage struct {
	voluntary, involuntary, faults, cpuNS uint64
}

// hasRusage reports whether usage has e, for when perf_event has not.
func hasRusage(e Event) bool {
	switch e {
	case TaskClock, PageFaults, ContextSwitches, VoluntarySwitches, InvoluntarySwitches:
		return true
	}
	return false
}

func (u usage) of(e Event) uint64 {
	switch e {
	case TaskClock:
		return u.cpuNS
	case PageFaults:
		return u.faults
	case ContextSwitches:
		return u.voluntary + u.involuntary
	case VoluntarySwitches:
		return u.voluntary
	case InvoluntarySwitches:
		return u.involuntary
	}
	panic(fmt.Sprintf("hw: getrusage does not count %v", e))
}

// threadUsage reads the accounts of the calling thread.
func threadUsage() (usage, error) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &ru); err != nil {
		return usage{}, fmt.Errorf("read counters: getrusage: %w", err)
	}
	cpu, err := ThreadCPUTime()
	if err != nil {
		return usage{}, fmt.Errorf("read counters: %w", err)
	}
	return usage{voluntary: uint64(ru.Nvcsw), involuntary: uint64(ru.Nivcsw),
		faults: uint64(ru.Minflt + ru.Majflt), cpuNS: cpu}, nil
}

// ThreadCPUTime returns how long the calling thread has had a CPU, in ns, to now.
func ThreadCPUTime() (uint64, error) { return cpuTime(unix.CLOCK_THREAD_CPUTIME_ID) }

// ProcessCPUTime returns the [ThreadCPUTime] of all threads of the process.
func ProcessCPUTime() (uint64, error) { return cpuTime(unix.CLOCK_PROCESS_CPUTIME_ID) }

func cpuTime(clock int32) (uint64, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		return 0, fmt.Errorf("CPU time: %w", err)
	}
	return uint64(ts.Nano()), nil
}
