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
}

func (l *listed) next() (int64, []uint32, bool) {
	if l.i == len(l.starts) {
		return 0, nil, false
	}
	l.i++
	return l.starts[l.i-1], l.blocks[l.i-1], true
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
		var workers []int
		type tagged struct {
			start  int64
			worker int
			block  uint32
		}
		var want []tagged
		block := uint32(0)
		for i := range rapid.IntRange(0, 9).Draw(t, "workers") {
			worker := 3*i + 1
			l := &listed{}
			start := int64(-5)
			for range rapid.IntRange(0, 30).Draw(t, "records") {
				start += rapid.Int64Range(0, 3).Draw(t, "pause")
				l.starts = append(l.starts, start)
				l.blocks = append(l.blocks, []uint32{block})
				want = append(want, tagged{start, worker, block})
				block++
			}
			sources = append(sources, l)
			workers = append(workers, worker)
		}
		slices.SortStableFunc(want, func(a, b tagged) int {
			if a.start != b.start {
				return int(a.start - b.start)
			}
			return a.worker - b.worker
		})
		i := 0
		err := merge(sources, workers, func(worker int, blocks []uint32) {
			if i >= len(want) || worker != want[i].worker || !slices.Equal(blocks, []uint32{want[i].block}) {
				t.Fatalf("record %d: worker %d, blocks %v; want %+v", i, worker, blocks, want[min(i, len(want)-1)])
			}
			i++
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
		if err := merge([]source{good, bad}, []int{0, 1}, func(int, []uint32) {}); !errors.Is(err, broken) {
			t.Errorf("%d records before the failure: error %v, want %v", records, err, broken)
		}
	}
}

// TestShared: of the reuses, those after another worker of the node are counted apart, at every distance.
func TestShared(t *testing.T) {
	sizes := []uint64{10, 20}
	for _, weigh := range []bool{false, true} {
		c := &tally{sizes: sizes, weighBytes: weigh}
		n := newNode(sizes, 3, c)
		n.kernel(4, []uint32{0, 1}) // cold
		n.kernel(4, []uint32{0})    // own
		n.kernel(5, []uint32{0})    // shared, 10 bytes
		n.kernel(5, []uint32{0})    // own
		n.kernel(6, []uint32{1, 1}) // shared, 20 bytes; then own
		n.kernel(4, []uint32{0})    // shared, 10 bytes
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
