package tasks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/krd"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// randomRun records a run of a program with nested tasks, each piece with a kernel or none, by
// workers on nodes. The program depends on one seed, who runs what and when on another.
func randomRun(t *testing.T, spans bool, program, run uint64, nodes []int) *loi.Trace {
	t.Helper()
	h := loi.Header{Substrate: loi.Simulated, Clock: loi.Clock{Source: "virtual", Hz: 1e12,
		Invariant: true},
		Kernel: "random", L2Bytes: 256, LLCBytes: 700, Registry: loi.Registry{
			Objects: []loi.Object{{Name: "blocks", Blocks: []loi.SizeRun{{Count: 8, Bytes: 64}}},
				{Name: "keys", Kind: loi.Keyed}},
			Kernels: []loi.Kernel{{Name: "k"}}}}
	if spans {
		h.Registry.Objects = append(h.Registry.Objects, loi.Object{Name: "space", Kind: loi.Span})
	}
	for i, n := range nodes {
		h.Workers = append(h.Workers, loi.Worker{CPU: i, Node: n})
		h.Nodes = max(h.Nodes, n+1)
	}
	w, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	shape, who := rand.New(rand.NewPCG(program, 1)), rand.New(rand.NewPCG(run, 2))
	now := uint64(1)
	piece := func() *loi.Recorder {
		r := w.Recorder(who.IntN(len(nodes)))
		now++
		if shape.IntN(4) > 0 {
			var list []loi.Access
			for range 1 + shape.IntN(3) {
				mode := []loi.Mode{loi.In, loi.InOut}[shape.IntN(2)]
				switch k := shape.IntN(len(h.Registry.Objects)); k {
				case 0:
					list = append(list, loi.Access{Mode: mode, Block: uint64(shape.IntN(8)), Bytes: 64})
				case 1:
					key := uint64(shape.IntN(5))
					list = append(list, loi.Access{Object: 1, Mode: mode, Block: key, Bytes: 10 + 30*key})
				default:
					list = append(list, loi.Access{Object: 2, Mode: mode, Block: uint64(shape.IntN(300)),
						Bytes: 1 + uint64(shape.IntN(90)), Rows: uint32(1 + shape.IntN(3)), Stride: 100})
				}
			}
			r.Accesses(0, 0, now, now+3, list)
			now += 4
		}
		return r
	}
	var child func(task, phase, number uint32, depth int)
	child = func(task, phase, number uint32, depth int) {
		r := piece()
		if depth == 0 || shape.IntN(3) == 0 {
			r.EndChild(now, task, phase, number)
			return
		}
		n := uint32(1 + shape.IntN(4))
		me := r.BeginTask(now, task, phase, number, n)
		for p := range uint32(1 + shape.IntN(2)) {
			if p > 0 {
				r.EndPhase(now, me, p-1, n)
			}
			for c := range n {
				child(me, p, c, depth-1)
			}
			r = piece()
			phase = p
		}
		r.EndPhase(now, me, phase, 0)
	}
	child(0, 0, 0, 4)
	tr, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// The schedule of a run has the reuse distances of its trace, as package krd computes them; another
// run of the program has the same DAG; and the samplers' schedules can be followed.
func TestAsKRD(t *testing.T) {
	checked, far := 0, uint64(0)
	for seed := range uint64(60) {
		nodes := [][]int{{0}, {0, 0, 1}, {0, 1, 2, 2}}[seed%3]
		spans := seed%2 == 1
		tr := randomRun(t, spans, seed, 1, nodes)
		d, s, err := Build(tr, engine.NewAccount(0))
		if errors.Is(err, ErrUnsuitable) {
			continue // no kernels
		} else if err != nil {
			t.Fatal(err)
		}
		want, err := krd.Analyze(tr, krd.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := Explore(context.Background(), d, []Given{{"run", []*Schedule{s}}}, Options{Nodes: nodes,
			Samplers: Samplers, Runs: 3, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		g := x.Groups[len(x.Groups)-1]
		o := &g.Runs[0]
		if o.FarOf(-1) != *want.Far || o.Beyond(-1) != *want.Far+want.Cold ||
			uint64(d.Accesses()) != want.Accesses {
			t.Errorf("seed %d: far %d, beyond %d of %d; krd says %d, %d of %d", seed, o.FarOf(-1),
				o.Beyond(-1), d.Accesses(), *want.Far, *want.Far+want.Cold, want.Accesses)
		}
		var bin [bins]uint64
		for i := range g.Counts {
			for k := range bin {
				bin[k] += g.Counts[i][k]
			}
		}
		for k, b := range want.Bins {
			if bin[k] != b.Count {
				t.Errorf("seed %d: %d in bin %d, krd says %d", seed, bin[k], k, b.Count)
			}
		}
		far += *want.Far
		other, _, err := Build(randomRun(t, spans, seed, 2, nodes), engine.NewAccount(0))
		if err != nil || !d.Same(other) {
			t.Errorf("seed %d: another run has another DAG: %v", seed, err)
		}
		if strange, _, err := Build(randomRun(t, spans, seed+1000, 1, nodes), engine.NewAccount(0)); err == nil &&
			d.Same(strange) && d.Vertices() > 2 {
			t.Errorf("seed %d: another program has the same DAG", seed)
		}
		checkSteps(t, d, s)
		checkSteps(t, d, x.Most.Schedule)
		checked++
	}
	if checked < 40 || far == 0 {
		t.Errorf("%d runs, %d far reuses", checked, far)
	}
}

// checkSteps follows the steps of a schedule over the graph of the run: each piece once, when it
// may begin, the vertices in their order and by their workers.
func checkSteps(t *testing.T, d *DAG, s *Schedule) {
	t.Helper()
	type task struct{ of, phase, left, parent int }
	live := []*task{{left: 1, parent: -1}}
	done := map[string]bool{}
	var order []piece
	var workers []uint16
	ended := func(i int) { live[i].left-- }
	for n, x := range d.Steps(s) {
		if int(x.Task) >= len(live) {
			t.Fatalf("step %d: %+v, of %d tasks", n, x, len(live))
		}
		a := live[x.Task]
		at := piece{uint32(a.of), uint32(a.phase), x.Child}
		key := fmt.Sprint(at)
		if done[key] || a.phase == len(d.graph.Tasks[a.of].Phases) {
			t.Fatalf("step %d: %+v again, or after its task", n, x)
		}
		done[key] = true
		ph := &d.graph.Tasks[a.of].Phases[a.phase]
		var p *dag.Piece
		if x.Child == loi.AfterPhase {
			if a.left != 0 {
				t.Fatalf("step %d: %+v, with %d children left", n, x, a.left)
			}
			p = &ph.After
			if a.phase++; a.phase < len(d.graph.Tasks[a.of].Phases) {
				a.left = len(d.graph.Tasks[a.of].Phases[a.phase].Children)
			} else {
				ended(a.parent)
			}
		} else if c := &ph.Children[x.Child]; c.Task >= 0 {
			b := &d.graph.Tasks[c.Task]
			p = &b.Begin
			live = append(live, &task{c.Task, 0, len(b.Phases[0].Children), int(x.Task)})
		} else {
			p = &c.Piece
			ended(int(x.Task))
		}
		if p.First != 0 {
			order, workers = append(order, at), append(workers, uint16(x.Worker))
		}
	}
	if live[0].left != 0 {
		t.Fatal("the root has not ended")
	}
	for i, v := range s.Order {
		if order[i] != d.places[v] || workers[i] != s.Worker[v] {
			t.Fatalf("vertex %d: %v by %d, want %v by %d", i, order[i], workers[i], d.places[v], s.Worker[v])
		}
	}
	if len(order) != len(s.Order) || len(live) != len(d.graph.Tasks) {
		t.Fatalf("%d of %d vertices, %d of %d tasks", len(order), len(s.Order), len(live),
			len(d.graph.Tasks))
	}
}

// A run that needs more memory than allowed is refused, one of no kernels too.
func TestBuildRefuses(t *testing.T) {
	tr := randomRun(t, false, 3, 1, []int{0})
	if _, _, err := Build(tr, engine.NewAccount(100)); !errors.Is(err, engine.ErrLimit) {
		t.Errorf("%v", err)
	}
	if _, _, err := Build(tr, engine.NewAccount(0)); err != nil {
		t.Errorf("%v", err)
	}
}

// An exploration depends on its arguments alone, and ends with its context.
func TestDeterministic(t *testing.T) {
	d := quad(4)
	opt := Options{Nodes: []int{0, 0, 1}, Samplers: Samplers, Runs: 20, Search: 30, Seed: 3}
	a, err := Explore(context.Background(), d, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Explore(context.Background(), d, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range a.Groups {
		h := b.Groups[i]
		if !slices.Equal(g.Counts, h.Counts) || !slices.Equal(g.least, h.least) ||
			fmt.Sprint(g.Runs) != fmt.Sprint(h.Runs) {
			t.Errorf("%s differs", g.Name)
		}
	}
	if fmt.Sprint(a.Least.Schedule) != fmt.Sprint(b.Least.Schedule) ||
		fmt.Sprint(a.Most.Schedule) != fmt.Sprint(b.Most.Schedule) || a.Most.Group == "" {
		t.Error("the ends differ")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Explore(ctx, d, nil, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
