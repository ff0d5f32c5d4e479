package goroutines

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"krdlab/krd/analysis/interleave/tasks"
	"krdlab/loi"
)

// BenchmarkWalk draws and measures a schedule of 10^6 accesses in 10^4 pieces: four goroutines that
// each hold one of eight locks for every second piece.
func BenchmarkWalk(b *testing.B) {
	const workers, sections, accesses = 4, 1250, 100
	path := filepath.Join(b.TempDir(), "a.loi")
	w, err := loi.NewBuilder(path)
	if err != nil {
		b.Fatal(err)
	}
	kernel, _ := w.Kernel("f")
	data, _ := w.Object("A", loi.Keyed)
	object, _ := w.Object("lock", loi.Keyed)
	now, r := uint64(100), rand.New(rand.NewPCG(1, 1))
	var failed error
	note := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	for range sections {
		for g := range workers {
			lock := uint64(1 + r.IntN(8))
			for _, op := range []loi.SyncOp{loi.SyncLock, loi.SyncUnlock} {
				now++
				s := &loi.Sync{Op: op, Object: object, Place: lock, Begin: now, At: now}
				note(w.Event(g, loi.EventSync, now, s.Args()...))
				for range accesses {
					note(w.Access(g, kernel, now, loi.Access{Object: data, Block: r.Uint64N(20_000), Bytes: 64,
						Mode: loi.Mode(1 + r.IntN(2))}))
				}
			}
		}
	}
	note(w.Close(loi.Header{Substrate: loi.Native, Cores: 4, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Workers: slices.Repeat([]loi.Worker{{CPU: -1}}, workers), L2Bytes: 1 << 18, LLCBytes: 1 << 20}))
	if failed != nil {
		b.Fatal(failed)
	}
	tr, err := loi.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer tr.Close()
	p := read(b, tr)
	s := newSession(&Exploration{Program: p}, b.Context(), Options{}, 1)
	d := s.drawers[0]
	for i := 0; b.Loop(); i++ {
		d.seed(1, uint64(i), tasks.Walk)
		if d.run(d.walk) {
			d.meter.measure(d.order)
		}
	}
	b.ReportMetric(float64(p.Pieces()), "pieces")
	b.ReportMetric(float64(p.Accesses()), "accesses")
}
