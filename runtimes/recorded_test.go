package runtimes

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/dag"
)

// structured runs prog with its structure recorded and returns the trace.
func structured(t *testing.T, s Scheduler, workers int, regions []loi.Region, unordered bool,
	run func(recs []*loi.Recorder) (*Result, error)) (*loi.Trace, *Result) {
	t.Helper()
	h := loi.Header{
		Registry: loi.Registry{Kernels: testKernels, Regions: regions},
		Clock:    loi.Clock{Source: "tsc", Hz: 1e9}, Substrate: loi.Native, Unordered: unordered,
	}
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
	r, err := run(recs)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return trace, r
}

// shapeOf writes task i of g and all below it: the kernels that each piece ran, and nothing of
// where and when.
func shapeOf(g *dag.Graph, i int, b *strings.Builder) {
	x := &g.Tasks[i]
	fmt.Fprintf(b, "(%d", x.Begin.Kernels)
	for _, ph := range x.Phases {
		b.WriteByte('[')
		for _, c := range ph.Children {
			if c.Task >= 0 {
				shapeOf(g, c.Task, b)
			} else {
				fmt.Fprintf(b, " %d", c.Piece.Kernels)
			}
		}
		fmt.Fprintf(b, "]%d", ph.After.Kernels)
	}
	b.WriteByte(')')
}

// busyTree is a tree whose tasks run kernels in their leaves, before they make a child and between
// phases.
func busyTree() *treeProg { return busy(bigTree(5, 400)) }

// busy makes p run kernels so.
func busy(p *treeProg) *treeProg {
	leaf := func(w *Worker) {
		start := w.BeginTask()
		w.End(0, w.Begin(0))
		w.EndTask(start)
	}
	p.kernel = func(w *Worker, place uint64) {
		for range 1 + place%3 {
			leaf(w)
		}
	}
	p.order = func(w *Worker, t *treeTask, i int) {
		if mix(t.place+uint64(i))%3 == 0 {
			leaf(w)
		}
	}
	return p
}

// The graph of a run is that of the serial run, under every scheduler, on threads and in virtual
// time, with stamps of kernels and of tasks; its work is the time of all kernels, and its span no
// more than that of the run.
func TestStructure(t *testing.T) {
	var want string
	for _, s := range Schedulers {
		for _, grain := range []string{"kernel", "task"} {
			for _, substrate := range []string{"native", "virtual"} {
				if substrate == "virtual" && s.ThreadsOnly() {
					continue
				}
				t.Run(s.Name+"/"+grain+"/"+substrate, func(t *testing.T) {
					nodes, each := 2, 3
					if s.Serial() {
						nodes, each = 1, 1
					}
					prog := busyTree()
					structure := Structure{Tasks: true, Regions: true}
					trace, r := structured(t, s, 64, nil, s.Unordered,
						func(recs []*loi.Recorder) (*Result, error) {
							if substrate == "virtual" {
								c := stepConfig(s, nodes, each, 1)
								c.Recorders, c.Structure = recs, structure
								c.TaskGrain = grain == "task"
								return Step(c, prog)
							}
							c := unpinned(s, nodes, each, 1)
							c.Tracing, c.Recorders, c.Structure = TraceFull, recs, structure
							c.TaskGrain = grain == "task"
							return Run(context.Background(), c, prog)
						})
					checkTree(t, prog)
					g, err := dag.Build(trace, false, nil)
					if err != nil {
						t.Fatal(err)
					}
					var b strings.Builder
					shapeOf(g, 0, &b)
					if want == "" {
						want = b.String()
					}
					if b.String() != want {
						t.Errorf("the graph is\n%s\nand that of the first run\n%s", b.String(),
							want)
					}
					checkWork(t, trace, g, r)
				})
			}
		}
	}
	if strings.Count(want, "(") < 50 {
		t.Errorf("a graph of %d tasks", strings.Count(want, "("))
	}
}

// checkWork compares work and span of g with the records of its trace and with the run.
func checkWork(t *testing.T, trace *loi.Trace, g *dag.Graph, r *Result) {
	t.Helper()
	var work uint64
	first, last := uint64(1<<63), uint64(0)
	for i := range trace.Header.Workers {
		for c := trace.All(i); c.Next(); {
			x := c.Record()
			first, last = min(first, x.Start), max(last, x.End)
			if x.Type != loi.EventRecord {
				work += x.End - x.Start
			}
		}
	}
	if g.Work() != work || work == 0 {
		t.Errorf("work %d, the records have %d", g.Work(), work)
	}
	if span := g.Span(); span == 0 || span > last-first || span > work {
		t.Errorf("a span of %d of %d ticks of work, the run took %d", span, work, last-first)
	}
	if end := g.End(); end < int64(first) || end > int64(last) {
		t.Errorf("it ended at %d, expected %d to %d", end, first, last)
	}
}

// regionTree is a tree whose tasks stand in a region for each phase.
type regionTree struct {
	Frame
	depth int
}

func (t *regionTree) Root(*Worker) *Frame { t.Bind(t, 0); return t.Fork(2) }

func (t *regionTree) Run(w *Worker, i int) *Frame {
	if i == 1 || t.depth == 3 {
		w.End(0, w.Begin(0))
		return nil
	}
	c := &regionTree{depth: t.depth + 1}
	return c.Root(w)
}

func (t *regionTree) Next(_ *Worker, phase int) int { return 2 - 2*phase }

func (t *regionTree) Region(phase int) loi.RegionID { return loi.RegionID(phase) }

// Regions nest on each worker, or are paired by their numbers where workers are not ordered, and
// kernels run inside them; tasks need not be recorded.
func TestRegions(t *testing.T) {
	for _, s := range Schedulers {
		for _, structure := range []Structure{{Regions: true}, {Regions: true, Tasks: true}} {
			n := 4
			if s.Serial() {
				n = 1
			}
			trace, _ := structured(t, s, 64, []loi.Region{{Name: "first", Kind: loi.Loop,
				Parent: loi.NoRegion}, {Name: "second", Kind: loi.Loop, Parent: loi.NoRegion}},
				s.Unordered, func(recs []*loi.Recorder) (*Result, error) {
					c := unpinned(s, 1, n, 1)
					c.Tracing, c.Recorders, c.Structure = TraceFull, recs, structure
					return Run(context.Background(), c, &regionTree{})
				})
			kernels, tasks := 0, 0
			begun := map[uint32]uint32{}
			ended := map[uint32]bool{}
			for i := range trace.Header.Workers {
				var open uint32
				for c := trace.All(i); c.Next(); {
					switch x := c.Record(); {
					case x.Type == loi.KernelRecord:
						if kernels++; open == 0 && !s.Unordered {
							t.Fatalf("%s: a kernel outside regions", s.Name)
						}
					case x.Event == loi.EventTask:
						tasks++
					case x.Event == loi.EventRegion:
						begun[x.Args[1]] = x.Args[0]
						open = x.Args[1]
					case x.Event == loi.EventRegionEnd:
						if ended[x.Args[0]] || !s.Unordered && open != x.Args[0] {
							t.Fatalf("%s: region %d ends, open is %d", s.Name, x.Args[0], open)
						}
						ended[x.Args[0]], open = true, 0
					}
				}
			}
			// Each of the 4 levels has 2 phases of 2 children; a child of a task of the last level
			// is a kernel, elsewhere one of two is.
			count := map[uint32]int{}
			for _, region := range begun {
				count[region]++
			}
			children := 4 * (1 + 2 + 4 + 8)
			wantTasks := 0
			if structure.Tasks {
				wantTasks = 15
			}
			if len(begun) != children || len(ended) != children ||
				!reflect.DeepEqual(count, map[uint32]int{0: children / 2, 1: children / 2}) ||
				kernels != children-14 || tasks != wantTasks {
				t.Errorf("%s: %d regions begun, %d ended, %v; %d kernels, %d tasks", s.Name,
					len(begun), len(ended), count, kernels, tasks)
			}
		}
	}
}

// A structure that cannot be recorded is refused.
func TestStructureNeedsRecorders(t *testing.T) {
	s, _ := SchedulerByName("workfirst")
	sc := stepConfig(s, 1, 1, 1)
	sc.Structure.Tasks = true
	if _, err := Step(sc, &fibProg{n: 5}); !errors.Is(err, errNoRecorders) {
		t.Errorf("%v", err)
	}
	c := unpinned(s, 1, 1, 1)
	c.Structure.Regions, c.Tracing = true, TraceProfile
	if _, err := Run(context.Background(), c, &fibProg{n: 5}); !errors.Is(err, errNoRecorders) {
		t.Errorf("%v", err)
	}
}
