package hw

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Beside tells how much of the CPUs other programs take. [WatchBeside] begins it.
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

// busyTime returns how long CPUs were not idle, by the lines "cpuN user nice system idle iowait irq
// softirq steal guest guest_nice" of proc/stat, in hundredths of a second; guests are in user.
func busyTime(fsys fs.FS, cpus []int) (time.Duration, error) {
	const tick = time.Second / 100 // USER_HZ of every architecture that Go runs on
	b, err := fs.ReadFile(fsys, "proc/stat")
	if err != nil {
		return 0, err
	}
	var busy time.Duration
	found := 0
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) < 9 || !strings.HasPrefix(words[0], "cpu") {
			continue
		}
		cpu, err := strconv.Atoi(words[0][len("cpu"):])
		if err != nil || !slices.Contains(cpus, cpu) {
			continue
		}
		found++
		for i, w := range words[1:9] {
			n, err := strconv.ParseInt(w, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("proc/stat: %s: %q is no number", words[0], w)
			}
			if i != 3 && i != 4 { // idle, and idle with a request under way
				busy += time.Duration(n) * tick
			}
		}
	}
	if found != len(cpus) {
		return 0, fmt.Errorf("proc/stat: %d of %d CPUs", found, len(cpus))
	}
	return busy, nil
}
