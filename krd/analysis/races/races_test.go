package races

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/loi"
)

// The kernels of random programs: each takes one block of A.
var modes = []loi.Mode{loi.In, loi.Out, loi.InOut}

// An executed is an execution of a random program: the children that it stands in, from the root
// on, each as phase and number. The code after a phase has the number -1 in the next.
type executed struct {
	path       [][2]int
	worker     int
	start, end uint64
	touched    []touched
}

type touched struct {
	block uint32
	mode  loi.Mode
}

// ordered reports whether spawns and syncs order two executions, by the first child that they do not
// share.
func ordered(a, b *executed) bool {
	for i := range min(len(a.path), len(b.path)) {
		x, y := a.path[i], b.path[i]
		if x != y {
			return x[0] != y[0] || x[1] < 0 || y[1] < 0
		}
	}
	return true
}

// before reports whether a comes before b where one worker runs all.
func before(a, b *executed) bool {
	return slices.CompareFunc(a.path, b.path, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) }) < 0
}

// A writer writes the trace of a random program: children of a phase in any order, each by any
// worker, one after the other.
type writer struct {
	t    *rapid.T
	recs []*loi.Recorder
	now  uint64
	all  []executed
	left int // executions
}

func (w *writer) draw(least, most int, what string) int {
	return rapid.IntRange(least, most).Draw(w.t, what)
}

// tick returns the time, which goes on.
func (w *writer) tick() uint64 { w.now++; return w.now }

// piece makes a worker run some kernels.
func (w *writer) piece(worker int, path [][2]int) {
	for range w.draw(0, 2, "executions") {
		if w.left--; w.left < 0 {
			return
		}
		x := executed{path: slices.Clone(path), worker: worker, start: w.tick()}
		w.now += uint64(w.draw(0, 9, "ticks"))
		x.end = w.now
		calls := 1
		if record := w.draw(0, 4, "record") == 0; record {
			calls = w.draw(0, 3, "calls")
		}
		var list loi.TaskList
		for range calls {
			kernel, block := w.draw(0, len(modes)-1, "kernel"), uint32(w.draw(0, 5, "block"))
			x.touched = append(x.touched, touched{block, modes[kernel]})
			list.Add(loi.KernelID(kernel), block)
		}
		if calls == 1 {
			w.recs[worker].Kernel(loi.KernelID(slices.Index(modes, x.touched[0].mode)), x.start, x.end,
				x.touched[0].block)
		} else {
			w.recs[worker].Task(x.start, x.end, &list)
		}
		w.all = append(w.all, x)
	}
}

// child runs a child of a phase, a task or none.
func (w *writer) child(parent uint32, path [][2]int, depth int) {
	at := [2]int{}
	if len(path) > 0 {
		at = path[len(path)-1]
	}
	worker := w.draw(0, len(w.recs)-1, "worker")
	if depth == 0 || w.draw(0, 2, "leaf") == 0 {
		w.piece(worker, append(path, [2]int{0, -1}))
		w.recs[worker].EndChild(w.tick(), parent, uint32(at[0]), uint32(at[1]))
		return
	}
	n := w.draw(1, 3, "children")
	w.piece(worker, append(path, [2]int{0, -1}))
	task := w.recs[worker].BeginTask(w.tick(), parent, uint32(at[0]), uint32(at[1]), uint32(n))
	phases := w.draw(1, 3, "phases")
	for phase := range phases {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		for _, c := range rapid.Permutation(order).Draw(w.t, "order") {
			w.child(task, append(slices.Clip(path), [2]int{phase, c}), depth-1)
		}
		worker, next := w.draw(0, len(w.recs)-1, "worker"), 0
		if phase < phases-1 {
			next = w.draw(1, 3, "children")
		}
		w.piece(worker, append(path, [2]int{phase + 1, -1}))
		w.recs[worker].EndPhase(w.tick(), task, uint32(phase), uint32(next))
		n = next
	}
}

func random(rt *rapid.T) ([]executed, *loi.Trace) {
	h := loi.Header{Workers: make([]loi.Worker, 3), Substrate: loi.Native}
	h.Registry.Objects = []loi.Object{{Name: "A", Blocks: []loi.SizeRun{{Count: 6, Bytes: 64}}}}
	for _, m := range modes {
		h.Registry.Kernels = append(h.Registry.Kernels, loi.Kernel{Name: m.String(),
			Params: []loi.Param{{Object: 0, Mode: m}}})
	}
	m, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		rt.Fatal(err)
	}
	rt.Cleanup(func() { m.Close() })
	w := &writer{t: rt, left: 40}
	for i := range h.Workers {
		w.recs = append(w.recs, m.Recorder(i))
	}
	w.child(0, nil, 3)
	slices.SortStableFunc(w.all, func(a, b executed) int {
		switch {
		case before(&a, &b):
			return -1
		case before(&b, &a):
			return 1
		}
		return 0
	})
	tr, err := m.Trace()
	if err != nil {
		rt.Fatal(err)
	}
	return w.all, tr
}

// chain returns the weight of the heaviest chain of executions in which each follows one before it.
func chain(all []executed, weigh func(*executed) uint64, follows func(a, b int) bool) (most uint64) {
	ends := make([]uint64, len(all))
	for b := range all {
		for a := range b {
			if follows(a, b) {
				ends[b] = max(ends[b], ends[a])
			}
		}
		ends[b] += weigh(&all[b])
		most = max(most, ends[b])
	}
	return most
}

// lastWriter returns the execution before b that wrote a block last, or -1.
func lastWriter(all []executed, b int, block uint32) int {
	for a := b - 1; a >= 0; a-- {
		for _, x := range all[a].touched {
			if x.block == block && x.mode&loi.Out != 0 {
				return a
			}
		}
	}
	return -1
}

// conflict reports whether two executions race for a block.
func conflict(a, b *executed, block uint32) bool {
	var both loi.Mode
	for _, x := range a.touched {
		for _, y := range b.touched {
			if x.block == block && y.block == block {
				both |= x.mode | y.mode
			}
		}
	}
	return both&loi.Out != 0 && !ordered(a, b)
}

// TestRandom compares the races, the data path and the span of random programs with those that follow
// from the order of each two executions. In a program without races the data path is no longer than
// the span.
func TestRandom(t *testing.T) {
	racy, free := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		all, tr := random(rt)
		r, err := Read(t.Context(), tr)
		if err != nil {
			rt.Fatal(err)
		}
		if r.Units == nil { // no execution
			return
		}
		want := map[string]bool{}
		for b := range all {
			for a := range b {
				for block := range uint32(6) {
					if conflict(&all[a], &all[b], block) {
						want[fmt.Sprintf("A[%d]", block)] = true
					}
				}
			}
		}
		races := r.Find()
		list, err := races.Describe()
		if err != nil {
			rt.Fatal(err)
		}
		if int(races.Units) != len(want) || len(list) != len(want) || races.Bytes != 64*races.Units {
			rt.Fatalf("%d units, %d bytes, %d races, expected %v", races.Units, races.Bytes, len(list), want)
		}
		for _, x := range list {
			a, b := find(rt, all, &x.First), find(rt, all, &x.Second)
			var block uint32
			fmt.Sscanf(x.First.Place, "A[%d]", &block)
			if !want[x.First.Place] || x.First.Place != x.Second.Place || x.First.Object != "A" ||
				!before(a, b) || !conflict(a, b, block) || x.First.Mode&loi.Out == 0 &&
				x.Second.Mode&loi.Out == 0 || x.First.Kernel != x.First.Mode.String() {
				rt.Fatalf("%+v", x)
			}
			delete(want, x.First.Place)
		}
		ticks := func(x *executed) uint64 { return x.end - x.start }
		follows := func(a, b int) bool { return ordered(&all[a], &all[b]) }
		if span := chain(all, ticks, follows); r.Graph.Span() != span {
			rt.Fatalf("span %d, expected %d", r.Graph.Span(), span)
		}
		reads := func(a, b int) bool {
			return slices.ContainsFunc(all[b].touched, func(x touched) bool {
				return x.mode&loi.In != 0 && lastWriter(all, b, x.block) == a
			})
		}
		for _, w := range []struct {
			weigh func(*executed) uint64
			of    func(uint32) uint64
		}{{ticks, r.Ticks}, {func(x *executed) uint64 { return uint64(len(x.touched)) }, r.Calls}} {
			path := r.DataPath(w.of)
			if expected := chain(all, w.weigh, reads); path != expected {
				rt.Fatalf("data path %d, expected %d", path, expected)
			}
			if span := chain(all, w.weigh, follows); path > span && races.Units == 0 {
				rt.Fatalf("no races, and a data path of %d, span %d", path, span)
			}
		}
		if races.Units > 0 {
			racy++
		} else {
			free++
		}
	})
	if racy == 0 || free == 0 {
		t.Errorf("%d programs with races, %d without", racy, free)
	}
}

// find returns the execution of an access.
func find(rt *rapid.T, all []executed, a *Access) *executed {
	for i := range all {
		x := &all[i]
		var path strings.Builder
		after := -1
		for _, p := range x.path {
			if p[1] < 0 {
				after = p[0] - 1
				continue
			}
			fmt.Fprintf(&path, "/%d:%d", p[0], p[1])
		}
		if path.Len() == 0 {
			path.WriteByte('/')
		}
		if a.Path == path.String() && a.After == after && a.Worker == x.worker &&
			a.Start == int64(x.start) && a.End == int64(x.end) {
			return x
		}
	}
	rt.Fatalf("no execution is %+v", a)
	return nil
}

// TestOverlap makes two children write ranges that overlap in 4 of 8 bytes, and a third read
// others.
func TestOverlap(t *testing.T) {
	for _, second := range []string{"4+8", "8+8"} {
		tr, err := loi.ParseText(strings.NewReader("loi-text 4\nsubstrate native\nclock tsc 1e9\n" +
			"nodes 1\ngrain kernel\nworker 0 cpu -1 node 0 offset 0\nworker 1 cpu -1 node 0 offset 0\n" +
			"object S span\nkernel f\n0 1 event task(1,0,0,0,3)\n0 2 5 f{S[0+8]:inout}\n" +
			"0 6 event child(1,0,0)\n1 3 4 f{S[" + second + "]:out}\n1 7 event child(1,0,1)\n" +
			"0 8 9 f{S[16+8]:in}\n0 10 event child(1,0,2)\n0 11 event phase(1,0,0)\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(t.Context(), tr)
		if err != nil {
			t.Fatal(err)
		}
		races := r.Find()
		list, err := races.Describe()
		if err != nil {
			t.Fatal(err)
		}
		if second == "8+8" {
			if races.Units != 0 || len(list) != 0 {
				t.Errorf("races %+v of ranges that do not overlap", list)
			}
			continue
		}
		want := []Race{{4, Access{"f", loi.InOut, "S", "S[0+8]", "/0:0", 1, -1, 0, 2, 5},
			Access{"f", loi.Out, "S", "S[4+8]", "/0:1", 1, -1, 1, 3, 4}}}
		if !slices.Equal(list, want) {
			t.Errorf("races %+v, expected %+v", list, want)
		}
	}
}
