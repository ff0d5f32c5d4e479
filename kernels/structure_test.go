package kernels

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"runtime"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest/long"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/runtimes"
)

// graphOf runs a program with its structure recorded, and rebuilds its graph.
func graphOf(t *testing.T, k *kernel.Kernel, p kernel.Params, s runtimes.Scheduler,
	run func(in kernel.Instance, recs []*loi.Recorder) error) (*dag.Graph, *loi.Trace) {
	t.Helper()
	in := instance(t, k, p, s.Rules().Hints)
	h := loi.Header{Registry: in.Registry(), Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Substrate: loi.Native, Unordered: s.Unordered}
	const workers = 64 // under Go's own scheduler, one for each CPU
	for range workers {
		h.Workers = append(h.Workers, loi.Worker{CPU: -1})
	}
	w, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	var recs []*loi.Recorder
	for i := range workers {
		recs = append(recs, w.Recorder(i))
	}
	if err := run(in, recs); err != nil {
		t.Fatal(err)
	}
	if c := in.Check(); !c.Passed {
		t.Errorf("check failed: %+v", c)
	}
	trace, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	g, err := dag.Build(trace, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g, trace
}

// shape is a hash of the graph, without times and places, and how many children there are in all.
func shape(g *dag.Graph) (hash, children uint64) {
	h := fnv.New64a()
	var walk func(w io.Writer, i int)
	walk = func(w io.Writer, i int) {
		x := &g.Tasks[i]
		fmt.Fprintf(w, "(%d", x.Begin.Kernels)
		for _, ph := range x.Phases {
			fmt.Fprint(w, "[")
			for _, c := range ph.Children {
				if children++; c.Task >= 0 {
					walk(w, c.Task)
				} else {
					fmt.Fprintf(w, " %d", c.Piece.Kernels)
				}
			}
			fmt.Fprintf(w, "]%d", ph.After.Kernels)
		}
		fmt.Fprint(w, ")")
	}
	walk(h, 0)
	return h.Sum64(), children
}

// The task graph of every program is that of its serial run, under every scheduler, on threads and
// in virtual time: each task and each child once. Its work is the sum over the kernels, and its
// span no more than the run took.
func TestTaskGraph(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as in TestNative
	clock := hw.CalibrateClock()
	structure := runtimes.Structure{Tasks: true, Regions: true}
	for j, k := range Table {
		for at, small := range k.Small {
			p := k.With(small)
			counts := expect(t, k, p)
			var want uint64
			for i, s := range runtimes.Schedulers {
				if i > 0 && !long.Or(dealt(at, len(k.Small), i, j, 1), true) {
					continue
				}
				nodes := []int{0, 0, 0, 1, 1, 1}
				if s.Serial() {
					nodes = []int{0}
				}
				check := func(t *testing.T, run func(in kernel.Instance,
					recs []*loi.Recorder) error) {
					g, trace := graphOf(t, k, p, s, run)
					hash, children := shape(g)
					if i == 0 && want == 0 {
						want = hash
					}
					if hash != want || children != counts.Tasks {
						t.Errorf("another graph than in the serial run: %d children, there %d",
							children, counts.Tasks)
					}
					var work, kernels, first, last uint64
					first = 1 << 63
					for w := range trace.Header.Workers {
						for c := trace.All(w); c.Next(); {
							x := c.Record()
							first, last = min(first, x.Start), max(last, x.End)
							switch x.Type {
							case loi.EventRecord:
								continue
							case loi.TaskRecord:
								kernels += uint64(len(x.Calls))
							default:
								kernels++
							}
							work += x.End - x.Start
						}
					}
					if g.Work() != work || kernels != executions(counts) {
						t.Errorf("work of %d ticks and %d kernels, expected %d and %d", g.Work(),
							kernels, work, executions(counts))
					}
					if g.Span() > last-first || g.Span() > work {
						t.Errorf("a span of %d ticks, work %d, time %d", g.Span(), work, last-first)
					}
				}
				name := fmt.Sprintf("%s/%s/%v", s.Name, k.Name, small)
				t.Run(name+"/native", func(t *testing.T) {
					check(t, func(in kernel.Instance, recs []*loi.Recorder) error {
						cpus := make([]int, len(nodes))
						for i := range cpus {
							cpus[i] = -1
						}
						_, err := runtimes.Run(context.Background(), runtimes.Config{
							Policy: s, CPUs: cpus, Nodes: nodes, Seed: 1, Clock: clock,
							Tracing: runtimes.TraceFull, Kernels: in.Registry().Kernels,
							Recorders: recs, Structure: structure, TaskGrain: k.TaskGrain,
						}, in)
						return err
					})
				})
				if s.ThreadsOnly() {
					continue
				}
				t.Run(name+"/virtual", func(t *testing.T) {
					check(t, func(in kernel.Instance, recs []*loi.Recorder) error {
						_, err := runtimes.Step(runtimes.StepConfig{Policy: s, Nodes: nodes,
							Seed: 1, Kernels: in.Registry().Kernels, Recorders: recs,
							Structure: structure}, in)
						return err
					})
				})
			}
		}
	}
}
