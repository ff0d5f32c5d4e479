package goprogram

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/loi"
)

// unordered returns the pairs of places whose conflicts nothing orders in a run of a native program, or
// by locks alone if that is asked for.
func unordered(t *testing.T, path string, args ...string) (pairs map[string]bool, ops map[loi.SyncOp]int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	r := Request{Trace: file}
	r.Build.Sync = true
	d, out, err := recorded(t, path, r, args...)
	if err != nil || d.OddEvents != 0 {
		t.Fatalf("%v, %d odd, %d late\n%s", err, d.OddEvents, d.LateEvents, out)
	}
	tr := must(loi.Open(file))(t)
	defer tr.Close()
	ops = map[loi.SyncOp]int{}
	for e, err := range tr.Ordered(loi.Order{Events: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := e.Record.Sync(); ok {
			ops[s.Op]++
		}
	}
	p := must(goroutines.Read(context.Background(), tr, engine.NewAccount(0)))(t)
	found, ok := p.Unordered(engine.NewAccount(0))
	if !ok {
		t.Fatal("not enough memory")
	}
	pairs = map[string]bool{}
	for _, x := range found.Pairs {
		if x.Unordered > 0 {
			k := tr.Header.Registry.Kernels
			pairs[k[x.First].Name+" and "+k[x.Then].Name] = true
		}
	}
	return pairs, ops
}

// The accesses of ordered.c are ordered by what its threads wait for, but for those that are not.
func TestNativeWaits(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		t.Run(compiler, func(t *testing.T) {
			path := compiled(t, compiler, "ordered.c", "-O1", "-pthread")
			for what, op := range map[string]loi.SyncOp{"locked": loi.SyncLock, "tried": loi.SyncLock,
				"spinning": loi.SyncUnlock, "written": loi.SyncReadUnlock, "in turn": loi.SyncUpdate,
				"conditions": loi.SyncSignal, "meeting": loi.SyncWait, "once": loi.SyncOnce, "posted": loi.SyncReceive,
				"plain": loi.SyncUnlock} {
				pairs, ops := unordered(t, path, what)
				if len(pairs) > 0 || ops[op] == 0 {
					t.Errorf("%s: unordered %v, expected none; operations %v, expected some of %v", what, pairs, ops, op)
				}
			}
			pairs, _ := unordered(t, path, "bare")
			for pair := range pairs {
				if strings.Count(pair, "add, ordered.c:26") != 2 {
					t.Errorf("bare: %s", pair)
				}
			}
			if len(pairs) == 0 {
				t.Error("bare: no conflict was found")
			}
		})
	}
}

// A sample of a native program counts all its accesses, by function, and its distances are those of all
// accesses, within four standard errors: one in 16 000 would be outside by chance.
func TestNativeSample(t *testing.T) {
	path := compiled(t, "gcc", "sums.c", "-O1")
	exact, _, err := recorded(t, path, Request{}, "8")
	if err != nil {
		t.Fatal(err)
	}
	const times = 120
	r := Request{}
	r.Build.Sample = true
	d, out, err := recorded(t, path, r, fmt.Sprint(times))
	if err != nil || d.OddEvents != 0 || d.Sampling.Bursts < 2 || d.Sampling.Phases == 0 {
		t.Fatalf("%v, %d odd, %+v\n%s", err, d.OddEvents, d.Sampling, out)
	}
	for _, name := range []string{"columns", "rows"} {
		if p := part(t, d.Functions, name); p.Accesses != times*512*512 {
			t.Errorf("%s: %d accesses, expected %d", name, p.Accesses, times*512*512)
		}
	}
	// 7 of 8 accesses of rows are to the line of the one before, 7 of 8 of columns 511 lines behind; the others
	// are cold or farther.
	for _, x := range []struct {
		from, to uint64
		want     float64
	}{{0, 128, 7. / 16}, {16 << 10, 64 << 10, 7. / 16}, {64 << 10, 1 << 40, 1. / 8}} {
		want := 0.0
		if x.to == 1<<40 {
			want = float64(exact.KRD.Cold) / float64(exact.Accesses)
		}
		for _, b := range exact.KRD.Bins {
			if b.FromBytes >= x.from && b.FromBytes < x.to {
				want += float64(b.Count) / float64(exact.Accesses)
			}
		}
		if math.Abs(want-x.want) > 1e-4 {
			t.Errorf("of all accesses %v are from %d B, expected %v", want, x.from, x.want)
		}
		got, variance := 0.0, 0.0
		if cold := d.Sampling.Cold; x.to == 1<<40 {
			got = cold.share[0]
			if cold.Error != nil {
				variance = cold.share[1] * cold.share[1]
			}
		}
		for _, b := range d.Sampling.Bins {
			if b.FromBytes >= x.from && b.FromBytes < x.to {
				got += b.share[0]
				if b.Error != nil {
					variance += b.share[1] * b.share[1]
				}
			}
		}
		off := math.Sqrt(variance)
		t.Logf("from %d B: %.4f +- %.4f, expected %.4f", x.from, got, 2*off, want)
		if math.Abs(got-want) > 4*off+0.002 || off > 0.2 {
			t.Errorf("from %d B: %.4f +- %.4f, expected %.4f", x.from, got, 2*off, want)
		}
	}
}
