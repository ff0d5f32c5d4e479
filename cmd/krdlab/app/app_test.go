package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/front/corpus/built"
	"krdlab/runtimes"
)

func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk on fire"), 1},
		{os.ErrNotExist, 1},
		{&request.Error{Flag: "n"}, 2},
		{result.ErrExists, 2},
		{krd.ErrOption, 2},
		{usageError("no"), 2},
		{measure.ErrCapability, 4},
		{&loi.FormatError{Err: loi.ErrCorrupt}, 5},
		{&loi.FormatError{Err: loi.ErrUnclean}, 5},
		{&loi.FormatError{Err: loi.ErrNotTrace}, 5},
		{&loi.FormatError{Err: loi.ErrVersion}, 5},
		{&loi.TextError{Line: 1}, 5},
		{&loi.LossError{Discarded: []uint64{1}}, 5},
		{&loi.OrderError{}, 5},
		{context.Canceled, 130},
		{errors.Join(context.Canceled, errors.New("and the disk")), 130},
	} {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%v: exit code %d, want %d", test.err, got, test.want)
		}
		if test.err != nil {
			if got := exitCode(fmt.Errorf("wrapped: %w", test.err)); got != test.want {
				t.Errorf("%v, wrapped: exit code %d, want %d", test.err, got, test.want)
			}
		}
	}
}

// Every class has a code of its own.
func TestCodes(t *testing.T) {
	seen := map[int]failure.Class{}
	for c := failure.Failed; c <= failure.Interrupted; c++ {
		code, ok := codes[c]
		if _, twice := seen[code]; !ok || twice || code == exitOK {
			t.Errorf("class %d has code %d (%v, also of class %d)", c, code, ok, seen[code])
		}
		seen[code] = c
	}
}

// krdlab runs a command in this process.
func krdlab(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = newApp(&out, &err).main(append([]string{"krdlab"}, args...))
	return code, out.String(), err.String()
}

// builtApp is an app in the folder dir, which package corpus has laid out: the Go programs that it
// runs there are built once for each set of flags.
func builtApp(t *testing.T, dir string, stdout, stderr io.Writer) *app {
	t.Helper()
	a := newApp(stdout, stderr)
	a.goRun = func(ctx context.Context, r *goprogram.Request, argv []string, on *hw.Topology) (
		*goprogram.Document, error) {
		r.Build.Sync = r.Build.Sync || r.Waits // as goprogram.Run asks for
		r.Built = built.Of(t, dir, r.Build)
		return goprogram.Run(ctx, r, argv, on)
	}
	a.goBuild = func(context.Context, *goprogram.Request) (func(), error) { return func() {}, nil }
	t.Chdir(dir)
	return a
}

// A fake app runs on two made-up cores, and repetitions take no time.
func fakeApp(t *testing.T, end func(ctx context.Context, m *result.Measured) error) (a *app,
	stdout, stderr *bytes.Buffer) {
	t.Helper()
	t.Chdir(t.TempDir())
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	a = newApp(stdout, stderr)
	a.topology = func() (*hw.Topology, error) { return hw.Synthetic("1x2") }
	a.measure = func(ctx context.Context, c *request.Request, _ *hw.Topology,
		_ *result.RunDir, progress measure.Progress) ([]*result.Measured, error) {
		m := &result.Measured{Scheduler: c.Schedulers[0].Name, Workers: c.Cores,
			Substrate: loi.Native, CPUs: 2}
		if c.Schedulers[0].Serial() {
			m.Workers = 1
		}
		for i := range int64(c.Reps) {
			progress(int(i), c.Reps, "any", "pretending")
			m.Serial = append(m.Serial, result.Repetition{TimeNS: 2000 + i})
			m.Repetitions = append(m.Repetitions, result.Repetition{TimeNS: 1000 + i})
		}
		err := end(ctx, m)
		if m.Repetitions == nil {
			return nil, err
		}
		return []*result.Measured{m}, err
	}
	return a, stdout, stderr
}

func TestRunEnds(t *testing.T) {
	for name, test := range map[string]struct {
		end            func(ctx context.Context, m *result.Measured) error
		want           int
		stdout, stderr string
		dir            string
	}{
		"well": {func(context.Context, *result.Measured) error { return nil }, 0,
			"run directory: out\n", "", "out"},
		"failed check": {func(_ context.Context, m *result.Measured) error {
			m.Check = &result.Check{Error: result.Some(7), Tolerance: result.Some(0)}
			return nil
		}, 3, "the check failed: error 7", "krdlab: the check of matmul under workfirst " +
			"failed: error 7, tolerance 0\n", "out"},
		"no counters": {func(_ context.Context, m *result.Measured) error {
			m.Repetitions = nil
			return fmt.Errorf("--counters perf: no PMU: %w", measure.ErrCapability)
		}, 4, "", "krdlab: --counters perf: no PMU", ""},
		"panic of a kernel": {func(_ context.Context, m *result.Measured) error {
			m.Repetitions = m.Repetitions[:3]
			return fmt.Errorf("go: %w", &runtimes.PanicError{Kernel: "leaf", During: true,
				Value: "oh\nno", Stack: []byte("goroutine 1 [running]:\nleaf()\n")})
		}, 1, "ended after 3 of 10", "krdlab: go: panic in kernel leaf, worker 0: oh; " +
			"no\ngoroutine 1 [running]:\nleaf()\n", "out.partial"},
		"interrupted": {func(ctx context.Context, m *result.Measured) error {
			m.Repetitions = m.Repetitions[:2]
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}, 130, "run directory: out.partial\n", "krdlab: interrupted; what was done is kept in " +
			"out.partial\n", "out.partial"},
		"interrupted in the first repetition": {func(ctx context.Context, m *result.Measured) error {
			m.Repetitions, m.Serial = m.Repetitions[:0], m.Serial[:1]
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}, 130, "no repetition was finished", "krdlab: interrupted before any repetition was " +
			"finished: nothing was checked; what was done is kept in out.partial\n", "out.partial"},
		"interrupted early": {func(ctx context.Context, m *result.Measured) error {
			m.Repetitions = nil
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}, 130, "", "krdlab: interrupted before anything was measured\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, stdout, stderr := fakeApp(t, test.end)
			got := a.main([]string{"krdlab", "run", "matmul", "--n", "33", "--out", "out"})
			if got != test.want || !strings.Contains(stdout.String(), test.stdout) ||
				!strings.HasPrefix(stderr.String(), test.stderr) {
				t.Errorf("exit code %d, want %d\nstdout (want %q):\n%s\nstderr (want %q):\n%s", got,
					test.want, test.stdout, stdout, test.stderr, stderr)
			}
			if test.stderr == "" && stderr.Len() > 0 {
				t.Errorf("stderr: %s", stderr)
			}
			dirs, err := filepath.Glob("*")
			if err != nil || strings.Join(dirs, " ") != test.dir {
				t.Errorf("left %q, want %q", dirs, test.dir)
			}
		})
	}
}

func TestRunJSON(t *testing.T) {
	a, stdout, stderr := fakeApp(t,
		func(context.Context, *result.Measured) error { return nil })
	if got := a.main([]string{"krdlab", "run", "matmul", "--n", "33", "--json", "--reps", "6",
		"--seed", "9"}); got != 0 {
		t.Fatalf("exit code %d: %s", got, stderr)
	}
	var r result.Result
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if r.Cores != 2 || r.Seed != 9 || r.Params["n"] != 33.0 || len(r.Repetitions) != 6 {
		t.Errorf("got %+v", r)
	}
	if !strings.HasPrefix(stderr.String(), "run directory: krdlab-runs/") {
		t.Errorf("stderr: %s", stderr)
	}
}

// Without --cores there are as many workers as the binding, the topology or the machine has room
// for.
func TestDefaultCores(t *testing.T) {
	for args, want := range map[string]int{
		"": 2, "--bind 1": 1, "--topology 4x6 --oversubscribe": 24, "--cores 1": 1,
		"--topology 4x6 --cores 2": 2, "--sched serial": 1,
	} {
		a, stdout, stderr := fakeApp(t,
			func(context.Context, *result.Measured) error { return nil })
		argv := append([]string{"krdlab", "run", "matmul", "--n", "33", "--json"},
			strings.Fields(args)...)
		var r result.Result
		if got := a.main(argv); got != 0 {
			t.Errorf("%q: exit code %d: %s", args, got, stderr)
		} else if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || r.Cores != want {
			t.Errorf("%q: %d cores, want %d (%v)", args, r.Cores, want, err)
		}
	}
}

// Progress is shown on a terminal only, and cleared.
func TestProgress(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		a, _, stderr := fakeApp(t,
			func(context.Context, *result.Measured) error { return nil })
		a.terminal = terminal
		if got := a.main([]string{"krdlab", "run", "fib", "--n", "3"}); got != 0 {
			t.Fatalf("exit code %d: %s", got, stderr)
		}
		if shown := strings.Contains(stderr.String(), "pretending"); shown != terminal {
			t.Errorf("terminal %v: stderr %q", terminal, stderr)
		}
	}
}
