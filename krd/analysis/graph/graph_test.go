package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/loi"
)

// A program writes the events of a run by one worker, serially: each task's beginning, children and
// phases, in the order of time.
type program struct {
	r   *loi.Recorder
	now uint64
}

func (p *program) kernel(ticks uint64) {
	p.r.Kernel(0, p.now, p.now+ticks)
	p.now += ticks
}

// task begins a child of a phase of a task, of children in its first phase.
func (p *program) task(parent, phase, child, children uint32) uint32 {
	p.now++
	return p.r.BeginTask(p.now, parent, phase, child, children)
}

func (p *program) leaf(task, phase, child uint32) {
	p.now++
	p.r.EndChild(p.now, task, phase, child)
}

func (p *program) end(task, phase, next uint32) {
	p.now++
	p.r.EndPhase(p.now, task, phase, next)
}

// fib is a task with the two below it, as kernels/fib: a number below 2 is no task.
func (p *program) fib(n int, parent, phase, child uint32) {
	if n < 2 {
		p.leaf(parent, phase, child)
		return
	}
	t := p.task(parent, phase, child, 2)
	p.fib(n-1, t, 0, 0)
	p.fib(n-2, t, 0, 1)
	p.end(t, 0, 0)
}

// cube multiplies: two phases of four, down to kernels of 3 ticks.
func (p *program) cube(depth int, parent, phase, child uint32) {
	if depth == 0 {
		p.kernel(3)
		p.leaf(parent, phase, child)
		return
	}
	t := p.task(parent, phase, child, 4)
	for ph := range uint32(2) {
		for c := range uint32(4) {
			p.cube(depth-1, t, ph, c)
		}
		p.end(t, ph, 4*(1-ph))
	}
}

func traceOf(t testing.TB, h loi.Header, run func(p *program)) *loi.Trace {
	t.Helper()
	h.Workers, h.Substrate = make([]loi.Worker, 4), loi.Native
	h.Registry.Kernels = []loi.Kernel{{Name: "leaf"}}
	w, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	run(&program{r: w.Recorder(0), now: 1000})
	tr, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func look(t testing.TB, tr *loi.Trace, opt Options) (*Document, *result) {
	t.Helper()
	list, err := analysis.Run(context.Background(), tr, []analysis.Asked{{Analysis: Analysis,
		Options: &opt}}, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := list[0].(*result)
	return r.d, r
}

// fib(n) has W(n) = 2 + W(n-1) + W(n-2) pieces of code, 3 F(n+1) - 2, and 2n - 1 on its longest path.
func TestFib(t *testing.T) {
	tr := traceOf(t, loi.Header{}, func(p *program) { p.fib(20, 0, 0, 0) })
	d, _ := look(t, tr, Options{Unit: unitPieces})
	if d.Work.Float() != 3*10946-2 || d.Span.Float() != 39 || d.Tasks != 10945 || d.Kernels != 0 ||
		d.Measured.Known() || d.Unit != "pieces" {
		t.Errorf("%+v", d)
	}
	// one node for each n from 20 to 2, and one for what is no task; n leads to n-1 and n-2
	if len(d.Nodes) != 20 || d.Folded || len(d.Edges) != 2*17+2+1 || d.Nodes[19].Count != 10946 ||
		d.Nodes[19].Task || d.Nodes[19].Depth != 19 {
		t.Errorf("%d nodes, %d edges, the last %+v", len(d.Nodes), len(d.Edges), d.Nodes[len(
			d.Nodes)-1])
	}
	d, _ = look(t, tr, Options{Unit: unitTime})
	if d.Work.Float() != 0 || d.Parallelism.Known() || d.LowerBound.Known() || d.BurdenedSpan.Known() {
		t.Errorf("without kernels: %+v", d)
	}
}

func TestCube(t *testing.T) {
	tr := traceOf(t, loi.Header{}, func(p *program) { p.cube(3, 0, 0, 0) })
	d, _ := look(t, tr, Options{Unit: unitKernels})
	if d.Work.Float() != 512 || d.Span.Float() != 8 || d.Parallelism.Float() != 64 || d.Kernels != 512 ||
		d.Tasks != 73 || d.LowerBound.Float() != 128 || d.UpperBound.Float() != 128+0.75*8 ||
		len(d.Nodes) != 4 || d.Nodes[1].Count != 8 || !slices.Equal(d.Edges, []Edge{{0, 1, 8, 0},
		{1, 2, 64, 0}, {2, 3, 512, 0}}) {
		t.Errorf("%+v", d)
	}
	d, _ = look(t, tr, Options{Unit: unitTime})
	// by the clock of no known rate; 72 events of tasks, 512 of leaves and 146 of phases take 1 each
	if d.Unit != "ticks" || d.Work.Float() != 1536 || d.Span.Float() != 24 ||
		d.Measured.Float() != 1536+73+512+146-1 {
		t.Errorf("%+v", d)
	}
}

// The burden: each of the 2 phases at each of 3 levels that the longest path goes through has a
// spawn and a continuation.
func TestBurden(t *testing.T) {
	tr := traceOf(t, loi.Header{Clock: loi.Clock{Source: "tsc", Hz: 1e9}},
		func(p *program) { p.cube(3, 0, 0, 0) })
	d, _ := look(t, tr, Options{Unit: unitTime, Burden: "5ns"})
	if want := 24. + 14*10; d.Unit != "ns" || d.BurdenedSpan.Float() != want ||
		d.BurdenedParallelism.Float() != 1536/want {
		t.Errorf("burdened span %v, want %v; parallelism %v", d.BurdenedSpan.Float(), want,
			d.BurdenedParallelism.Float())
	}
	for _, opt := range []Options{{Unit: unitTime, Burden: "soon"}, {Unit: unitKernels, Burden: "1us"}} {
		if _, err := analysis.Run(context.Background(), tr, []analysis.Asked{{Analysis: Analysis,
			Options: &opt}}, analysis.Options{}); !errors.Is(err, ErrBurden) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// An irregular tree is folded to few nodes, whose counts and work are those of the whole.
func TestFolded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	tr := traceOf(t, loi.Header{}, func(p *program) {
		var grow func(depth int, parent, child uint32)
		grow = func(depth int, parent, child uint32) {
			if p.kernel(1 + rng.Uint64N(9)); depth == 0 || rng.IntN(4) == 0 {
				p.leaf(parent, 0, child)
				return
			}
			n := 1 + rng.Uint32N(3)
			task := p.task(parent, 0, child, n)
			for c := range n {
				grow(depth-1, task, c)
			}
			p.end(task, 0, 0)
		}
		p.task(0, 0, 0, 2)
		grow(16, 1, 0)
		grow(16, 1, 1)
		p.end(1, 0, 0)
	})
	d, r := look(t, tr, Options{Unit: unitTime})
	var work float64
	var count, kernels, tasks uint64
	for _, n := range d.Nodes {
		work += n.Work.Float()
		kernels += n.Kernels
		if count += n.Count; n.Task {
			tasks++
		}
	}
	if !d.Folded || len(d.Nodes) > MaxNodes || tasks < 3 || math.Abs(work-d.Work.Float()) > 1e-6 ||
		kernels != d.Kernels || d.Kernels < 2000 || count < d.Kernels {
		t.Errorf("%d nodes, folded %v: work %v of %v, %d of %d kernels", len(d.Nodes), d.Folded, work,
			d.Work.Float(), kernels, d.Kernels)
	}
	for _, format := range Analysis.Formats() {
		var b bytes.Buffer
		if err := r.Draw(&b, format); err != nil || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s: %v, %.200s", format, err, b.String())
		}
	}
}

func TestJSON(t *testing.T) {
	_, r := look(t, traceOf(t, loi.Header{}, func(p *program) { p.cube(1, 0, 0, 0) }), Options{Unit: "time"})
	b, err := json.Marshal(r.Document())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"schema_version", "unit", "work", "span", "parallelism",
		"burdened_span", "burdened_parallelism", "tasks", "kernels", "measured", "lower_bound",
		"upper_bound"} {
		if _, there := got[key]; !there {
			t.Errorf("no %s in %s", key, b)
		}
	}
	if got["burdened_span"] != nil || got["warnings"] == nil {
		t.Errorf("%s", b)
	}
}

func TestRefuses(t *testing.T) {
	ctx := context.Background()
	var need *analysis.NeedError
	tr := traceOf(t, loi.Header{}, func(p *program) { p.kernel(5) })
	if _, err := analysis.Run(ctx, tr, []analysis.Asked{{Analysis: Analysis}},
		analysis.Options{}); !errors.As(err, &need) || !strings.Contains(err.Error(), "--trace") {
		t.Errorf("%v", err)
	}
}

// BenchmarkTasks analyses the trace of 2^20 tasks of two children each.
func BenchmarkTasks(b *testing.B) {
	const depth = 20
	tr := traceOf(b, loi.Header{}, func(p *program) {
		var grow func(depth int, parent, child uint32)
		grow = func(depth int, parent, child uint32) {
			if depth == 0 {
				p.kernel(3)
				p.leaf(parent, 0, child)
				return
			}
			t := p.task(parent, 0, child, 2)
			grow(depth-1, t, 0)
			grow(depth-1, t, 1)
			p.end(t, 0, 0)
		}
		grow(depth, 0, 0)
	})
	for b.Loop() {
		if d, _ := look(b, tr, Options{Unit: unitTime}); d.Tasks != 1<<depth-1 {
			b.Fatal(d.Tasks)
		}
	}
	b.ReportMetric(float64(b.N)*(1<<depth)/b.Elapsed().Seconds()/1e6, "Mtasks/s")
}
