package experiments

import (
	"context"
	"fmt"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest/long"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/analysis/races"
	"krdlab/loi"
	"krdlab/runtimes"
)

// shared has the programs whose kernels touch parts of blocks and declare them as whole: a tile of
// sor's chequerboard has elements of both colours, and a sweep writes one and reads the other; a
// trapezoid of heat takes each tile that it reaches into as one that it writes. Nothing orders those
// that touch other parts of the same block.
var shared = map[string]kernel.Params{"sor": {"order": "redblack"}, "heat": {"order": "trapezoids"}}

// Kernels race for nothing, under any scheduler, and so their data path is no longer than their span;
// but for those in [shared].
func TestRaceFree(t *testing.T) {
	clock := hw.CalibrateClock()
	accessed, racy := map[string]bool{}, map[string]bool{}
	for j, k := range kernels.Table {
		for at, small := range k.Small {
			for i, s := range runtimes.Schedulers {
				if long.Or(i > 0 && (i+j)%len(k.Small) != at, false) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%v", s.Name, k.Name, small), func(t *testing.T) {
					p := k.With(small)
					r, units := racesOf(t, k, p, s, clock)
					if r.Units != nil {
						accessed[k.Name] = true
					}
					if of, ok := shared[k.Name]; ok && of.Word("order") == p.Word("order") {
						racy[k.Name] = racy[k.Name] || units > 0
						return
					}
					if path, span := r.DataPath(r.Ticks), r.Graph.Span(); units > 0 || path > span {
						t.Errorf("races for %d units; data path %d ticks, span %d", units, path, span)
					}
				})
			}
		}
	}
	// fib and uts access nothing
	if len(accessed) != len(kernels.Table)-2 || !racy["sor"] || !racy["heat"] {
		t.Errorf("%d kernels access something: %v; races in shared blocks: %v", len(accessed), accessed,
			racy)
	}
}

// racesOf runs a kernel, in virtual time where the scheduler can, and counts what its executions race
// for.
func racesOf(t *testing.T, k *kernel.Kernel, p kernel.Params, s runtimes.Scheduler, clock hw.Clock) (
	*races.Run, uint64) {
	t.Helper()
	in, err := k.New(p, kernel.Env{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	in.Reset(s.Rules().Hints)
	h := loi.Header{Registry: in.Registry(), Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Substrate: loi.Native, Unordered: s.Unordered}
	for range 64 { // under Go's own scheduler, one for each CPU
		h.Workers = append(h.Workers, loi.Worker{CPU: -1})
	}
	w, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var recs []*loi.Recorder
	for i := range h.Workers {
		recs = append(recs, w.Recorder(i))
	}
	structure, nodes, cpus := runtimes.Structure{Tasks: true}, []int{0, 0, 1, 1}, []int{-1, -1, -1, -1}
	if s.Serial() {
		nodes, cpus = nodes[:1], cpus[:1]
	}
	if s.ThreadsOnly() {
		_, err = runtimes.Run(context.Background(), runtimes.Config{Policy: s, CPUs: cpus, Nodes: nodes,
			Seed: 1, Clock: clock, Tracing: runtimes.TraceFull, Kernels: h.Registry.Kernels,
			Recorders: recs, Structure: structure, TaskGrain: k.TaskGrain}, in)
	} else {
		_, err = runtimes.Step(runtimes.StepConfig{Policy: s, Nodes: nodes, Seed: 1,
			Kernels: h.Registry.Kernels, Recorders: recs, Structure: structure}, in)
	}
	if err != nil {
		t.Fatal(err)
	}
	trace, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	r, err := races.Read(context.Background(), trace)
	if err != nil {
		t.Fatal(err)
	}
	if r.Units == nil {
		return r, 0
	}
	return r, r.Find().Units
}
