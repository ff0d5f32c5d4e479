package krd

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"krdlab/loi"
)

// listed is a source in memory.
type listed struct {
	starts []int64
	blocks [][]uint32
	fail   error // at the end
	i      int
	run    Execution
}

func (l *listed) next() (int64, *Execution, bool) {
	if l.i == len(l.starts) {
		return 0, nil, false
	}
	l.i++
	l.run.blocks = l.blocks[l.i-1]
	return l.starts[l.i-1], &l.run, true
}

func (l *listed) err() error {
	if l.i == len(l.starts) {
		return l.fail
	}
	return nil
}

// TestMergeOrder merges random streams and compares with sorting all records stably by (start,
// worker).
func TestMergeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sources []source
		type tagged struct {
			start  int64
			worker int
			block  uint32
		}
		var want []tagged
		block := uint32(0)
		for i := range rapid.IntRange(0, 9).Draw(t, "workers") {
			worker := 3*i + 1
			l := &listed{run: Execution{Worker: worker}}
			start := int64(-5)
			for range rapid.IntRange(0, 30).Draw(t, "records") {
				start += rapid.Int64Range(0, 3).Draw(t, "pause")
				l.starts = append(l.starts, start)
				l.blocks = append(l.blocks, []uint32{block})
				want = append(want, tagged{start, worker, block})
				block++
			}
			sources = append(sources, l)
		}
		slices.SortStableFunc(want, func(a, b tagged) int {
			if a.start != b.start {
				return int(a.start - b.start)
			}
			return a.worker - b.worker
		})
		i := 0
		err := merge(sources, func(x *Execution) error {
			if i >= len(want) || x.Worker != want[i].worker || !slices.Equal(x.blocks,
				[]uint32{want[i].block}) {
				t.Fatalf("record %d: worker %d, blocks %v; want %+v", i, x.Worker, x.blocks,
					want[min(i, len(want)-1)])
			}
			i++
			return nil
		})
		if err != nil || i != len(want) {
			t.Fatalf("%d records, error %v; want %d", i, err, len(want))
		}
	})
}

func TestMergePassesOnErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, records := range []int{0, 2} {
		good := &listed{starts: []int64{1, 2, 3}, blocks: [][]uint32{{1}, {2}, {3}}}
		bad := &listed{starts: []int64{1, 2}[:records], blocks: [][]uint32{{4}, {5}}, fail: broken}
		if err := merge([]source{good, bad}, func(*Execution) error { return nil }); !errors.Is(err,
			broken) {
			t.Errorf("%d records before the failure: error %v, want %v", records, err, broken)
		}
	}
	seen := 0
	good := &listed{starts: []int64{1, 2, 3}, blocks: [][]uint32{{1}, {2}, {3}}}
	if err := merge([]source{good}, func(*Execution) error { seen++; return broken }); !errors.Is(
		err, broken) || seen != 1 {
		t.Errorf("an error of the consumer: error %v after %d kernels, want %v after 1", err, seen,
			broken)
	}
}

// TestShared: of the reuses, those after another worker of the node are counted apart, at every
// distance.
func TestShared(t *testing.T) {
	sizes := []uint64{10, 20}
	for _, weigh := range []bool{false, true} {
		c := &tally{weighBytes: weigh}
		n := newDenseNode(sizes, 3, c)
		n.kernel(&Execution{Worker: 4, blocks: []uint32{0, 1}}) // cold
		n.kernel(&Execution{Worker: 4, blocks: []uint32{0}})    // own
		n.kernel(&Execution{Worker: 5, blocks: []uint32{0}})    // shared, 10 bytes
		n.kernel(&Execution{Worker: 5, blocks: []uint32{0}})    // own
		n.kernel(&Execution{Worker: 6, blocks: []uint32{1, 1}}) // shared, 20 bytes; then own
		n.kernel(&Execution{Worker: 4, blocks: []uint32{0}})    // shared, 10 bytes
		n.flush()
		got, want := fmt.Sprint(c.shared, c.cold, c.count), "3 2 8"
		if weigh {
			want = "40 30 8"
		}
		if got != want {
			t.Errorf("weighing bytes %v: shared, cold, count = %s, want %s", weigh, got, want)
		}
	}
}

// Executions gives those without accesses too, with the starts of the common clock, and sorts
// where workers are unordered.
func TestExecutions(t *testing.T) {
	run := []execution{{0, 10, []uint32{0}}, {1, 20, []uint32{8}}, {1, 14, []uint32{0}},
		{0, 16, nil}}
	h := testHeader([]loi.Worker{{}, {TSCOffset: 4}})
	all := func() (got string, err error) {
		err = Executions(write(t, h, loi.Options{}, run), func(x *Execution) error {
			got += fmt.Sprintf(" %d@%d:%d", x.Worker, x.Start, len(x.Accesses))
			return nil
		})
		return got, err
	}
	var order *OrderError
	if got, err := all(); !errors.As(err, &order) || order.Worker != 1 {
		t.Errorf("%s: %v, want an OrderError of worker 1", got, err)
	}
	h.Unordered = true
	if got, err := all(); err != nil || got != " 0@10:1 1@10:1 0@16:0 1@16:1" {
		t.Errorf("%s: %v", got, err)
	}
}
