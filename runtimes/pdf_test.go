package runtimes

import (
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/loi"
)

// leafNumbers are the numbers of a program's leaves in the serial run, by place.
type leafNumbers map[uint64]int

func serialOrder(t *testing.T, prog *treeProg) leafNumbers {
	t.Helper()
	numbers := leafNumbers{}
	prog.kernel = func(_ *Worker, place uint64) { numbers[place] = len(numbers) }
	if _, err := Step(stepConfig(Serial{}, 1, 1, 1), prog); err != nil {
		t.Fatal(err)
	}
	if count, _ := prog.serial(); count != uint64(len(numbers)) {
		t.Fatalf("%d leaves have %d places", count, len(numbers))
	}
	return numbers
}

// premature is the greatest number of leaves that have begun in a run at a time although one before
// them in the serial order has not.
func (numbers leafNumbers) premature(t *testing.T, p Policy, workers int,
	prog *treeProg) (most int) {
	t.Helper()
	begun := make([]bool, len(numbers)+1)
	n, first := 0, 0 // how many have begun, and the first that has not
	prog.kernel = func(w *Worker, place uint64) {
		begun[numbers[place]] = true
		for n++; begun[first]; first++ {
		}
		most = max(most, n-first)
		w.End(0, w.Begin(0))
	}
	c := stepConfig(p, 1, workers, prog.seed)
	c.Costs.Kernel = func(int, uint64, loi.KernelID, []uint32) uint64 { return 1000 }
	if _, err := Step(c, prog); err != nil {
		t.Fatal(err)
	}
	checkTree(t, prog)
	return most
}

// leafDepth is how many leaves of t and all below it run one after the other at least.
func (t *treeTask) leafDepth() (depth int) {
	for t.phase = 0; t.phase < t.phases(); t.phase++ {
		most := 1
		for i := range t.children(t.phase) {
			if place := t.child(i); t.frameAt(place) {
				c := &treeTask{p: t.p, up: t, place: place, depth: t.depth - 1}
				most = max(most, c.leafDepth())
			}
		}
		depth += most
	}
	return depth
}

// Of kernels of one cost, with all else at the least price, no more have begun early than there are
// workers times the depth: the bound of Blelloch, Gibbons and Matias (1999), where a premature node
// is one that has run before another that is earlier in the serial order. Other orders exceed it in
// the same programs.
func TestPremature(t *testing.T) {
	hwtest.SkipRace(t)
	for _, c := range []struct {
		name   string
		policy Policy
		within bool
	}{
		{"pdf", PDF{}, true},
		{"workfirst", WorkFirst{}, false},
		{"central-fifo", Central{TakeOldest}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			exceeded, tried := 0, 0
			for seed := range treeSeeds() {
				fresh := func() *treeProg {
					prog := newTree(seed, 4)
					prog.wide = int(seed%3) * 50
					return prog
				}
				serial := serialOrder(t, fresh())
				for _, workers := range []int{2, 5, 24} {
					most := serial.premature(t, c.policy, workers, fresh())
					prog := fresh()
					root := &treeTask{p: prog, place: mix(prog.seed), depth: prog.depth}
					bound := workers * root.leafDepth()
					if uint64(len(serial)) < 2*uint64(bound) {
						continue // nearly all may be premature
					}
					if tried++; most > bound {
						exceeded++
					}
					if c.within && (most > bound || most == 0) {
						t.Errorf("seed %d, %d workers: %d of %d leaves are premature, the bound is %d",
							seed, workers, most, len(serial), bound)
					}
				}
			}
			t.Logf("%d programs, the bound exceeded in %d", tried, exceeded)
			if tried < 4 || (exceeded == 0) != c.within {
				t.Errorf("of %d programs with work enough %d exceed the bound", tried, exceeded)
			}
		})
	}
}
