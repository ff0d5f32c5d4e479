package runtimes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/dag"
)

// drawSchedule draws a legal schedule of the program of g: at each step any piece that may begin,
// by any worker.
func drawSchedule(g *dag.Graph, nodes []int, rng *rand.Rand) *dag.Schedule {
	s := &dag.Schedule{Nodes: nodes}
	type task struct{ of, number, phase, left, parent int }
	type move struct{ task, child int }
	live := []*task{{left: 1, parent: -1}}
	may := []move{{0, 0}}
	ended := func(t *task) {
		if t.left--; t.left == 0 && t.parent >= 0 {
			may = append(may, move{t.number, -1})
		}
	}
	begin := func(t *task) {
		t.left = len(g.Tasks[t.of].Phases[t.phase].Children)
		for c := range t.left {
			may = append(may, move{t.number, c})
		}
	}
	for len(may) > 0 {
		k := rng.IntN(len(may))
		m := may[k]
		may = slices.Delete(may, k, k+1)
		t := live[m.task]
		x := dag.Step{Task: uint32(m.task), Child: uint32(m.child), Worker: uint32(rng.IntN(len(nodes)))}
		if m.child >= 0 {
			if c := g.Tasks[t.of].Phases[t.phase].Children[m.child].Task; c >= 0 {
				live = append(live, &task{of: c, number: len(live), parent: m.task})
				begin(live[len(live)-1])
			} else {
				ended(t)
			}
		} else {
			x.Child = loi.AfterPhase
			if t.phase++; t.phase < len(g.Tasks[t.of].Phases) {
				begin(t)
			} else {
				ended(live[t.parent])
			}
		}
		s.Steps = append(s.Steps, x)
	}
	return s
}

// followed runs prog by a schedule, with its structure recorded.
func runFollowed(t *testing.T, prog Program, s *dag.Schedule) (*loi.Trace, *Result, error) {
	t.Helper()
	var err error
	trace, r := structured(t, Following(s), len(s.Nodes), nil, false,
		func(recs []*loi.Recorder) (r *Result, _ error) {
			r, err = Step(StepConfig{Policy: Following(s), Schedule: s, Nodes: s.Nodes,
				Kernels: testKernels, Recorders: recs, Structure: Structure{Tasks: true}}, prog)
			return r, nil
		})
	return trace, r, err
}

// graphOf is the graph of a serial run.
func graphOf(t *testing.T, prog Program) *dag.Graph {
	t.Helper()
	serial, _ := SchedulerByName(Schedulers[slices.IndexFunc(Schedulers, Scheduler.Serial)].Name)
	trace, _ := structured(t, serial, 1, nil, false, func(recs []*loi.Recorder) (*Result, error) {
		c := stepConfig(serial, 1, 1, 1)
		c.Recorders, c.Structure = recs, Structure{Tasks: true}
		return Step(c, prog)
	})
	g, err := dag.Build(trace, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Every legal schedule is followed: each piece by its worker, those of a worker in their order, the
// kernels of a node in that of the schedule, and the result is right.
func TestFollow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range 20 {
		tree := func() *treeProg { return busy(newTree(uint64(round), 4)) }
		if round < 5 {
			tree = busyTree
		}
		prog := tree()
		g := graphOf(t, prog)
		nodes := []int{0, 0, 1, 1, 2}[:1+round%5]
		s := drawSchedule(g, nodes, rng)
		prog = tree()
		trace, r, err := runFollowed(t, prog, s)
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, prog)
		again, err := dag.Build(trace, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		var a, b strings.Builder
		shapeOf(g, 0, &a)
		shapeOf(again, 0, &b)
		if a.String() != b.String() {
			t.Fatalf("the graph is\n%s\nand was\n%s", b.String(), a.String())
		}
		checkFollowed(t, trace, s)
		for w, x := range r.Workers {
			if x.WorkNS+x.IdleNS+x.SchedNS != r.TimeNS || x.SchedNS != 0 || x.Spawns != 0 {
				t.Errorf("worker %d: %+v of %d", w, x, r.TimeNS)
			}
		}
	}
}

// checkFollowed compares a trace with the schedule: who ran which piece, and when it began. Tasks
// have their numbers in the trace in the order in which they were made too, but by worker.
func checkFollowed(t *testing.T, trace *loi.Trace, s *dag.Schedule) {
	t.Helper()
	numbers := map[uint32]uint32{0: 0} // by number in the trace: that in the schedule
	told := make([][]loi.Record, len(s.Nodes))
	ends := make([][]uint64, len(s.Nodes)) // of told
	kernels := make([][]int, len(s.Nodes)) // before each of told
	starts := make([][]uint64, len(s.Nodes))
	for e, err := range trace.Ordered(loi.Order{Events: true, ByWorker: true, Tasks: true}) {
		if err != nil {
			t.Fatal(err)
		}
		w := e.Worker
		switch {
		case e.Type != loi.EventRecord:
			starts[w] = append(starts[w], uint64(e.Start))
		case e.Record.Event == loi.EventTask || e.Record.Event == loi.EventChild ||
			e.Record.Event == loi.EventPhase:
			r := *e.Record
			r.Args = slices.Clone(r.Args)
			told[w], kernels[w] = append(told[w], r), append(kernels[w], len(starts[w]))
			ends[w] = append(ends[w], uint64(e.Start))
		}
	}
	at, taken := make([]int, len(s.Nodes)), make([]int, len(s.Nodes))
	clock := make([]uint64, len(s.Nodes))
	first := map[int]uint64{} // by node: when a kernel may begin
	type task struct {
		parent     uint32
		ready, end uint64 // of its phase: when it began, and when the last of its children ended
	}
	tasks := []task{{}}
	for n, x := range s.Steps {
		w, node := x.Worker, s.Nodes[x.Worker]
		if at[w] == len(told[w]) {
			t.Fatalf("step %d: worker %d tells nothing more", n, w)
		}
		r, end := told[w][at[w]], ends[w][at[w]]
		child := r.Args[len(r.Args)-1]
		number := r.Args[0]
		begin := max(clock[w], first[node], tasks[x.Task].ready)
		switch r.Event {
		case loi.EventTask:
			numbers[r.Args[0]] = uint32(len(tasks))
			tasks = append(tasks, task{parent: x.Task, ready: end})
			number, child = r.Args[1], r.Args[3]
		case loi.EventPhase:
			begin = max(begin, tasks[x.Task].end)
			if child = loi.AfterPhase; r.Args[2] > 0 {
				tasks[x.Task].ready, tasks[x.Task].end = end, 0
				break
			}
			up := &tasks[tasks[x.Task].parent]
			up.end = max(up.end, end)
		case loi.EventChild:
			tasks[x.Task].end = max(tasks[x.Task].end, end)
		}
		if numbers[number] != x.Task || child != x.Child {
			t.Fatalf("step %d: %+v, worker %d did child %d of task %d", n, x, w, child,
				numbers[number])
		}
		began := end
		if taken[w] < kernels[w][at[w]] {
			began = starts[w][taken[w]]
			taken[w] = kernels[w][at[w]]
			first[node] = starts[w][taken[w]-1] + 1
		}
		if began != begin {
			t.Fatalf("step %d, %+v: it began at %d, want %d", n, x, began, begin)
		}
		clock[w] = end
		at[w]++
	}
}

// A schedule that is none of the program is refused, with the step.
func TestFollowRefuses(t *testing.T) {
	g := graphOf(t, busyTree())
	rng := rand.New(rand.NewPCG(1, 2))
	const after = loi.AfterPhase
	for want, change := range map[string]func(s *dag.Schedule){
		"step 1, task 7: bad schedule: no step before it makes the task": func(s *dag.Schedule) {
			s.Steps[0].Task = 7
		},
		"child 0 has begun": func(s *dag.Schedule) { s.Steps[1] = s.Steps[0] },
		"child 1 has begun, or is one too many of the 1": func(s *dag.Schedule) {
			s.Steps[0].Child = 1
		},
		"children of its phase have not ended": func(s *dag.Schedule) {
			s.Steps[1] = dag.Step{Task: 1, Child: after}
		},
		"the program does not": func(s *dag.Schedule) { s.Steps = s.Steps[:len(s.Steps)-1] },
		"the task has ended": func(s *dag.Schedule) {
			s.Steps = append(s.Steps, dag.Step{Task: 1, Child: after})
		},
		"step 2, task 1: bad schedule: there is no worker 3": func(s *dag.Schedule) {
			s.Steps[1].Worker = 3
		},
		"it is for workers on the nodes [0 1 2]": func(s *dag.Schedule) { s.Nodes = []int{0, 1, 2} },
	} {
		s := drawSchedule(g, []int{0, 0, 1}, rng)
		change(s)
		_, err := Step(StepConfig{Policy: Following(s), Schedule: s, Nodes: []int{0, 0, 1},
			Kernels: testKernels}, busyTree())
		if !errors.Is(err, dag.ErrSchedule) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	s := drawSchedule(g, []int{0}, rng)
	c := unpinned(Following(s), 1, 1, 1)
	if _, err := Run(context.Background(), c, busyTree()); !errors.Is(err, ErrVirtualOnly) {
		t.Errorf("on threads: %v", err)
	}
	if _, err := Step(StepConfig{Policy: Following(s), Nodes: []int{0}, Kernels: testKernels},
		busyTree()); err == nil {
		t.Error("without a schedule")
	}
}

// placesByWorker makes a busy tree that notes the places where each worker runs kernels, in order.
func placesByWorker(seed uint64, workers int) (*treeProg, [][]uint64) {
	prog := busy(newTree(seed, 4))
	log := make([][]uint64, workers)
	ran := make([]uint64, workers)
	note := func(w *Worker, place uint64) {
		if n := w.prof.Kernel(0).Count; n > ran[w.id] {
			ran[w.id] = n
			log[w.id] = append(log[w.id], place)
		}
	}
	kernel, order := prog.kernel, prog.order
	prog.kernel = func(w *Worker, place uint64) {
		kernel(w, place)
		note(w, place)
	}
	prog.order = func(w *Worker, t *treeTask, i int) {
		order(w, t, i)
		note(w, mix(t.place+uint64(t.phase)<<32+uint64(i)))
	}
	return prog, log
}

// The schedule of a run's trace is followed: each worker runs the kernels that it ran, in their
// order. Goroutines have no workers, so that theirs is a schedule of the program, and no more.
func TestFollowTrace(t *testing.T) {
	for _, p := range Schedulers {
		for _, substrate := range []string{"native", "virtual"} {
			if substrate == "virtual" && p.ThreadsOnly() {
				continue
			}
			t.Run(p.Name+"/"+substrate, func(t *testing.T) {
				for seed := range treeSeeds() {
					followTrace(t, p, substrate == "native", seed)
				}
			})
		}
	}
}

func followTrace(t *testing.T, p Scheduler, native bool, seed uint64) {
	t.Helper()
	nodes, each := 2, 2
	if p.Serial() {
		nodes, each = 1, 1
	}
	c := stepConfig(p, nodes, each, seed)
	c.Structure = Structure{Tasks: true}
	workers := len(c.Nodes)
	if p.ThreadsOnly() {
		workers = 64 // CPUs
	}
	prog, ran := placesByWorker(seed, workers)
	if p.ThreadsOnly() {
		prog = busy(newTree(seed, 4))
	}
	run := func(recs []*loi.Recorder) (*Result, error) {
		if !native {
			c.Recorders = recs
			return Step(c, prog)
		}
		c := unpinned(p, nodes, each, seed)
		c.Tracing, c.Recorders, c.Structure = TraceFull, recs, Structure{Tasks: true}
		return Run(context.Background(), c, prog)
	}
	trace, _ := structured(t, p, workers, nil, p.Unordered, run)
	s, err := dag.ScheduleOf(trace)
	if err != nil {
		t.Fatal(err)
	}
	if !p.ThreadsOnly() {
		s.Nodes = c.Nodes // the trace's header has none
	}
	again, ranAgain := placesByWorker(seed, workers)
	trace, r, err := runFollowed(t, again, s)
	if err != nil {
		t.Fatal(err)
	}
	checkTree(t, again)
	checkFollowed(t, trace, s)
	var tasks uint64
	for _, w := range r.Workers {
		tasks += w.Tasks
	}
	if count, _ := again.serial(); tasks != r.Tasks || tasks < count {
		t.Errorf("%d children of %d, and %d leaves", tasks, r.Tasks, count)
	}
	if p.ThreadsOnly() {
		return
	}
	for w := range ran {
		if !slices.Equal(ran[w], ranAgain[w]) {
			t.Fatalf("seed %d, worker %d ran kernels at\n%x, and followed at\n%x", seed, w, ran[w],
				ranAgain[w])
		}
	}
}

// inPlace is a program whose root runs in place.
type inPlace struct{}

func (inPlace) Root(w *Worker) *Frame {
	virtualKernel(w)
	return nil
}

func TestFollowRoot(t *testing.T) {
	s := &dag.Schedule{Nodes: []int{0, 0}, Steps: []dag.Step{{Worker: 1}}}
	_, r, err := runFollowed(t, inPlace{}, s)
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Workers; w[1].Kernels != 1 || w[0].IdleNS != r.TimeNS || r.TimeNS != 100 {
		t.Errorf("%+v", r)
	}
	s.Steps = append(s.Steps, dag.Step{Task: 1})
	c := StepConfig{Policy: Following(s), Schedule: s, Nodes: s.Nodes, Kernels: testKernels}
	if _, err = Step(c, inPlace{}); !errors.Is(err, dag.ErrSchedule) {
		t.Errorf("a step too many: %v", err)
	}
}
