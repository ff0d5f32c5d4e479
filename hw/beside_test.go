package hw

import (
	"testing"
	"testing/fstest"
	"time"
)

// Busy is all but idle and iowait, of the CPUs that are asked for alone.
func TestBusyTime(t *testing.T) {
	stat := "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 1 2 4 1000 2000 8 16 32 64 128\n" +
		"cpu1 100 0 0 5 5 0 0 0 0 0\nintr 5 0 0 0 0 0 0 0 0 0\n"
	for _, x := range []struct {
		cpus []int
		want time.Duration
	}{{[]int{0}, 630 * time.Millisecond}, {[]int{1}, time.Second}, {[]int{0, 1}, 1630 * time.Millisecond}} {
		got, err := busyTime(fstest.MapFS{"proc/stat": {Data: []byte(stat)}}, x.cpus)
		if err != nil || got != x.want {
			t.Errorf("%d: %v, %v, expected %v", x.cpus, got, err, x.want)
		}
	}
	for _, stat := range []string{"", "cpu0 1 2 3\n", "cpu0 1 x 4 1 2 8 16 32\n"} {
		fsys := fstest.MapFS{"proc/stat": {Data: []byte(stat)}}
		if got, err := busyTime(fsys, []int{0}); err == nil {
			t.Errorf("%q: %v", stat, got)
		}
	}
}

// What this process does itself is not beside it.
func TestBeside(t *testing.T) {
	b := WatchBeside()
	if b == nil {
		t.Skip("no proc/stat, or no CPU time of a process")
	}
	for start := time.Now(); time.Since(start) < 300*time.Millisecond; {
	}
	taken, of, ok := b.CPUs()
	if !ok || taken < 0 || taken > float64(of)+0.2 {
		t.Errorf("%v of %d CPUs, %v", taken, of, ok)
	}
	if _, _, ok := WatchBeside().CPUs(); ok {
		t.Error("known at once")
	}
}
