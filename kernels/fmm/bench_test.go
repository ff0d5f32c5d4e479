package fmm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// million are the bodies of the figures.
func million() []body { return generate(plummer, 1000000, 1, 10, 1) }

// once runs in under the policy serial and returns the nanoseconds of the traversal.
func once(b testing.TB, in *instance, clock hw.Clock) int64 {
	b.Helper()
	in.Reset(false)
	r, err := runtimes.Run(context.Background(), runtimes.Config{
		Policy: runtimes.Serial{}, CPUs: []int{-1}, Nodes: []int{0}, Clock: clock,
		Kernels: in.Registry().Kernels,
		Tracing: runtimes.TraceOff, TaskGrain: true,
	}, in)
	if err != nil {
		b.Fatal(err)
	}
	return r.TimeNS
}

// BenchmarkStep: a whole step of 1000000 bodies on one core: tree, upward pass, traversal, downward
// pass, each with the best and the median of the repetitions.
func BenchmarkStep(b *testing.B) {
	clock := hw.CalibrateClock()
	bodies := million()
	for _, theta := range []float64{0.4, 0.5, 0.6} {
		for _, isa := range []string{"avx512", "avx2"} {
			b.Run(fmt.Sprintf("theta=%g/isa=%s", theta, isa), func(b *testing.B) {
				s, err := read(Kernel.With(kernel.Params{"theta": strconv.FormatFloat(theta, 'g',
					-1, 64), "isa": isa}))
				if err != nil {
					b.Skip(err)
				}
				ns := map[string][]int64{}
				for b.Loop() {
					start := time.Now()
					in, err := newInstanceWith(s, bodies, 1, 1, false)
					if err != nil {
						b.Fatal(err)
					}
					built := time.Since(start)
					t := once(b, in, clock)
					in.downward()
					step := t
					for _, p := range in.Phases() {
						ns[p.Name] = append(ns[p.Name], p.NS)
						step += p.NS
					}
					ns["traversal"], ns["step"] = append(ns["traversal"], t),
						append(ns["step"], step)
					ns["new"] = append(ns["new"], built.Nanoseconds())
				}
				for name, v := range ns {
					slices.Sort(v)
					b.ReportMetric(float64(v[0])/1e6, "best-ms-"+name)
					b.ReportMetric(float64(v[len(v)/2])/1e6, "median-ms-"+name)
				}
			})
		}
	}
}

// BenchmarkTraversal: the traversal alone on one core, not traced and traced at either grain, in
// turns: the best and the median of each, to be compared within one run.
func BenchmarkTraversal(b *testing.B) {
	clock := hw.CalibrateClock()
	in := of(b, nil, million())
	kernels := in.Registry().Kernels
	modes := []struct {
		name    string
		tracing runtimes.Tracing
		task    bool
	}{
		{"off", runtimes.TraceOff, true}, {"profile-task", runtimes.TraceProfile, true},
		{"trace-task", runtimes.TraceFull, true},
		{"profile-kernel", runtimes.TraceProfile, false}, {"trace-kernel", runtimes.TraceFull,
			false},
	}
	ns := map[string][]int64{}
	path := filepath.Join(b.TempDir(), "t.loi")
	for b.Loop() {
		for _, m := range modes {
			in.Reset(false)
			c := runtimes.Config{
				Policy: runtimes.Serial{}, CPUs: []int{-1}, Nodes: []int{0}, Clock: clock,
				Kernels: kernels, Tracing: m.tracing, TaskGrain: m.task,
			}
			var w *loi.Writer
			if m.tracing == runtimes.TraceFull {
				grain := "kernel"
				if m.task {
					grain = "task"
				}
				var err error
				w, err = loi.Create(path, loi.Header{
					Registry: in.Registry(), Workers: []loi.Worker{{CPU: -1}},
					Substrate: loi.Native, Grain: grain, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
				}, loi.Options{})
				if err != nil {
					b.Fatal(err)
				}
				c.Recorders = []*loi.Recorder{w.Recorder(0)}
			}
			r, err := runtimes.Run(context.Background(), c, in)
			if err != nil {
				b.Fatal(err)
			}
			ns[m.name] = append(ns[m.name], r.TimeNS)
			if w != nil {
				lost := uint64(0)
				stats, err := w.Close()
				for _, d := range stats.Discarded {
					lost += d
				}
				if err != nil || lost != 0 {
					b.Fatalf("%+v, %v", stats, err)
				}
				if err := os.Remove(path); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	for name, v := range ns {
		slices.Sort(v)
		b.ReportMetric(float64(v[0])/1e6, "best-ms-"+name)
		b.ReportMetric(float64(v[len(v)/2])/1e6, "median-ms-"+name)
	}
}
