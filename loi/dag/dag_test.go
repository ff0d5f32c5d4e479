package dag

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/loi"
)

// An event is a line of a trace: a kernel of some ticks if kind is 0.
type event struct {
	worker int
	kind   loi.EventKind
	args   []uint32
	ticks  uint64
}

// twoTasks has a root with two phases. The first has a task, and a child in place by another
// worker.
var twoTasks = []event{
	{ticks: 3},
	{kind: loi.EventTask, args: []uint32{1, 0, 0, 0, 2}},
	{ticks: 5},
	{kind: loi.EventTask, args: []uint32{2, 1, 0, 0, 1}},
	{kind: loi.EventIdle},
	{ticks: 7},
	{kind: loi.EventChild, args: []uint32{2, 0, 0}},
	{kind: loi.EventPhase, args: []uint32{2, 0, 0}},
	{worker: 1, ticks: 20},
	{worker: 1, ticks: 1},
	{worker: 1, kind: loi.EventChild, args: []uint32{1, 0, 1}},
	{worker: 1, ticks: 2},
	{worker: 1, kind: loi.EventPhase, args: []uint32{1, 0, 1}},
	{worker: 1, ticks: 4},
	{worker: 1, kind: loi.EventChild, args: []uint32{1, 1, 0}},
	{worker: 1, kind: loi.EventPhase, args: []uint32{1, 1, 0}},
}

func build(t *testing.T, unordered bool, opt loi.Options, list []event) (*Graph, error) {
	t.Helper()
	return Build(traceOf(t, unordered, opt, list), false, nil)
}

func traceOf(t *testing.T, unordered bool, opt loi.Options, list []event) *loi.Trace {
	t.Helper()
	w, err := loi.NewMemory(loi.Header{Workers: []loi.Worker{{}, {Node: 1}}, Substrate: loi.Native,
		Registry: loi.Registry{Kernels: []loi.Kernel{{Name: "k"}}}, Unordered: unordered,
		Kernel: "p", Params: []loi.KV{{Key: "n", Value: "3"}}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	now := uint64(10)
	for _, e := range list {
		if e.kind == 0 {
			w.Recorder(e.worker).Kernel(0, now, now+e.ticks)
			now += e.ticks
			continue
		}
		w.Recorder(e.worker).Event(e.kind, now, e.args...)
		now++
	}
	tr, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestBuild(t *testing.T) {
	g, err := build(t, false, loi.Options{}, twoTasks)
	if err != nil {
		t.Fatal(err)
	}
	// 3, then 5+7 beside 21, then 2, then 4
	if g.Work() != 42 || g.Span() != 3+21+2+4 || len(g.Tasks) != 3 || g.End() != 10+42+8 {
		t.Errorf("work %d, span %d, %d tasks, end %d", g.Work(), g.Span(), len(g.Tasks), g.End())
	}
	root := g.Tasks[1]
	if root.Begin != (Piece{0, 13, 1, 3, 0, 1, 1}) || root.Parent != 0 || len(root.Phases) != 2 ||
		root.Phases[0].Children[0].Task != 2 || root.Phases[0].After != (Piece{1, 54, 1, 2, 0, 6, 6}) ||
		root.Phases[0].Children[1] != (ChildNode{-1, Piece{1, 51, 2, 21, 0, 4, 5}, 1}) {
		t.Errorf("%+v", root)
	}
	if of := slices.Collect(g.Executions(&root.Phases[0].Children[1].Piece)); !slices.Equal(of,
		[]uint32{4, 5}) {
		t.Errorf("executions %v", of)
	}
	// A root that runs in place.
	g, err = build(t, false, loi.Options{}, []event{{ticks: 9},
		{kind: loi.EventChild, args: []uint32{0, 0, 0}}})
	if err != nil || g.Work() != 9 || g.Span() != 9 || g.End() != 19 {
		t.Errorf("%+v, %v", g, err)
	}
}

// Where workers are not ordered, each record is followed by what it belongs to.
func TestBuildUnordered(t *testing.T) {
	var list []event
	of := [][]uint32{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, 1}, {1, 0, 1}, {1, 0, loi.AfterPhase},
		{1, 1, 0}}
	var structure []event
	for _, e := range twoTasks {
		if e.worker = 0; e.kind != 0 {
			structure = append(structure, e)
			continue
		}
		list = append(list, e, event{kind: loi.EventOf, args: of[0]})
		of = of[1:]
	}
	g, err := build(t, true, loi.Options{}, append(list, structure...))
	if err != nil {
		t.Fatal(err)
	}
	if g.Work() != 42 || g.Span() != 3+21+2+4 {
		t.Errorf("work %d, span %d", g.Work(), g.Span())
	}
	if of := slices.Collect(g.Executions(&g.Tasks[1].Phases[0].Children[1].Piece)); !slices.Equal(of,
		[]uint32{4, 5}) {
		t.Errorf("executions %v", of)
	}
	if _, err = build(t, true, loi.Options{}, append(structure, list...)); !errors.Is(err,
		ErrIncomplete) {
		t.Errorf("kernels told of after their pieces: %v", err)
	}
}

// Events that are missing, there twice or changed are errors, or leave a graph that has all that is
// reachable once.
func TestBuildRefuses(t *testing.T) {
	if _, err := build(t, false, loi.Options{}, []event{{ticks: 9}}); !errors.Is(err, ErrIncomplete) {
		t.Errorf("%v", err)
	}
	for i, e := range twoTasks {
		if e.kind == 0 || e.kind == loi.EventIdle {
			continue
		}
		without := slices.Delete(slices.Clone(twoTasks), i, i+1)
		if _, err := build(t, false, loi.Options{}, without); !errors.Is(err, ErrIncomplete) {
			t.Errorf("without event %d: %v", i, err)
		}
		twice := slices.Insert(slices.Clone(twoTasks), i, e)
		if _, err := build(t, false, loi.Options{}, twice); !errors.Is(err, ErrIncomplete) {
			t.Errorf("event %d twice: %v", i, err)
		}
	}
	var many []event
	for range 20000 {
		many = append(many, event{ticks: 1})
	}
	if _, err := build(t, false, loi.Options{MaxBytes: 300 << 10},
		append(slices.Clone(twoTasks), many...)); !errors.Is(err, loi.ErrLoss) {
		t.Errorf("discarded records: %v", err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	whole := 0
	for range 4000 {
		list := slices.Clone(twoTasks)
		for range 1 + rng.IntN(3) {
			e := &list[rng.IntN(len(list))]
			if n := len(e.args); n > 0 {
				e.args = slices.Clone(e.args)
				e.args[rng.IntN(n)] = []uint32{0, 1, 2, 3, 1 << 31, 1<<32 - 1}[rng.IntN(6)]
			}
		}
		g, err := build(t, false, loi.Options{}, list)
		switch {
		case err == nil:
			if whole++; g.Work() > 42 || g.Span() > g.Work() {
				t.Fatalf("%+v", g)
			}
		case !errors.Is(err, ErrIncomplete):
			t.Fatal(err)
		}
	}
	if whole == 0 || whole > 3000 {
		t.Errorf("%d of 4000 changed traces are whole", whole)
	}
}

// The workers' events may come in any order between workers.
func TestAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := map[int]int{} // of early events, so that some came early
	for range 300 {
		b := New(&loi.Header{Workers: make([]loi.Worker, 2)}, Fold[[2]uint64]{
			Begin: func(v *[2]uint64, t *Task) { v[0] += t.Begin.Ticks },
			Child: func(v *[2]uint64, _ *Task, c *Child[[2]uint64]) {
				if v[0] += c.Piece.Ticks; c.Task != nil {
					v[0] += c.Value[0]
					v[1] += c.Value[1] + 1
				}
			},
			Phase: func(v *[2]uint64, _ *Task, after Piece) { v[0] += after.Ticks },
		})
		var of [2][]event
		for _, e := range twoTasks {
			of[e.worker] = append(of[e.worker], e)
		}
		for len(of[0])+len(of[1]) > 0 {
			w := rng.IntN(2)
			if len(of[w]) == 0 {
				w = 1 - w
			}
			e := of[w][0]
			of[w] = of[w][1:]
			r := loi.Record{Type: loi.EventRecord, Event: e.kind, Args: e.args}
			if e.kind == 0 {
				r.Type = loi.KernelRecord
			}
			if err := b.Event(&loi.Event{Record: &r, Worker: w, End: int64(e.ticks)}); err != nil {
				t.Fatal(err)
			}
			sizes[len(b.early)]++
		}
		v, err := b.End()
		if err != nil || *v != [2]uint64{42, 2} {
			t.Fatalf("%v, %v", v, err)
		}
	}
	if sizes[1] == 0 {
		t.Error("nothing came early")
	}
}
