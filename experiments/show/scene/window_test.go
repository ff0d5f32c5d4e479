package scene

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"krdlab/loi"
)

// An access in the window to what was last used before it has its true distance, that of the bytes
// used in between, and is not cold; the writer before the window is known.
func TestWindowDistance(t *testing.T) {
	of := func(block uint64, mode loi.Mode) []loi.Access { return []loi.Access{{Block: block, Mode: mode}} }
	trace := written(t, loi.Header{LLCBytes: 1 << 20, L2Bytes: 1 << 10, Registry: loi.Registry{
		Objects: []loi.Object{{Name: "x", Blocks: []loi.SizeRun{{Count: 5, Bytes: 4096}}}},
		Kernels: []loi.Kernel{{Name: "k"}}}},
		line{worker: 0, at: 100, accesses: of(0, loi.Out)}, line{worker: 0, at: 110, accesses: of(1, loi.In)},
		line{worker: 0, at: 120, accesses: of(2, loi.In)}, line{worker: 1, at: 130, accesses: of(3, loi.Out)},
		line{worker: 0, at: 200, accesses: of(0, loi.In)}, line{worker: 0, at: 210, accesses: of(4, loi.In)},
		line{worker: 0, at: 220, accesses: of(1, loi.In)})
	run, err := ReadWindow(trace, Span{95, 115}, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint8{uint8(bits.Len64(2 * 4096)), ColdBin}; !slices.Equal(run.Bins, want) ||
		!slices.Equal(run.Classes, []Class{Near, Cold}) {
		t.Errorf("bins %d, classes %d, expected %d", run.Bins, run.Classes, want)
	}
	if !slices.Equal(run.Start, []int64{100, 110}) || run.Ticks != 125 || run.Window != (Span{95, 115}) {
		t.Errorf("executions at %d of %d ticks, window %v", run.Start, run.Ticks, run.Window)
	}
	if got := run.Writers(); !slices.Equal(got, []int16{0, Nobody}) {
		t.Errorf("nodes %d wrote", got)
	}
	if want := (Touched{1, 1, -1, 1, ColdBin}); run.Before.Units[3] != want || run.Before.Units[4] != untouched {
		t.Errorf("before: %+v, expected %+v of unit 3", run.Before.Units, want)
	}
	if !slices.Equal(run.Before.Order, []Unit{0, 1, 2, 3}) || !run.Before.Had(3, 1) || run.Before.Had(3, 0) {
		t.Errorf("touched in order %d", run.Before.Order)
	}
	_, err = ReadWindow(trace, Span{40, 60}, false)
	if empty, ok := errors.AsType[*WindowError](err); !ok || empty.Executions != 7 || empty.Ticks != 125 {
		t.Errorf("a window without executions: %v", err)
	}
}

// A window has what of a run overlaps it; units are at its start, and at its end, as in the whole run.
func TestWindow(t *testing.T) {
	early := 0
	for seed := range uint64(6) {
		trace := mixed(t, seed)
		whole, err := Read(trace, false)
		if err != nil {
			t.Fatal(err)
		}
		writers := whole.Writers()
		for _, w := range []Span{{0, 1 << 40}, {0, whole.Ticks / 3}, {whole.Ticks / 3, whole.Ticks / 2},
			{301, 302}, {700, 1 << 40}} {
			run, err := ReadWindow(trace, w, false)
			if err != nil {
				t.Fatal(err)
			}
			early += len(run.Before.Wrote)
			what := fmt.Sprintf("seed %d, %v", seed, w)
			k, wrote, before, after := 0, run.Writers(), whole.Begin(), whole.Begin()
			for i, start := range whole.Start {
				if start < w.From {
					before.Execute(i, nil)
				}
				if start <= w.To {
					after.Execute(i, nil)
				}
				if start > w.To || start < w.From && whole.End[i] <= w.From {
					continue
				}
				if k == len(run.Start) || run.Start[k] != start || run.End[k] != whole.End[i] || run.Worker[k] != whole.Worker[i] ||
					wrote[k] != writers[i] {
					t.Fatalf("%s: execution %d is not number %d of the run", what, k, i)
				}
				a, b, c, d := run.From[k], run.From[k+1], whole.From[i], whole.From[i+1]
				if !slices.Equal(run.Bins[a:b], whole.Bins[c:d]) || !slices.Equal(run.Classes[a:b], whole.Classes[c:d]) ||
					!slices.Equal(run.Modes[a:b], whole.Modes[c:d]) {
					t.Fatalf("%s: execution %d has other accesses than number %d of the run", what, k, i)
				}
				for x := range b - a {
					if got, want := run.Units(run.Items[a+x]), whole.Units(whole.Items[c+x]); !slices.Equal(got, want) {
						t.Fatalf("%s: execution %d touches %d, expected %d", what, k, got, want)
					}
				}
				k++
			}
			if k != len(run.Start) {
				t.Errorf("%s: %d executions, expected %d", what, len(run.Start), k)
			}
			state := run.Begin()
			same(t, what+", at its start", state, before)
			for k := range run.Start {
				state.Execute(k, nil)
			}
			same(t, what+", at its end", state, after)
		}
	}
	if early < 6 {
		t.Errorf("%d executions begin before a window", early)
	}
}

// same compares states, but for the numbers of accesses.
func same(t *testing.T, what string, got, want *State) {
	t.Helper()
	for u := range got.Units {
		x, y := got.Units[u], want.Units[u]
		if x.Access, y.Access = 0, 0; x != y {
			t.Errorf("%s: unit %d: %+v, expected %+v", what, u, x, y)
		}
	}
	if len(got.Units) != len(want.Units) || !slices.Equal(got.had, want.had) {
		t.Errorf("%s: %d units, expected %d, or other nodes had them", what, len(got.Units), len(want.Units))
	}
}
