package runtimes

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"

	"krdlab/loi"
)

// tracedTree writes a trace of a run of a tree by 2x3 workers and returns it with what the run
// counted.
func tracedTree(t *testing.T, run func(recs []*loi.Recorder, kernels []loi.Kernel,
	prog Program) (*Result, error)) (*loi.Trace, *Result) {
	t.Helper()
	h := loi.Header{
		Registry: loi.Registry{
			Objects: []loi.Object{{Name: "o", Blocks: []loi.SizeRun{{Count: 1, Bytes: 1}}}},
			Kernels: []loi.Kernel{{Name: "leaf", Params: []loi.Param{{Object: 0, Mode: loi.In}}}},
		},
		Clock: loi.Clock{Source: "tsc", Hz: 1e9}, Substrate: loi.Native, Grain: "kernel",
	}
	for i := range 6 {
		h.Workers = append(h.Workers, loi.Worker{CPU: -1, Node: i / 3})
	}
	path := filepath.Join(t.TempDir(), "events.loi")
	w, err := loi.Create(path, h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var recs []*loi.Recorder
	for i := range h.Workers {
		recs = append(recs, w.Recorder(i))
	}
	prog := bigTree(7, 3000)
	prog.kernel = func(w *Worker, _ uint64) {
		start := w.Begin(0)
		for range 200 {
			runtime.KeepAlive(start)
		}
		w.End(0, start, 0)
	}
	r, err := run(recs, h.Registry.Kernels, prog)
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
	return trace, r
}

// Every steal that a worker counted is recorded, between the beginning and the end of an idle time,
// with its victim.
func TestEventsAreRecorded(t *testing.T) {
	for _, p := range Schedulers {
		if !parallel(p) {
			continue
		}
		nodes := []int{0, 0, 0, 1, 1, 1}
		for name, run := range map[string]func(recs []*loi.Recorder, kernels []loi.Kernel,
			prog Program) (*Result, error){
			"native": func(recs []*loi.Recorder, kernels []loi.Kernel, prog Program) (*Result,
				error) {
				c := unpinned(p, 2, 3, 1)
				c.Tracing, c.Recorders, c.Kernels = TraceFull, recs, kernels
				return Run(context.Background(), c, prog)
			},
			"virtual": func(recs []*loi.Recorder, kernels []loi.Kernel, prog Program) (*Result,
				error) {
				c := stepConfig(p, 2, 3, 1)
				c.Recorders, c.Kernels = recs, kernels
				return Step(c, prog)
			},
		} {
			t.Run(p.Name+"/"+name, func(t *testing.T) {
				trace, r := tracedTree(t, run)
				idles := 0
				for i, out := range r.Workers {
					var local, remote uint64
					idle, last := false, uint64(0)
					for c := trace.All(i); c.Next(); {
						e := c.Record()
						if e.Type != loi.EventRecord {
							if idle {
								t.Fatalf("worker %d: a record of type %d while idle", i, e.Type)
							}
							continue
						}
						if e.Start < last {
							t.Fatalf("worker %d: %v at %d after one at %d", i, e.Event, e.Start,
								last)
						}
						last = e.Start
						switch e.Event {
						case loi.EventIdle:
							if idle {
								t.Fatalf("worker %d: idle twice", i)
							}
							idle = true
							idles++
						case loi.EventBusy:
							if !idle {
								t.Fatalf("worker %d: busy twice", i)
							}
							idle = false
						case loi.EventSteal:
							victim, far := int(e.Args[0]), e.Args[1] == 1
							if !idle || victim == i || far != (nodes[victim] != nodes[i]) ||
								e.Args[2] < 1 {
								t.Fatalf("worker %d, idle %v: steal %v", i, idle, e.Args)
							}
							if far {
								remote++
							} else {
								local++
							}
						}
					}
					// A steal of a proxy whose task went by mail is counted as one that got
					// nothing.
					if local != out.Steals.Local || remote != out.Steals.Remote {
						t.Errorf("worker %d: %d and %d steals recorded, counted %+v", i, local,
							remote, out.Steals)
					}
					for node, n := range out.StealsFrom {
						if node == nodes[i] {
							local -= n
						} else {
							remote -= n
						}
					}
					if local != 0 || remote != 0 {
						t.Errorf("worker %d of node %d: %v steals by node, counted %+v", i,
							nodes[i], out.StealsFrom, out.Steals)
					}
				}
				// a thread may get its first turn when all is over
				if name == "virtual" && idles < 5 {
					t.Errorf("%d idle times of 6 workers, of which only one begins with work",
						idles)
				}
			})
		}
	}
}
