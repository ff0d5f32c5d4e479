package hw

import (
	"os"
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
	}{{[]int{0}, 630 * time.Millisecond}, {[]int{1}, time.Second},
		{[]int{0, 1}, 1630 * time.Millisecond}} {
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

// The time of this process itself is not beside it.
func TestBeside(t *testing.T) {
	b := WatchBeside()
	if b == nil {
		t.Skip("no proc/stat, or no CPU time of a process")
	}
	for { // 300 ms of CPU, however long they take
		own, err := ProcessCPUTime()
		if err != nil {
			t.Fatal(err)
		}
		if time.Duration(own)-b.own > 300*time.Millisecond {
			break
		}
	}
	taken, of, ok := b.CPUs()
	all, err := busyTime(os.DirFS("/"), b.cpus)
	if err != nil {
		t.Fatal(err)
	}
	others := time.Duration(taken * float64(time.Since(b.began)))
	if busy := all - b.busy; !ok || taken < 0 || of != len(b.cpus) ||
		others > busy-200*time.Millisecond {
		t.Errorf("others took %v, %v of %d CPUs, of %v that these were busy: %v", others, taken, of,
			busy, ok)
	}
	if _, _, ok := WatchBeside().CPUs(); ok {
		t.Error("known at once")
	}
}
