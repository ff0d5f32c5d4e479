package regions

import (
	"path/filepath"
	"runtime"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/loi"
)

// sumTrace is a trace of goroutines that each have a loop of so many rounds over 16 elements:
//
//	for i := range n { s := 0; for j := range a { a[j] += b[j]; s += a[j] } }
//
// Its operations are those of the two bodies; i, s and j are slots 0 to 2.
func sumTrace(t testing.TB, goroutines, rounds int) (tr *loi.Trace, operations int) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "sum.loi")
	b, err := loi.NewBuilder(path)
	check(err)
	object, err := b.Object("data", loi.Keyed)
	check(err)
	kernel, err := b.Kernel("code")
	check(err)
	for _, r := range nested() {
		_, err := b.Region(r)
		check(err)
	}
	slot := func(n uint32) loi.Place { return loi.Place{Kind: loi.Slot, N: n} }
	memory := func(n uint32) loi.Place { return loi.Place{Kind: loi.Memory, N: n} }
	for _, v := range [][]loi.Value{
		{{To: slot(2), Update: loi.Sum, Step: 1, Operands: []loi.Operand{{From: slot(2), Cost: 1, Update: loi.Sum}}}},
		{{To: memory(2), Operands: []loi.Operand{{From: memory(0), Cost: 3}, {From: memory(1), Cost: 3},
			{From: slot(2), Control: true}}}},
		{{To: slot(1), Update: loi.Sum, Operands: []loi.Operand{{From: memory(2), Cost: 3},
			{From: slot(1), Cost: 3, Update: loi.Sum}}}},
	} {
		_, err := b.Operation(loi.Operation{Kernel: kernel, Name: "op", Kind: loi.Compute,
			Region: loi.NoRegion, Work: 3, Values: v})
		check(err)
	}
	for g := range goroutines {
		at, number := uint64(0), uint32(0)
		event := func(kind loi.EventKind, args ...uint32) {
			at++
			check(b.Event(g, kind, at, args...))
		}
		enter := func(region uint32) (n uint32) {
			number++
			event(loi.EventRegion, region, number, 0)
			return number
		}
		access := func(array, index int, mode loi.Mode) {
			at++
			addr := uint64(1+array)<<20 + uint64(8*index)
			check(b.Access(g, kernel, at, loi.Access{Object: object, Mode: mode, Block: addr | 8<<56,
				Bytes: 8}))
		}
		enter(1) // this and the outer loop do not end
		enter(2)
		for range rounds {
			round, inner := enter(3), enter(4)
			for j := range 16 {
				n := enter(5)
				event(loi.EventOperation, 0)
				access(0, j, loi.In)
				access(1, j, loi.In)
				access(0, j, loi.Out)
				event(loi.EventOperation, 1, 1, 2, 3)
				access(0, j, loi.In)
				event(loi.EventOperation, 2, 3)
				event(loi.EventRegionEnd, n)
				operations += 3
			}
			event(loi.EventRegionEnd, inner)
			event(loi.EventRegionEnd, round)
		}
	}
	workers := make([]loi.Worker, goroutines)
	for g := range workers {
		workers[g].CPU = -1
	}
	check(b.Close(loi.Header{Substrate: loi.Native, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Nodes: 1, Grain: "kernel", Workers: workers,
		Meta: []loi.KV{{Key: loi.UnitKey, Value: loi.UnitDatum}, loi.WorkersAreGoroutines}}))
	tr, err = loi.Open(path)
	check(err)
	t.Cleanup(func() { tr.Close() })
	return tr, operations
}

// BenchmarkHCPA gives the time and the memory of an operation of a trace with iterations of two
// loops open, in which one is marked as a reduction.
func BenchmarkHCPA(b *testing.B) {
	tr, operations := sumTrace(b, 1, 2000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		opt := options()
		opt.Count = countNone
		if _, err := analysis.Run(b.Context(), tr, []analysis.Asked{{Analysis: Analysis,
			Options: opt}}, analysis.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	all := float64(b.N) * float64(operations)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/operation")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/all, "B/operation")
}

// follow goes through the events of a trace; the regions of the last worker stay open.
func follow(t interface{ Fatal(...any) }, tr *loi.Trace, opt *Options,
	marks map[*loi.Operand]map[loi.RegionID]string) *program {
	p := newProgram(opt, &tr.Header, true, true)
	p.unit = loi.UnitDatum
	p.hcpa = newHCPA(p)
	p.hcpa.marks = marks
	last := 0
	for e, err := range tr.Ordered(loi.Order{ByWorker: true, Events: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Worker != last {
			p.ended(last)
			last = e.Worker
		}
		if err := p.event(e, nil); err != nil {
			t.Fatal(err)
		}
		p.hcpa.flow.Event(e)
	}
	return p
}

// TestHCPAMemory checks that the memory of critical paths depends on the data and the levels alone:
// not on how long a goroutine runs, nor on how many have ended.
func TestHCPAMemory(t *testing.T) {
	heap := func(goroutines, rounds int) int {
		tr, _ := sumTrace(t, goroutines, rounds)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		p := follow(t, tr, options(), nil)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if all := p.threads[goroutines-1].times.memory.Usage(); all.Total.Peak == 0 {
			t.Errorf("%+v of the path", all)
		}
		return int(after.HeapAlloc) - int(before.HeapAlloc)
	}
	heap(1, 1) // what is made once
	for _, x := range []struct{ few, many, rounds, times int }{{1, 1, 20, 10}, {20, 200, 1, 1}} {
		few, many := heap(x.few, x.rounds), heap(x.many, x.rounds*x.times)
		t.Logf("%d goroutines: %d bytes; %d goroutines, %d times as long: %d", x.few, few, x.many,
			x.times, many)
		if more := many - few; more > 4096*(x.many-x.few)+1<<14 {
			t.Errorf("%d goroutines of %d rounds: %d bytes; %d of %d: %d", x.few, x.rounds, few, x.many,
				x.rounds*x.times, many)
		}
	}
}
