package scene

import (
	"math/bits"
	"math/rand/v2"
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
	if !slices.Equal(run.Steals, []Steal{{At: 31, Thief: 1, Victim: 0, Entries: 4}}) {
		t.Errorf("steals %v", run.Steals)
	}
}
