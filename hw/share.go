package hw

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// ReadWait reads how long the calling thread has been able to run and had no CPU, in ns, from
// fsys, rooted at "/". It is [ErrUnsupported] where the kernel does not account that (no Linux, or
// one without scheduling statistics).
func ReadWait(fsys fs.FS) (uint64, error) {
	return readSchedstat(fsys, "proc/thread-self/schedstat")
}

// ReadProcessWait returns [ReadWait] of each thread of the process, by the thread's name in /proc.
func ReadProcessWait(fsys fs.FS) (map[string]uint64, error) {
	const dir = "proc/self/task"
	threads, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("read the waits of threads: %w: %w", ErrUnsupported, err)
	}
	all := map[string]uint64{}
	var last error
	for _, t := range threads {
		ns, err := readSchedstat(fsys, dir+"/"+t.Name()+"/schedstat")
		if err != nil { // it ended meanwhile, or has not begun
			last = err
			continue
		}
		all[t.Name()] = ns
	}
	if len(all) == 0 {
		return nil, last
	}
	return all, nil
}

// readSchedstat returns the second of three numbers: ns on a CPU, which lag behind, ns waiting for
// one, and how often one was had.
func readSchedstat(fsys fs.FS, name string) (uint64, error) {
	text, ok := readText(fsys, name)
	if !ok {
		return 0, fmt.Errorf("/%s is not there: %w", name, ErrUnsupported)
	}
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return 0, fmt.Errorf("/%s is %q, expected three numbers: %w", name, text, ErrUnsupported)
	}
	if fields[2] == "0" { // whoever asks had a CPU
		return 0, fmt.Errorf("/%s is all zeros, the kernel has no scheduling statistics: %w", name,
			ErrUnsupported)
	}
	ns, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/%s: %w: %w", name, ErrUnsupported, err)
	}
	return ns, nil
}

// StealTickNS is the step of [ReadSteal]: the kernel counts in hundredths of a second.
const StealTickNS = 10_000_000

// ReadSteal returns for each CPU how long a hypervisor has kept it from running ready threads, in
// steps of [StealTickNS]; nil where the kernel does not report it. Not every hypervisor does.
func ReadSteal(fsys fs.FS) map[int]uint64 {
	all, err := cpuTimes(fsys)
	if err != nil {
		return nil
	}
	steal := map[int]uint64{}
	for cpu, times := range all {
		steal[cpu] = uint64(times[7])
	}
	return steal
}
