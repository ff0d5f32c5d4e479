package krd

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// listed is a source in memory.
type listed struct {
	starts []int64
	blocks [][]uint32
	fail   error // at the end
	i      int
	run    kernelRun
}

func (l *listed) next() (int64, *kernelRun, bool) {
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

// TestMergeOrder merges random streams and compares with sorting all records stably by (start, worker).
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
			l := &listed{run: kernelRun{worker: worker}}
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
		err := merge(sources, func(x *kernelRun) error {
			if i >= len(want) || x.worker != want[i].worker || !slices.Equal(x.blocks, []uint32{want[i].block}) {
				t.Fatalf("record %d: worker %d, blocks %v; want %+v", i, x.worker, x.blocks, want[min(i, len(want)-1)])
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
		if err := merge([]source{good, bad}, func(*kernelRun) error { return nil }); !errors.Is(err, broken) {
			t.Errorf("%d records before the failure: error %v, want %v", records, err, broken)
		}
	}
	seen := 0
	good := &listed{starts: []int64{1, 2, 3}, blocks: [][]uint32{{1}, {2}, {3}}}
	if err := merge([]source{good}, func(*kernelRun) error { seen++; return broken }); !errors.Is(err, broken) || seen != 1 {
		t.Errorf("an error of the consumer: error %v after %d kernels, want %v after 1", err, seen, broken)
	}
}

// TestShared: of the reuses, those after another worker of the node are counted apart, at every distance.
func TestShared(t *testing.T) {
	sizes := []uint64{10, 20}
	for _, weigh := range []bool{false, true} {
		c := &tally{weighBytes: weigh}
		n := newDenseNode(sizes, 3, c)
		n.kernel(&kernelRun{worker: 4, blocks: []uint32{0, 1}}) // cold
		n.kernel(&kernelRun{worker: 4, blocks: []uint32{0}})    // own
		n.kernel(&kernelRun{worker: 5, blocks: []uint32{0}})    // shared, 10 bytes
		n.kernel(&kernelRun{worker: 5, blocks: []uint32{0}})    // own
		n.kernel(&kernelRun{worker: 6, blocks: []uint32{1, 1}}) // shared, 20 bytes; then own
		n.kernel(&kernelRun{worker: 4, blocks: []uint32{0}})    // shared, 10 bytes
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
