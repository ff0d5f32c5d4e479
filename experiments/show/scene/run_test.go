package scene

import (
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"krdlab/krd"
	"krdlab/loi"
)

// mixed is a trace of registered blocks, keyed ones and ranges that overlap.
func mixed(t *testing.T, seed uint64) *loi.Trace {
	r := rand.New(rand.NewPCG(seed, 0))
	h := loi.Header{L2Bytes: 1 << 10, LLCBytes: 1 << 13, Registry: loi.Registry{
		Objects: []loi.Object{{Name: "x", Blocks: []loi.SizeRun{{Count: 40, Bytes: 64},
			{Count: 30, Bytes: 256}}}, {Name: "z", Kind: loi.Keyed}, {Name: "s", Kind: loi.Span}},
		Kernels: []loi.Kernel{{Name: "k"}}}}
	var list []line
	for at := range uint64(600) {
		l := line{worker: r.IntN(2), at: 10 + at*3/2}
		for range r.IntN(4) {
			a := loi.Access{Mode: loi.Mode(1 + r.IntN(3))}
			switch r.IntN(3) {
			case 0:
				a.Block = uint64(r.IntN(70))
			case 1:
				a.Object, a.Block = 1, 1<<40-uint64(r.IntN(50))
				a.Bytes = 8 << (a.Block % 4)
			case 2:
				a.Object, a.Block, a.Bytes = 2, uint64(r.IntN(64))*16, uint64(16+r.IntN(300))
			}
			l.accesses = append(l.accesses, a)
		}
		list = append(list, l)
	}
	return written(t, h, list...)
}

// The bins and classes of accesses are those that a histogram counts, on each node; what a kernel
// touches, it still does by the numbers of the run.
func TestHistogram(t *testing.T) {
	for seed := range uint64(5) {
		trace := mixed(t, seed)
		run, err := Read(trace, false)
		if err != nil {
			t.Fatal(err)
		}
		want, err := krd.Analyze(trace, krd.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range want.Nodes {
			var got [Classes]uint64
			bins := map[int]uint64{}
			for k := range run.Start {
				if run.Node(k) != n.Node {
					continue
				}
				for i := run.From[k]; i < run.From[k+1]; i++ {
					got[run.Classes[i]]++
					if run.Bins[i] != ColdBin {
						bins[int(run.Bins[i])]++
					}
				}
			}
			if want := [Classes]uint64{Close: *n.Close, Near: *n.Near, Far: *n.Far,
				Cold: n.Cold}; got != want {
				t.Errorf("node %d: classes %d, expected %d", n.Node, got, want)
			}
			for _, b := range n.Bins {
				k := bits.Len64(b.ToBytes - 1)
				if b.FromBytes == 0 {
					k = 0
				}
				if bins[k] != b.Count {
					t.Errorf("node %d, from %d bytes: %d, expected %d", n.Node, b.FromBytes, bins[k], b.Count)
				}
			}
		}
		lie(t, run, trace)
	}
}

// lie checks that units lie as their objects say, and that items are of what accesses touch.
func lie(t *testing.T, run *Run, trace *loi.Trace) {
	t.Helper()
	k, i := 0, 0
	for e, err := range trace.Ordered(loi.Order{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Worker != int(run.Worker[k]) || e.Start-run.First != run.Start[k] ||
			e.End-run.First != run.End[k] {
			t.Fatalf("execution %d: worker %d from %d to %d", k, run.Worker[k], run.Start[k], run.End[k])
		}
		for _, a := range e.Accesses() {
			o := slices.IndexFunc(run.Objects, func(o Area) bool {
				return o.Name == trace.Header.Registry.Objects[a.Object].Name
			})
			area := &run.Objects[o]
			var bytes uint64
			for _, u := range run.Units(run.Items[i]) {
				if u < area.First || int(u-area.First) >= area.Units {
					t.Fatalf("%s: unit %d of %+v", area.Name, u, area)
				}
				bytes += run.Bytes[u]
			}
			if bytes != a.Bytes {
				t.Fatalf("%s: %d bytes, expected %d", area.Name, bytes, a.Bytes)
			}
			if area.Kind == loi.Partition && uint64(run.Items[i]-area.First) != a.Block {
				t.Fatalf("%s: block %d is unit %d", area.Name, a.Block, run.Items[i]-area.First)
			}
			if run.Modes[i] != a.Mode {
				t.Fatalf("access %d: %v, expected %v", i, run.Modes[i], a.Mode)
			}
			i++
		}
		k++
	}
	if k != len(run.Start) || i != len(run.Items) || len(run.From) != k+1 || run.Ticks < run.End[k-1] {
		t.Errorf("%d executions and %d accesses, expected %d and %d", len(run.Start), len(run.Items), k, i)
	}
}

// Searches without an end last until the run ends, and steals name both.
func TestTold(t *testing.T) {
	trace := written(t, loi.Header{Registry: loi.Registry{Kernels: []loi.Kernel{{Name: "k"}}}},
		line{worker: 0, at: 100}, line{worker: 1, at: 120}, line{worker: 1, told: []loi.EventKind{
			loi.EventIdle, loi.EventSteal, loi.EventBusy}, at: 130, args: []uint32{0, 1, 4, 9}},
		line{worker: 0, told: []loi.EventKind{loi.EventIdle}, at: 110}, line{worker: 1, at: 140})
	run, err := Read(trace, false)
	if err != nil {
		t.Fatal(err)
	}
	if run.First != 100 || run.Ticks != 45 || !run.Searches || !run.Stealing {
		t.Errorf("first %d, ticks %d, %v, %v", run.First, run.Ticks, run.Searches, run.Stealing)
	}
	if len(run.Idle[0]) != 1 || run.Idle[0][0] != (Span{10, 45}) || len(run.Idle[1]) != 1 ||
		run.Idle[1][0] != (Span{30, 32}) {
		t.Errorf("searches %v", run.Idle)
	}
	if !slices.Equal(run.Steals, []Steal{{At: 31, Thief: 1, Victim: 0}}) {
		t.Errorf("steals %v", run.Steals)
	}
}

// Tasks of the same shape that are small are folded, the others stand by themselves; what another
// worker began than the one that spawned it is stolen.
func TestFold(t *testing.T) {
	h := loi.Header{Substrate: loi.Native, Grain: "kernel", Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Workers:  []loi.Worker{{CPU: 0}, {CPU: 1, Node: 1}},
		Registry: loi.Registry{Kernels: []loi.Kernel{{Name: "k"}}}}
	path := filepath.Join(t.TempDir(), "t.loi")
	w, err := loi.Create(path, h, loi.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	// the root has two large children (worker 1 stole the second), and after them 30 small ones,
	// which worker 0 runs but for three
	a, b := w.Recorder(0), w.Recorder(1)
	root := a.BeginTask(10, 0, 0, 0, 2)
	one := a.BeginTask(20, root, 0, 0, 1)
	a.Accesses(0, 0, 21, 100021, nil)
	a.EndChild(100021, one, 0, 0)
	a.EndPhase(100022, one, 0, 0)
	two := b.BeginTask(30, root, 0, 1, 1)
	b.Accesses(0, 0, 31, 200031, nil)
	b.EndChild(200031, two, 0, 0)
	b.EndPhase(200032, two, 0, 0)
	a.EndPhase(200040, root, 0, 30)
	at := uint64(200050)
	for c := range uint32(30) {
		r := a
		if c%10 == 9 {
			r = b
		}
		n := r.BeginTask(at, root, 1, c, 1)
		r.Accesses(0, 0, at+1, at+11, nil)
		r.EndChild(at+11, n, 0, 0)
		r.EndPhase(at+12, n, 0, 0)
		at += 20
	}
	a.EndPhase(at, root, 1, 0)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	run, err := Read(trace, false)
	if err != nil {
		t.Fatal(err)
	}
	tree, why, err := run.Fold(trace, false)
	if err != nil || tree == nil {
		t.Fatal(why, err)
	}
	want := Folded{Ticks: 300300, Tasks: 33, Same: 1, By: []int64{100270, 200030}, Below: []Folded{
		{Ticks: 100000, Tasks: 1, Same: 1, By: []int64{100000, 0}, Began: 10},
		{Ticks: 200000, Tasks: 1, Same: 1, By: []int64{0, 200000}, Place: 1, Worker: 1, Stolen: 1, Began: 20},
		{Ticks: 300, Tasks: 30, Same: 30, By: []int64{270, 30}, Stolen: 3, Began: 200040}}}
	if !reflect.DeepEqual(*tree, want) {
		t.Errorf("%+v\nexpected %+v", *tree, want)
	}
	if tree, why, err := run.Fold(mixed(t, 1), false); tree != nil || why == "" || err != nil {
		t.Errorf("without tasks: %+v, %q, %v", tree, why, err)
	}
}

// A task that goes on at another worker spawns there; where kernels take no time, tasks are counted.
func TestFoldMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.loi")
	w, err := loi.Create(path, loi.Header{Clock: loi.Clock{Source: "tsc", Hz: 1e9}, Substrate: loi.Native,
		Grain: "kernel", Workers: []loi.Worker{{}, {CPU: 1, Node: 1}},
		Registry: loi.Registry{Kernels: []loi.Kernel{{Name: "k"}}}}, loi.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	a, b := w.Recorder(0), w.Recorder(1)
	child := func(r *loi.Recorder, at uint64, root, phase, place uint32) {
		n := r.BeginTask(at, root, phase, place, 1)
		r.Accesses(0, 0, at+1, at+1, nil)
		r.EndChild(at+1, n, 0, 0)
		r.EndPhase(at+2, n, 0, 0)
	}
	root := a.BeginTask(10, 0, 0, 0, 1)
	child(b, 20, root, 0, 0)
	b.EndPhase(30, root, 0, 2)
	child(a, 40, root, 1, 0)
	child(b, 50, root, 1, 1)
	b.EndPhase(60, root, 1, 0)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	run, err := Read(trace, false)
	if err != nil {
		t.Fatal(err)
	}
	tree, why, err := run.Fold(trace, false)
	if err != nil || tree == nil {
		t.Fatal(why, err)
	}
	var got [][4]int
	for _, f := range tree.Below {
		got = append(got, [4]int{int(f.Ticks), f.Worker, f.Stolen, int(f.By[f.Place])})
	}
	if want := [][4]int{{1, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}}; tree.Ticks != 4 || !slices.Equal(got, want) {
		t.Errorf("%d ticks: %d, expected %d", tree.Ticks, got, want)
	}
}

// A unit is known by its last toucher and writer; all nodes that touched it count.
func TestState(t *testing.T) {
	run, err := Read(mixed(t, 3), false)
	if err != nil {
		t.Fatal(err)
	}
	type known struct {
		toucher, writer int
		nodes           map[int]bool
	}
	units, s := map[Unit]*known{}, run.Begin()
	for k := range run.Start {
		bytes := map[int]uint64{}
		for i := run.From[k]; i < run.From[k+1]; i++ {
			for _, u := range run.Units(run.Items[i]) {
				if x := units[u]; x != nil && x.writer >= 0 {
					bytes[int(run.Header.Workers[x.writer].Node)] += run.Bytes[u]
				}
			}
		}
		best := -1
		for n := range run.Header.Nodes {
			if bytes[n] > 0 && (best < 0 || bytes[n] > bytes[best]) {
				best = n
			}
		}
		if got := run.Writers()[k]; int(got) != best {
			t.Fatalf("execution %d: node %d wrote, expected %d", k, got, best)
		}
		s.Execute(k, nil)
		for i := run.From[k]; i < run.From[k+1]; i++ {
			for _, u := range run.Units(run.Items[i]) {
				x := units[u]
				if x == nil {
					x = &known{writer: Nobody, nodes: map[int]bool{}}
					units[u] = x
				}
				x.toucher = int(run.Worker[k])
				x.nodes[run.Node(k)] = true
				if run.Modes[i]&loi.Out != 0 {
					x.writer = x.toucher
				}
			}
		}
	}
	for u := range s.Units {
		got, want := &s.Units[u], units[Unit(u)]
		if want == nil {
			want = &known{toucher: Nobody, writer: Nobody}
		}
		if int(got.Toucher) != want.toucher || int(got.Writer) != want.writer || int(got.Nodes) != len(want.nodes) {
			t.Errorf("unit %d: %+v, expected %+v", u, got, want)
		}
	}
}
