package hw

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// inherited is the affinity mask that the process began with, read before anything can have been
// pinned.
var inherited, inheritedErr = threadAffinity()

// Affinity returns the CPUs that the process may use by the mask it inherited, in ascending order.
// Threads that were pinned since do not change it. The kernel has already taken cgroup cpusets into
// account.
func Affinity() ([]int, error) {
	if inheritedErr != nil {
		return nil, inheritedErr
	}
	return append([]int(nil), inherited...), nil
}

// threadAffinity reads the mask of the current thread.
func threadAffinity() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("read the affinity mask: %w", err)
	}
	var cpus []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// Pin binds the current thread to one CPU. The goroutine must hold the thread
// ([runtime.LockOSThread]) until restore has run; restore gives the thread the mask that it had
// before and may be called once, on the same thread. A caller that cannot restore should let the
// goroutine end without unlocking, which retires the thread. Pin returns an error, and changes
// nothing, for a CPU outside the mask that the process inherited (*[BindError], although the kernel
// would allow it), or one that is offline or outside the cpuset (EINVAL).
func Pin(cpu int) (restore func() error, err error) {
	if _, ok := slices.BinarySearch(inherited, cpu); !ok && inheritedErr == nil {
		return nil, fmt.Errorf("pin: %w", &BindError{CPU: cpu, Reason: outside, Allowed: inherited})
	}
	var old, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		return nil, fmt.Errorf("pin to CPU %d: read the present mask: %w", cpu, err)
	}
	one.Set(cpu)
	tid := unix.Gettid()
	if err := unix.SchedSetaffinity(tid, &one); err != nil {
		return nil, fmt.Errorf("pin to CPU %d: %w", cpu, err)
	}
	return func() error {
		if now := unix.Gettid(); now != tid {
			return fmt.Errorf("unpin from CPU %d: called on thread %d, pinned was thread %d (is "+
				"the goroutine locked to its thread?)", cpu, now, tid)
		}
		if err := unix.SchedSetaffinity(tid, &old); err != nil {
			return fmt.Errorf("unpin from CPU %d: %w", cpu, err)
		}
		return nil
	}, nil
}
