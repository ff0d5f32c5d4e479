package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels/calibrate"
)

// hostKnown skips a test where the operating system does not know what a machine needs.
func hostKnown(t testing.TB) {
	t.Helper()
	top, err := newApp(io.Discard, io.Discard).topology()
	if err == nil {
		_, err = machine.Host(top)
	}
	if errors.Is(err, machine.ErrNotKnown) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// seen calls do when text is written to it.
type seen struct {
	text string
	do   func()
	done bool
}

func (s *seen) Write(b []byte) (int, error) {
	if !s.done && strings.Contains(string(b), s.text) {
		s.done = true
		s.do()
	}
	return len(b), nil
}

// Where other programs disturb a calibration, in either of its halves, it is refused with the code of
// what this computer cannot do, and leaves no file.
func TestCalibrateRefused(t *testing.T) {
	a, stdout, stderr := fakeApp(t, nil)
	refused := &machine.DisturbedError{What: "clock", PS: []float64{3e9, 4e9}, Load: new(float64)}
	for _, costs := range []error{nil, refused} {
		a.computer.hardware = func(context.Context, *hw.Topology, machine.CalibrateOptions,
			func(machine.Step)) (*machine.Machine, error) {
			if costs == nil {
				return nil, refused
			}
			return &machine.Machine{}, nil
		}
		a.computer.costs = func(context.Context, *hw.Topology, *machine.Machine, calibrate.Options,
			func(int, int, string)) ([]calibrate.Missing, error) {
			return nil, costs
		}
		root := a.root()
		root.SetArgs([]string{"machine", "calibrate", "--out", "here.toml"})
		if err := root.ExecuteContext(t.Context()); !errors.Is(err, error(refused)) ||
			exitCode(err) != exitCapability {
			t.Errorf("%v, exit code %d", err, exitCode(err))
		}
		if left, err := os.ReadDir("."); len(left) > 0 || err != nil || stdout.Len() > 0 {
			t.Errorf("%v is left, %v, %q, %q", left, err, stdout, stderr)
		}
	}
}

// A calibration that is interrupted, in either of its halves, ends with the code of interruptions
// and leaves no file. On a terminal it shows its progress.
func TestCalibrateInterrupted(t *testing.T) {
	hostKnown(t)
	for _, text := range []string{"clock", "measuring "} {
		path := filepath.Join(t.TempDir(), "here.toml")
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		stderr := &seen{text: text, do: interrupt}
		a := newApp(io.Discard, stderr)
		a.terminal = true
		if text != "clock" { // the second half comes whatever else runs
			a.computer.hardware = func(_ context.Context, t *hw.Topology, _ machine.CalibrateOptions,
				_ func(machine.Step)) (*machine.Machine, error) {
				return machine.Host(t)
			}
		}
		root := a.root()
		root.SetArgs([]string{"machine", "calibrate", "--quick", "--out", path})
		err := root.ExecuteContext(ctx)
		if exitCode(err) != exitInterrupted || !stderr.done || !strings.Contains(err.Error(),
			"nothing was written") {
			t.Errorf("at %q (shown: %v): error %v with code %d, want %d", text, stderr.done, err,
				exitCode(err), exitInterrupted)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("at %q: the file: %v, want that there is none", text, err)
		}
	}
}

func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{
		"here.toml": "here", "/tmp/my lab.toml": "my-lab", "a/b.c": "b.c",
		"native.toml": "calibrated", "host": "calibrated", "desktop.toml": "calibrated",
		"..toml": "calibrated", "ä.toml": "calibrated", strings.Repeat("x", 65): "calibrated",
	} {
		if got := nameOf(path); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}

// BenchmarkCalibrated calibrates this computer, and runs matmul on one core of it and of its
// simulation: how many times as long as the native run the simulated one takes. It fails if nothing
// comes out, and not for what does.
func BenchmarkCalibrated(b *testing.B) {
	hostKnown(b)
	b.Chdir(b.TempDir())
	command := func(args ...string) []byte {
		var stdout bytes.Buffer
		root := newApp(&stdout, io.Discard).root()
		root.SetArgs(args)
		if err := root.ExecuteContext(b.Context()); err != nil {
			b.Fatal(err)
		}
		return stdout.Bytes()
	}
	timeOf := func(machine string) float64 {
		var r struct {
			Summary struct {
				Time struct{ Median float64 } `json:"time_ns"`
			}
		}
		out := command("run", "matmul", "--n", "1024", "--cores", "1", "--trace", "profile",
			"--machine", machine, "--json")
		if err := json.Unmarshal(out, &r); err != nil || r.Summary.Time.Median <= 0 {
			b.Fatalf("%v in %s", err, out)
		}
		return r.Summary.Time.Median
	}
	for n := 0; b.Loop(); n++ {
		file := filepath.Join(b.TempDir(), "here.toml")
		command("machine", "calibrate", "--quick", "--out", file)
		native, simulated := timeOf("native"), timeOf(file)
		b.ReportMetric(native/1e6, "native-ms")
		b.ReportMetric(simulated/1e6, "simulated-ms")
		b.ReportMetric(simulated/native, "simulated/native")
	}
}
