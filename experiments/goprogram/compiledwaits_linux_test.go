package goprogram

import (
	"context"
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
	if err != nil || d.OddEvents != 0 || d.LateEvents != 0 {
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
