package measure

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"krdlab/hw"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/runtimes"
)

// histogram traces one run of matmul on one worker, on a thread or in virtual time, and returns its
// KRD.
func histogram(t *testing.T, s runtimes.Scheduler, in kernel.Instance, virtual bool) krd.Histogram {
	t.Helper()
	clock := hw.CalibrateClock()
	h := loi.Header{
		Registry: in.Registry(), Clock: loi.Clock{Source: clock.Source, Hz: clock.Hz},
		Workers: []loi.Worker{{CPU: -1}},
		L2Bytes: 256 << 10, LLCBytes: 18 << 20, Substrate: loi.Native, Grain: "kernel",
	}
	path := filepath.Join(t.TempDir(), "one.loi")
	w, err := loi.Create(path, h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.Reset(s.Rules().Hints)
	recorders := []*loi.Recorder{w.Recorder(0)}
	if virtual {
		_, err = runtimes.Step(runtimes.StepConfig{Policy: s, Nodes: []int{0},
			Kernels: h.Registry.Kernels, Recorders: recorders}, in)
	} else {
		_, err = runtimes.Run(context.Background(), runtimes.Config{
			Policy: s, CPUs: []int{-1}, Nodes: []int{0}, Tracing: runtimes.TraceFull,
			Kernels: h.Registry.Kernels, Recorders: recorders, Clock: clock,
		}, in)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	r, err := krd.Analyze(trace, krd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Histogram
}

// On one core the order of a divide and conquer is that of the serial run or its mirror image, and
// so the KRD is the same under every policy that is depth first, on threads and in virtual time
// (KRD paper, IV-A). The policy go is free to differ.
func TestOneCoreHasOneHistogram(t *testing.T) {
	k, _ := kernels.ByName("matmul")
	in, err := k.New(k.With(kernel.Params{"n": 512}), kernel.Env{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	want := histogram(t, runtimes.Schedulers[0], in, false)
	if want.Accesses != 3*16*16*8 || want.Cold == 0 || want.Cold == want.Accesses {
		t.Fatalf("serial: %d accesses, %d cold", want.Accesses, want.Cold)
	}
	compared := 0
	for _, s := range runtimes.Schedulers {
		if s.ThreadsOnly() || !s.DepthFirst() {
			continue
		}
		compared++
		for _, virtual := range []bool{false, true} {
			if got := histogram(t, s, in, virtual); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, virtual %v:\n%+v\nwant\n%+v", s.Name, virtual, got, want)
			}
		}
	}
	if compared < 6 {
		t.Errorf("%d schedulers were compared", compared)
	}
}
