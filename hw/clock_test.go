package hw

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

func TestClockConversions(t *testing.T) {
	c := Clock{Hz: 2.5e9}
	if got := c.Nanoseconds(5); got != 2 {
		t.Errorf("5 ticks of 2.5 GHz are %v ns, want 2", got)
	}
	if got := c.NS(2_500_000_000 * 3600); got != 3600e9 {
		t.Errorf("an hour of 2.5 GHz is %d ns, want 3600e9", got)
	}
	// a nanosecond is 2.5 ticks, so rounding to it may move a stamp by 1.25
	if got := c.Ticks(c.NS(123_456_789)); got < 123_456_787 || got > 123_456_791 {
		t.Errorf("123456789 ticks become %d there and back", got)
	}
}

// TestCalibration holds the clock against the runtime's over a longer time. The kernel slews the
// latter by up to 500 ppm.
func TestCalibration(t *testing.T) {
	c := CalibrateClock()
	t.Logf("%+v", c)
	if again := CalibrateClock(); again != c {
		t.Errorf("a second calibration gives %+v, the first %+v", again, c)
	}
	t0, a := time.Now(), TSC()
	time.Sleep(20 * time.Millisecond)
	b, t1 := TSC(), time.Now() // t1-t0 is the longer interval, whatever preempts us
	inner := c.Nanoseconds(b - a)
	outer := float64(t1.Sub(t0))
	if inner < 20e6*0.999 || inner > outer*1.001 {
		t.Errorf("the TSC measures %v ns of a sleep of 20 ms within %v ns", inner, outer)
	}
	if c.Source == SourceTSC && (c.ErrorPPM <= 0 || math.IsNaN(c.ErrorPPM)) {
		t.Errorf("error bound %v ppm, want a positive number", c.ErrorPPM)
	}
}

func TestTSCNeverRunsBackwards(t *testing.T) {
	for name, read := range map[string]func() uint64{"TSC": TSC, "TSCP": func() uint64 {
		t,
			_ := TSCP()
		return t
	}} {
		last := read()
		for range 100_000 {
			now := read()
			if now < last {
				t.Fatalf("%s: %d after %d", name, now, last)
			}
			last = now
		}
	}
}

func TestTSCPNamesTheCPU(t *testing.T) {
	if _, cpu := TSCP(); cpu < 0 {
		t.Skip("this machine does not say")
	}
	mask, err := Affinity()
	if err != nil {
		t.Skip(err)
	}
	for _, want := range mask {
		restore, err := lockAndPin(want)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, got := TSCP(); got != want {
			t.Errorf("pinned to CPU %d, TSCP says %d", want, got)
		}
		if err := restore(); err != nil {
			t.Error(err)
		}
	}
}

func TestPin(t *testing.T) {
	mask, err := Affinity()
	if err != nil {
		if _, err := Pin(0); !errors.Is(err, ErrUnsupported) {
			t.Errorf("Pin: %v, want ErrUnsupported", err)
		}
		t.Skip(err)
	}
	for _, cpu := range []int{-1, 1023, 1 << 20} {
		if slices.Contains(mask, cpu) {
			continue
		}
		restore, err := Pin(cpu)
		var be *BindError
		if !errors.As(err, &be) || be.CPU != cpu {
			t.Errorf("CPU %d: %v, want a *BindError", cpu, err)
		}
		if err == nil {
			_ = restore()
		}
	}
	restore, err := lockAndPin(mask[0])
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Affinity(); err != nil || !slices.Equal(again, mask) {
		t.Errorf("while pinned the inherited mask is %v, %v, want %v", again, err, mask)
	}
	if err := restore(); err != nil {
		t.Error(err)
	}
}

// again runs the named test in a process of its own, which inherits the mask of this thread and
// finds HW_TEST_AGAIN set.
func again(t *testing.T, env ...string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), "HW_TEST_AGAIN=1"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestMaskOfOneCPU runs in a process that was started with a mask of one CPU.
func TestMaskOfOneCPU(t *testing.T) {
	mask, err := Affinity()
	if err != nil || len(mask) < 2 && os.Getenv("HW_TEST_AGAIN") == "" {
		t.Skipf("needs two CPUs: has %v, %v", mask, err)
	}
	if os.Getenv("HW_TEST_AGAIN") == "" {
		only := mask[len(mask)-1]
		restore, err := lockAndPin(only)
		if err != nil {
			t.Fatal(err)
		}
		again(t, "HW_TEST_CPU="+strconv.Itoa(only), "HW_TEST_OTHER="+strconv.Itoa(mask[0]))
		if err := restore(); err != nil {
			t.Error(err)
		}
		return
	}
	only, _ := strconv.Atoi(os.Getenv("HW_TEST_CPU"))
	other, _ := strconv.Atoi(os.Getenv("HW_TEST_OTHER"))
	top, err := Host()
	if err != nil {
		t.Fatal(err)
	}
	if got := top.Allowed(); !slices.Equal(got, []int{only}) || len(top.CPUs) < 2 {
		t.Errorf("allowed %v of %d CPUs, want %d alone", got, len(top.CPUs), only)
	}
	p, err := top.Place(2, Binding{}, true)
	if err != nil || !slices.Equal(p.CPUs, []int{only, only}) || !p.Oversubscribed {
		t.Errorf("2 workers: %+v, %v, want both on %d", p, err, only)
	}
	if _, err := top.Place(1, Binding{List: []int{other}}, true); err == nil {
		t.Errorf("no error for a list with CPU %d", other)
	}
	if _, err := lockAndPin(other); err == nil { // the kernel would allow it
		t.Errorf("no error for pinning to CPU %d, outside the mask", other)
	}
}

// TestForceMonotonic runs in a process of its own, for it cannot be undone.
func TestForceMonotonic(t *testing.T) {
	if os.Getenv("HW_TEST_AGAIN") == "" {
		again(t)
		return
	}
	before := TSC()
	c := forceMonotonic("for a test")
	want := Clock{Source: SourceMonotonic, Hz: 1e9, Reason: "for a test"}
	if c != want || CalibrateClock() != want {
		t.Errorf("forced clock %+v, then %+v, want %+v", c, CalibrateClock(), want)
	}
	// both count from the start of the process, so that no TSC of a machine that has been up for
	// minutes is near
	lo := monotonicTicks()
	stamp := TSC()
	stampP, _ := TSCP()
	hi := monotonicTicks()
	if stamp < lo || stampP < stamp || hi < stampP {
		t.Errorf("stamps %d and %d, want them between %d and %d ns (the TSC was %d)", stamp, stampP,
			lo, hi, before)
	}
	TestTSCNeverRunsBackwards(t)
	TestTSCPNamesTheCPU(t)
}

// forceMonotonic makes [TSC] read the monotonic clock for the rest of the process, with reason in
// the Clock. Stamps taken before are of the other clock: call it before any is taken.
func forceMonotonic(reason string) Clock {
	process.mu.Lock()
	defer process.mu.Unlock()
	c := monotonicClock(reason, process.clock != nil && process.clock.Invariant)
	atomic.StoreUint32(&forced, 1)
	process.clock = &c
	return c
}

// lockAndPin holds the goroutine's thread and pins it; restore undoes both.
func lockAndPin(cpu int) (restore func() error, err error) {
	runtime.LockOSThread()
	unpin, err := Pin(cpu)
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return func() error {
		defer runtime.UnlockOSThread()
		return unpin()
	}, nil
}
