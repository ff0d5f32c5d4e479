package krd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/krd/causes"
	"krdlab/loi"
)

// pathHeader is of a trace of two nodes with functions f, g and h, loops of f and g, an iteration
// and a task; kernels g and k access keys.
func pathHeader(unordered bool) loi.Header {
	h := loi.Header{Substrate: loi.Native, Nodes: 2, Unordered: unordered,
		Workers: []loi.Worker{{}, {Node: 1}, {Node: 1}}}
	h.Registry = loi.Registry{Objects: []loi.Object{{Name: "keys", Kind: loi.Keyed}},
		Kernels: []loi.Kernel{{Name: "g"}, {Name: "k"}}, Regions: []loi.Region{
			{Name: "f", Kind: loi.Function, Parent: loi.NoRegion},
			{Name: "g", Kind: loi.Function, Parent: loi.NoRegion},
			{Name: "h", Kind: loi.Function, Parent: loi.NoRegion},
			{Name: "f:1", Kind: loi.Loop, Parent: 0}, {Name: "g:2", Kind: loi.Loop, Parent: 1},
			{Name: "g:2", Kind: loi.Iteration, Parent: 4},
			{Name: "t", Kind: loi.TaskRegion, Parent: 2}}}
	return h
}

// pathOf is the path of an execution from the definition: regions are those open, outermost first.
func pathOf(r *loi.Registry, open []loi.RegionID, kernel string) string {
	var path []string
	function := ""
	for _, n := range open {
		x := r.Regions[n]
		frame := x.Kind.String() + " " + x.Name
		switch x.Kind {
		case loi.Iteration:
			continue
		case loi.Function:
			if i := slices.Index(path, frame); i >= 0 {
				path = path[:i]
			}
		}
		path = append(path, frame)
	}
	for _, frame := range path {
		if name, ok := strings.CutPrefix(frame, "function "); ok {
			function = name
		}
	}
	if kernel != function {
		path = append(path, "kernel "+kernel)
	}
	return strings.Join(path, " > ")
}

// A ran is an execution in the oracle.
type ran struct {
	start uint64
	node  int
	path  string
	keys  []uint64
}

// naivePaths counts accesses by path from the definitions: key k has k+1 bytes, and a distance is
// the bytes of the distinct keys that the node touched since.
func naivePaths(list []ran, o *CauseOptions, weight Weight) map[string]causes.PathRow {
	slices.SortFunc(list, func(a, b ran) int { return cmp.Compare(a.start, b.start) })
	rows := map[string]causes.PathRow{}
	var seen [2][]uint64 // by node: keys in the order of their accesses
	for _, x := range list {
		for _, k := range x.keys {
			row, before := rows[x.path], seen[x.node]
			seen[x.node] = append(before, k)
			n := uint64(1)
			if weight == WeightBytes {
				n = k + 1
			}
			within := o.ToBytes == causes.Unbounded
			if last := len(before) - 1 - slices.Index(reversed(before), k); slices.Contains(before, k) {
				var d uint64
				for _, other := range slices.Compact(slices.Sorted(slices.Values(before[last+1:]))) {
					d += other + 1
				}
				within = d >= o.FromBytes && d < o.ToBytes
			} else {
				row.Cold += n
			}
			row.AllAccesses += n
			if within {
				row.Accesses, row.BytesInRange = row.Accesses+n, row.BytesInRange+k+1
			}
			rows[x.path] = row
		}
	}
	return rows
}

func reversed(list []uint64) []uint64 {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// drawPaths records a random trace and returns its executions.
func drawPaths(t *rapid.T, w *loi.Writer, h *loi.Header) (list []ran) {
	type region struct {
		number uint32
		id     loi.RegionID
	}
	open := make([][]region, len(h.Workers))
	steps := rapid.SampledFrom([]int{1, 10, 100, 400}).Draw(t, "steps")
	stamps := make([]uint64, steps) // no two the same
	for i := range stamps {
		stamps[i] = uint64(10 * (i + 1))
	}
	if h.Unordered {
		stamps = rapid.Permutation(stamps).Draw(t, "stamps")
	}
	for _, at := range stamps {
		worker := rapid.IntRange(0, len(open)-1).Draw(t, "worker")
		r, mine := w.Recorder(worker), &open[worker]
		switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
		case what < 2:
			id := loi.RegionID(rapid.IntRange(0, len(h.Registry.Regions)-1).Draw(t, "region"))
			*mine = append(*mine, region{r.BeginRegion(at, id, 0), id})
		case what == 2 && len(*mine) > 0:
			n := len(*mine) - 1
			if rapid.IntRange(0, 9).Draw(t, "outer") == 0 {
				n = rapid.IntRange(0, n).Draw(t, "which")
			}
			r.EndRegion(at, (*mine)[n].number)
			*mine = (*mine)[:n]
		default:
			x := ran{start: at, node: h.Workers[worker].Node,
				keys: rapid.SliceOfN(rapid.Uint64Range(0, 9), 1, 3).Draw(t, "keys")}
			var ids []loi.RegionID
			for _, o := range *mine {
				ids = append(ids, o.id)
			}
			kernel := rapid.IntRange(0, 1).Draw(t, "kernel")
			x.path = pathOf(&h.Registry, ids, h.Registry.Kernels[kernel].Name)
			list = append(list, x)
			var accesses []loi.Access
			for _, k := range x.keys {
				accesses = append(accesses, loi.Access{Mode: loi.In, Block: k, Bytes: k + 1})
			}
			r.Accesses(loi.KernelID(kernel), 0, at, at+1, accesses)
		}
	}
	return list
}

// TestPaths: accesses are counted under the path and at the distance that the definitions give, and
// their sum is that of the kernels.
func TestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := pathHeader(rapid.Bool().Draw(t, "unordered"))
		w, err := loi.NewMemory(h, loi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		list := drawPaths(t, w, &h)
		trace, err := w.Trace()
		if err != nil {
			t.Fatal(err)
		}
		o := &CauseOptions{FromBytes: rapid.Uint64Range(0, 40).Draw(t, "from"),
			ToBytes: causes.Unbounded, Paths: true}
		if rapid.Bool().Draw(t, "bounded") {
			o.ToBytes = o.FromBytes + rapid.Uint64Range(1, 40).Draw(t, "width")
		}
		weight := rapid.SampledFrom([]Weight{WeightCount, WeightBytes}).Draw(t, "weight")
		r, err := Analyze(trace, Options{Causes: o, Weight: weight})
		if err != nil {
			t.Fatal(err)
		}
		want := naivePaths(list, o, weight)
		var sum, kernels causes.Counts
		add := func(to *causes.Counts, c causes.Counts) {
			to.Accesses, to.AllAccesses = to.Accesses+c.Accesses, to.AllAccesses+c.AllAccesses
			to.Cold += c.Cold
		}
		for i, row := range r.Causes.Paths {
			var frames []string
			for _, f := range row.Frames {
				frames = append(frames, f.Kind+" "+f.Name)
			}
			path := strings.Join(frames, " > ")
			got := causes.PathRow{BytesInRange: row.BytesInRange, Counts: causes.Counts{
				Accesses: row.Accesses, AllAccesses: row.AllAccesses, Cold: row.Cold}}
			if x := want[path]; fmt.Sprint(x) != fmt.Sprint(got) {
				t.Fatalf("path %q: %v, expected %v", path, got, x)
			}
			if i > 0 && row.Accesses > r.Causes.Paths[i-1].Accesses {
				t.Fatalf("row %d is not in order", i)
			}
			add(&sum, row.Counts)
		}
		for _, k := range r.Causes.Kernels {
			add(&kernels, k.Counts)
		}
		if len(want) != len(r.Causes.Paths) || sum != kernels ||
			sum.Accesses != r.Causes.Accesses || sum.AllAccesses != r.Causes.AllAccesses {
			t.Fatalf("%d paths, expected %d; %+v, of kernels %+v", len(r.Causes.Paths), len(want),
				sum, kernels)
		}
		o.Paths = false
		plain, err := Analyze(trace, Options{Causes: o, Weight: weight})
		if r.Causes.Paths = nil; err != nil || fmt.Sprintf("%+v", plain.Histogram.Bins) !=
			fmt.Sprintf("%+v", r.Histogram.Bins) || plain.Causes.Accesses != r.Causes.Accesses {
			t.Fatalf("without paths: %v, %+v, expected %+v", err, plain.Causes, r.Causes)
		}
	})
}

// TestPathsFolded: a recursion of any depth is one frame, and takes no memory for its depth.
func TestPathsFolded(t *testing.T) {
	h := pathHeader(false)
	w, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := w.Recorder(0)
	at := uint64(0)
	for i := range 1000 {
		for _, id := range []loi.RegionID{0, 3, 5, 1} { // f > loop > (iteration) > g
			at++
			r.BeginRegion(at, id, 0)
		}
		at += 2
		r.Accesses(0, 0, at, at+1, []loi.Access{{Mode: loi.In, Block: uint64(i), Bytes: 8}})
	}
	trace, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	p := newPaths(&trace.Header)
	for x, err := range trace.Ordered(loi.Order{Events: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if p.event(x); x.Type != loi.EventRecord {
			p.at(x)
		}
	}
	if len(p.tree) != 4 || len(p.next) != 5 {
		t.Errorf("%d paths and %d steps, expected 4 and 5", len(p.tree), len(p.next))
	}
	a, err := Analyze(trace, Options{Causes: &CauseOptions{ToBytes: causes.Unbounded, Paths: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a.Causes.Paths[0].Frames); len(a.Causes.Paths) != 1 ||
		got != "[{f function} {f:1 loop} {g function}]" || a.Causes.Paths[0].Accesses != 1000 {
		t.Errorf("%+v", a.Causes.Paths)
	}
}
