package hw

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func allEvents() []Event {
	var out []Event
	for e := range numEvents {
		out = append(out, e)
	}
	return out
}

// onThread runs f on a thread of its own, which dies afterwards.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}

// TestCountersLive counts what this test makes happen. Software events are there in a VM too.
func TestCountersLive(t *testing.T) {
	onThread(func() {
		const pages = 300
		b, err := Map(pages * unix.Getpagesize())
		if err != nil {
			t.Error(err)
			return
		}
		defer Unmap(b)
		c, err := OpenThread(allEvents()...)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if _, err := c.Read(); err == nil {
			t.Error("no error for counters that were not started")
		}
		nap := func(times int) {
			for range times {
				ts := unix.NsecToTimespec(200_000)
				_ = unix.Nanosleep(&ts, nil)
			}
		}
		nap(100)               // must not be counted
		for round := range 2 { // the second round must not see the first
			before := time.Now()
			if err := c.Start(); err != nil {
				t.Error(err)
				return
			}
			if round == 0 {
				_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
				for i := 0; i < len(b); i += unix.Getpagesize() {
					b[i] = 1
				}
				nap(20) // some may end before the thread has gone to sleep: 5 are asked for
			}
			if err := c.Stop(); err != nil {
				t.Error(err)
				return
			}
			elapsed := time.Since(before)
			counts, err := c.Read()
			if err != nil || len(counts) != int(numEvents) {
				t.Errorf("%d counts, %v, want %d", len(counts), err, numEvents)
				return
			}
			for i, n := range counts {
				if n.Event != Event(i) {
					t.Errorf("count %d is of %v, want %v", i, n.Event, Event(i))
				}
				t.Logf("round %d: %v: %d %s %v", round, n.Event, n.N, n.Source, n.Err)
				if n.Err != nil {
					if n.N != 0 || n.Source != "" {
						t.Errorf("%v has an error and a count: %+v", n.Event, n)
					}
					continue
				}
				lo, hi := uint64(0), ^uint64(0)
				switch n.Event {
				case TaskClock:
					lo, hi = 1, uint64(elapsed)
				case PageFaults:
					if lo = pages; round == 1 {
						lo, hi = 0, pages/2
					}
				case ContextSwitches:
					lo = 5 * uint64(1-round)
				case VoluntarySwitches:
					lo, hi = 5*uint64(1-round), 99
				case Instructions, Cycles:
					lo = 1
				}
				if n.N < lo || n.N > hi {
					t.Errorf("round %d: %v is %d, want %d to %d", round, n.Event, n.N, lo, hi)
				}
			}
			for _, e := range []Event{TaskClock, PageFaults, ContextSwitches, VoluntarySwitches,
				InvoluntarySwitches} {
				if counts[e].Err != nil {
					t.Errorf("%v: %v, want a count: it has a source without perf_event", e,
						counts[e].Err)
				}
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if counts, err := c.Read(); err != nil || len(counts) != int(numEvents) {
			t.Errorf("after Close: %v, %v, want what Stop read", counts, err)
		}
	})
}

// TestCountersHardware reads the PMU, or skips with the reason why there is none.
func TestCountersHardware(t *testing.T) {
	var counts []Count
	onThread(func() {
		c, err := OpenThread(Instructions, Cycles, LLCMisses)
		if err == nil {
			err = errors.Join(c.Start(), c.Stop())
			counts, _ = c.Read()
			err = errors.Join(err, c.Close())
		}
		if err != nil {
			t.Error(err)
		}
	})
	for _, n := range counts {
		var pe *PermissionError
		switch {
		case n.Err == nil:
		case errors.Is(n.Err, ErrNoPMU), errors.As(n.Err, &pe), errors.Is(n.Err, ErrUnsupported):
			t.Skip(n.Err)
		case errors.Is(n.Err, ErrNotLLC) && n.Event == LLCMisses:
			t.Log(n.Err)
		default:
			t.Errorf("an error without a type: %v", n.Err)
		}
	}
}

func TestCountersOfAnotherThread(t *testing.T) {
	c, err := OpenThread(TaskClock)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	here := unix.Gettid()
	onThread(func() {
		if unix.Gettid() == here {
			return // the opener's goroutine has moved on, and this one got its thread
		}
		if err := c.Start(); err == nil || !strings.Contains(err.Error(), "opened on thread") {
			t.Errorf("got %v from Start on another thread", err)
		}
	})
	if _, err := OpenThread(TaskClock, TaskClock); err == nil {
		t.Error("no error for an event asked for twice")
	}
	if _, err := OpenThread(numEvents); err == nil {
		t.Error("no error for an unknown event")
	}
}

// TestCountersWithoutRight gives up root on one thread, which dies afterwards: events that the
// kernel then forbids are a *PermissionError, and those that it counts anyway are still counted.
func TestCountersWithoutRight(t *testing.T) {
	level := paranoid()
	if unix.Geteuid() != 0 || level < 2 {
		t.Skipf("needs root and perf_event_paranoid of at least 2 (is %d)", level)
	}
	onThread(func() {
		const nobody = 65534
		// of this thread alone
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
			t.Logf("skipped: setresuid: %v", errno)
			return
		}
		c, err := OpenThread(Migrations, ContextSwitches)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if err := errors.Join(c.Start(), c.Stop()); err != nil {
			t.Error(err)
		}
		counts, err := c.Read()
		if err != nil || len(counts) != 2 {
			t.Errorf("%v, %v, want 2 counts", counts, err)
			return
		}
		var pe *PermissionError
		if !errors.As(counts[0].Err, &pe) || pe.Paranoid != level || pe.Needed != 1 {
			t.Errorf("migrations: %+v, want a *PermissionError at level %d", counts[0], level)
		}
		if counts[1].Err != nil || counts[1].Source != SourceRusage {
			t.Errorf("context switches: %+v, want getrusage's", counts[1])
		}
	})
}

// TestMultiplexed reads a group whose file is a pipe, with a PMU that was shared.
func TestMultiplexed(t *testing.T) {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	put := func(words ...uint64) {
		var b []byte
		for _, w := range words {
			b = binary.NativeEndian.AppendUint64(b, w)
		}
		if _, err := unix.Write(p[1], b); err != nil {
			t.Fatal(err)
		}
	}
	g := &group{events: []Event{Instructions, Cycles}, fds: []int{p[0], p[0]},
		base: groupTimes{100, 40}}
	c := &threadCounters{events: []Event{Cycles, Instructions}, groups: []*group{g}}
	c.source[Instructions], c.source[Cycles] = SourcePerf, SourcePerf
	put(2, 1100, 1040, 7, 8) // 1000 ns wanted since the base, 1000 ns had
	got, err := c.read()
	want := []Count{{Event: Cycles, N: 8, Source: SourcePerf}, {Event: Instructions, N: 7,
		Source: SourcePerf}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	put(2, 1100, 640, 7, 8)
	got, err = c.read()
	if err != nil || len(got) != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, n := range got {
		var me *MultiplexedError
		if !errors.As(n.Err, &me) || me.EnabledNS != 1000 || me.RanNS != 600 || n.N != 0 {
			t.Errorf("counted for 600 of 1000 ns: %+v, want a *MultiplexedError and no count", n)
		}
	}
	put(2, 1100)
	if got, err := c.read(); err == nil {
		t.Errorf("no error for a short read, but %+v", got)
	}
}

func TestClassify(t *testing.T) {
	for _, errno := range []error{unix.ENOENT, unix.EOPNOTSUPP, unix.ENODEV} {
		err := classify(Cycles, errno, 2)
		if !errors.Is(err, ErrNoPMU) || !errors.Is(err, errno) {
			t.Errorf("%v: %v, want ErrNoPMU that wraps it", errno, err)
		}
		if err := classify(TaskClock, errno, 2); errors.Is(err, ErrNoPMU) {
			t.Errorf("%v of a software event: %v, want no ErrNoPMU", errno, err)
		}
	}
	for _, tt := range []struct {
		event    Event
		errno    error
		paranoid int
		needed   int
		text     string
	}{
		{Cycles, unix.EACCES, 4, 2, "is 4, at most 2 is needed; try: sudo sysctl " +
			"kernel.perf_event_paranoid=2"},
		{Migrations, unix.EACCES, 2, 1, "is 2, at most 1 is needed; try: sudo sysctl " +
			"kernel.perf_event_paranoid=1"},
		{Cycles, unix.EPERM, 1, 2, "a container's seccomp filter or a security module"},
		{Cycles, unix.EPERM, unknownParanoid, 2, "could not be read, 2 is needed"},
	} {
		err := classify(tt.event, tt.errno, tt.paranoid)
		var pe *PermissionError
		if !errors.As(err, &pe) || pe.Paranoid != tt.paranoid || pe.Needed != tt.needed ||
			!errors.Is(err, tt.errno) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%v, %v: %v, want a *PermissionError with %q", tt.event, tt.errno, err,
				tt.text)
		}
		if errors.Is(err, ErrNoPMU) {
			t.Errorf("%v is also ErrNoPMU", err)
		}
	}
	if err := classify(Cycles, unix.ENOSYS, 2); !errors.Is(err, ErrUnsupported) {
		t.Errorf("ENOSYS: %v, want ErrUnsupported", err)
	}
	var me *MultiplexedError
	if err := partial(Cycles, 100, 60); !errors.As(err, &me) || me.RanNS != 60 {
		t.Errorf("counted for 60 of 100 ns: %v, want a *MultiplexedError", err)
	}
	if err := partial(Cycles, 100, 100); err != nil {
		t.Errorf("counted all the time: %v", err)
	}
}

func TestFeaturesAgreeWithKernel(t *testing.T) {
	flags := readTSCFacts(os.DirFS("/")).Flags
	if runtime.GOARCH != "amd64" || flags == nil {
		t.Skip("no flags in /proc/cpuinfo")
	}
	// the kernel clears the flags of what it does not save
	f := Features()
	for flag, got := range map[string]bool{"avx2": f.AVX2, "fma": f.FMA, "avx512f": f.AVX512F,
		"avx512vl": f.AVX512VL, "bmi1": f.BMI1, "bmi2": f.BMI2} {
		if want := slices.Contains(flags, flag); got != want {
			t.Errorf("%s: CPUID says %v, the kernel %v", flag, got, want)
		}
	}
}
