package hw

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// Beside measures how much of the CPUs other programs take. [WatchBeside] begins it.
type Beside struct {
	began     time.Time
	busy, own time.Duration
	cpus      []int
}

// WatchBeside begins to watch the CPUs that the process may use; nil where the system does not say
// how long they were busy (proc/stat).
func WatchBeside() *Beside {
	cpus, err := Affinity()
	if err != nil {
		return nil
	}
	b := &Beside{began: time.Now(), cpus: cpus}
	if b.busy, err = busyTime(os.DirFS("/"), cpus); err != nil {
		return nil
	}
	own, err := ProcessCPUTime()
	if err != nil {
		return nil
	}
	b.own = time.Duration(own)
	return b
}

// CPUs returns how many CPUs on average other programs, the system and the host of a virtual
// machine have taken since the beginning, and of how many; false where that is not known, as in the
// first tenth of a second, which is too short for the kernel's ticks.
func (b *Beside) CPUs() (taken float64, of int, ok bool) {
	if b == nil || time.Since(b.began) < 100*time.Millisecond {
		return 0, 0, false
	}
	busy, err := busyTime(os.DirFS("/"), b.cpus)
	if err != nil {
		return 0, 0, false
	}
	own, err := ProcessCPUTime()
	if err != nil {
		return 0, 0, false
	}
	others := busy - b.busy - (time.Duration(own) - b.own)
	return max(0, others.Seconds()/time.Since(b.began).Seconds()), len(b.cpus), true
}

// busyTime returns how long CPUs were not idle.
func busyTime(fsys fs.FS, cpus []int) (time.Duration, error) {
	all, err := cpuTimes(fsys)
	var busy time.Duration
	for _, cpu := range cpus {
		times, ok := all[cpu]
		if err == nil && !ok {
			err = fmt.Errorf("proc/stat: no CPU %d", cpu)
		}
		for i, t := range times {
			if i != 3 && i != 4 { // idle, and idle with a request under way
				busy += t
			}
		}
	}
	return busy, err
}

// cpuTimes returns the times of each CPU, by the lines "cpuN user nice system idle iowait irq
// softirq steal guest guest_nice" of proc/stat, in hundredths of a second; guests, which are in
// user, are left out.
func cpuTimes(fsys fs.FS) (map[int][8]time.Duration, error) {
	const tick = time.Second / 100 // USER_HZ of every architecture that Go runs on
	b, err := fs.ReadFile(fsys, "proc/stat")
	if err != nil {
		return nil, err
	}
	all := map[int][8]time.Duration{}
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) < 9 {
			continue
		}
		cpu, ok := numbered(words[0], "cpu")
		if !ok {
			continue
		}
		var times [8]time.Duration
		for i := range times {
			n, err := strconv.ParseInt(words[1+i], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("proc/stat: %s: %q is no number", words[0], words[1+i])
			}
			times[i] = time.Duration(n) * tick
		}
		all[cpu] = times
	}
	return all, nil
}
