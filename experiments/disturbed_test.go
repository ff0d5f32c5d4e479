package experiments

import (
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/hwtest"
	"krdlab/kernels/kernel"
)

// Beside programs that take every CPU, repetitions are done again, what is done again is kept and
// said, and what stays disturbed marks the result.
func TestBesideBusyLoops(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for range 2 * runtime.NumCPU() {
		loop := exec.Command(sh, "-c", "while :; do :; done")
		if err := loop.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			loop.Process.Kill()
			loop.Wait()
		})
	}
	const reps = 3
	n := 512
	if hwtest.Race {
		n = 256
	}
	list, _ := nativeRun(t, func(c *request.Request) {
		c.Reps, c.Warmup, c.Trace = reps, 0, request.TraceProfile
		c.Cores, c.Schedulers = min(2, runtime.NumCPU()), schedulers("workfirst")
	}, "matmul", kernel.Params{"n": n})
	r := &list[0]
	if c := r.Repetitions[0].CPUTime; c == nil || !c.Share.Known() {
		t.Skip("this system does not tell how long a thread waited for a CPU")
	}
	if len(r.Repetitions) != reps || len(r.Serial.Repetitions) != reps || r.Interrupted {
		t.Errorf("%d repetitions, %d serial ones, interrupted %v", len(r.Repetitions),
			len(r.Serial.Repetitions), r.Interrupted)
	}
	again := 0
	for _, side := range []struct {
		what           string
		reps, setAside []result.Repetition
	}{{result.Parallel, r.Repetitions, r.SetAside},
		{result.SerialRun, r.Serial.Repetitions, r.Serial.SetAside}} {
		n := len(side.setAside)
		again += n
		for i, p := range side.setAside {
			if len(p.Disturbed) == 0 {
				t.Errorf("%s: %d was set aside, and nothing disturbed it", side.what, i+1)
			}
		}
		left := slices.ContainsFunc(side.reps,
			func(p result.Repetition) bool { return len(p.Disturbed) > 0 })
		switch {
		case n > reps:
			t.Errorf("%s: %d of %d were done again", side.what, n, reps)
		case left && n < reps:
			t.Errorf("%s: a disturbed one is left, and %d of %d were done again", side.what, n,
				reps)
		}
		said := slices.ContainsFunc(r.WarningCodes, func(w result.Warning) bool {
			return w.Code == result.DoneAgain && w.Args[0] == side.what
		})
		if said != (n > 0) {
			t.Errorf("%s: %d were done again, and that is said: %v", side.what, n, said)
		}
	}
	if again == 0 {
		t.Error("nothing was disturbed beside twice as many busy loops as CPUs")
	}
	if r.Disturbed() != slices.ContainsFunc(slices.Concat(r.Repetitions, r.Serial.Repetitions),
		func(p result.Repetition) bool { return len(p.Disturbed) > 0 }) {
		t.Errorf("disturbed: %v", r.Disturbed())
	}
}
