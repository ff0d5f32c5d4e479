package krd

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/loi"
)

// TestCoresAreNodesOfTheirOwn: the histograms of cores are those of the same trace on a machine
// whose nodes have one core each, and the results of the nodes do not change.
func TestCoresAreNodesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	n, shared := 0, false
	rapid.Check(t, func(t *rapid.T) {
		n++
		h := mixedHeader(4)
		// so that all engines have their turn
		kinds := rapid.IntRange(1, 3).Draw(t, "kinds of objects")
		h.Registry.Objects = h.Registry.Objects[:kinds]
		path := filepath.Join(dir, fmt.Sprint(n))
		w, err := loi.Create(path, h, loi.Options{NoBackground: true})
		if err != nil {
			t.Fatal(err)
		}
		for at := range rapid.IntRange(0, 40).Draw(t, "kernels") {
			a := rapid.Custom(mixedAccess).Filter(func(a loi.Access) bool {
				return int(a.Object) < kinds
			}).Draw(t, "access")
			w.Recorder(rapid.IntRange(0, 3).Draw(t, "worker")).Accesses(0, 0, uint64(at),
				uint64(at), []loi.Access{a})
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		trace, err := loi.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		opt := Options{
			Distance:  rapid.SampledFrom([]Distance{Exclusive, Inclusive}).Draw(t, "distance"),
			Weight:    rapid.SampledFrom([]Weight{WeightCount, WeightBytes}).Draw(t, "weight"),
			Coherence: rapid.Bool().Draw(t, "coherence"),
		}
		analyze := func() *Report {
			r, err := Analyze(trace, opt)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		without := analyze()
		opt.Cores = true
		with := analyze()
		cores := with.PerCore
		with.PerCore = nil
		if !reflect.DeepEqual(with, without) {
			t.Fatalf("the nodes changed:\ngot  %+v\nwant %+v", with, without)
		}
		with.PerCore = cores

		opt.Cores, trace.Header.Nodes = false, 4
		for i := range trace.Header.Workers {
			trace.Header.Workers[i].Node = i
		}
		alone := analyze()
		var bytes uint64
		for i := range cores.Cores {
			bytes += *cores.Cores[i].Bytes
			cores.Cores[i].Bytes, cores.Cores[i].BeyondL2Bytes = nil, nil
		}
		if *cores.Bytes != bytes || opt.Weight == WeightBytes && bytes != cores.Accesses {
			t.Fatalf("%d bytes, of the cores %d, weighed %d", *cores.Bytes, bytes, cores.Accesses)
		}
		beyond := *cores.BeyondL2Bytes
		cores.Bytes, cores.BeyondL2Bytes = nil, nil
		if !reflect.DeepEqual(cores.Histogram, alone.Histogram) {
			t.Fatalf("sum:\ngot  %v\nwant %v", deref(cores.Histogram), deref(alone.Histogram))
		}
		for i, c := range cores.Cores {
			if c.Worker != i || c.Node != i%2 ||
				!reflect.DeepEqual(c.Histogram, alone.Nodes[i].Histogram) {
				t.Fatalf("worker %d:\ngot  %v\nwant %v", i, c, deref(alone.Nodes[i].Histogram))
			}
		}
		l2, llc := trace.Header.L2Bytes, trace.Header.LLCBytes
		trace.Header.LLCBytes = l2 // the only cache that there is, a core's own
		if only := analyze(); *only.BeyondBytes != beyond {
			t.Fatalf("%d bytes beyond the L2s, expected %d", beyond, *only.BeyondBytes)
		}
		trace.Header.LLCBytes = llc
		if l, ok := LevelsOf(&cores.Histogram, &with.Histogram); ok != (with.Accesses > 0) {
			t.Fatalf("levels known: %v, with %d accesses", ok, with.Accesses)
		} else if ok && math.Abs(l.L2+l.LLC+l.Beyond-1) > 1e-12 {
			t.Fatalf("levels %v add up to another sum than 1", l)
		}
		shared = shared || *with.Shared > 0
		both := with.Accesses
		if !with.Only(1) {
			t.Fatal("there is no node 1")
		}
		if got := with.PerCore; len(got.Cores) != 2 || got.Cores[1].Worker != 3 ||
			got.Accesses != got.Cores[0].Accesses+got.Cores[1].Accesses || got.Accesses > both ||
			got.Accesses != with.Accesses {
			t.Fatalf("of node 1 alone: %+v", got)
		}
	})
	if !shared {
		t.Error("in no trace a worker used what another of its node had: nodes are not tried")
	}
}

// A worker's L2 keeps what it uses, however much its neighbour touches in between.
func TestLevelsOfTwoWorkers(t *testing.T) {
	h := testHeader([]loi.Worker{{}, {}})
	h.L2Bytes, h.LLCBytes = 3, 80
	trace := write(t, h, loi.Options{}, []execution{
		{0, 1, []uint32{0}}, {1, 2, []uint32{8}}, {0, 3, []uint32{0}}, {1, 4, []uint32{9}},
		{1, 5, []uint32{8}}, {0, 6, []uint32{0}},
	})
	r, err := Analyze(trace, Options{Cores: true})
	if err != nil {
		t.Fatal(err)
	}
	// worker 0: cold, L2, L2, the second beyond the LLC of the node, into which both the large
	// blocks do not fit; worker 1: three times cold or too far.
	l, ok := LevelsOf(&r.PerCore.Histogram, &r.Histogram)
	if want := (Levels{L2: 2. / 6, LLC: 1 - 2./6 - 5./6, Beyond: 5. / 6}); !ok ||
		fmt.Sprintf("%.9f", l) != fmt.Sprintf("%.9f", want) {
		t.Errorf("levels %+v, %v, want %+v", l, ok, want)
	}
	if r.PerCore.Cold != 3 || *r.PerCore.Close != 2 || *r.PerCore.Far != 1 ||
		*r.PerCore.Bytes != 3*1+3*64 {
		t.Errorf("cores: %v", deref(r.PerCore.Histogram))
	}
	var b strings.Builder
	if err := Table([]*Report{r}, []string{""}).CSV(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"node,from_bytes,to_bytes,count,worker\n", "0,inf,inf,3,\n",
		"0,inf,inf,1,0\n", "0,inf,inf,2,1\n", "0,0,1,2,0\n"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("the CSV has no line %q:\n%s", line, b.String())
		}
	}
	r.Histogram.Far = nil
	if _, ok := LevelsOf(&r.PerCore.Histogram, &r.Histogram); ok {
		t.Error("levels are known without the size of the LLC")
	}
}
