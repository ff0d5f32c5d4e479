package krd

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"krdlab/hw/units"
)

// tallyOf analyses a stream of one worker.
func tallyOf(blocks []uint32, sizes []uint64, t *tally) *tally {
	n := newDenseNode(sizes, 1, t)
	for i := 0; i < len(blocks); i += 3 {
		from := len(n.batch)
		n.batch = append(n.batch, blocks[i:min(i+3, len(blocks))]...)
		n.gathered(from, 0)
	}
	n.flush()
	return t
}

// The histogram of the serial multiplication, from a program independent of this one.
func TestMatmulHistogram(t *testing.T) {
	wantShares := map[uint64]string{
		16 << 10: "16.6667", 32 << 10: "25.0000", 64 << 10: "50.0000", 128 << 10: "59.3750",
		256 << 10: "75.0000",
		512 << 10: "79.2969", 1 << 20: "87.5000", 2 << 20: "89.5996", 4 << 20: "93.7500",
		8 << 20:  "94.7937",
		16 << 20: "96.8750", 32 << 20: "97.3961", 64 << 20: "98.4375", 128 << 20: "98.6979",
	}
	for _, mirrored := range []bool{false, true} {
		t.Run(fmt.Sprintf("mirrored=%v", mirrored), func(t *testing.T) {
			blocks, sizes := matmul4096(mirrored)
			c := tallyOf(blocks, sizes, &tally{})
			h := c.histogram(c.used())
			tail, err := h.AtLeast(32 << 20)
			if err != nil {
				t.Fatal(err)
			}
			if h.Accesses != 3145728 || h.Cold != 32768 || tail.Finite != 49144 ||
				len(sizes) != 32768 {
				t.Errorf("%d accesses, %d cold, %d finite of at least 32 MiB, %d blocks; want "+
					"3145728, 32768, 49144, 32768",
					h.Accesses, h.Cold, tail.Finite, len(sizes))
			}
			for limit, want := range wantShares {
				below, err := h.Below(limit)
				if err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprintf("%.4f", 100*float64(below)/float64(h.Accesses)); got != want {
					t.Errorf("share below %s: %s %%, want %s", units.Bytes(limit), got, want)
				}
			}
		})
	}
}

func TestHistogramCounts(t *testing.T) {
	// Sizes 8, 4, 4; distances inf inf inf 0 8 12 4 8 12 (virda, figure 3).
	sizes := []uint64{8, 4, 4}
	blocks := []uint32{0, 1, 2, 2, 0, 1, 0, 1, 2}
	for _, c := range []struct {
		name                           string
		tally                          tally
		accesses, cold                 uint64
		close, near, far               uint64
		bins                           []uint64
		below8, atLeast8, atLeast8Cold uint64
		beyond                         uint64 // bytes
	}{
		// distance+size of the reuses: 0+4, 8+8, 12+4, 4+8, 8+4, 12+4
		{"exclusive count", tally{l2: 12, llc: 15}, 9, 3, 3, 0, 3, []uint64{1, 0, 0, 1, 4}, 2, 4,
			7, 32},
		{"inclusive count", tally{l2: 4, llc: 12, inclusive: true}, 9, 3, 1, 2, 3,
			[]uint64{0, 0, 0, 1, 2, 3}, 1, 5, 8, 32},
		{"exclusive bytes", tally{l2: 12, llc: 16, weighBytes: true}, 48, 16, 16, 16, 0,
			[]uint64{4, 0, 0, 8, 20}, 12, 20, 36, 16},
		{"LLC is the L2", tally{l2: 16, llc: 12}, 9, 3, 6, 0, 0, []uint64{1, 0, 0, 1, 4}, 2, 4, 7,
			16},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := tallyOf(blocks, sizes, &c.tally)
			h := n.histogram(n.used())
			var bins []uint64
			sum := h.Cold
			for k, b := range h.Bins {
				bins = append(bins, b.Count)
				sum += b.Count
				wantFrom, wantTo := uint64(math.Exp2(float64(k-1))), uint64(math.Exp2(float64(k)))
				if b.FromBytes != wantFrom || b.ToBytes != wantTo {
					t.Errorf("bin %d is [%d, %d), want [%d, %d)", k, b.FromBytes, b.ToBytes,
						wantFrom, wantTo)
				}
			}
			if h.Accesses != c.accesses || h.AccessCount != 9 || h.Cold != c.cold ||
				sum != h.Accesses {
				t.Errorf("accesses %d, unweighted %d, cold %d, cold + bins %d; want %d, 9, %d, %d",
					h.Accesses, h.AccessCount, h.Cold, sum, c.accesses, c.cold, c.accesses)
			}
			if *h.BeyondBytes != c.beyond {
				t.Errorf("%d bytes beyond the LLC, want %d", *h.BeyondBytes, c.beyond)
			}
			if *h.Close != c.close || *h.Near != c.near || *h.Far != c.far || h.Invalidated != nil {
				t.Errorf("close %d near %d far %d, want %d %d %d", *h.Close, *h.Near, *h.Far,
					c.close, c.near, c.far)
			}
			if fmt.Sprint(bins) != fmt.Sprint(c.bins) {
				t.Errorf("bins %v, want %v", bins, c.bins)
			}
			below, err := h.Below(8)
			tail, err2 := h.AtLeast(8)
			if err != nil || err2 != nil || below != c.below8 || tail.Finite != c.atLeast8 ||
				tail.Finite+tail.Cold != c.atLeast8Cold {
				t.Errorf("below 8: %d (%v), at least 8: %+v (%v); want %d, %d, %d with cold", below,
					err, tail, err2,
					c.below8, c.atLeast8, c.atLeast8Cold)
			}
			if _, err := h.AtLeast(12); !errors.Is(err, ErrNotPowerOfTwo) {
				t.Errorf("at least 12: error %v, want ErrNotPowerOfTwo", err)
			}
		})
	}
}

func TestUnknownCachesAreNull(t *testing.T) {
	sizes := []uint64{8, 4, 4}
	blocks := []uint32{0, 1, 2, 2, 0, 1, 0, 1, 2}
	show := func(l2, llc uint64) string {
		n := tallyOf(blocks, sizes, &tally{l2: l2, llc: llc})
		h := n.histogram(n.used())
		s := ""
		for _, p := range []*uint64{h.Close, h.Near, h.Far, h.BeyondBytes} {
			if p == nil {
				s += "null "
			} else {
				s += fmt.Sprint(*p, " ")
			}
		}
		return s
	}
	for _, c := range []struct {
		l2, llc uint64
		want    string
	}{{0, 0, "null null null null "}, {12, 0, "3 null null null "}, {0, 15, "null null 3 32 "},
		{12, 15, "3 0 3 32 "}} {
		if got := show(c.l2, c.llc); got != c.want {
			t.Errorf("L2 %d, LLC %d: close near far beyond %s, want %s", c.l2, c.llc, got, c.want)
		}
	}
}
