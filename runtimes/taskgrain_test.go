package runtimes

import (
	"context"
	"path/filepath"
	"testing"

	"krdlab/loi"
)

// At task grain each leaf is one record with its kernels in order; the times of kernels are
// estimates from samples, that of the work is the tasks'.
func TestTaskGrain(t *testing.T) {
	h := loi.Header{
		Registry: loi.Registry{
			Objects: []loi.Object{{Name: "o", Blocks: []loi.SizeRun{{Count: 8, Bytes: 1}}}},
			Kernels: []loi.Kernel{
				{Name: "one", Params: []loi.Param{{Object: 0, Mode: loi.In}}},
				{Name: "two", Params: []loi.Param{{Object: 0, Mode: loi.In},
					{Object: 0, Mode: loi.Out}}},
			},
		},
		Clock: loi.Clock{Source: "tsc", Hz: 1e9}, Substrate: loi.Native, Grain: "task",
	}
	for range 8 { // the policy go has a recorder for each CPU
		h.Workers = append(h.Workers, loi.Worker{CPU: -1})
	}
	for _, p := range Schedulers {
		for _, virtual := range []bool{false, true} {
			name := p.Name + "/native"
			if virtual {
				name = p.Name + "/virtual"
				if p.Rules().Spawn == SpawnGo {
					continue
				}
			}
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "task.loi")
				w, err := loi.Create(path, h, loi.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var recs []*loi.Recorder
				for i := range h.Workers {
					recs = append(recs, w.Recorder(i))
				}
				prog := bigTree(7, 3000)
				prog.kernel = func(w *Worker, place uint64) {
					start := w.BeginTask()
					for i := range uint32(5) {
						if i%2 == 0 {
							w.End(0, w.Begin(0), i)
						} else {
							w.End(1, w.Begin(1), i, uint32(place%8))
						}
					}
					w.EndTask(start)
					w.EndTask(w.BeginTask()) // without kernels: no record
				}
				workers := 2
				if p.Rules().Spawn == SpawnCall {
					workers = 1
				}
				var r *Result
				var ns func(uint64) int64
				if virtual {
					c := stepConfig(p, 1, workers, 1)
					c.Recorders, c.Kernels, c.TaskGrain = recs, h.Registry.Kernels, true
					r, err = Step(c, prog)
				} else {
					c := unpinned(p, 1, workers, 1)
					c.Tracing, c.Recorders, c.Kernels, c.TaskGrain, c.SampleEvery = TraceFull, recs,
						h.Registry.Kernels, true, 16
					ns = c.Clock.NS
					r, err = Run(context.Background(), c, prog)
				}
				if err != nil {
					t.Fatal(err)
				}
				checkTree(t, prog)
				if _, err := w.Close(); err != nil {
					t.Fatal(err)
				}
				trace, err := loi.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				leaves, _ := prog.serial()
				var tasks, ticks uint64
				for i := range h.Workers {
					for c := trace.All(i); c.Next(); {
						rec := c.Record()
						if rec.Type != loi.TaskRecord {
							continue
						}
						tasks++
						ticks += rec.End - rec.Start
						if len(rec.Calls) != 5 {
							t.Fatalf("a task of %d kernels, want 5", len(rec.Calls))
						}
						for j, call := range rec.Calls {
							if int(call.Kernel) != j%2 || call.Args[0] != uint32(j) ||
								len(call.Args) != 1+j%2 {
								t.Fatalf("kernel %d of a task is %+v", j, call)
							}
						}
					}
				}
				if tasks != leaves {
					t.Errorf("%d task records of %d leaves", tasks, leaves)
				}
				if one, two := r.Kernels[0], r.Kernels[1]; one.Count != 3*leaves ||
					two.Count != 2*leaves {
					t.Errorf("%d and %d kernels, want %d and %d", one.Count, two.Count, 3*leaves,
						2*leaves)
				} else if virtual {
					if one.Sampled != 0 || one.TotalNS != int64(100*one.Count) ||
						r.WorkNS != int64(500*leaves) {
						t.Errorf("virtual: %+v, work %d", one, r.WorkNS)
					}
				} else if want := 5 * leaves / 16; one.Sampled+two.Sampled < want*8/10 ||
					one.Sampled+two.Sampled > want*12/10 || one.TotalNS < 0 {
					t.Errorf("samples %d and %d, want about %d in all; %d ns", one.Sampled,
						two.Sampled, want, one.TotalNS)
				}
				if !virtual && (r.WorkNS <= 0 || r.WorkNS < ns(ticks)) {
					t.Errorf("work %d ns, the tasks of the trace took %d", r.WorkNS, ns(ticks))
				}
			})
		}
	}
}

// The blocks that a kernel names are handed on without an allocation, at every grain.
func TestEndDoesNotAllocate(t *testing.T) {
	x := uint32(3)
	for _, grain := range []bool{false, true} {
		w := &Worker{stamper: newStamper(0, 1)}
		w.mode = stampProfile
		if grain {
			w.mode = stampTask
			w.byTask(1, 0, false, NewRand(1, 0))
		}
		if n := testing.AllocsPerRun(1000, func() { w.End(0, w.Begin(0), x, x+1, x+2) }); n != 0 {
			t.Errorf("task grain %v: %v allocations a kernel", grain, n)
		}
	}
}
