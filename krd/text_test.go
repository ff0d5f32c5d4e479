package krd

import (
	"strings"
	"testing"

	"krdlab/loi"
)

func TestReportText(t *testing.T) {
	var b strings.Builder
	if err := smallReport(t).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `kernel reuse distance: exclusive, in bytes; counts are of accesses
  accesses                 5  100.0000 %  all
  close                    1   20.0000 %  distance + size <= L2 of 64 B
  near                   n/a              beyond L2, distance + size <= LLC (size unknown)
  far                    n/a              finite, distance + size > LLC
  cold                     3   60.0000 %  first access on the node, distance INF
  shared                   1   20.0000 %  reuses between two workers of a node (of all distances)
  >= 32 MiB: 0.0000 %; >= 32 MiB or cold: 60.0000 %

  distance                          count       share  cumulative
  0                                     1   20.0000 %   20.0000 %  #############
  1 B - 2 B                             0    0.0000 %   20.0000 %
  2 B - 4 B                             0    0.0000 %   20.0000 %
  4 B - 8 B                             0    0.0000 %   20.0000 %
  8 B - 16 B                            0    0.0000 %   20.0000 %
  16 B - 32 B                           0    0.0000 %   20.0000 %
  32 B - 64 B                           0    0.0000 %   20.0000 %
  64 B - 128 B                          1   20.0000 %   40.0000 %  #############
  INF (cold)                            3   60.0000 %  100.0000 %  ########################################
warning: the trace names no LLC size: near and far are unknown
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestReportTextNodes: rows of nodes, leading empty bins in one row, weights in bytes.
func TestReportTextNodes(t *testing.T) {
	h := testHeader([]loi.Worker{{Node: 0}, {Node: 1}, {Node: 0}})
	r, err := Analyze(write(t, h, loi.Options{}, []execution{
		{0, 2, []uint32{8, 9}}, {2, 5, []uint32{8}}, {1, 3, []uint32{9}},
	}), Options{Weight: WeightBytes, Distance: Inclusive})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"kernel reuse distance: inclusive, in bytes; counts are of bytes\n",
		"  0 - 128 B                             0    0.0000 %    0.0000 %\n",
		"  128 B - 256 B                        64   25.0000 %   25.0000 %  #############\n",
		"  0           2              192    0.0000 %   33.3333 %    0.0000 %   66.6667 %   " +
			"33.3333 %\n",
		"  1           1               64    0.0000 %    0.0000 %    0.0000 %  100.0000 %    " +
			"0.0000 %\n",
		"  sum         3              256    0.0000 %   25.0000 %    0.0000 %   75.0000 %   " +
			"25.0000 %\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}
